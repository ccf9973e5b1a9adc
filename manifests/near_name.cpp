#include "manifests/near_name.h"

#include <algorithm>
#include <cstdlib>

namespace exhibit {
namespace {

// No name of ours is longer, so nothing longer is near one.
constexpr size_t kNameLengthMax = 64;

size_t ErrorsAllowed(std::string_view name) { return name.size() <= 5 ? 1 : 2; }

// Typing errors between two names, by rows of the usual table.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t other = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({other, last[j] + 1, row[j - 1] + 1});
      const bool exchanged =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearName(std::string_view name,
                     const std::vector<std::string>& among) {
  std::string nearest;
  if (name.size() > kNameLengthMax) return nearest;
  size_t least = ErrorsAllowed(name) + 1;
  for (const std::string& other : among) {
    if (other.size() > name.size() + 2 || name.size() > other.size() + 2) {
      continue;
    }
    const size_t distance = Distance(name, other);
    if (distance >= least || distance == 0) continue;
    least = distance;
    nearest = other;
  }
  return nearest;
}

}  // namespace exhibit
