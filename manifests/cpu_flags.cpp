#include "manifests/cpu_flags.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

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

// Source: the x86-64 psABI, "Micro-architecture levels"; each level has all of
// those before it.
constexpr std::string_view kLevel1[] = {"cmov", "cx8", "fpu", "fxsr",
                                        "lm",   "mmx", "sse", "sse2"};
constexpr std::string_view kLevel2[] = {"cx16",   "lahf_lm", "pni",  "popcnt",
                                        "sse4_1", "sse4_2",  "ssse3"};
constexpr std::string_view kLevel3[] = {"abm",  "avx", "avx2",  "bmi1", "bmi2",
                                        "f16c", "fma", "movbe", "xsave"};
constexpr std::string_view kLevel4[] = {"avx512bw", "avx512cd", "avx512dq",
                                        "avx512f", "avx512vl"};

}  // namespace

std::string_view CpuinfoFlagOf(std::string_view feature) {
  const auto row = std::lower_bound(
      kFlags.begin(), kFlags.end(), feature,
      [](const Row& a, std::string_view b) { return a.first < b; });
  if (row == kFlags.end() || row->first != feature) return {};
  return row->second;
}

Result<std::vector<std::string>> CpuFlagsOf(std::string_view features) {
  std::set<std::string> flags;
  while (!features.empty()) {
    const std::string_view word = features.substr(0, features.find(','));
    features.remove_prefix(std::min(word.size() + 1, features.size()));
    if (word.starts_with('-')) continue;
    const std::string_view flag =
        word.starts_with('+') ? CpuinfoFlagOf(word.substr(1)) : "";
    if (flag.empty()) {
      return Error{ErrorKind::kUnsupported,
                   "feature " + QuoteText(std::string(word)) +
                       " has no known name in /proc/cpuinfo",
                   ""};
    }
    flags.emplace(flag);
  }
  return std::vector<std::string>(flags.begin(), flags.end());
}

std::vector<std::string> CpuFlagsOfLevel(std::string_view cpu) {
  std::set<std::string> flags;
  const auto add = [&](const auto& level) {
    flags.insert(std::begin(level), std::end(level));
  };
  constexpr std::string_view kNames[] = {"x86-64", "x86-64-v2", "x86-64-v3",
                                         "x86-64-v4"};
  const auto level =
      std::find(std::begin(kNames), std::end(kNames), cpu) - std::begin(kNames);
  if (level == std::ssize(kNames)) return {};
  add(kLevel1);
  if (level >= 1) add(kLevel2);
  if (level >= 2) add(kLevel3);
  if (level >= 3) add(kLevel4);
  return std::vector<std::string>(flags.begin(), flags.end());
}

}  // namespace exhibit
