#include "compiler/build/target_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "manifests/cpu_flags.h"

namespace exhibit {
namespace {

bool Has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

TEST(TargetCpu, LevelsAskForTheFlagsOfTheirLevel) {
  auto v1 = ResolveTargetCpu("x86-64");
  auto v2 = ResolveTargetCpu("x86-64-v2");
  auto v3 = ResolveTargetCpu("x86-64-v3");
  auto v4 = ResolveTargetCpu("x86-64-v4");
  ASSERT_TRUE(v1.ok() && v2.ok() && v3.ok() && v4.ok());
  EXPECT_TRUE(Has(v1->required_cpu_flags, "sse2"));
  EXPECT_FALSE(Has(v1->required_cpu_flags, "pni"));
  EXPECT_TRUE(Has(v2->required_cpu_flags, "sse4_2"));
  EXPECT_TRUE(Has(v2->required_cpu_flags, "pni"));
  EXPECT_TRUE(Has(v3->required_cpu_flags, "avx2"));
  EXPECT_TRUE(Has(v3->required_cpu_flags, "abm"));
  EXPECT_FALSE(Has(v3->required_cpu_flags, "avx512f"));
  EXPECT_TRUE(Has(v4->required_cpu_flags, "avx512vl"));
  EXPECT_TRUE(std::is_sorted(v4->required_cpu_flags.begin(),
                             v4->required_cpu_flags.end()));
}

TEST(TargetCpu, AnUnknownNameIsUnsupportedAndListsTheKnownOnes) {
  for (const char* name : {"", "znver4", "X86-64", "native ", "generic"}) {
    auto target = ResolveTargetCpu(name);
    ASSERT_FALSE(target.ok()) << name;
    EXPECT_EQ(target.error().kind, ErrorKind::kUnsupported);
    EXPECT_NE(target.error().hint.find("x86-64-v3"), std::string::npos);
  }
}

TEST(TargetCpu, NativeIsWrittenOutAndAsksForNothingThisMachineHides) {
  auto target = ResolveTargetCpu("native");
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_NE(target->name, "native");
  EXPECT_NE(target->features.find("+sse2"), std::string::npos);
  EXPECT_TRUE(Has(target->required_cpu_flags, "sse2"));
}

TEST(TargetCpu, ARecordedTargetIsTheOneThatWasWritten) {
  for (const std::string& name : TargetCpuNames()) {
    const auto written = ResolveTargetCpu(name);
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto read = RecordedTargetCpu(written->name, written->features);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->name, written->name);
    EXPECT_EQ(read->features, written->features);
    EXPECT_EQ(read->required_cpu_flags, written->required_cpu_flags);
  }
}

TEST(TargetCpu, ARecordedTargetMayLackWhatItsNameBrings) {
  std::string features = "-fma," + ResolveTargetCpu("x86-64-v3")->features;
  const std::string fused = ",+fma,";
  features.replace(features.find(fused), fused.size(), ",");
  const auto target = RecordedTargetCpu("x86-64-v3", features);
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_EQ(target->features, features);
  EXPECT_TRUE(Has(target->required_cpu_flags, "avx2"));
  EXPECT_FALSE(Has(target->required_cpu_flags, "fma"));
}

TEST(TargetCpu, ARecordedTargetThatThisBuildWouldNotWriteIsUnsupported) {
  const std::string v3 = ResolveTargetCpu("x86-64-v3")->features;
  const std::pair<const char*, std::string> cases[] = {
      {"native", v3},
      {"", v3},
      {"znver99", v3},
      {"i386", v3},
      {"x86-64-v3", ""},
      {"x86-64-v3", v3 + ","},
      {"x86-64-v3", v3 + ",-fma"},
      {"x86-64-v3", v3 + ",+surprise"},
      {"x86-64-v3", v3.substr(1)},
      {"x86-64-v2", v3.substr(0, v3.size() - 1)}};
  for (const auto& [name, features] : cases) {
    const auto target = RecordedTargetCpu(name, features);
    ASSERT_FALSE(target.ok()) << name << " " << features;
    EXPECT_EQ(target.error().kind, ErrorKind::kUnsupported);
  }
}

TEST(TargetCpu, OnlyFeaturesThatAreDetectedNamedAndListedAreUsed) {
  const std::map<std::string, bool> detected = {{"avx2", true},
                                                {"fma", true},
                                                {"lzcnt", true},
                                                {"bmi", false},
                                                {"prefetchi", true}};
  EXPECT_EQ(UsableFeatures(detected, {"avx2", "fma", "bmi1", "prefetchi"}),
            (std::vector<std::string>{"avx2", "fma"}));
}

TEST(TargetCpu, FlagsComeFromTheFirstProcessor) {
  EXPECT_EQ(ParseCpuinfoFlags("processor\t: 0\nflags\t\t: fpu  sse\n\n"
                              "processor\t: 1\nflags\t\t: fpu sse avx\n"),
            (std::set<std::string>{"fpu", "sse"}));
  EXPECT_TRUE(ParseCpuinfoFlags("").empty());
  EXPECT_TRUE(ParseCpuinfoFlags("flags without a colon\n").empty());
  EXPECT_EQ(ParseCpuinfoFlags("flags : a b"),
            (std::set<std::string>{"a", "b"}));
}

// Another build of LLVM may know more of them, never fewer than the level has.
TEST(TargetCpu, ALevelAsksForAllThatItsProcessorsHave) {
  for (const char* name : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const auto target = ResolveTargetCpu(name);
    ASSERT_TRUE(target.ok());
    const std::vector<std::string> level = CpuFlagsOfLevel(name);
    EXPECT_GE(level.size(), 8u) << name;
    for (const std::string& flag : level) {
      EXPECT_TRUE(Has(target->required_cpu_flags, flag)) << name << flag;
    }
    const auto flags = CpuFlagsOf(target->features);
    ASSERT_TRUE(flags.ok());
    EXPECT_EQ(*flags, target->required_cpu_flags) << name;
  }
  EXPECT_TRUE(CpuFlagsOfLevel("znver5").empty());
}

TEST(TargetCpu, FlagsAreReadFromFeaturesThatAreOn) {
  EXPECT_EQ(*CpuFlagsOf("-avx,+sse3,+bmi,+crc32,+sse4.2"),
            (std::vector<std::string>{"bmi1", "pni", "sse4_2"}));
  EXPECT_TRUE(CpuFlagsOf("")->empty());
  for (const char* wrong : {"+prefetchi", "sse3", "+", "+sse3,,+bmi"}) {
    const auto flags = CpuFlagsOf(wrong);
    ASSERT_FALSE(flags.ok()) << wrong;
    EXPECT_NE(flags.error().message.find("/proc/cpuinfo"), std::string::npos);
  }
}

TEST(TargetCpu, TheTableSpellsAsTheKernelDoes) {
  EXPECT_EQ(CpuinfoFlagOf("lzcnt"), "abm");
  EXPECT_EQ(CpuinfoFlagOf("sse3"), "pni");
  EXPECT_EQ(CpuinfoFlagOf("avx512vbmi2"), "avx512_vbmi2");
  EXPECT_EQ(CpuinfoFlagOf("64bit"), "lm");
  EXPECT_EQ(CpuinfoFlagOf("xsaves"), "xsaves");
  EXPECT_EQ(CpuinfoFlagOf("prefetchi"), "");
  EXPECT_EQ(CpuinfoFlagOf(""), "");
}

}  // namespace
}  // namespace exhibit
