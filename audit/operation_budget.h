// What an audit may still compute again.

#ifndef EXHIBIT_AUDIT_OPERATION_BUDGET_H_
#define EXHIBIT_AUDIT_OPERATION_BUDGET_H_

#include <cstdint>

namespace exhibit {

// Operations of about a nanosecond each, or less.
class OperationBudget {
 public:
  explicit OperationBudget(int64_t operations) : left_(operations) {}

  // Takes so many. Returns false where they are not left, and ever after.
  bool Take(int64_t operations) {
    if (operations > left_) exhausted_ = true;
    if (exhausted_) return false;
    left_ -= operations;
    return true;
  }

  int64_t left() const { return exhausted_ ? 0 : left_; }
  bool exhausted() const { return exhausted_; }

 private:
  int64_t left_;
  bool exhausted_ = false;
};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_OPERATION_BUDGET_H_
