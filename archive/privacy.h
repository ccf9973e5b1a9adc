// What must not leave a machine by accident: home and working folders, and the
// names of user and host, wherever they stand in what is packed.
//
// Folders are looked for wherever they stand, one of a single component only
// where no longer path holds it; names as a whole component of a path, as
// `user@` or `@host`, and as a whole quoted value. A word of prose that equals
// a name is none of these. Text that is compressed or encoded in
// the files is not seen. Normative: archive/FORMAT.md, "Private names".

#ifndef EXHIBIT_ARCHIVE_PRIVACY_H_
#define EXHIBIT_ARCHIVE_PRIVACY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/bytes.h"

namespace exhibit {

// As the system tells them; empty and repeated ones do no harm.
struct MachineNames {
  std::vector<std::string> homes;            // Absolute folders.
  std::vector<std::string> working_folders;  // Likewise.
  std::vector<std::string> users;
  std::vector<std::string> hosts;
};

struct PrivateWord {
  enum class Kind { kFolder, kUser, kHost };
  Kind kind = Kind::kFolder;
  std::string text;
  std::string meaning;  // "the home folder", "the user name", ...
};

struct PrivateWords {
  std::vector<PrivateWord> looked_for;
  // Sentences: which names are not looked for, and why.
  std::vector<std::string> exempt;
};

// Exempt are the name `root` and names of fewer than four characters, which
// stand everywhere; `/` and working folders of one component, such as /tmp,
// tell nothing and are not mentioned.
PrivateWords ChoosePrivateWords(const MachineNames& names);

struct PrivateFind {
  PrivateWord word;
  uint64_t offset = 0;  // Of the word, in the file.
};

// Looks through one file that arrives in pieces; holds no more than a piece
// and the longest word.
class PrivacyScanner {
 public:
  // `words` must outlive the scanner.
  explicit PrivacyScanner(const PrivateWords& words);

  void Feed(std::string_view piece);
  // The first find, once everything was fed. Ends the scanner.
  std::optional<PrivateFind> Finish();

 private:
  void Search(std::string_view text, size_t begin, size_t end);

  const PrivateWords& words_;
  size_t longest_ = 0;
  std::string held_;     // The end of what was fed: context and a cut word.
  size_t searched_ = 0;  // Of `held_`, where a word may no longer begin.
  uint64_t offset_ = 0;  // Of `held_` in the file.
  std::optional<PrivateFind> find_;
};

// What passes through from `source` on to a scanner.
class ScanningSource : public ByteSource {
 public:
  // `source` and `words` must outlive this.
  ScanningSource(ByteSource& source, const PrivateWords& words)
      : source_(source), scanner_(words) {}
  Result<size_t> Read(char* data, size_t size) override;
  // After the end of the source.
  std::optional<PrivateFind> Finish() { return scanner_.Finish(); }

 private:
  ByteSource& source_;
  PrivacyScanner scanner_;
};

// The same for a text at hand, such as the path of a member.
std::optional<PrivateFind> FindPrivateWord(std::string_view text,
                                           const PrivateWords& words);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_PRIVACY_H_
