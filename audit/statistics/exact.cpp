#include "audit/statistics/exact.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace exhibit {
namespace {

static_assert(std::numeric_limits<double>::is_iec559);

void CheckRatios(std::span<const double> ratios) {
  if (ratios.size() > size_t{kObservationCountMax}) {
    throw std::logic_error("too many ratios: " + std::to_string(ratios.size()));
  }
  for (double ratio : ratios) {
    if (!(ratio > 0.0) || !std::isfinite(ratio)) {
      throw std::logic_error("a ratio is not positive and finite");
    }
  }
}

// P(X <= k), X ~ Binomial(n, 1/2), by Pascal's rule on probabilities: each
// step halves, which is exact until more than 53 bits are needed.
double BinomialTail(int64_t n, int64_t k) {
  std::vector<double> row(static_cast<size_t>(k) + 1, 0.0);
  row[0] = 1.0;
  for (int64_t trial = 0; trial < n; ++trial) {
    for (size_t j = row.size() - 1; j > 0; --j) {
      row[j] = (row[j] + row[j - 1]) / 2.0;
    }
    row[0] /= 2.0;
  }
  double sum = 0.0;
  for (double term : row) sum += term;
  return sum;
}

// P(W = w) for w = 0 .. n(n+1)/4, the lower half of the signed-rank
// distribution: rank j joins the sum with probability 1/2.
std::vector<double> SignedRankLowerHalf(int64_t n) {
  const size_t half = static_cast<size_t>(n * (n + 1) / 4);
  std::vector<double> mass(half + 1, 0.0);
  mass[0] = 1.0;
  size_t reached = 0;  // Largest sum with any mass so far.
  for (size_t rank = 1; rank <= static_cast<size_t>(n); ++rank) {
    reached = std::min(half, reached + rank);
    for (size_t w = reached; w >= rank; --w) {
      mass[w] = (mass[w] + mass[w - rank]) / 2.0;
    }
    for (size_t w = 0; w < std::min(rank, half + 1); ++w) mass[w] /= 2.0;
  }
  return mass;
}

// The largest k with 2 * P(W <= k - 1) <= alpha, and the coverage it has.
struct Rank {
  size_t k = 0;
  double coverage = 0.0;
};
Rank IntervalRank(int64_t n, double alpha) {
  Rank best;
  double tail = 0.0;
  for (double mass : SignedRankLowerHalf(n)) {
    tail += mass;
    if (!(2.0 * tail <= alpha)) break;
    ++best.k;
    best.coverage = 1.0 - 2.0 * tail;
  }
  return best;
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) throw std::logic_error("median of nothing");
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2.0;
}

double SignTestPValue(int64_t n, int64_t minority) {
  if (minority < 0 || n < minority || n > kObservationCountMax) {
    throw std::logic_error("sign test of impossible counts");
  }
  return std::min(1.0, 2.0 * BinomialTail(n, minority));
}

SignTest TestSigns(std::span<const double> ratios) {
  CheckRatios(ratios);
  SignTest test;
  for (double ratio : ratios) {
    if (ratio < 1.0) {
      ++test.below;
    } else if (ratio > 1.0) {
      ++test.above;
    } else {
      ++test.ties;
    }
  }
  const int64_t n = test.below + test.above + test.ties;
  test.p_value = SignTestPValue(n, n - std::max(test.below, test.above));
  return test;
}

RatioEstimate EstimateRatio(std::span<const double> ratios, double alpha) {
  CheckRatios(ratios);
  if (ratios.empty() || !(alpha > 0.0 && alpha < 1.0)) {
    throw std::logic_error("estimate without ratios or with a bad alpha");
  }
  std::vector<double> averages;
  averages.reserve(ratios.size() * (ratios.size() + 1) / 2);
  for (size_t i = 0; i < ratios.size(); ++i) {
    for (size_t j = i; j < ratios.size(); ++j) {
      averages.push_back(std::sqrt(ratios[i] * ratios[j]));
    }
  }
  std::sort(averages.begin(), averages.end());
  RatioEstimate result;
  result.estimate = Median(averages);
  const Rank rank = IntervalRank(static_cast<int64_t>(ratios.size()), alpha);
  if (rank.k > 0) {
    result.interval = {averages[rank.k - 1], averages[averages.size() - rank.k],
                       rank.coverage};
  }
  return result;
}

std::vector<double> AdjustHolm(std::span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return p_values[a] < p_values[b];
  });
  std::vector<double> adjusted(p_values.size(), 1.0);
  double largest = 0.0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double scaled =
        static_cast<double>(order.size() - i) * p_values[order[i]];
    largest = std::max(largest, std::min(1.0, scaled));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

Result<int64_t> MinimumPairs(double alpha, int64_t cases) {
  if (!(alpha > 0.0 && alpha < 1.0) || cases < 1) {
    return Error{ErrorKind::kInvalidArgument,
                 "alpha must lie between 0 and 1 and there must be a case", ""};
  }
  // p * cases < alpha, the form in which the decision compares.
  double p_value = 1.0;
  for (int64_t n = 1; n <= kObservationCountMax; ++n) {
    if (p_value * static_cast<double>(cases) < alpha) return n;
    p_value /= 2.0;
  }
  return Error{ErrorKind::kLimitExceeded,
               "no number of pairs up to " +
                   std::to_string(kObservationCountMax) +
                   " can bring a sign test below alpha",
               "Choose a larger alpha."};
}

double ChanceOfFalseClaim(double alpha, int64_t cases) {
  // No pow: its bits may differ between machines.
  double none = 1.0;
  for (int64_t i = 0; i < cases; ++i) none *= 1.0 - alpha;
  return 1.0 - none;
}

}  // namespace exhibit
