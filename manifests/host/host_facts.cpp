#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "manifests/host/host.h"
#include "manifests/host/system_text.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr char kCpuFolder[] = "/sys/devices/system/cpu/";

std::vector<std::string> SortedWords(const std::string& text) {
  std::vector<std::string> words;
  size_t begin = 0;
  while (true) {
    begin = text.find_first_not_of(" \t", begin);
    if (begin == std::string::npos) break;
    const size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    words.push_back(RecordableText(text.substr(begin, end - begin)));
    begin = end;
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// "1" when the clock may rise above its nominal rate.
std::string Boost() {
  const std::string boost =
      ReadSystemText(std::string(kCpuFolder) + "cpufreq/boost");
  if (boost == "0" || boost == "1") return boost;
  const std::string no_turbo =
      ReadSystemText(std::string(kCpuFolder) + "intel_pstate/no_turbo");
  if (no_turbo == "0") return "1";
  if (no_turbo == "1") return "0";
  return "";
}

std::optional<double> TakeLoad(std::string_view& text) {
  double load = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), load);
  if (code != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return load;
}

}  // namespace

Result<HostFacts> ProbeHost() {
  utsname system{};
  if (::uname(&system) != 0) {
    return Error{ErrorKind::kIo, "the kernel does not state its name", ""};
  }
  const std::string cpuinfo = ReadSystemText("/proc/cpuinfo");
  const std::string boot_id = ReadSystemText("/proc/sys/kernel/random/boot_id");
  if (cpuinfo.empty() || boot_id.empty()) {
    return Error{
        ErrorKind::kIo,
        "cannot read /proc/cpuinfo and /proc/sys/kernel/random/boot_id",
        "mount /proc"};
  }
  HostFacts facts;
  facts.architecture = RecordableText(system.machine);
  facts.kernel = RecordableText(system.release);
  facts.cpu_model = RecordableText(SystemField(cpuinfo, "model name"));
  // x86 says "flags", aarch64 "Features".
  facts.cpu_flags = SortedWords(SystemField(cpuinfo, "flags"));
  if (facts.cpu_flags.empty()) {
    facts.cpu_flags = SortedWords(SystemField(cpuinfo, "Features"));
  }
  facts.microcode = RecordableText(SystemField(cpuinfo, "microcode"));
  facts.boot_id_sha256 = Sha256Hex(boot_id);
  facts.clock_source = RecordableText(ReadSystemText(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  facts.governor = RecordableText(ReadSystemText(
      std::string(kCpuFolder) + "cpu0/cpufreq/scaling_governor"));
  facts.boost = Boost();
  facts.smt_siblings = RecordableText(ReadSystemText(
      std::string(kCpuFolder) + "cpu0/topology/thread_siblings_list"));
  facts.cpu_count = ::sysconf(_SC_NPROCESSORS_ONLN);
  facts.page_bytes = ::sysconf(_SC_PAGESIZE);
  const int64_t page_count = ::sysconf(_SC_PHYS_PAGES);
  if (facts.cpu_count <= 0 || facts.page_bytes <= 0 || page_count <= 0) {
    return Error{ErrorKind::kIo,
                 "the kernel does not state its CPUs, pages and memory", ""};
  }
  facts.memory_bytes = page_count * facts.page_bytes;
  return facts;
}

HostState ProbeHostState(int64_t cpu) {
  HostState state;
  const std::string loads = ReadSystemText("/proc/loadavg");
  std::string_view rest = loads;
  state.load_1m = TakeLoad(rest);
  if (state.load_1m) state.load_5m = TakeLoad(rest);
  if (state.load_5m) state.load_15m = TakeLoad(rest);
  state.frequency_khz = ParseSystemInteger(
      ReadSystemText(std::string(kCpuFolder) + "cpu" + std::to_string(cpu) +
                     "/cpufreq/scaling_cur_freq"));
  return state;
}

}  // namespace exhibit
