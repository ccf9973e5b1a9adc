// Private names in what is packed: where the pieces end changes nothing, what
// is found stands there, and a name that is put in is found.

#include "archive/privacy.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

// Names of which one begins another, and that meet in a path.
const PrivateWords& Words() {
  static const PrivateWords words = ChoosePrivateWords(
      {.homes = {"/home/erika", "/home/erika/", "/lab"},
       .working_folders = {"/home/erika/lab", "/tmp", "/a/a"},
       .users = {"erika", "root", "al", "aaaa"},
       .hosts = {"erika-host", "aaaa"}});
  return words;
}

void RequireSame(const std::optional<PrivateFind>& a,
                 const std::optional<PrivateFind>& b, const char* property) {
  fuzz::Require(a.has_value() == b.has_value(), property);
  if (!a) return;
  fuzz::Require(a->offset == b->offset && a->word.text == b->word.text &&
                    a->word.meaning == b->word.meaning,
                property);
}

std::optional<PrivateFind> InPieces(std::string_view text, size_t bytes) {
  PrivacyScanner scanner(Words());
  for (size_t at = 0; at < text.size(); at += bytes) {
    scanner.Feed(text.substr(at, bytes));
  }
  return scanner.Finish();
}

void CheckPlanted(std::string_view text, const PrivateWord& word) {
  const std::string planted = std::string(text) + "\n\"" + word.text + "\"\n";
  const auto find = FindPrivateWord(planted, Words());
  fuzz::Require(find && find->offset <= text.size() + 2,
                "a name that stands there is found");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const auto find = FindPrivateWord(text, Words());
  if (find) {
    fuzz::Require(text.substr(static_cast<size_t>(find->offset))
                      .starts_with(find->word.text),
                  "what is found stands there");
  }
  for (const size_t bytes : {1, 3, 10, 16, 100}) {
    RequireSame(find, InPieces(text, bytes), "pieces change no find");
  }
  for (const PrivateWord& word : Words().looked_for) CheckPlanted(text, word);
  return 0;
}
