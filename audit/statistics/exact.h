// Exact small-sample statistics on ratios.
//
// Everything here uses +, -, *, / and sqrt of IEEE binary64 in a stated order
// and sorts; no logarithm, no library function whose bits could differ between
// machines. The same numbers give the same bits everywhere.
//
// Sources: sign test, Dixon and Mood 1946; signed-rank interval and estimate,
// Hodges and Lehmann 1963, Hollander and Wolfe, "Nonparametric Statistical
// Methods", 3.1-3.3, taken on the logarithmic scale, where the average of
// log r_i and log r_j is the logarithm of sqrt(r_i * r_j); step-down
// correction, Holm 1979.

#ifndef EXHIBIT_AUDIT_STATISTICS_EXACT_H_
#define EXHIBIT_AUDIT_STATISTICS_EXACT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

// No function here takes more observations than this; the number of pairwise
// averages grows with its square.
inline constexpr int64_t kObservationCountMax = 1024;

// The middle of the sorted values; for an even count (a + b) / 2 of the middle
// two. `values` must not be empty and must hold no NaN.
double Median(std::vector<double> values);

// Two-sided sign test of "the median ratio is 1".
struct SignTest {
  int64_t below = 0;     // Ratios under 1.
  int64_t above = 0;     // Ratios over 1.
  int64_t ties = 0;      // Ratios equal to 1.
  double p_value = 1.0;  // min(1, 2 * P(X <= n - max(below, above))),
                         // X ~ Binomial(n, 1/2), n = below + above + ties.
};

// min(1, 2 * P(X <= minority)) for X ~ Binomial(n, 1/2);
// 0 <= minority <= n <= kObservationCountMax.
double SignTestPValue(int64_t n, int64_t minority);

// A tie counts against the majority: nothing is dropped, and dropping would
// turn an exact 1.0 into evidence. The probability is exact up to n = 53 and
// is rounded at each halving of the recursion beyond. At most
// kObservationCountMax ratios, all positive and finite.
SignTest TestSigns(std::span<const double> ratios);

// The signed-rank estimate of the ratio and its interval.
struct RatioEstimate {
  double estimate = 1.0;  // Median of sqrt(r_i * r_j), i <= j.
  // The exact two-sided interval: the k-th smallest and k-th largest of those
  // averages for the largest k with 2 * P(W <= k - 1) <= alpha, W the
  // signed-rank statistic of n observations. Absent when no k >= 1 exists.
  struct Interval {
    double low = 0.0;
    double high = 0.0;
    double coverage = 0.0;  // 1 - 2 * P(W <= k - 1), at least 1 - alpha.
  };
  std::optional<Interval> interval;
};

// Assumes, for the coverage, that the logarithms of the ratios are independent
// and symmetric about one value. `ratios`: 1 to kObservationCountMax positive
// finite numbers; 0 < alpha < 1.
RatioEstimate EstimateRatio(std::span<const double> ratios, double alpha);

// Step-down adjusted p-values in the order given:
// adjusted_(i) = max over j <= i of min(1, (m - j + 1) * p_(j)).
std::vector<double> AdjustHolm(std::span<const double> p_values);

// The fewest pairs whose sign test can fall below alpha / cases when all agree:
// the least n with 2^(1-n) < alpha / cases. `cases` is 1 unless a family
// correction is asked for. Fails with kInvalidArgument when alpha is not
// strictly between 0 and 1 or cases < 1, and with kLimitExceeded when n would
// pass kObservationCountMax.
Result<int64_t> MinimumPairs(double alpha, int64_t cases = 1);

// 1 - (1 - alpha)^cases: the chance of at least one false claim in `cases`
// independent tests at alpha. 0 for cases <= 0.
double ChanceOfFalseClaim(double alpha, int64_t cases);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_STATISTICS_EXACT_H_
