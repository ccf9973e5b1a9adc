// Which arm each visit takes, which visits form pairs, and when a cohort is
// complete: one definition for the tool that measures and the one that judges.
// Normative: manifests/RECORDS.md, "Order".

#ifndef EXHIBIT_MANIFESTS_VISIT_ORDER_H_
#define EXHIBIT_MANIFESTS_VISIT_ORDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/records.h"

namespace exhibit {

enum class Arm { kBaseline, kCandidate };
std::string_view ArmName(Arm arm);  // "baseline", "candidate"
Arm OtherArm(Arm arm);

// The arm that takes positions 0 and 3 of every cycle (A in A B B A). Bit 0 of
// the first byte of SHA-256("exhibit.start/1\n<seed>\n<case>\n"): 0 baseline.
Arm StartingArm(int64_t seed, const std::string& case_name);

// The arm of visit `index` (0-based): A B B A by index % 4.
Arm ArmOfVisit(Arm starting_arm, int64_t index);

// The shift that both visits of pair `pair` (index / 2) take. From
// SHA-256("exhibit.shift/1\n<seed>\n<case>\n<pair>\n"): stack = 16 * (first two
// bytes, big-endian, mod 257), heap likewise from the next two. 0..4096.
PairShift ShiftOfPair(int64_t seed, const std::string& case_name, int64_t pair);

// True when visits 2p and 2p+1 were made by one attempt, so that no
// interruption lies between them. `attempts[i]` is visit i's attempt.
bool PairIsWhole(const std::vector<int64_t>& attempts, int64_t pair);

// The number of visits a cohort must have: 4 * cycles, plus a cycle for every
// cycle that holds a split pair among those visits (replacement cycles that
// were themselves split count again).
int64_t VisitsNeeded(int64_t cycles, const std::vector<int64_t>& attempts);

// Calls per sample: the largest over the arms of ceil(target / probe), at
// least 1, at most 2^31. `probe_ns` holds one positive number per arm.
int64_t RepetitionsFor(int64_t target_ns, const std::vector<int64_t>& probe_ns);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_VISIT_ORDER_H_
