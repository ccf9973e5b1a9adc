#include "capture/capture_queue.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace exhibit {
namespace {

// What the threads share. Every member is used under the mutex.
class Queue {
 public:
  Queue(const std::vector<CaptureJob>& list, const QueueOptions& options)
      : list_(list), options_(options) {}

  // A thread's work: one capture after the other until there is none.
  void Work() {
    while (const std::optional<size_t> index = Next()) {
      try {
        Finish(*index, MakeCapture(list_[*index]));
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!bug_) bug_ = std::current_exception();
        stopped_ = true;
      }
    }
  }

  Result<int64_t> Outcome() {
    if (bug_) std::rethrow_exception(bug_);
    if (!errors_.empty()) return errors_.begin()->second;
    return made_;
  }

 private:
  std::optional<size_t> Next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopped_ || next_ == list_.size()) return std::nullopt;
    const auto& interrupted = list_[next_].interrupted;
    if (interrupted && interrupted()) return std::nullopt;
    return next_++;
  }

  void Finish(size_t index, const Result<CaptureOutcome>& outcome) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!outcome.ok()) {
      errors_.emplace(index, outcome.error());
      stopped_ = true;
      return;
    }
    if (outcome->interrupted) {
      stopped_ = true;
      return;
    }
    ++made_;
    if (options_.finished) options_.finished(list_[index], outcome->end);
  }

  const std::vector<CaptureJob>& list_;
  const QueueOptions& options_;
  std::mutex mutex_;
  size_t next_ = 0;
  int64_t made_ = 0;
  bool stopped_ = false;
  std::map<size_t, Error> errors_;
  std::exception_ptr bug_;
};

}  // namespace

Result<int64_t> MakeCaptures(const std::vector<CaptureJob>& list,
                             const QueueOptions& options) {
  Queue queue(list, options);
  const int64_t thread_count =
      std::min<int64_t>(options.jobs, static_cast<int64_t>(list.size()));
  std::vector<std::thread> threads;
  // This thread works as well: with one job there is no other.
  for (int64_t i = 1; i < thread_count; ++i) {
    threads.emplace_back([&queue] { queue.Work(); });
  }
  queue.Work();
  for (std::thread& thread : threads) thread.join();
  return queue.Outcome();
}

}  // namespace exhibit
