#include "manifests/visit_order.h"

#include <algorithm>
#include <stdexcept>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

// Byte `index` of a digest written in hexadecimal.
int64_t DigestByte(const std::string& hex, size_t index) {
  return std::stoi(hex.substr(2 * index, 2), nullptr, 16);
}

bool CycleIsSplit(const std::vector<int64_t>& attempts, int64_t cycle) {
  return !PairIsWhole(attempts, 2 * cycle) ||
         !PairIsWhole(attempts, 2 * cycle + 1);
}

}  // namespace

std::string_view ArmName(Arm arm) {
  return arm == Arm::kBaseline ? "baseline" : "candidate";
}

Arm OtherArm(Arm arm) {
  return arm == Arm::kBaseline ? Arm::kCandidate : Arm::kBaseline;
}

Arm StartingArm(int64_t seed, const std::string& case_name) {
  const std::string hex = Sha256Hex("exhibit.start/1\n" + std::to_string(seed) +
                                    "\n" + case_name + "\n");
  return DigestByte(hex, 0) % 2 == 0 ? Arm::kBaseline : Arm::kCandidate;
}

Arm ArmOfVisit(Arm starting_arm, int64_t index) {
  const int64_t position = index % 4;
  return position == 0 || position == 3 ? starting_arm : OtherArm(starting_arm);
}

PairShift ShiftOfPair(int64_t seed, const std::string& case_name,
                      int64_t pair) {
  const std::string hex =
      Sha256Hex("exhibit.shift/1\n" + std::to_string(seed) + "\n" + case_name +
                "\n" + std::to_string(pair) + "\n");
  constexpr int64_t kSteps = 257;  // 0, 16, ..., 4096
  return {16 * ((DigestByte(hex, 0) * 256 + DigestByte(hex, 1)) % kSteps),
          16 * ((DigestByte(hex, 2) * 256 + DigestByte(hex, 3)) % kSteps)};
}

bool PairIsWhole(const std::vector<int64_t>& attempts, int64_t pair) {
  const auto first = static_cast<size_t>(2 * pair);
  // A pair of which the second visit is still to come can only be whole if the
  // present attempt makes it; until then it counts as whole.
  if (first + 1 >= attempts.size()) return true;
  return attempts[first] == attempts[first + 1];
}

int64_t VisitsNeeded(int64_t cycles, const std::vector<int64_t>& attempts) {
  int64_t needed_cycles = cycles;
  for (int64_t cycle = 0; cycle < needed_cycles; ++cycle) {
    if (4 * cycle >= static_cast<int64_t>(attempts.size())) break;
    if (CycleIsSplit(attempts, cycle)) ++needed_cycles;
  }
  return 4 * needed_cycles;
}

int64_t RepetitionsFor(int64_t target_ns,
                       const std::vector<int64_t>& probe_ns) {
  constexpr int64_t kRepetitionsMax = int64_t{1} << 31;
  int64_t repetitions = 1;
  for (int64_t probe : probe_ns) {
    if (probe <= 0) throw std::logic_error("a probe that is not positive");
    repetitions = std::max(repetitions, (target_ns - 1) / probe + 1);
  }
  return std::min(repetitions, kRepetitionsMax);
}

}  // namespace exhibit
