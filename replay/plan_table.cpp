#include "replay/plan_table.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "manifests/json.h"
#include "replay/power.h"

namespace exhibit {
namespace {

constexpr double kPercentMax = 100;

std::string Fixed(double value, int digits) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof(text), value,
                           std::chars_format::fixed, digits)
                 .ptr;
  return std::string(text, end);
}

std::string Padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string Row(const CasePlan& plan, size_t name_width) {
  std::string cycles = plan.cycles ? std::to_string(*plan.cycles)
                                   : "> " + std::to_string(kCyclesToDecideMax);
  std::string time = plan.cycles ? DurationText(plan.duration_ns) : "-";
  return plan.name + std::string(name_width - plan.name.size(), ' ') +
         Padded(Fixed(100 * plan.spread, 2) + "%", 9) + Padded(cycles, 8) +
         Padded(time, 14) + "\n";
}

}  // namespace

std::string PercentText(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  return std::string(text);
}

Result<double> ParsePercent(const std::string& text) {
  std::string number = PercentText(text);
  double percent = 0;
  auto parsed = std::from_chars(number.data(), number.data() + number.size(),
                                percent, std::chars_format::fixed);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size() ||
      !(percent > 0) || percent > kPercentMax) {
    return Error{ErrorKind::kInvalidArgument,
                 "--plan-for " + QuoteText(text) +
                     ": not a decimal number above 0 and up to 100 with %",
                 "An effect of two per cent is written 2%."};
  }
  if (number == text) {
    return Error{ErrorKind::kInvalidArgument,
                 "--plan-for " + QuoteText(text) + ": in which unit?",
                 "The effect is given in per cent: write " + number +
                     "%, or what you mean; 0.02 in a manifest is 2% here."};
  }
  return percent / 100;
}

std::string DurationText(int64_t ns) {
  int64_t tenths = std::max<int64_t>(1, (ns + 50'000'000) / 100'000'000);
  if (tenths < 200) {
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
           " s";
  }
  int64_t seconds = (tenths + 5) / 10;
  if (seconds < 120) return std::to_string(seconds) + " s";
  return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) +
         " s";
}

std::string PlanForTable(const PlanForReport& report,
                         const std::string& percent) {
  size_t width = 4;
  for (const CasePlan& plan : report.cases) {
    width = std::max(width, plan.name.size());
  }
  std::string text = "case" + std::string(width - 4, ' ') +
                     Padded("spread", 9) + Padded("cycles", 8) +
                     Padded("time", 14) + "\n";
  int64_t total_ns = 0;
  int64_t cycles_max = 0;
  bool all = true;
  for (const CasePlan& plan : report.cases) {
    text += Row(plan, width);
    total_ns += plan.duration_ns;
    cycles_max = std::max(cycles_max, plan.cycles.value_or(0));
    all &= plan.cycles.has_value();
  }
  text += "\nSo many cycles call a true effect of " + percent +
          "% faster in four cohorts of five,\n"
          "by simulation of the rule over the spread of the ratio of two "
          "adjacent visits,\nfrom " +
          std::to_string(kSpreadVisits) + " visits of the baseline per case.\n";
  text += all ? "All cases to their own count take " + DurationText(total_ns) +
                    "; a manifest has one count\nfor all: \"cycles\": " +
                    std::to_string(cycles_max) + ".\n"
              : "Where more than " + std::to_string(kCyclesToDecideMax) +
                    " are needed, a quieter machine does more than "
                    "patience.\n";
  return text;
}

}  // namespace exhibit
