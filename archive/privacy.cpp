#include "archive/privacy.h"

#include <algorithm>
#include <utility>

namespace exhibit {
namespace {

constexpr size_t kNameCharactersMin = 4;

// As much as any rule looks at before and after a word.
constexpr size_t kBeforeMax = 64;
constexpr size_t kAfterMax = 2;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool IsNameCharacter(char c) { return IsWordCharacter(c) || c == '.'; }

// What stands around a word, nearest the word at the end of `before` and at the
// beginning of `after`; cut to as much as a rule looks at, and empty at an end
// of the file, which ends a word like a character that is not of one.
struct Around {
  std::string_view before, after;
  char Before() const { return before.empty() ? '\0' : before.back(); }
  char After() const { return after.empty() ? '\0' : after.front(); }
};

// Whether a component stands right before, with its own slash: the path began
// earlier, as that of /mnt/root does. Letters alone tell nothing: they are an
// option, as in -I/root, or a length, as formats put it before their texts.
bool GoesOnWithAPath(std::string_view before) {
  size_t at = before.size();
  while (at > 0 && IsNameCharacter(before[at - 1])) --at;
  return at < before.size() && at > 0 && before[at - 1] == '/';
}

bool HasOneComponent(std::string_view folder) { return folder.rfind('/') == 0; }

// Between two quotes of a kind, which may be escaped as within a text of JSON.
bool IsQuoted(const Around& around) {
  const char quote = around.Before();
  if (quote != '"' && quote != '\'') return false;
  const std::string_view after = around.after;
  const size_t at = after.starts_with('\\') ? 1 : 0;
  return at < after.size() && after[at] == quote;
}

bool IsPrivate(const PrivateWord& word, const Around& around) {
  const char before = around.Before(), after = around.After();
  if (word.kind == PrivateWord::Kind::kFolder) {
    if (IsNameCharacter(after)) return false;
    return !HasOneComponent(word.text) || !GoesOnWithAPath(around.before);
  }
  if (before == '/' && !IsNameCharacter(after)) return true;
  if (after == '/' && !IsNameCharacter(before)) return true;
  if (IsQuoted(around)) return true;
  if (word.kind == PrivateWord::Kind::kUser) {
    return after == '@' && !IsNameCharacter(before);
  }
  // A host name goes on with its domain.
  return before == '@' && !IsWordCharacter(after);
}

std::string WithoutTrailingSlashes(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

void AddFolders(const std::vector<std::string>& folders,
                const std::string& meaning, size_t components_min,
                PrivateWords& words) {
  for (const std::string& folder : folders) {
    const std::string path = WithoutTrailingSlashes(folder);
    const auto slashes =
        static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
    if (!path.starts_with('/') || slashes < components_min) continue;
    words.looked_for.push_back({PrivateWord::Kind::kFolder, path, meaning});
  }
}

void AddNames(const std::vector<std::string>& names, PrivateWord::Kind kind,
              const std::string& meaning, PrivateWords& words) {
  for (const std::string& name : names) {
    if (name.empty()) continue;
    std::string why;
    if (name == "root") why = "everybody has it";
    if (name.size() < kNameCharactersMin) {
      why = "fewer than four characters stand everywhere";
    }
    if (why.empty()) {
      words.looked_for.push_back({kind, name, meaning});
    } else {
      words.exempt.push_back(meaning + " " + name +
                             " is not looked for: " + why);
    }
  }
}

}  // namespace

PrivateWords ChoosePrivateWords(const MachineNames& names) {
  PrivateWords words;
  AddFolders(names.homes, "the home folder", 1, words);
  AddFolders(names.working_folders, "the working folder", 2, words);
  AddNames(names.users, PrivateWord::Kind::kUser, "the user name", words);
  AddNames(names.hosts, PrivateWord::Kind::kHost, "the host name", words);
  // The first of equal ones stays: a home is more than a working folder.
  std::vector<PrivateWord> once;
  for (PrivateWord& word : words.looked_for) {
    const bool known = std::any_of(
        once.begin(), once.end(), [&word](const PrivateWord& other) {
          return other.kind == word.kind && other.text == word.text;
        });
    if (!known) once.push_back(std::move(word));
  }
  words.looked_for = std::move(once);
  std::sort(words.exempt.begin(), words.exempt.end());
  words.exempt.erase(std::unique(words.exempt.begin(), words.exempt.end()),
                     words.exempt.end());
  return words;
}

PrivacyScanner::PrivacyScanner(const PrivateWords& words) : words_(words) {
  for (const PrivateWord& word : words.looked_for) {
    longest_ = std::max(longest_, word.text.size());
  }
}

// Looks for words that begin in [begin, end) of `text`; what stands around
// them is in `text` unless it is the end of the file.
void PrivacyScanner::Search(std::string_view text, size_t begin, size_t end) {
  for (const PrivateWord& word : words_.looked_for) {
    const std::string_view searched =
        text.substr(0, std::min(text.size(), end + word.text.size() - 1));
    for (size_t at = searched.find(word.text, begin);
         at != std::string_view::npos; at = searched.find(word.text, at + 1)) {
      const size_t next = at + word.text.size();
      const size_t from = at - std::min(at, kBeforeMax);
      const Around around{text.substr(from, at - from),
                          text.substr(next, kAfterMax)};
      if (!IsPrivate(word, around)) continue;
      const uint64_t offset = offset_ + at;
      if (!find_ || offset < find_->offset) find_ = PrivateFind{word, offset};
      break;
    }
  }
}

void PrivacyScanner::Feed(std::string_view piece) {
  if (find_ || longest_ == 0) return;
  held_ += piece;
  // A word that begins later may be cut, or lack what follows it.
  const size_t reach = longest_ + kAfterMax;
  if (held_.size() <= reach) return;
  const size_t end = held_.size() - reach;
  if (end <= searched_) return;
  Search(held_, searched_, end);
  // What stands before the next word stays.
  searched_ = std::min(end, kBeforeMax);
  held_.erase(0, end - searched_);
  offset_ += end - searched_;
}

std::optional<PrivateFind> PrivacyScanner::Finish() {
  if (!find_ && longest_ != 0 && searched_ < held_.size()) {
    Search(held_, searched_, held_.size());
  }
  return std::move(find_);
}

Result<size_t> ScanningSource::Read(char* data, size_t size) {
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got, source_.Read(data, size));
  scanner_.Feed({data, got});
  return got;
}

std::optional<PrivateFind> FindPrivateWord(std::string_view text,
                                           const PrivateWords& words) {
  PrivacyScanner scanner(words);
  scanner.Feed(text);
  return scanner.Finish();
}

}  // namespace exhibit
