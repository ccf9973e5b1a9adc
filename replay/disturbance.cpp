#include "replay/disturbance.h"

#include <algorithm>
#include <charconv>

#include "manifests/host/host.h"
#include "manifests/host/system_text.h"

namespace exhibit {
namespace {

constexpr double kLoadPerCpuMax = 0.5;

std::string TwoDigits(double value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof(text), value,
                           std::chars_format::fixed, 2)
                 .ptr;
  return std::string(text, end);
}

}  // namespace

Surroundings ProbeSurroundings(const HostFacts& host, int64_t cpu) {
  Surroundings surroundings;
  surroundings.host = host;
  surroundings.state = ProbeHostState(cpu);
  surroundings.cpu = cpu;
  Result<std::vector<int64_t>> allowed = AllowedCpus();
  surroundings.only_cpu = allowed.ok() && allowed->size() == 1;
  surroundings.cpu_siblings = RecordableText(
      ReadSystemText("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                     "/topology/thread_siblings_list"));
  return surroundings;
}

std::vector<std::string> Disturbances(const Surroundings& s) {
  std::vector<std::string> warnings;
  double cpus = static_cast<double>(std::max<int64_t>(1, s.host.cpu_count));
  if (s.state.load_1m && *s.state.load_1m > kLoadPerCpuMax * cpus) {
    warnings.push_back("the load is " + TwoDigits(*s.state.load_1m) + " on " +
                       std::to_string(s.host.cpu_count) +
                       " CPUs; see what runs with: top -b -n 1 | head -n 20");
  }
  if (!s.host.governor.empty() && s.host.governor != "performance") {
    warnings.push_back(
        "the frequency governor is '" + s.host.governor +
        "'; fix it with: sudo cpupower frequency-set -g performance");
  }
  if (s.host.boost == "1") {
    warnings.push_back(
        "the CPU may raise its clock while it is cool; fix it with: echo 0 | "
        "sudo tee /sys/devices/system/cpu/cpufreq/boost");
  }
  if (s.only_cpu) {
    warnings.push_back(
        "this process may run on CPU " + std::to_string(s.cpu) +
        " only, so that what watches the visits shares it; see the allowed "
        "ones with: taskset -cp $$");
  }
  if (s.cpu_siblings.find_first_of(",-") != std::string::npos) {
    warnings.push_back("CPU " + std::to_string(s.cpu) +
                       " shares its core (CPUs " + s.cpu_siblings +
                       "); switch such siblings off with: echo off | sudo tee "
                       "/sys/devices/system/cpu/smt/control");
  }
  return warnings;
}

}  // namespace exhibit
