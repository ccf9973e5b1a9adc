// How anything that the world can make fail is returned.
//
// A function that can fail for a reason outside this code returns Result<T> or
// Status; libraries never print, exit or abort. What only we can cause is a
// bug and is thrown as std::logic_error; each tool's main reports it (exit 70).

#ifndef EXHIBIT_MANIFESTS_RESULT_H_
#define EXHIBIT_MANIFESTS_RESULT_H_

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace exhibit {

enum class ErrorKind {
  kInvalidArgument,  // The caller, or the user, asked for something illegal.
  kNotFound,         // A named file or entry does not exist.
  kCorrupt,          // Bytes that are not what their format promises.
  kUnsupported,      // Unknown schema, feature, option or platform.
  kLimitExceeded,    // A documented limit would be passed.
  kIo,               // The operating system refused.
};

// What went wrong, where, with the value read; and what to do about it.
struct [[nodiscard]] Error {
  ErrorKind kind;
  std::string message;  // "what, where, the value read"; no trailing stop.
  std::string hint;     // One sentence, or empty.
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}        // NOLINT: implicit
  Result(Error error) : state_(std::move(error)) {}    // NOLINT: implicit

  bool ok() const { return std::holds_alternative<T>(state_); }
  // Asking a failed result for its value is a bug in the caller.
  T& value() {
    if (!ok()) throw std::logic_error("value of failed result: " + error().message);
    return std::get<T>(state_);
  }
  const T& value() const { return const_cast<Result*>(this)->value(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

inline Status Ok() { return Status(); }

// Returns from the enclosing function when `expression` failed.
#define EXHIBIT_RETURN_IF_ERROR(expression)                \
  do {                                                     \
    auto exhibit_status_ = (expression);                   \
    if (!exhibit_status_.ok()) return exhibit_status_.error(); \
  } while (false)

#define EXHIBIT_CONCAT_INNER_(a, b) a##b
#define EXHIBIT_CONCAT_(a, b) EXHIBIT_CONCAT_INNER_(a, b)
// EXHIBIT_ASSIGN_OR_RETURN(auto x, F()): x = *F(), or return its error.
#define EXHIBIT_ASSIGN_OR_RETURN(declaration, expression) \
  EXHIBIT_ASSIGN_OR_RETURN_(EXHIBIT_CONCAT_(exhibit_result_, __LINE__), declaration, expression)
#define EXHIBIT_ASSIGN_OR_RETURN_(temporary, declaration, expression) \
  auto temporary = (expression);                                      \
  if (!temporary.ok()) return temporary.error();                      \
  declaration = std::move(*temporary)

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_RESULT_H_
