// What a processor must have: LLVM's names of x86-64 features and those of
// /proc/cpuinfo.

#ifndef EXHIBIT_MANIFESTS_CPU_FLAGS_H_
#define EXHIBIT_MANIFESTS_CPU_FLAGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

// /proc/cpuinfo's name of an LLVM feature; empty when the closed table has
// none.
std::string_view CpuinfoFlagOf(std::string_view feature);

// The flags of every feature that is on in a feature string "-a,+b,...",
// sorted. Fails with kUnsupported for a feature without a name there, or
// without its sign.
Result<std::vector<std::string>> CpuFlagsOf(std::string_view features);

// The flags that every processor of a level has, sorted: x86-64, x86-64-v2,
// x86-64-v3, x86-64-v4. None for another name.
std::vector<std::string> CpuFlagsOfLevel(std::string_view cpu);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_CPU_FLAGS_H_
