// Writes the honest run of the audit's tests into a new folder: a base for
// bundles that are then made hostile. It is small, since whoever makes
// thousands of bundles from it packs it thousands of times.
//
//   small_run FOLDER

#include <cstdio>
#include <exception>
#include <filesystem>

#include "tests/unit/audit/run_fixture.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "error: one folder is asked for\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    exhibit::testing::WriteRun(exhibit::testing::HonestRun().Seal(), argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 3;
  }
  return 0;
}
