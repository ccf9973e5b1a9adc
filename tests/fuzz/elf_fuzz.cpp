// ELF files: every table stays inside the file, and what is told of an object
// or a library is sorted and told alike twice.

#include "audit/identity/elf.h"
#include "audit/identity/inspect.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

void RequireInside(std::string_view part, std::string_view whole) {
  if (part.empty()) return;
  fuzz::Require(part.data() >= whole.data() &&
                    part.data() + part.size() <= whole.data() + whole.size(),
                "a view lies inside the file");
}

template <typename T>
void RequireSoundTable(const Result<std::vector<T>>& table) {
  if (!table.ok()) fuzz::RequireSaid(table.error());
}

void WalkTables(const elf::File& file, std::string_view bytes) {
  for (const elf::Section& section : file.sections()) {
    RequireInside(section.name, bytes);
    RequireInside(file.Contents(section), bytes);
    const auto symbols = file.Symbols(section);
    RequireSoundTable(symbols);
    if (symbols.ok()) {
      for (const elf::Symbol& symbol : *symbols) {
        RequireInside(symbol.name, bytes);
      }
    }
    RequireSoundTable(file.Relocations(section));
    RequireSoundTable(file.Dynamic(section));
    const elf::Section* const found = file.Find(section.name);
    fuzz::Require(found != nullptr && found->name == section.name,
                  "a section is found by its name");
  }
}

void RequireSorted(const std::vector<std::string>& names) {
  fuzz::Require(std::is_sorted(names.begin(), names.end()), "sorted names");
}

void CheckObject(std::string_view bytes) {
  const auto facts = InspectObject(bytes);
  if (!facts.ok()) return fuzz::RequireSaid(facts.error());
  RequireSorted(facts->exports);
  RequireSorted(facts->imports);
  for (const NamedFunction& function : facts->functions) {
    const auto clone = FindClone(bytes, function.name);
    if (!clone.ok()) fuzz::RequireSaid(clone.error());
  }
}

void CheckLibrary(std::string_view bytes) {
  const auto facts = InspectLibrary(bytes);
  if (!facts.ok()) return fuzz::RequireSaid(facts.error());
  for (const auto* names :
       {&facts->needed, &facts->imports, &facts->exports,
        &facts->exported_functions, &facts->peculiarities}) {
    RequireSorted(*names);
  }
  fuzz::Require(std::includes(facts->exports.begin(), facts->exports.end(),
                              facts->exported_functions.begin(),
                              facts->exported_functions.end()),
                "an exported function is an export");
  const Result<std::string> build_id = ReadBuildId(bytes);
  fuzz::Require(!build_id.ok() || *build_id == facts->build_id,
                "a library has one build id");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const Result<elf::File> file = elf::File::Read(bytes);
  if (file.ok()) {
    WalkTables(*file, bytes);
  } else {
    fuzz::RequireSaid(file.error());
    fuzz::Require(!InspectObject(bytes).ok() && !InspectLibrary(bytes).ok(),
                  "what cannot be read cannot be inspected");
  }
  CheckObject(bytes);
  CheckLibrary(bytes);
  return 0;
}
