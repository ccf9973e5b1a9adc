#include "compiler/build/target_cpu.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "manifests/cpu_flags.h"
#include "manifests/json.h"

namespace exhibit {
namespace {

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
