// Which CPU code is made for, in LLVM's words and in the kernel's.

#ifndef EXHIBIT_COMPILER_BUILD_TARGET_CPU_H_
#define EXHIBIT_COMPILER_BUILD_TARGET_CPU_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

struct TargetCpu {
  std::string name;      // LLVM's name: "znver5", "x86-64-v3".
  std::string features;  // "-a,+b,...": what is off, then what is on, sorted.
  // /proc/cpuinfo names of every feature that is on, sorted: a machine that
  // lacks one must not run the code.
  std::vector<std::string> required_cpu_flags;
};

// The legal values of CompileOptions::cpu.
const std::vector<std::string>& TargetCpuNames();

// Resolves one of them. "native" is the detected CPU with those detected
// features that this machine's /proc/cpuinfo lists: what the kernel hides is
// not used, as a record could not ask for it.
//
// Fails with kUnsupported for another name, for a feature without a name in
// /proc/cpuinfo, and for a host that is not x86-64 Linux.
Result<TargetCpu> ResolveTargetCpu(const std::string& cpu);

// The target that a report names, by LLVM's name and its feature string, on
// any machine.
//
// Fails with kUnsupported for a name that this LLVM does not have, for a
// feature without a name in /proc/cpuinfo, and for a string that this build
// would have spelled otherwise, as it then knows the CPU otherwise.
Result<TargetCpu> RecordedTargetCpu(const std::string& name,
                                    const std::string& features);

// The flags of the first processor in the text of /proc/cpuinfo.
std::set<std::string> ParseCpuinfoFlags(std::string_view text);

// The features in effect from detected ones, by name: those whose flag is in
// `listed`. For tests, which have no machine to detect.
std::vector<std::string> UsableFeatures(
    const std::map<std::string, bool>& detected,
    const std::set<std::string>& listed);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_BUILD_TARGET_CPU_H_
