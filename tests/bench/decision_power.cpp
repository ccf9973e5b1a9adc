// Prints what the rule pairs/1 does over simulated cohorts: how often it claims
// where nothing differs, and how often it finds what does. The tables of
// audit/DECISION.md are its output. Deterministic: no clock, a fixed seed.
//
//   decision_power [RUNS]    default 2000 cohorts for each cell

#include <cstdio>
#include <cstdlib>

#include "tests/unit/statistics/simulated_cohort.h"

namespace exhibit::testing {
namespace {

constexpr uint64_t kSeed = 20240229;
constexpr int64_t kCycles[] = {3, 6, 12, 24};

double PerCent(int64_t count, int64_t runs) {
  return 100.0 * static_cast<double>(count) / static_cast<double>(runs);
}

void PrintFalseClaims(int64_t runs) {
  std::printf("False claims in per cent of %lld cohorts without an effect\n\n",
              static_cast<long long>(runs));
  std::printf("| world | 3 cycles | 6 | 12 | 24 |\n|---|---|---|---|---|\n");
  for (const auto& [name, world] : NullWorlds()) {
    std::printf("| %s |", name);
    for (const int64_t cycles : kCycles) {
      World now = world;
      now.cycles = cycles;
      std::printf(" %.2f |",
                  PerCent(CountOutcomes(now, runs, kSeed).Claims(), runs));
    }
    std::printf("\n");
  }
}

// `spread`: standard deviation of a self ratio, which two visits share.
void PrintPower(int64_t runs) {
  constexpr double kRootHalf = 0.70710678118654752;
  std::printf("\nFound, in per cent of %lld cohorts\n\n",
              static_cast<long long>(runs));
  std::printf(
      "| true effect | self-ratio spread | 3 cycles | 6 | 12 | 24 |\n"
      "|---|---|---|---|---|---|\n");
  for (const double effect : {0.01, 0.02, 0.05}) {
    for (const double spread : {0.005, 0.01, 0.03}) {
      std::printf("| %.0f%% | %.1f%% |", 100.0 * effect, 100.0 * spread);
      for (const int64_t cycles : kCycles) {
        const World world{.true_ratio = 1.0 - effect,
                          .cycles = cycles,
                          .visit_noise = spread * kRootHalf,
                          .sample_noise = spread / 10.0};
        std::printf(
            " %.0f |",
            PerCent(CountOutcomes(world, runs, kSeed).Of(Outcome::kFaster),
                    runs));
      }
      std::printf("\n");
    }
  }
}

}  // namespace
}  // namespace exhibit::testing

int main(int argc, char** argv) {
  const long runs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  if (argc > 2 || runs < 1 || runs > 10'000'000) {
    std::fprintf(stderr, "usage: decision_power [RUNS]\n");
    return 2;
  }
  exhibit::testing::PrintFalseClaims(runs);
  exhibit::testing::PrintPower(runs);
  return 0;
}
