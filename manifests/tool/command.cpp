#include "manifests/tool/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <locale>
#include <new>
#include <stdexcept>
#include <utility>

#include "manifests/json.h"
#include "manifests/near_name.h"
#include "manifests/tool/identity.h"
#include "manifests/tool/talk.h"

namespace exhibit {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void RememberSignal(int number) { pending_signal = number; }

int ReportedStatus(const Error& error) {
  return static_cast<int>(ReportError(error));
}

int Print(std::string_view text) {
  const Status printed = PrintProduct(text);
  return printed.ok() ? 0 : ReportedStatus(printed.error());
}

int ReportBug(const std::string& what) {
  SayLine("error: internal: " + what);
  SayPlainLine(
      "hint: this is a bug in Exhibit; please report the command and "
      "this message");
  return static_cast<int>(Exit::kBug);
}

int ReportBadCommandLine(std::string what, const std::string& hint) {
  // CLI11 begins its sentences with a capital letter.
  if (what.size() > 1 && what[0] >= 'A' && what[0] <= 'Z' &&
      (what[1] == ' ' || (what[1] >= 'a' && what[1] <= 'z'))) {
    what[0] = static_cast<char>(what[0] - 'A' + 'a');
  }
  SayLine("error: " + what);
  SayPlainLine("hint: " + hint);
  return static_cast<int>(Exit::kUsage);
}

// What to do about an error whose place knows nothing better.
std::string UsualHint(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return "correct what was given; --help shows an example";
    case ErrorKind::kNotFound:
      return "see that the path is right; a relative one begins at the current "
             "folder";
    case ErrorKind::kCorrupt:
      return "it was changed, cut or damaged since it was written; make it or "
             "fetch it again";
    case ErrorKind::kUnsupported:
      return "this build does not have it; --version tells which build it is";
    case ErrorKind::kLimitExceeded:
      return "the limit is fixed; make what was given smaller";
    case ErrorKind::kIo:
      return "look at the permissions there and at the room on the disk, then "
             "try again";
  }
  throw std::logic_error("unknown kind of error");
}

[[noreturn]] void ReportUncaught() {
  std::string what = "unknown exception";
  try {
    if (const std::exception_ptr caught = std::current_exception()) {
      std::rethrow_exception(caught);
    }
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
  }
  ::_exit(ReportBug(what));
}

// A closed descriptor below 3 would be given to the next file that is opened,
// and the talk or the product would land in it.
void FillStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // Read-only, so that writing the product fails and is noticed.
    if (::open("/dev/null", O_RDONLY) != fd) return;
  }
}

void PrepareProcess() {
  FillStandardDescriptors();
  // A closed pipe and a file-size limit are errors to report, not to die of.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::setlocale(LC_ALL, "C");
  std::locale::global(std::locale::classic());
}

// "--output" of "-o,--output".
std::string LongName(const std::string& name) {
  return name.substr(name.rfind(',') + 1);
}

// The one value of an option. One that looks like an option is most likely the
// next option after a forgotten value.
std::string OneValue(const std::string& name, const CLI::results_t& words) {
  const std::string& word = words.at(0);
  if (words.size() > 1) {
    throw CLI::ValidationError(
        name, "given more than once: " + QuoteText(word) + " and " +
                  QuoteText(words[1]));
  }
  // An unset variable in a script must not read as "not asked for".
  if (word.empty()) throw CLI::ValidationError(name, "the value is empty");
  if (word.starts_with("--") && name.starts_with("--")) {
    throw CLI::ValidationError(name, "a value is missing before " + word);
  }
  return word;
}

// What is wrong of a word of the command line, or "": of what CLI11 refuses in
// words of its own, and of `--x= y`, of which it makes `--x y`.
std::string ProblemOfWord(const CLI::App& app, const std::string& word) {
  const size_t equals = word.find('=');
  if (!word.starts_with("-") || equals == std::string::npos) return "";
  const std::string name = word.substr(0, equals);
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) return "";
  const std::string value = word.substr(equals + 1);
  if (option->get_items_expected_max() == 0) {
    return name + ": takes no value, read " + QuoteText(value);
  }
  return value.empty() ? name + ": the value is empty" : "";
}

int64_t ParseInteger(const std::string& name, const std::string& word,
                     int64_t low, int64_t high) {
  int64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data(), end, value);
  // Comparing the spelling refuses 007 and -0, which others read otherwise.
  if (code != std::errc() || stop != end || std::to_string(value) != word) {
    throw CLI::ValidationError(name,
                               "not a decimal integer: " + QuoteText(word));
  }
  if (value < low || value > high) {
    throw CLI::ValidationError(name, "must be from " + std::to_string(low) +
                                         " to " + std::to_string(high) +
                                         ", read " + word);
  }
  return value;
}

}  // namespace

struct CommandLine::State {
  std::string tool;
  std::unique_ptr<CLI::App> owned;  // Null in a subcommand.
  CLI::App* app = nullptr;
  bool is_quiet = false;  // Of this command or subcommand.
  bool* chosen = nullptr;
  std::string footer;
  std::vector<std::unique_ptr<CommandLine>> subcommands;
  std::vector<std::string> words;  // Of the command line.

  CLI::Option* AddOption(const std::string& name, CLI::callback_t read,
                         const std::string& help, const char* type) {
    CLI::Option* option = app->add_option(name, std::move(read), help);
    option->type_name(type)->type_size(1)->expected(1);
    // So that what is read sees all values and can name them.
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return option->allow_extra_args(false);
  }

  // Where to read on; `subcommand` may be "".
  std::string HelpHint(const std::string& subcommand) const {
    return "see " + tool + (subcommand.empty() ? "" : " ") + subcommand +
           " --help";
  }
  std::string OptionHint(const std::string& name) const;

  // What is wrong of a word of the command line, or "".
  std::string ProblemOfWords() const {
    for (const std::string& word : words) {
      if (word == "--") break;
      std::string problem = ProblemOfWord(*app, word);
      for (const auto& subcommand : subcommands) {
        if (!problem.empty()) break;
        problem = ProblemOfWord(*subcommand->state_->app, word);
      }
      if (!problem.empty()) return problem;
    }
    return "";
  }
};

// Of an option that is unknown where it was given.
std::string CommandLine::State::OptionHint(const std::string& name) const {
  const std::vector<std::string> outside = app->remaining();
  const bool is_outside = std::any_of(
      outside.begin(), outside.end(), [&name](const std::string& word) {
        return word.substr(0, word.find('=')) == name;
      });
  const CLI::App* used = app;
  for (const auto& subcommand : subcommands) {
    const CLI::App& other = *subcommand->state_->app;
    const std::string help = HelpHint(other.get_name());
    if (name == "--" + other.get_name()) {
      return other.get_name() + " is a command, without dashes; " + help;
    }
    if (other.get_option_no_throw(name) != nullptr) {
      return "it is an option of " + other.get_name() + ", after that word; " +
             help;
    }
    if (other.parsed() && !is_outside) used = &other;
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : used->get_options()) {
    for (const std::string& other : option->get_lnames()) {
      known.push_back("--" + other);
    }
  }
  const std::string near(NearName(name, known));
  return (near.empty() ? "" : "did you mean " + near + "? ") +
         HelpHint(used == app ? "" : used->get_name());
}

CommandLine::CommandLine(std::string tool, std::string summary,
                         std::vector<std::string> example)
    : state_(std::make_unique<State>()) {
  // Options are described before RunTool can catch anything.
  std::set_terminate(ReportUncaught);
  state_->tool = tool;
  state_->owned = std::make_unique<CLI::App>(std::move(summary), tool);
  state_->app = state_->owned.get();
  state_->app->set_help_flag("--help", "Print this text");
  state_->footer = example.empty() ? "" : "Example:";
  for (const std::string& line : example) state_->footer += "\n  " + line;
  state_->app->footer(state_->footer);
  Flag("--quiet", state_->is_quiet, "Say nothing but errors");
  // Thrown from the parser, which asks for what is required only later.
  state_->app
      ->add_flag_callback(
          "--version", [] { throw CLI::CallForVersion("", 0); },
          "Print version and digest of this build")
      ->disable_flag_override();
}

CommandLine::CommandLine(std::unique_ptr<State> state)
    : state_(std::move(state)) {
  Flag("--quiet", state_->is_quiet, "Say nothing but errors");
}

CommandLine::~CommandLine() = default;

void CommandLine::Flag(const std::string& name, bool& value,
                       const std::string& help) {
  state_->app
      ->add_flag_callback(
          name, [&value] { value = true; }, help)
      ->disable_flag_override();
}

void CommandLine::Text(const std::string& name, std::string& value,
                       const std::string& help) {
  state_->AddOption(
      name,
      [&value, name](const CLI::results_t& words) {
        value = OneValue(LongName(name), words);
        return true;
      },
      help, "TEXT");
}

void CommandLine::RequiredText(const std::string& name, std::string& value,
                               const std::string& help) {
  state_
      ->AddOption(
          name,
          [&value, name](const CLI::results_t& words) {
            value = OneValue(LongName(name), words);
            return true;
          },
          help, "TEXT")
      ->required();
}

void CommandLine::Integer(const std::string& name, int64_t& value, int64_t low,
                          int64_t high, const std::string& help) {
  state_->AddOption(
      name,
      [&value, name, low, high](const CLI::results_t& words) {
        value = ParseInteger(name, OneValue(name, words), low, high);
        return true;
      },
      help, "N");
}

void CommandLine::TextList(const std::string& name,
                           std::vector<std::string>& value,
                           const std::string& help) {
  CLI::Option* option = state_->AddOption(
      name,
      [&value, name](const CLI::results_t& words) {
        value.clear();
        for (const std::string& word : words) {
          value.push_back(OneValue(name, {word}));
        }
        return true;
      },
      help, "TEXT");
  // `--x a b` is one value and a positional; `--x a --x b` is two values.
  if (!name.starts_with("--")) {
    option->expected(1, CLI::detail::expected_max_vector_size);
    option->allow_extra_args(true);
  }
}

CommandLine& CommandLine::Subcommand(const std::string& name,
                                     const std::string& help, bool& chosen) {
  auto state = std::make_unique<State>();
  state->tool = state_->tool;
  state->app = state_->app->add_subcommand(name, help);
  state_->app->require_subcommand(1);
  state->app->footer(state_->footer);
  state->chosen = &chosen;
  state_->subcommands.push_back(
      std::unique_ptr<CommandLine>(new CommandLine(std::move(state))));
  return *state_->subcommands.back();
}

int CommandLine::ReportUnusable(const std::string& what) const {
  std::string names;
  for (const auto& subcommand : state_->subcommands) {
    const CLI::App& app = *subcommand->state_->app;
    if (app.parsed()) {
      return ReportBadCommandLine(what, state_->HelpHint(app.get_name()));
    }
    names += (names.empty() ? "" : ", ") + app.get_name();
  }
  if (names.empty()) return ReportBadCommandLine(what, state_->HelpHint(""));
  return ReportBadCommandLine(
      what, "the commands are " + names + "; " + state_->HelpHint(""));
}

int CommandLine::ReportUnexpected(const std::string& what) const {
  const std::string problem = state_->ProblemOfWords();
  if (!problem.empty()) return ReportUnusable(problem);
  const std::vector<std::string> words = state_->app->remaining(true);
  // A word after an unknown option may be meant as its value.
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word.starts_with("-");
  };
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  if (option != words.end()) {
    const std::string name = option->substr(0, option->find('='));
    return ReportBadCommandLine(QuoteText(name) + " is no option",
                                state_->OptionHint(name));
  }
  const std::vector<std::string> outside = state_->app->remaining();
  if (state_->subcommands.empty() || outside.empty()) {
    return ReportUnusable(what);
  }
  return ReportUnusable(QuoteText(outside.front()) + " is no command");
}

int RunTool(int argc, char** argv, CommandLine& command,
            const std::function<Exit()>& body) {
  PrepareProcess();
  CommandLine::State& state = *command.state_;
  StartTalk(state.tool, Talk::kNormal);
  state.words.assign(argv + std::min(argc, 1), argv + argc);
  try {
    state.app->parse(argc, argv);
    const std::string problem = state.ProblemOfWords();
    if (!problem.empty()) return command.ReportUnusable(problem);
    bool is_quiet = state.is_quiet;
    for (const auto& subcommand : state.subcommands) {
      if (!subcommand->state_->app->parsed()) continue;
      *subcommand->state_->chosen = true;
      is_quiet = is_quiet || subcommand->state_->is_quiet;
    }
    StartTalk(state.tool, is_quiet ? Talk::kQuiet : Talk::kNormal);
    const Exit exit = body();
    EndBar();
    if (PendingSignal() != 0) return 128 + PendingSignal();
    return static_cast<int>(exit);
  } catch (const CLI::CallForHelp&) {
    return Print(state.app->help());
  } catch (const CLI::CallForVersion&) {
    return Print(state.tool + " " + ToolVersion() + "\nsource " +
                 SourceTreeDigest() + "\ncommit " + SourceCommit() + "\n");
  } catch (const CLI::RequiredError& error) {
    return command.ReportUnexpected(error.what());
  } catch (const CLI::ExtrasError& error) {
    return command.ReportUnexpected(error.what());
  } catch (const CLI::ArgumentMismatch&) {
    std::string problem = state.ProblemOfWords();
    // What is left is an option that ends the command line.
    if (problem.empty()) {
      problem = state.words.back() + ": a value is missing after it";
    }
    return command.ReportUnusable(problem);
  } catch (const CLI::ParseError& error) {
    return command.ReportUnusable(error.what());
  } catch (const std::bad_alloc&) {
    return ReportedStatus(Error{ErrorKind::kLimitExceeded, "out of memory",
                                "free memory or use a smaller case"});
  } catch (const std::exception& exception) {
    return ReportBug(exception.what());
  } catch (...) {
    return ReportBug("unknown exception");
  }
}

Exit ExitFor(const Error& error) {
  return error.kind == ErrorKind::kUnsupported ? Exit::kUnsupported
                                               : Exit::kCouldNot;
}

Exit ReportError(const Error& error) {
  SayLine("error: " + error.message);
  SayPlainLine("hint: " +
               (error.hint.empty() ? UsualHint(error.kind) : error.hint));
  return ExitFor(error);
}

Exit ReportUsage(const Error& error) {
  ReportError(error);
  return Exit::kUsage;
}

void Warn(const std::string& message) {
  if (!IsQuiet()) SayLine("warning: " + message);
}

Status PrintProduct(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return Error{
          ErrorKind::kIo,
          "cannot write to standard output: errno " + std::to_string(errno),
          ""};
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Ok();
}

void WatchSignals() {
  struct sigaction action {};
  action.sa_handler = RememberSignal;
  // No SA_RESTART: a wait must end when a signal arrives.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (::sigaction(number, &action, nullptr) != 0) {
      throw std::logic_error("sigaction failed");
    }
  }
}

int PendingSignal() { return pending_signal; }

}  // namespace exhibit
