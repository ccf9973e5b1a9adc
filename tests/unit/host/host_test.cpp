#include "manifests/host/host.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

TEST(Host, FactsAreTheSameFromCallToCall) {
  const auto first = ProbeHost();
  const auto second = ProbeHost();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
}

TEST(Host, FactsThatEveryMachineHasAreThere) {
  const auto facts = ProbeHost();
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_FALSE(facts->architecture.empty());
  EXPECT_FALSE(facts->kernel.empty());
  EXPECT_FALSE(facts->cpu_flags.empty());
  EXPECT_TRUE(std::is_sorted(facts->cpu_flags.begin(), facts->cpu_flags.end()));
  EXPECT_TRUE(IsSha256Hex(facts->boot_id_sha256));
  EXPECT_GT(facts->cpu_count, 0);
  EXPECT_GE(facts->memory_bytes, facts->page_bytes);
  EXPECT_GT(facts->page_bytes, 0);
}

TEST(Host, FactsDoNotNameTheHost) {
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  const auto facts = ProbeHost();
  ASSERT_TRUE(facts.ok());
  for (const std::string& text : {facts->kernel, facts->cpu_model,
                                  facts->architecture, facts->clock_source}) {
    EXPECT_NE(text, std::string(name));
  }
}

TEST(Host, FrequencyOfAMissingCpuIsAbsent) {
  const HostState state = ProbeHostState(1'000'000);
  EXPECT_FALSE(state.frequency_khz.has_value());
  EXPECT_TRUE(state.load_1m && state.load_5m && state.load_15m);
}

TEST(Thread, CountsNeverFall) {
  const ThreadCounts before = ProbeThreadCounts();
  ::sched_yield();
  const ThreadCounts after = ProbeThreadCounts();
  EXPECT_GE(after.voluntary_switches, before.voluntary_switches);
  EXPECT_GE(after.involuntary_switches, before.involuntary_switches);
  EXPECT_GE(after.minor_faults, before.minor_faults);
  EXPECT_GE(after.major_faults, before.major_faults);
  EXPECT_EQ(after.migrations.has_value(), before.migrations.has_value());
}

TEST(Thread, PinsToAnAllowedCpuAndToNoOther) {
  const auto allowed = AllowedCpus();
  ASSERT_TRUE(allowed.ok() && !allowed->empty());
  EXPECT_TRUE(std::is_sorted(allowed->begin(), allowed->end()));
  ASSERT_TRUE(PinToCpu(allowed->back()).ok());
  EXPECT_EQ(*AllowedCpus(), std::vector<int64_t>{allowed->back()});
  for (const int64_t cpu : {int64_t{-1}, int64_t{16383}, int64_t{1} << 40}) {
    const Status pinned = PinToCpu(cpu);
    ASSERT_FALSE(pinned.ok()) << cpu;
    EXPECT_EQ(pinned.error().kind, ErrorKind::kUnsupported) << cpu;
  }
}

TEST(Clock, ReadingsNeverFall) {
  const int64_t raw = RawTimeNs();
  const int64_t boot = BootTimeNs();
  EXPECT_GE(RawTimeNs(), raw);
  EXPECT_GE(BootTimeNs(), boot);
  const ClockFacts clock = ProbeClock();
  EXPECT_EQ(clock.name, "CLOCK_MONOTONIC_RAW");
  EXPECT_GT(clock.resolution_ns, 0);
  EXPECT_GE(clock.overhead_ns, 0);
}

TEST(Environment, OnlyTheAllowListIsRecorded) {
  ASSERT_EQ(::setenv("LC_ALL", "C", 1), 0);
  ASSERT_EQ(::setenv("MALLOC_ARENA_MAX", "1", 1), 0);
  ASSERT_EQ(::setenv("MALLOC_TRACE", "/home/someone/trace", 1), 0);
  ASSERT_EQ(::setenv("LD_LIBRARY_PATH", "/home/someone/lib", 1), 0);
  ASSERT_EQ(::setenv("TZ", "\xFF\n", 1), 0);
  ASSERT_EQ(::setenv("HOME", "/home/someone", 1), 0);
  const auto recorded = AllowedEnvironment();
  EXPECT_EQ(recorded.at("LC_ALL"), "C");
  EXPECT_EQ(recorded.at("MALLOC_ARENA_MAX"), "1");
  EXPECT_EQ(recorded.at("MALLOC_TRACE"), "<path>/trace");
  EXPECT_EQ(recorded.at("LD_LIBRARY_PATH"), "set");
  EXPECT_EQ(recorded.at("TZ"), "??");
  for (const auto& [name, value] : recorded) {
    EXPECT_NE(name, "HOME");
    EXPECT_EQ(value.find("someone"), std::string::npos) << name;
  }
}

TEST(CommandWords, PathsAreReplaced) {
  EXPECT_EQ(
      CommandWithoutPaths({"/usr/bin/exhibit-replay", "run", "--cpu", "3",
                           "--out=/home/me/x", "a/b/", "/", ""}),
      (std::vector<std::string>{"<path>/exhibit-replay", "run", "--cpu", "3",
                                "<path>/x", "<path>/b", "<path>/", ""}));
}

}  // namespace
}  // namespace exhibit
