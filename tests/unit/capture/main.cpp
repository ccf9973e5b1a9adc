// The tests capture in this process, whose workers are this program again.

#include <gtest/gtest.h>

#include "capture/capture_worker.h"
#include "replay/call/worker_process.h"

int main(int argc, char** argv) {
  if (const auto status =
          exhibit::RunAsWorker(argc, argv, exhibit::CaptureWorkers())) {
    return *status;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
