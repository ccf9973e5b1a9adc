// What a tool says on standard error: one voice for errors, warnings and
// progress, so that a line never lands inside a bar.

#ifndef EXHIBIT_MANIFESTS_TOOL_TALK_H_
#define EXHIBIT_MANIFESTS_TOOL_TALK_H_

#include <string>
#include <string_view>

namespace exhibit {

enum class Talk { kNormal, kQuiet };

// Whose name stands before each line, and how much is said.
void StartTalk(const std::string& tool, Talk talk);
bool IsQuiet();

// Writes `TOOL: line`; an open bar is erased first. A line end becomes `\n` and
// other control characters but the tab become "?", since messages quote what
// was read.
void SayLine(const std::string& line);
// Writes `line` alone.
void SayPlainLine(const std::string& line);
// Writes a text of several lines alone.
void SayText(const std::string& text);

// Draws a bar over the one that is open. Only on a terminal.
void DrawBar(const std::string& bar);
// Ends the line of an open bar.
void EndBar();
// The width of the terminal on standard error; 0 when there is none.
int TerminalColumns();

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOOL_TALK_H_
