#include "manifests/tool/progress.h"

#include <algorithm>
#include <utility>

#include "manifests/host/host.h"
#include "manifests/tool/talk.h"

namespace exhibit {
namespace {

constexpr int kBarCells = 20;
constexpr int64_t kLongNs = 10'000'000'000;

// "3h 20m", "2m 5s", "8s".
std::string DurationText(int64_t ns) {
  const int64_t seconds = ns / 1'000'000'000;
  const auto text = [](int64_t n) { return std::to_string(n); };
  if (seconds >= 3600) {
    return text(seconds / 3600) + "h " + text(seconds / 60 % 60) + "m";
  }
  if (seconds >= 60)
    return text(seconds / 60) + "m " + text(seconds % 60) + "s";
  return text(seconds) + "s";
}

}  // namespace

Progress::Progress(std::string label, int64_t total, Log log)
    : label_(std::move(label)),
      total_(std::max<int64_t>(total, 1)),
      start_ns_(RawTimeNs()),
      log_(log),
      bar_(TerminalColumns() > 0),
      quiet_(IsQuiet()) {}

Progress::~Progress() {
  if (bar_ && !quiet_) EndBar();
}

void Progress::Update(int64_t done, const std::string& what) {
  if (quiet_) return;
  done = std::clamp<int64_t>(done, 0, total_);
  if (done_before_ < 0) done_before_ = done;
  const std::string count =
      label_ + " " + std::to_string(done) + "/" + std::to_string(total_);
  if (!bar_) {
    // A log holds a line for every tenth, however many steps there are.
    const int64_t tenths = done * 10 / total_;
    if (tenths == printed_tenths_) return;
    const bool is_long = RawTimeNs() - start_ns_ >= kLongNs;
    if (log_ == Log::kWhenLong && !is_long) return;
    printed_tenths_ = tenths;
    SayLine(count + (what.empty() ? "" : " " + what));
    return;
  }
  const int64_t full = done * kBarCells / total_;
  std::string bar = count + " [" + std::string(full, '#') +
                    std::string(kBarCells - full, '.') + "]";
  if (done > done_before_ && done < total_) {
    const double per_step = static_cast<double>(RawTimeNs() - start_ns_) /
                            static_cast<double>(done - done_before_);
    const double left_ns = per_step * static_cast<double>(total_ - done);
    bar += ' ';
    bar += DurationText(static_cast<int64_t>(left_ns));
    bar += " left";
  }
  if (!what.empty()) bar += " " + what;
  // A bar that wraps could not be drawn over.
  DrawBar(
      bar.substr(0, static_cast<size_t>(std::max(TerminalColumns(), 2)) - 1));
}

}  // namespace exhibit
