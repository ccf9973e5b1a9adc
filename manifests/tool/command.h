// What every tool has in common: command lines, exit statuses, errors.
//
// A tool's main is three lines: it describes its options, hands over a
// function, and returns what RunTool returns. RunTool parses, prints help and
// version, reports errors as `exhibit-x: error: ...` and `hint: ...` on
// standard error, turns exceptions into exit 70 and signals into 128 + n.
// Nothing else in the project exits.

#ifndef EXHIBIT_MANIFESTS_TOOL_COMMAND_H_
#define EXHIBIT_MANIFESTS_TOOL_COMMAND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

enum class Exit : int {
  kDone = 0,         // Done, or verified.
  kDoesNotHold = 1,  // The evidence does not hold, or the cohort is invalid.
  kUsage = 2,        // The command line is wrong.
  kCouldNot = 3,     // I/O, memory, disk; corrupt or over-limit input.
  kUnsupported = 4,  // Unknown schema, feature, option or platform.
  kBug = 70,
};

// The status for an error that ends a tool: kUnsupported -> 4, else 3.
// Errors in a command line's own words are reported by the parser as 2; a tool
// returns them as UsageError.
Exit ExitFor(const Error& error);

// A command line: flags, options with values, positionals and, at most one
// level deep, subcommands. A thin front to CLI11, whose types and exit codes
// never escape. Integers are decimal only.
class CommandLine {
 public:
  // `example` is shown at the end of --help, a line each.
  CommandLine(std::string tool, std::string summary,
              std::vector<std::string> example);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Each binds a variable that must outlive Parse. `name` as CLI11 spells it:
  // "--quiet" for a flag or option, "RUN" for a positional. A variable keeps
  // its value when the option is absent.
  void Flag(const std::string& name, bool& value, const std::string& help);
  void Text(const std::string& name, std::string& value, const std::string& help);
  void Integer(const std::string& name, int64_t& value, int64_t low, int64_t high,
               const std::string& help);
  void TextList(const std::string& name, std::vector<std::string>& value,
                const std::string& help);  // May be repeated.
  void RequiredText(const std::string& name, std::string& value,
                    const std::string& help);
  // A subcommand with its own options; `chosen` becomes true when it is used.
  // If any subcommand exists, one must be given.
  CommandLine& Subcommand(const std::string& name, const std::string& help,
                          bool& chosen);

 private:
  friend int RunTool(int, char**, CommandLine&, const std::function<Exit()>&);
  struct State;
  explicit CommandLine(std::unique_ptr<State> state);
  // Of words that mean nothing or are missing: says which, else `what`, and
  // whose --help to see.
  int ReportUnexpected(const std::string& what) const;
  // Says what is wrong of the words, and whose --help to see.
  int ReportUnusable(const std::string& what) const;
  std::unique_ptr<State> state_;
};

// Parses argv, calls `body` and returns the process's exit status. Blocks
// SIGPIPE and pins the C locale. --help and --version (with the digest of this
// build) go to standard output and exit 0.
int RunTool(int argc, char** argv, CommandLine& command,
            const std::function<Exit()>& body);

// Prints `TOOL: error: message` and `hint: hint`, one for its kind where it has
// none, and returns ExitFor(error).
Exit ReportError(const Error& error);
// The same, but returns kUsage: for what only a tool can check of its options.
Exit ReportUsage(const Error& error);
// `TOOL: warning: message`, unless --quiet was given. Every tool has --quiet.
void Warn(const std::string& message);

// Writes the product to standard output; fails with kIo on a short write.
Status PrintProduct(std::string_view bytes);

// SIGINT, SIGTERM and SIGHUP set a flag that loops look at; RunTool returns
// 128 + the signal when the body returns after one.
void WatchSignals();
int PendingSignal();  // 0 when none.

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOOL_COMMAND_H_
