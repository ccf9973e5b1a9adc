#include <unistd.h>

#include <string_view>

#include "manifests/host/host.h"
#include "manifests/host/system_text.h"

namespace exhibit {
namespace {

std::string WithoutPath(std::string_view word) {
  if (word.find('/') == std::string_view::npos) return RecordableText(word);
  while (word.ends_with('/')) word.remove_suffix(1);
  const size_t slash = word.rfind('/');
  const std::string_view base =
      slash == std::string_view::npos ? word : word.substr(slash + 1);
  return "<path>/" + RecordableText(base);
}

}  // namespace

std::map<std::string, std::string> AllowedEnvironment() {
  std::map<std::string, std::string> allowed;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (IsVariableRecordedAsSet(name)) {
      allowed.emplace(std::string(name), "set");
    } else if (IsRecordedVariable(name)) {
      allowed.emplace(RecordableText(name),
                      WithoutPath(text.substr(equals + 1)));
    }
  }
  return allowed;
}

std::vector<std::string> CommandWithoutPaths(
    const std::vector<std::string>& words) {
  std::vector<std::string> command;
  command.reserve(words.size());
  for (const std::string& word : words) command.push_back(WithoutPath(word));
  return command;
}

}  // namespace exhibit
