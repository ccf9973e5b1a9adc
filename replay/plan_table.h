// The words around --plan-for: its number as typed, and its table.

#ifndef EXHIBIT_REPLAY_PLAN_TABLE_H_
#define EXHIBIT_REPLAY_PLAN_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/result.h"
#include "replay/plan_for.h"

namespace exhibit {

// "2%" and "0.5%" are 0.02 and 0.005. kInvalidArgument for anything but a
// decimal number above 0 and up to 100 with its sign: in a manifest, effects
// are fractions, so a bare 0.06 may be meant as six per cent.
Result<double> ParsePercent(const std::string& text);
// The number without its sign, as typed: "2" of "2%".
std::string PercentText(std::string_view text);

// "0.4 s", "75 s", "3 min 5 s".
std::string DurationText(int64_t ns);

// A row per case: spread measured, cycles in all, their time. Lines of at most
// 80 columns where the names allow.
std::string PlanForTable(const PlanForReport& report,
                         const std::string& percent);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_PLAN_TABLE_H_
