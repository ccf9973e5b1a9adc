#include "manifests/tool/talk.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace exhibit {
namespace {

constexpr int kUsualColumns = 80;

struct State {
  std::string tool = "exhibit";
  bool is_quiet = false;
  bool bar_is_open = false;
};

// One process is one tool.
State& Current() {
  static State state;
  return state;
}

// Standard error is the last resort: what it does not take is lost.
void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

std::string Printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) c = '?';
  }
  return text;
}

// A path that holds a line end would otherwise make two lines of one.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : Printable(text)) {
    line += c == '\n' ? "\\n" : std::string(1, c);
  }
  return line;
}

}  // namespace

void StartTalk(const std::string& tool, Talk talk) {
  Current().tool = tool;
  Current().is_quiet = talk == Talk::kQuiet;
}

bool IsQuiet() { return Current().is_quiet; }

void SayText(const std::string& text) {
  State& state = Current();
  const std::string erase = state.bar_is_open ? "\r\033[K" : "";
  state.bar_is_open = false;
  Write(erase + Printable(text) + "\n");
}

void SayPlainLine(const std::string& line) { SayText(OneLine(line)); }

void SayLine(const std::string& line) {
  SayPlainLine(Current().tool + ": " + line);
}

void DrawBar(const std::string& bar) {
  Write("\r\033[K" + OneLine(bar));
  Current().bar_is_open = true;
}

void EndBar() {
  if (!Current().bar_is_open) return;
  Write("\n");
  Current().bar_is_open = false;
}

int TerminalColumns() {
  if (::isatty(STDERR_FILENO) != 1) return 0;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return 0;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kUsualColumns;
  }
  return size.ws_col;
}

}  // namespace exhibit
