#include "compiler/build/target_cpu.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "manifests/json.h"

namespace exhibit {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

// LLVM's name, /proc/cpuinfo's name; sorted by the first. A feature that is not
// here fails a build rather than being left out of what a machine must have.
constexpr auto kFlags = std::to_array<Row>({
    {"64bit", "lm"},
    {"adx", "adx"},
    {"aes", "aes"},
    {"amx-bf16", "amx_bf16"},
    {"amx-int8", "amx_int8"},
    {"amx-tile", "amx_tile"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"avx512bf16", "avx512_bf16"},
    {"avx512bitalg", "avx512_bitalg"},
    {"avx512bw", "avx512bw"},
    {"avx512cd", "avx512cd"},
    {"avx512dq", "avx512dq"},
    {"avx512f", "avx512f"},
    {"avx512fp16", "avx512_fp16"},
    {"avx512ifma", "avx512ifma"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512vbmi2", "avx512_vbmi2"},
    {"avx512vl", "avx512vl"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512vp2intersect", "avx512_vp2intersect"},
    {"avx512vpopcntdq", "avx512_vpopcntdq"},
    {"avxifma", "avx_ifma"},
    {"avxvnni", "avx_vnni"},
    {"bmi", "bmi1"},
    {"bmi2", "bmi2"},
    {"cldemote", "cldemote"},
    {"clflushopt", "clflushopt"},
    {"clwb", "clwb"},
    {"clzero", "clzero"},
    {"cmov", "cmov"},
    {"crc32", "sse4_2"},
    {"cx16", "cx16"},
    {"cx8", "cx8"},
    {"enqcmd", "enqcmd"},
    {"f16c", "f16c"},
    {"fma", "fma"},
    {"fma4", "fma4"},
    {"fsgsbase", "fsgsbase"},
    {"fxsr", "fxsr"},
    {"gfni", "gfni"},
    {"invpcid", "invpcid"},
    {"lwp", "lwp"},
    {"lzcnt", "abm"},
    {"mmx", "mmx"},
    {"movbe", "movbe"},
    {"movdir64b", "movdir64b"},
    {"movdiri", "movdiri"},
    {"mwaitx", "mwaitx"},
    {"pclmul", "pclmulqdq"},
    {"pconfig", "pconfig"},
    {"pku", "pku"},
    {"popcnt", "popcnt"},
    {"prfchw", "3dnowprefetch"},
    {"rdpid", "rdpid"},
    {"rdpru", "rdpru"},
    {"rdrnd", "rdrand"},
    {"rdseed", "rdseed"},
    {"rtm", "rtm"},
    {"sahf", "lahf_lm"},
    {"serialize", "serialize"},
    {"sgx", "sgx"},
    {"sha", "sha_ni"},
    {"shstk", "user_shstk"},
    {"sse", "sse"},
    {"sse2", "sse2"},
    {"sse3", "pni"},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"sse4a", "sse4a"},
    {"ssse3", "ssse3"},
    {"tbm", "tbm"},
    {"tsxldtrk", "tsxldtrk"},
    {"vaes", "vaes"},
    {"vpclmulqdq", "vpclmulqdq"},
    {"waitpkg", "waitpkg"},
    {"wbnoinvd", "wbnoinvd"},
    {"x87", "fpu"},
    {"xop", "xop"},
    {"xsave", "xsave"},
    {"xsavec", "xsavec"},
    {"xsaveopt", "xsaveopt"},
    {"xsaves", "xsaves"},
});

// LLVM asks for the features of no other name.
bool IsKnown(const std::string& cpu) {
  return llvm::X86::parseArchX86(cpu, true) != llvm::X86::CK_None;
}

// What LLVM turns on for a CPU name, implied features included.
std::set<std::string> FeaturesOf(const std::string& cpu) {
  llvm::SmallVector<llvm::StringRef> listed;
  llvm::X86::getFeaturesForCPU(cpu, listed);
  llvm::StringMap<bool> implied;
  for (llvm::StringRef feature : listed) {
    implied[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, true, implied);
  }
  // LLVM's lists leave these out of some levels, as they come with the
  // architecture.
  std::set<std::string> features = {"64bit", "cmov", "cx8",  "fxsr",
                                    "mmx",   "sse",  "sse2", "x87"};
  for (const auto& entry : implied) {
    if (entry.second) features.insert(entry.first().str());
  }
  return features;
}

Result<TargetCpu> Describe(std::string name, const std::set<std::string>& on) {
  TargetCpu target;
  target.name = std::move(name);
  std::string features;
  for (const std::string& feature : FeaturesOf(target.name)) {
    if (on.count(feature) == 0) features += "-" + feature + ",";
  }
  std::set<std::string> flags;
  for (const std::string& feature : on) {
    const std::string_view flag = CpuinfoFlagOf(feature);
    if (flag.empty()) {
      return Error{ErrorKind::kUnsupported,
                   "target " + target.name + ": feature " + feature +
                       " has no known name in /proc/cpuinfo",
                   "choose another --cpu, such as x86-64-v3"};
    }
    flags.insert(std::string(flag));
    features += "+" + feature + ",";
  }
  if (!features.empty()) features.pop_back();
  target.features = std::move(features);
  target.required_cpu_flags.assign(flags.begin(), flags.end());
  return target;
}

#if defined(__x86_64__) && defined(__linux__)

Result<TargetCpu> Detect() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  const std::set<std::string> listed = ParseCpuinfoFlags(text.str());
  if (listed.empty()) {
    return Error{ErrorKind::kUnsupported,
                 "target native: /proc/cpuinfo lists no flags",
                 "name a CPU, such as x86-64-v3"};
  }
  std::map<std::string, bool> detected;
  for (const auto& entry : llvm::sys::getHostCPUFeatures()) {
    detected[entry.first().str()] = entry.second;
  }
  // Features of every x86-64 that detection does not speak of.
  detected["x87"] = true;
  const std::vector<std::string> usable = UsableFeatures(detected, listed);
  std::string name = llvm::sys::getHostCPUName().str();
  // "generic" and the like, which have no list of features.
  if (!IsKnown(name)) name = "x86-64";
  return Describe(std::move(name), {usable.begin(), usable.end()});
}

#else

Result<TargetCpu> Detect() {
  return Error{ErrorKind::kUnsupported,
               "kernels are compiled for x86-64 Linux only", ""};
}

#endif

}  // namespace

const std::vector<std::string>& TargetCpuNames() {
  static const std::vector<std::string> names = {
      "native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return names;
}

std::string_view CpuinfoFlagOf(std::string_view feature) {
  const auto row = std::lower_bound(
      kFlags.begin(), kFlags.end(), feature,
      [](const Row& a, std::string_view b) { return a.first < b; });
  if (row == kFlags.end() || row->first != feature) return {};
  return row->second;
}

std::set<std::string> ParseCpuinfoFlags(std::string_view text) {
  size_t line = 0;
  while (line < text.size()) {
    size_t end = text.find('\n', line);
    if (end == std::string_view::npos) end = text.size();
    std::string_view row = text.substr(line, end - line);
    line = end + 1;
    const size_t colon = row.find(':');
    if (row.substr(0, 5) != "flags" || colon == std::string_view::npos) {
      continue;
    }
    std::set<std::string> flags;
    std::istringstream words{std::string(row.substr(colon + 1))};
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

std::vector<std::string> UsableFeatures(
    const std::map<std::string, bool>& detected,
    const std::set<std::string>& listed) {
  std::vector<std::string> usable;
  for (const auto& [feature, present] : detected) {
    const std::string flag(CpuinfoFlagOf(feature));
    if (present && !flag.empty() && listed.count(flag) != 0) {
      usable.push_back(feature);
    }
  }
  return usable;
}

Result<TargetCpu> ResolveTargetCpu(const std::string& cpu) {
  const std::vector<std::string>& names = TargetCpuNames();
  if (std::find(names.begin(), names.end(), cpu) == names.end()) {
    std::string legal;
    for (const std::string& name : names) {
      legal += (legal.empty() ? "" : ", ") + name;
    }
    return Error{ErrorKind::kUnsupported, "unknown target CPU \"" + cpu + "\"",
                 "one of " + legal};
  }
  if (cpu == "native") return Detect();
  return Describe(cpu, FeaturesOf(cpu));
}

Result<TargetCpu> RecordedTargetCpu(const std::string& name,
                                    const std::string& features) {
  if (!IsKnown(name)) {
    return Error{ErrorKind::kUnsupported,
                 "this LLVM has no CPU " + QuoteText(name), ""};
  }
  std::set<std::string> on;
  std::istringstream words(features);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.starts_with('+')) on.insert(word.substr(1));
  }
  EXHIBIT_ASSIGN_OR_RETURN(TargetCpu target, Describe(name, on));
  if (target.features != features) {
    return Error{ErrorKind::kUnsupported,
                 "the features of CPU " + name + " are written " +
                     QuoteText(features) + ", this build writes " +
                     QuoteText(target.features),
                 ""};
  }
  return target;
}

}  // namespace exhibit
