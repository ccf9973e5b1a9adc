#include "replay/call/worker_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "manifests/file.h"

namespace exhibit {
namespace {

WorkerFunctions Functions() {
  WorkerFunctions functions;
  functions["echo"] = [](const std::string& task) {
    return Result<std::string>("echo " + task);
  };
  functions["refuse"] = [](const std::string&) -> Result<std::string> {
    return Error{ErrorKind::kUnsupported, "this CPU lacks avx1024", ""};
  };
  functions["crash"] = [](const std::string&) -> Result<std::string> {
    // A page that nobody maps; a null pointer would be UBSan's to report.
    volatile uintptr_t nowhere = 64;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
    return std::string();
  };
  functions["abort"] = [](const std::string&) -> Result<std::string> {
    abort();
  };
  functions["hang"] = [](const std::string&) -> Result<std::string> {
    while (true) pause();
  };
  functions["exit"] = [](const std::string& task) -> Result<std::string> {
    exit(std::atoi(task.c_str()));
  };
  functions["bug"] = [](const std::string&) -> Result<std::string> {
    throw std::logic_error("seven is not eight");
  };
  functions["memory"] = [](const std::string&) -> Result<std::string> {
    throw std::bad_alloc();
  };
  functions["overflow"] = [](const std::string&) -> Result<std::string> {
    std::function<int(int)> down = [&](int depth) {
      volatile char room[4096];
      room[0] = static_cast<char>(depth);
      return down(depth + 1) + room[0];
    };
    return std::to_string(down(0));
  };
  functions["noise"] = [](const std::string&) -> Result<std::string> {
    printf("to standard output\n");
    fflush(stdout);
    fprintf(stderr, "to standard error\n");
    // Neither its descriptors nor its life may keep the parent waiting.
    if (fork() == 0) {
      sleep(60);
      _exit(0);
    }
    return std::string("done");
  };
  functions["facts"] = [](const std::string&) -> Result<std::string> {
    rlimit core = {};
    getrlimit(RLIMIT_CORE, &core);
    int open_count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      (void)entry;
      ++open_count;
    }
    // Five, and the one that reads the folder.
    return (core.rlim_cur <= 1 ? "no core, " : "core, ") +
           std::to_string(open_count) + " open, group " +
           (getpgrp() == getpid() ? "own" : "shared");
  };
  return functions;
}

WorkerJob Job(const std::string& function, const std::string& task = "") {
  WorkerJob job;
  job.function = function;
  job.task = task;
  job.timeout_ns = 20'000'000'000;
  return job;
}

WorkerOutcome OutcomeOf(const WorkerJob& job) {
  Result<WorkerOutcome> outcome = RunWorker(job);
  EXPECT_TRUE(outcome.ok());
  return outcome.ok() ? *outcome : WorkerOutcome();
}

TEST(Worker, ResultComesBackWhole) {
  std::string task(3'000'000, 'x');
  task += std::string("\0\n", 2);
  WorkerOutcome outcome = OutcomeOf(Job("echo", task));
  EXPECT_EQ(outcome.end.status, "completed");
  EXPECT_EQ(outcome.end.reason, "");
  EXPECT_EQ(outcome.result, "echo " + task);
}

TEST(Worker, EmptyTaskIsATask) {
  EXPECT_EQ(OutcomeOf(Job("echo")).result, "echo ");
}

TEST(Worker, ErrorIsARefusalWithItsReason) {
  WorkerOutcome outcome = OutcomeOf(Job("refuse"));
  EXPECT_EQ(outcome.end.status, "refused");
  EXPECT_EQ(outcome.end.reason, "this CPU lacks avx1024");
  EXPECT_EQ(outcome.result, "");
  EXPECT_EQ(OutcomeOf(Job("memory")).end.reason, "out of memory");
}

TEST(Worker, CrashIsNamed) {
  WorkerOutcome outcome = OutcomeOf(Job("crash"));
  EXPECT_EQ(outcome.end.status, "crashed");
  EXPECT_EQ(outcome.end.signal, SIGSEGV);
  EXPECT_NE(outcome.end.reason.find("signal 11 while"), std::string::npos);
  EXPECT_EQ(outcome.end.exit_status, 0);
  EXPECT_EQ(OutcomeOf(Job("abort")).end.reason, "signal 6 (Aborted)");
}

TEST(Worker, StackOverflowIsACrashAndStillReported) {
  WorkerOutcome outcome = OutcomeOf(Job("overflow"));
  EXPECT_EQ(outcome.end.status, "crashed");
  EXPECT_EQ(outcome.end.signal, SIGSEGV);
  EXPECT_NE(outcome.end.reason.find("outside every buffer"), std::string::npos)
      << outcome.end.reason;
}

TEST(Worker, HangIsKilledAfterItsTime) {
  WorkerJob job = Job("hang");
  job.timeout_ns = 100'000'000;
  WorkerOutcome outcome = OutcomeOf(job);
  EXPECT_EQ(outcome.end.status, "timed-out");
  EXPECT_EQ(outcome.end.signal, SIGKILL);
  EXPECT_EQ(outcome.end.reason, "killed after its time limit of 100 ms");
}

TEST(Worker, ExitWithoutAResultIsNoSuccess) {
  WorkerOutcome zero = OutcomeOf(Job("exit", "0"));
  EXPECT_EQ(zero.end.status, "exited");
  EXPECT_EQ(zero.end.exit_status, 0);
  EXPECT_EQ(zero.end.reason, "exited with status 0 without reporting");
  WorkerOutcome nine = OutcomeOf(Job("exit", "9"));
  EXPECT_EQ(nine.end.status, "exited");
  EXPECT_EQ(nine.end.exit_status, 9);
}

TEST(Worker, BugOfOursIsNamed) {
  WorkerOutcome outcome = OutcomeOf(Job("bug"));
  EXPECT_EQ(outcome.end.status, "exited");
  EXPECT_EQ(outcome.end.exit_status, 70);
  EXPECT_EQ(outcome.end.reason, "bug: seven is not eight");
}

TEST(Worker, NoiseAndGrandchildrenDoNotReachTheResult) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  WorkerOutcome outcome = OutcomeOf(Job("noise"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(outcome.end.status, "completed");
  EXPECT_EQ(outcome.result, "done");
}

TEST(Worker, HasNoCoreFewDescriptorsAndAGroupOfItsOwn) {
  // An open descriptor here must not be one there.
  FILE* file = fopen("/dev/null", "r");
  EXPECT_EQ(OutcomeOf(Job("facts")).result, "no core, 6 open, group own");
  fclose(file);
}

TEST(Worker, ResultBeyondItsLimitIsNoResult) {
  WorkerJob job = Job("echo", "12345");
  job.result_bytes_max = 10;
  EXPECT_EQ(OutcomeOf(job).end.status, "completed");
  job.result_bytes_max = 9;
  EXPECT_EQ(OutcomeOf(job).end.status, "exited");
}

TEST(Worker, InterruptedWaitKillsIt) {
  int asked = 0;
  WorkerJob job = Job("hang");
  job.interrupted = [&asked] { return ++asked > 1; };
  WorkerOutcome outcome = OutcomeOf(job);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_NE(outcome.end.status, "completed");
}

TEST(Worker, UnknownFunctionOrHandTypedCommandIsNoWorker) {
  std::string program = "exhibit-replay";
  std::string mode = "--worker";
  std::string name = "echo";
  char* argv[] = {program.data(), mode.data(), name.data(), nullptr};
  EXPECT_FALSE(RunAsWorker(1, argv, Functions()).has_value());
  EXPECT_FALSE(RunAsWorker(2, argv, Functions()).has_value());
  EXPECT_FALSE(RunAsWorker(3, argv, {}).has_value());
}

TEST(Worker, WithoutATimeLimitIsABug) {
  WorkerJob job = Job("echo");
  job.timeout_ns = 0;
  EXPECT_THROW((void)RunWorker(job).ok(), std::logic_error);
}

}  // namespace
}  // namespace exhibit

// The workers of these tests are this program.
int main(int argc, char** argv) {
  if (auto status = exhibit::RunAsWorker(argc, argv, exhibit::Functions())) {
    return *status;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
