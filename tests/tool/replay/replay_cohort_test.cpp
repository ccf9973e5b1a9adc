// A cohort from its plan to its last visit, and what may interrupt it.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <thread>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/sha256.h"
#include "manifests/visit_order.h"
#include "replay_process.h"
#include "run_builder.h"

namespace exhibit {
namespace {

// Polls until `condition` holds; false after half a minute without it.
bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 15'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

// Whether any process that works in the run `folder` has a library loaded: from
// a copy in memory, which goes by its path in the run.
bool AnyProcessMaps(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", ignored)) {
    if (std::filesystem::read_symlink(entry.path() / "cwd", ignored) !=
        std::filesystem::canonical(folder)) {
      continue;
    }
    std::ifstream maps(entry.path() / "maps");
    std::stringstream text;
    text << maps.rdbuf();
    if (text.str().find("/memfd:captures/") != std::string::npos) return true;
  }
  return false;
}

class ReplayCohort : public testing::Test {
 protected:
  ReplayCohort() : folder_(MakeTemporaryFolder()), run_(folder_ + "/run") {}
  ~ReplayCohort() override { RemoveFolder(folder_); }

  std::vector<VisitRecord> Visits(const std::string& name = "n200") {
    std::vector<VisitRecord> visits;
    while (true) {
      std::string number = std::to_string(visits.size());
      std::string path = "replays/" + name + "/visit-" +
                         std::string(4 - number.size(), '0') + number + ".json";
      if (!PathExists(run_ + "/" + path)) return visits;
      visits.push_back(ReadVisitRecord(run_, path));
    }
  }

  // A run whose visits take long enough to be interrupted.
  void BuildSlowRun() {
    BuildRun({.folder = run_,
              .baseline = "slow.so",
              .candidate = "slow.so",
              .cycles = 2,
              .samples = 10,
              .target_ms = 4});
  }

  std::string folder_;
  std::string run_;
};

TEST_F(ReplayCohort, WritesPlanCalibrationsAndEveryVisitInOneChain) {
  BuildRun({.folder = run_, .cycles = 2, .samples = 3});
  ToolEnd end = RunReplay({run_, "--quiet"});
  ASSERT_EQ(end.status, 0) << end.talk;
  EXPECT_EQ(end.out, "");
  PlanRecord plan = ReadPlanRecord(run_, "replays/n200/plan.json");
  EXPECT_EQ(plan.shifts.size(), 4u);
  EXPECT_EQ(plan.isolation, "process");
  std::map<std::string, std::string> tree = ReadTree(run_);
  std::string previous = Sha256Hex(tree.at("replays/n200/plan.json"));
  for (const char* name :
       {"calibration-0", "calibration-1", "visit-0000", "visit-0001",
        "visit-0002", "visit-0003", "visit-0004", "visit-0005", "visit-0006",
        "visit-0007"}) {
    std::string path = std::string("replays/n200/") + name + ".json";
    EXPECT_EQ(ReadVisitRecord(run_, path).previous_sha256, previous) << path;
    previous = Sha256Hex(tree.at(path));
  }
  EXPECT_EQ(Visits().size(), 8u);
}

TEST_F(ReplayCohort, VisitsTakeTheArmsInTurnWithOneCountOfCalls) {
  BuildRun({.folder = run_, .samples = 3});
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  PlanRecord plan = ReadPlanRecord(run_, "replays/n200/plan.json");
  std::vector<VisitRecord> visits = Visits();
  ASSERT_EQ(visits.size(), 4u);
  EXPECT_EQ(visits[0].arm, plan.starting_arm);
  EXPECT_NE(visits[1].arm, visits[0].arm);
  EXPECT_EQ(visits[2].arm, visits[1].arm);
  EXPECT_EQ(visits[3].arm, visits[0].arm);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(visits[i].repetitions, visits[0].repetitions);
    EXPECT_EQ(visits[i].shift, plan.shifts[i / 2]);
    EXPECT_EQ(visits[i].position, static_cast<int64_t>(i));
  }
  EXPECT_GT(visits[0].repetitions, 0);
  VisitRecord calibration =
      ReadVisitRecord(run_, "replays/n200/calibration-1.json");
  EXPECT_EQ(calibration.arm, visits[1].arm);
  EXPECT_TRUE(calibration.samples_ns.empty());
  EXPECT_EQ(calibration.repetitions, 0);
}

TEST_F(ReplayCohort, VisitRecordsWhatStoodInTheProcess) {
  BuildRun({.folder = run_, .samples = 3});
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  VisitRecord visit = ReadVisitRecord(run_, "replays/n200/visit-0000.json");
  EXPECT_EQ(visit.end.status, "completed");
  EXPECT_EQ(visit.samples_ns.size(), 3u);
  EXPECT_EQ(visit.checks_passed, 5);  // First call, warm-up, three samples.
  EXPECT_EQ(visit.clock.name, "CLOCK_MONOTONIC_RAW");
  EXPECT_EQ(visit.counters.size(), 7u);
  EXPECT_EQ(visit.counters.count("huge_page_bytes"), 1u);
  EXPECT_EQ(visit.counters.count("memory_growth_bytes"), 1u);
  EXPECT_EQ(visit.counters.count("task_clock_ns"), 1u);
  ASSERT_EQ(visit.outputs.size(), 1u);
  EXPECT_EQ(visit.outputs[0].first_sha256, visit.outputs[0].last_sha256);
  EXPECT_EQ(visit.guards.size(), 2u);
  std::vector<std::string> names;
  for (const MappedFile& file : visit.process.mapped_files) {
    names.push_back(file.name);
  }
  for (const char* name : {"exhibit-replay", "kernel.so", "libc.so.6"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  ASSERT_EQ(visit.process.command.size(), 3u);
  EXPECT_EQ(visit.process.command[1], "<path>/run");
}

TEST_F(ReplayCohort, NoRecordHoldsAPathOfThisMachine) {
  BuildRun({.folder = run_});
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  for (const auto& [path, bytes] : ReadTree(run_)) {
    if (path.ends_with(".so")) continue;
    EXPECT_EQ(bytes.find(folder_), std::string::npos) << path;
  }
}

TEST_F(ReplayCohort, CompleteRunHasNothingToDoAndIsNotTouched) {
  BuildRun({.folder = run_});
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  std::map<std::string, std::string> before = ReadTree(run_);
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 0);
  EXPECT_NE(end.talk.find("nothing to do"), std::string::npos);
  EXPECT_EQ(ReadTree(run_), before);
}

TEST_F(ReplayCohort, KilledReplayGoesOnWhereItStopped) {
  BuildSlowRun();
  ToolProcess first(ReplayStart({run_, "--quiet"}));
  ASSERT_TRUE(Eventually(
      [&] { return PathExists(run_ + "/replays/n200/visit-0002.json"); }));
  first.Signal(SIGKILL);
  EXPECT_EQ(first.Await().status, 137);
  ASSERT_TRUE(Eventually([&] { return !AnyProcessMaps(run_); }));
  std::map<std::string, std::string> before = ReadTree(run_);
  ASSERT_EQ(before.count("replays/n200/visit-0007.json"), 0u);

  ToolEnd end = RunReplay({run_, "--quiet"});
  ASSERT_EQ(end.status, 0) << end.talk;
  std::map<std::string, std::string> after = ReadTree(run_);
  for (const auto& [path, bytes] : before) {
    if (path == "attempts.jsonl") continue;
    EXPECT_EQ(after.at(path), bytes) << path;
  }
  std::vector<int64_t> attempts;
  for (const VisitRecord& visit : Visits()) attempts.push_back(visit.attempt);
  EXPECT_EQ(attempts.front(), 1);  // Attempt 0 was the capture.
  EXPECT_EQ(attempts.back(), 2);
  EXPECT_EQ(static_cast<int64_t>(attempts.size()), VisitsNeeded(2, attempts));
}

TEST_F(ReplayCohort,
       VisitMissingBeforeOthersIsRefusedBeforeAnythingIsMeasured) {
  BuildSlowRun();
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  ASSERT_TRUE(std::filesystem::remove(run_ + "/replays/n200/visit-0003.json"));
  std::map<std::string, std::string> before = ReadTree(run_);
  ToolEnd end = RunReplay({run_, "--quiet"});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("visit-0003.json"), std::string::npos) << end.talk;
  EXPECT_EQ(ReadTree(run_), before);
}

TEST_F(ReplayCohort, PairSplitByAnInterruptionIsReplacedByACycle) {
  BuildSlowRun();
  // Stop within a pair: after an even visit.
  ToolProcess first(ReplayStart({run_, "--quiet"}));
  ASSERT_TRUE(Eventually(
      [&] { return PathExists(run_ + "/replays/n200/visit-0000.json"); }));
  first.Signal(SIGKILL);
  first.Await();
  size_t kept = Visits().size();
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  EXPECT_EQ(Visits().size(), kept % 2 == 1 ? 12u : 8u);
}

// EXHIBIT_REPLAY_KILLS sets how often; 20 when it is not set.
int64_t KillCount() {
  const char* text = getenv("EXHIBIT_REPLAY_KILLS");
  return text == nullptr ? 20 : std::stoll(text);
}

// Every file of `before` is in `after` with the same bytes, but for the list of
// attempts, which has only grown.
void ExpectKept(const std::map<std::string, std::string>& before,
                const std::map<std::string, std::string>& after) {
  for (const auto& [path, bytes] : before) {
    ASSERT_EQ(after.count(path), 1u) << path << " was lost";
    if (path == "attempts.jsonl") {
      EXPECT_EQ(after.at(path).substr(0, bytes.size()), bytes);
    } else {
      EXPECT_EQ(after.at(path), bytes) << path;
    }
  }
}

TEST_F(ReplayCohort, KillsAtAnyMomentLoseAndDoubleNothing) {
  const int64_t kills = KillCount();
  BuildRun({.folder = run_, .cycles = kills});
  std::mt19937 random(7);  // The moments: the same in every run of the test.
  std::vector<int64_t> moments_ms;
  std::map<std::string, std::string> before = ReadTree(run_);
  for (int64_t i = 0; i < kills; ++i) {
    moments_ms.push_back(static_cast<int64_t>(random() % 200));
    ToolProcess process(ReplayStart({run_, "--quiet"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(moments_ms.back()));
    process.Signal(SIGKILL);
    int status = process.Await().status;
    EXPECT_TRUE(status == 137 || status == 0) << status;
    ASSERT_TRUE(Eventually([&] { return !AnyProcessMaps(run_); }));
    std::map<std::string, std::string> after = ReadTree(run_);
    ExpectKept(before, after);
    ASSERT_FALSE(HasFatalFailure())
        << "killed after ms " << testing::PrintToString(moments_ms);
    before = std::move(after);
  }
  ToolEnd end = RunReplay({run_, "--quiet"});
  ASSERT_EQ(end.status, 0) << end.talk;
  std::map<std::string, std::string> tree = ReadTree(run_);
  ExpectKept(before, tree);

  std::vector<VisitRecord> visits = Visits();
  std::string previous = Sha256Hex(tree.at("replays/n200/calibration-1.json"));
  std::vector<int64_t> attempts;
  for (size_t i = 0; i < visits.size(); ++i) {
    EXPECT_EQ(visits[i].index, static_cast<int64_t>(i));
    EXPECT_EQ(visits[i].previous_sha256, previous) << i;
    EXPECT_EQ(visits[i].end.status, "completed") << i;
    std::string number = std::to_string(i);
    previous = Sha256Hex(tree.at("replays/n200/visit-" +
                                 std::string(4 - number.size(), '0') + number +
                                 ".json"));
    attempts.push_back(visits[i].attempt);
  }
  EXPECT_EQ(static_cast<int64_t>(visits.size()), VisitsNeeded(kills, attempts));
  // Nothing but what records name: no half-written or hidden file is left.
  size_t replays = 0;
  for (const auto& [path, bytes] : tree) {
    EXPECT_EQ(path.find("/."), std::string::npos) << path;
    replays += path.starts_with("replays/");
  }
  EXPECT_EQ(replays, visits.size() + 3);
}

TEST_F(ReplayCohort, LibraryReplacedMeanwhileIsARefusedVisit) {
  BuildSlowRun();
  ToolProcess first(ReplayStart({run_, "--quiet"}));
  ASSERT_TRUE(Eventually(
      [&] { return PathExists(run_ + "/replays/n200/visit-0000.json"); }));
  for (const std::string arm : {"one", "two"}) {
    std::string path = run_ + "/captures/n200/" + arm + "/kernel.so";
    std::filesystem::copy_file(
        path, folder_ + "/other.so",
        std::filesystem::copy_options::overwrite_existing);
    ASSERT_TRUE(AppendFile(folder_ + "/other.so", "x").ok());
    std::filesystem::rename(folder_ + "/other.so", path);
  }
  ToolEnd end = first.Await();
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.talk.find("is refused: captures/n200/"), std::string::npos)
      << end.talk;
  EXPECT_EQ(Visits().back().end.status, "refused");
}

TEST_F(ReplayCohort, PlanForSaysHowManyCyclesAndKeepsNothing) {
  BuildRun({.folder = run_});
  std::map<std::string, std::string> before = ReadTree(run_);
  ToolEnd end = RunReplay({run_, "--plan-for", "50%"});
  ASSERT_EQ(end.status, 0) << end.talk;
  EXPECT_NE(end.talk.find("attempts.jsonl of the run tells of this attempt"),
            std::string::npos)
      << end.talk;
  EXPECT_NE(end.out.find("\nn200 "), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("a true effect of 50% faster"), std::string::npos)
      << end.out;
  std::map<std::string, std::string> after = ReadTree(run_);
  ExpectKept(before, after);
  EXPECT_EQ(after.size(), before.size());
  AttemptRecord last = ReadAttemptRecords(run_).back();
  EXPECT_EQ(last.result, "done");
  EXPECT_NE(last.message.find("planned for an effect of 50%"),
            std::string::npos);
  // The replay goes on as if nothing had been asked.
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  EXPECT_EQ(Visits().size(), 4u);
}

TEST_F(ReplayCohort, PlanForRefusesWhatTheRuleCannotFind) {
  BuildRun({.folder = run_});
  EXPECT_EQ(RunReplay({run_, "--plan-for", "two"}).status, 2);
  ToolEnd bare = RunReplay({run_, "--plan-for", "0.06"});
  EXPECT_EQ(bare.status, 2);
  EXPECT_NE(bare.talk.find("write 0.06%, or what you mean"), std::string::npos)
      << bare.talk;
  ToolEnd end = RunReplay({run_, "--plan-for", "0.5%"});
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.talk.find("an effect of 0.005 does not pass the manifest's "
                          "minimum_effect, 0.01"),
            std::string::npos)
      << end.talk;
  EXPECT_EQ(ReadAttemptRecords(run_).back().stage, "capture");
}

TEST_F(ReplayCohort, SignalsEndItCleanlyAndItGoesOn) {
  for (int number : {SIGINT, SIGTERM}) {
    run_ = folder_ + "/run" + std::to_string(number);
    BuildSlowRun();
    ToolProcess first(ReplayStart({run_, "--quiet"}));
    // Once between two pairs, and once within one, which takes another cycle.
    const std::string last =
        number == SIGINT ? "calibration-1.json" : "visit-0000.json";
    ASSERT_TRUE(
        Eventually([&] { return PathExists(run_ + "/replays/n200/" + last); }));
    first.Signal(number);
    ToolEnd stopped = first.Await();
    EXPECT_EQ(stopped.status, 128 + number);
    EXPECT_EQ(ReadAttemptRecords(run_).back().result, "interrupted");
    EXPECT_FALSE(AnyProcessMaps(run_));
    ToolEnd again = RunReplay({run_});
    EXPECT_EQ(again.status, 0);
    // It counts what was made before, and ends with the whole.
    EXPECT_NE(again.talk.find("going on: "), std::string::npos) << again.talk;
    EXPECT_EQ(again.talk.find("replay 0/"), std::string::npos) << again.talk;
    const std::string total = std::to_string(2 + Visits().size());
    EXPECT_NE(again.talk.find("replay " + total + "/" + total),
              std::string::npos)
        << again.talk;
    EXPECT_EQ(ReadAttemptRecords(run_).back().result, "done");
  }
}

TEST_F(ReplayCohort, NoWorkerOutlivesItsKilledParent) {
  BuildRun({.folder = run_,
            .baseline = "never_returns.so",
            .candidate = "never_returns.so",
            .timeout_s = 600});
  ToolProcess first(ReplayStart({run_, "--quiet"}));
  ASSERT_TRUE(Eventually([&] { return AnyProcessMaps(run_); }));
  first.Signal(SIGKILL);
  first.Await();
  EXPECT_TRUE(Eventually([&] { return !AnyProcessMaps(run_); }));
}

TEST_F(ReplayCohort, SecondReplayOfOneRunIsRefused) {
  BuildSlowRun();
  ToolProcess first(ReplayStart({run_, "--quiet"}));
  ASSERT_TRUE(Eventually(
      [&] { return PathExists(run_ + "/replays/n200/calibration-0.json"); }));
  ToolEnd second = RunReplay({run_});
  EXPECT_EQ(second.status, 3);
  EXPECT_NE(second.talk.find("error:"), std::string::npos);
  EXPECT_NE(second.talk.find("another process"), std::string::npos)
      << second.talk;
  EXPECT_EQ(first.Await().status, 0);
  EXPECT_EQ(ReadAttemptRecords(run_).size(), 4u);
}

TEST_F(ReplayCohort, AnotherBootIsRefusedAndNothingIsWritten) {
  BuildRun({.folder = run_, .freeze = [](FreezeRecord& record) {
              record.host.boot_id_sha256 = Sha256Hex("another boot");
            }});
  std::map<std::string, std::string> before = ReadTree(run_);
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("another boot"), std::string::npos);
  EXPECT_NE(end.talk.find("\"continues\""), std::string::npos);
  EXPECT_EQ(ReadTree(run_), before);
}

TEST_F(ReplayCohort, AnotherBuildOfTheToolsIsRefused) {
  BuildRun({.folder = run_, .freeze = [](FreezeRecord& record) {
              record.tool.source_sha256 = Sha256Hex("another source");
            }});
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("built from source"), std::string::npos);
}

TEST_F(ReplayCohort, EditedManifestIsRefused) {
  BuildRun({.folder = run_});
  std::ofstream(run_ + "/manifest.json", std::ios::app) << "\n";
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("manifest_sha256"), std::string::npos);
}

TEST_F(ReplayCohort, FailedCaptureMakesTheCohortInvalid) {
  BuildRun({.folder = run_, .capture = [](CaptureRecord& record) {
              record.end.status = "failed-check";
              record.end.reason = "its output was wrong";
            }});
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.talk.find("its output was wrong"), std::string::npos);
  EXPECT_EQ(ReadAttemptRecords(run_).back().result, "invalid");
  EXPECT_FALSE(PathExists(run_ + "/replays"));
}

TEST_F(ReplayCohort, MissingCaptureNamesTheToolThatMakesIt) {
  BuildRun({.folder = run_});
  std::filesystem::remove(run_ + "/captures/n200/two/capture.json");
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("captures/n200/two/capture.json"), std::string::npos);
  EXPECT_NE(end.talk.find("exhibit-capture"), std::string::npos);
}

TEST_F(ReplayCohort, VisitTakenOutOfTheChainIsFound) {
  BuildRun({.folder = run_});
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  std::filesystem::rename(run_ + "/replays/n200/visit-0003.json",
                          run_ + "/replays/n200/visit-0001.json");
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("previous_sha256"), std::string::npos);
}

TEST_F(ReplayCohort, ChosenCpuIsPlannedAndHeld) {
  BuildRun({.folder = run_});
  ToolEnd none = RunReplay({run_, "--cpu", "16000"});
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.talk.find("CPU 16000"), std::string::npos);
  EXPECT_FALSE(PathExists(run_ + "/replays"));
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  PlanRecord plan = ReadPlanRecord(run_, "replays/n200/plan.json");
  for (const VisitRecord& visit : Visits()) EXPECT_EQ(visit.cpu, plan.cpu);
}

// Under taskset, as in a cpuset, there may be one CPU and not number 0.
TEST_F(ReplayCohort, OnlyAllowedCpusAreUsed) {
  std::vector<int64_t> allowed = *AllowedCpus();
  for (int64_t cpu : {allowed.front(), allowed.back()}) {
    run_ = folder_ + "/cpu" + std::to_string(cpu);
    BuildRun({.folder = run_});
    ToolEnd end =
        ToolProcess(ReplayStart({run_, "--quiet"},
                                {"taskset", "-c", std::to_string(cpu)}))
            .Await();
    ASSERT_EQ(end.status, 0) << end.talk;
    EXPECT_EQ(ReadPlanRecord(run_, "replays/n200/plan.json").cpu, cpu);
    for (const VisitRecord& visit : Visits()) EXPECT_EQ(visit.cpu, cpu);
  }
}

TEST_F(ReplayCohort, PlannedCpuThatIsNoLongerAllowedIsRefused) {
  std::vector<int64_t> allowed = *AllowedCpus();
  if (allowed.size() < 2) GTEST_SKIP() << "one CPU only";
  BuildSlowRun();
  ToolProcess first(
      ReplayStart({run_, "--quiet", "--cpu", std::to_string(allowed[1])}));
  ASSERT_TRUE(Eventually(
      [&] { return PathExists(run_ + "/replays/n200/calibration-0.json"); }));
  first.Signal(SIGKILL);
  first.Await();
  ToolEnd end = ToolProcess(ReplayStart({run_}, {"taskset", "-c",
                                                 std::to_string(allowed[0])}))
                    .Await();
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("CPU " + std::to_string(allowed[1]) +
                          " is not one that this process may run on"),
            std::string::npos)
      << end.talk;
}

TEST_F(ReplayCohort, SaysBeforehandHowLongItTakes) {
  BuildRun({.folder = run_});
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 0);
  EXPECT_NE(end.talk.find("6 visits of 1 cases on CPU "), std::string::npos);
  EXPECT_NE(end.talk.find(", about 0."), std::string::npos) << end.talk;
  EXPECT_NE(end.talk.find("calibrated: 4 visits left, which take "),
            std::string::npos)
      << end.talk;
}

TEST_F(ReplayCohort, SaysAfterwardsHowMuchOfTheTimeWasMeasuring) {
  BuildRun({.folder = run_});
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 0);
  EXPECT_NE(end.talk.find("6 visits in "), std::string::npos) << end.talk;
  EXPECT_NE(end.talk.find("% of it warm-up, calibration and samples"),
            std::string::npos)
      << end.talk;
}

TEST_F(ReplayCohort, EveryCaseIsCalibratedBeforeTheFirstCycle) {
  BuildRun({.folder = run_, .cases = {"first", "second"}});
  ASSERT_EQ(RunReplay({run_, "--quiet"}).status, 0);
  EXPECT_LE(ReadVisitRecord(run_, "replays/second/calibration-1.json").end_ns,
            ReadVisitRecord(run_, "replays/first/visit-0000.json").start_ns);
}

TEST_F(ReplayCohort, HelpShowsAnExampleAndBadWordsAreUsage) {
  ToolEnd help = RunReplay({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("exhibit-replay out/run"), std::string::npos);
  EXPECT_EQ(RunReplay({}).status, 2);
  EXPECT_EQ(RunReplay({folder_, "--cpu", "x"}).status, 2);
  EXPECT_EQ(RunReplay({"--worker", "visit"}).status, 2);
  EXPECT_EQ(RunReplay({folder_ + "/absent"}).status, 3);
}

}  // namespace
}  // namespace exhibit
