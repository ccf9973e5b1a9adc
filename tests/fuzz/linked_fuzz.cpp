// Object and library: no pair makes the check fall over, and a library that
// passes for an object's passes no longer when a loaded byte of it changes.
// The input is the object as a part with a length, then the library.

#include "audit/identity/elf.h"
#include "audit/identity/inspect.h"
#include "audit/identity/linked.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

constexpr std::string_view kEntry = "kernel_batch";
constexpr size_t kDifferencesMax = 200;  // "At most about a hundred."

void CheckPassing(std::string_view object, std::string_view library) {
  const auto made_of = InspectObject(object);
  const auto facts = InspectLibrary(library);
  fuzz::Require(made_of.ok() && facts.ok(),
                "a library that passes can be inspected");
  const auto& functions = facts->exported_functions;
  fuzz::Require(std::binary_search(functions.begin(), functions.end(), kEntry),
                "a library that passes exports its entry");
  fuzz::Require(facts->needed.empty() && facts->peculiarities.empty(),
                "a library that passes is code and data");
  std::string longer(library);
  longer += '\0';
  fuzz::Require(!CheckLinked({object, longer, kEntry}).empty(),
                "a byte after the end is a difference");
  const Result<elf::File> file = elf::File::Read(library);
  fuzz::Require(file.ok(), "a library that passes is ELF");
  for (const elf::Section& section : file->sections()) {
    const std::string_view contents = file->Contents(section);
    if (contents.empty() || (section.flags & elf::SHF_ALLOC) == 0) continue;
    std::string changed(library);
    char& byte = changed[section.offset + contents.size() / 2];
    byte = static_cast<char>(byte ^ 0x11);
    fuzz::Require(!CheckLinked({object, changed, kEntry}).empty(),
                  "a changed byte that is loaded is a difference");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view library = fuzz::TextOf(data, size);
  const std::string_view object = fuzz::TakePart(library);
  const std::vector<std::string> differences =
      CheckLinked({object, library, kEntry});
  fuzz::Require(differences.size() <= kDifferencesMax,
                "differences are told up to a number");
  for (const std::string& difference : differences) {
    fuzz::Require(!difference.empty(), "a difference is said");
  }
  if (differences.empty()) CheckPassing(object, library);
  return 0;
}
