#include "audit/identity/link_input.h"

#include <algorithm>
#include <array>
#include <set>

namespace exhibit {
namespace {

using elf::Relocation;
using elf::Section;
using elf::Symbol;

constexpr std::string_view kGotName = "_GLOBAL_OFFSET_TABLE_";
// More alignment would move segments in ways that are not modelled.
constexpr uint64_t kAlignmentMax = 4096;
constexpr uint64_t kSectionBytesMax = uint64_t{1} << 30;
constexpr size_t kProblemCountMax = 64;

struct OutputRule {
  std::string_view name;
  uint32_t type;
  uint64_t flags;  // But for SHF_MERGE and SHF_STRINGS, which -O0 ignores.
};
// A longer name stands before the name it begins with.
constexpr std::array<OutputRule, 5> kOutputs = {{
    {".text", elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR},
    {".rodata", elf::SHT_PROGBITS, elf::SHF_ALLOC},
    {".data.rel.ro", elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_WRITE},
    {".data", elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_WRITE},
    {".bss", elf::SHT_NOBITS, elf::SHF_ALLOC | elf::SHF_WRITE},
}};

// The rule for a section of that name: the name itself or the name, a dot and
// more. Null where there is none.
const OutputRule* RuleFor(std::string_view name) {
  for (const OutputRule& rule : kOutputs) {
    if (!name.starts_with(rule.name)) continue;
    const std::string_view rest = name.substr(rule.name.size());
    if (rest.empty() || rest[0] == '.') return &rule;
  }
  return nullptr;
}

class Reader {
 public:
  Reader(const elf::File& object, std::vector<std::string>& problems)
      : object_(object), problems_(problems) {}

  LinkInput Read() {
    input_.section_places.resize(object_.sections().size());
    for (size_t i = 0; i < object_.sections().size(); ++i) ReadSection(i);
    ReadSymbols();
    for (size_t i = 0; i < object_.sections().size(); ++i) ReadRelocations(i);
    if (problems_.empty()) Number();
    return std::move(input_);
  }

 private:
  void Report(const std::string& what, std::string_view name) {
    if (problems_.size() >= kProblemCountMax) return;
    problems_.push_back("object: " + what + " " + std::string(name));
  }

  void ReadSection(size_t index) {
    const Section& section = object_.sections()[index];
    if ((section.flags & elf::SHF_ALLOC) == 0) return;
    const OutputRule* rule = RuleFor(section.name);
    const uint64_t flags =
        section.flags & ~uint64_t{elf::SHF_MERGE | elf::SHF_STRINGS};
    if (rule == nullptr || section.type != rule->type || flags != rule->flags) {
      return Report("allocated section is of no known kind:", section.name);
    }
    if (section.alignment > kAlignmentMax || section.size > kSectionBytesMax) {
      return Report("section is too large or too aligned:", section.name);
    }
    input_.section_places[index] = input_.sections.size();
    input_.sections.push_back(
        {index, rule->name, section, object_.Contents(section), {}});
  }

  void ReadSymbols() {
    const Section* table = nullptr;
    for (size_t i = 0; i < object_.sections().size(); ++i) {
      const Section& section = object_.sections()[i];
      if (section.type != elf::SHT_SYMTAB) continue;
      if (table != nullptr) return Report("second symbol table", section.name);
      table = &section;
      symbol_table_ = i;
    }
    if (table == nullptr) return Report("no symbol table", "");
    auto symbols = object_.Symbols(*table);
    if (!symbols.ok()) return Report(symbols.error().message, "");
    input_.symbols = std::move(*symbols);
    std::set<std::string_view> global_names;
    for (size_t i = 1; i < input_.symbols.size(); ++i) {
      const Symbol& symbol = input_.symbols[i];
      // The link tells local from global by the table's split alone.
      if ((symbol.binding == elf::STB_LOCAL) != (i < table->info)) {
        Report("symbol on the wrong side of the table:", symbol.name);
      }
      CheckSymbol(symbol);
      if (symbol.binding == elf::STB_LOCAL) continue;
      if (!global_names.insert(symbol.name).second) {
        Report("symbol twice:", symbol.name);
      }
    }
  }

  void CheckSymbol(const Symbol& symbol) {
    if (symbol.type > elf::STT_FILE) {
      return Report("symbol of a forbidden type:", symbol.name);
    }
    if (symbol.binding > elf::STB_WEAK || symbol.other > 3) {
      return Report("symbol of a forbidden binding:", symbol.name);
    }
    if (symbol.type == elf::STT_FILE) {
      if (symbol.section != elf::SHN_ABS || symbol.binding != elf::STB_LOCAL) {
        Report("misplaced file symbol", symbol.name);
      }
      return;
    }
    if (symbol.binding != elf::STB_LOCAL) return CheckGlobal(symbol);
    if (symbol.Undefined() || symbol.section >= elf::SHN_LORESERVE) {
      Report("local symbol without a section:", symbol.name);
    }
  }

  void CheckGlobal(const Symbol& symbol) {
    // The link gives these names a meaning of its own.
    if (symbol.name.empty() || symbol.name == "_init" ||
        symbol.name == "_fini" || symbol.name == "_start" ||
        symbol.name.find('@') != std::string_view::npos) {
      return Report("global symbol of a forbidden name:", symbol.name);
    }
    if (symbol.Undefined()) {
      if (symbol.name == kGotName) {
        input_.names_got = true;
      } else if (!IsAllowedImport(symbol.name) ||
                 symbol.binding != elf::STB_GLOBAL ||
                 symbol.other != elf::STV_DEFAULT) {
        Report("import is not allowed:", symbol.name);
      }
      return;
    }
    if (symbol.name == kGotName) return Report("defines", symbol.name);
    const InputSection* home = HomeOf(symbol);
    if (home == nullptr || symbol.value > home->header.size) {
      Report("global symbol outside every section:", symbol.name);
    }
  }

  const InputSection* HomeOf(const Symbol& symbol) const {
    if (symbol.Undefined() || symbol.section >= elf::SHN_LORESERVE) {
      return nullptr;
    }
    const auto& place = input_.section_places[symbol.section];
    return place ? &input_.sections[*place] : nullptr;
  }

  void ReadRelocations(size_t index) {
    const Section& section = object_.sections()[index];
    if (section.type != elf::SHT_RELA && section.type != elf::SHT_REL) return;
    if (section.info >= object_.sections().size()) {
      return Report("relocations of no section:", section.name);
    }
    const auto& place = input_.section_places[section.info];
    if (!place) return;  // Of a section that is not loaded.
    InputSection& target = input_.sections[*place];
    if (section.type == elf::SHT_REL || section.link != symbol_table_ ||
        !target.relocations.empty()) {
      return Report("relocations of a forbidden kind:", section.name);
    }
    auto relocations = object_.Relocations(section);
    if (!relocations.ok()) return Report(relocations.error().message, "");
    for (const Relocation& relocation : *relocations) {
      CheckRelocation(relocation, target);
    }
    target.relocations = std::move(*relocations);
  }

  void CheckRelocation(const Relocation& relocation,
                       const InputSection& target) {
    const auto form = FormOf(relocation.type);
    const std::string where = std::string(target.header.name) + " at " +
                              std::to_string(relocation.offset);
    if (!form) {
      return Report("relocation type " + std::to_string(relocation.type) +
                        " is not in the closed list, in",
                    where);
    }
    if (*form == RelocationForm::kNone) return;
    const bool wide =
        *form == RelocationForm::kAbsolute64 || *form == RelocationForm::kPc64;
    const uint64_t width = wide ? 8 : 4;
    if (target.contents.size() < width ||
        relocation.offset > target.contents.size() - width) {
      return Report("relocation outside its section, in", where);
    }
    if (relocation.symbol == 0 || relocation.symbol >= input_.symbols.size()) {
      return Report("relocation against no symbol, in", where);
    }
    const Symbol& symbol = input_.symbols[relocation.symbol];
    if (symbol.name == kGotName ||
        (!symbol.Undefined() && HomeOf(symbol) == nullptr)) {
      return Report("relocation against what has no address, in", where);
    }
    CheckForm(*form, symbol, target, where);
  }

  // What the linker itself would refuse in a shared library.
  void CheckForm(RelocationForm form, const Symbol& symbol,
                 const InputSection& target, const std::string& where) {
    const bool relative =
        form == RelocationForm::kPc32 || form == RelocationForm::kPc64;
    if (relative && IsPreemptible(symbol)) {
      return Report("direct reference to a preemptible symbol, in", where);
    }
    if (form == RelocationForm::kAbsolute64 &&
        (target.header.flags & elf::SHF_WRITE) == 0) {
      Report("address stored where nothing can be written, in", where);
    }
  }

  // The link walks its table of globals, then the locals.
  void Number() {
    std::vector<bool> in_plt(input_.symbols.size());
    std::vector<bool> in_got(input_.symbols.size());
    for (const InputSection& section : input_.sections) {
      for (const Relocation& relocation : section.relocations) {
        const RelocationForm form = *FormOf(relocation.type);
        const size_t symbol = relocation.symbol;
        if (form == RelocationForm::kGot32) in_got[symbol] = true;
        if (form == RelocationForm::kPlt32 &&
            IsPreemptible(input_.symbols[symbol])) {
          in_plt[symbol] = true;
        }
      }
    }
    auto visit = [&](size_t i) {
      if (in_plt[i]) input_.plt.push_back(i);
      if (in_got[i]) input_.got.push_back(i);
    };
    for (size_t i = 1; i < input_.symbols.size(); ++i) {
      const Symbol& symbol = input_.symbols[i];
      if (symbol.binding == elf::STB_LOCAL) continue;
      visit(i);
      const bool seen_outside = symbol.Visibility() == elf::STV_DEFAULT ||
                                symbol.Visibility() == elf::STV_PROTECTED;
      if (seen_outside && symbol.name != kGotName) input_.dynamic.push_back(i);
    }
    for (size_t i = 1; i < input_.symbols.size(); ++i) {
      if (input_.symbols[i].binding == elf::STB_LOCAL) visit(i);
    }
  }

  const elf::File& object_;
  std::vector<std::string>& problems_;
  size_t symbol_table_ = 0;
  LinkInput input_;
};

}  // namespace

bool IsAllowedImport(std::string_view name) {
  return name == "memcpy" || name == "memmove" || name == "memset";
}

std::optional<RelocationForm> FormOf(uint32_t relocation_type) {
  switch (relocation_type) {
    case elf::R_X86_64_NONE:
      return RelocationForm::kNone;
    case elf::R_X86_64_64:
      return RelocationForm::kAbsolute64;
    case elf::R_X86_64_PC32:
      return RelocationForm::kPc32;
    case elf::R_X86_64_PC64:
      return RelocationForm::kPc64;
    case elf::R_X86_64_PLT32:
      return RelocationForm::kPlt32;
    case elf::R_X86_64_GOTPCREL:
    case elf::R_X86_64_GOTPCRELX:
    case elf::R_X86_64_REX_GOTPCRELX:
      return RelocationForm::kGot32;
    default:
      return std::nullopt;
  }
}

bool IsPreemptible(const elf::Symbol& symbol) {
  return symbol.Undefined() || (symbol.binding != elf::STB_LOCAL &&
                                symbol.Visibility() == elf::STV_DEFAULT);
}

LinkInput ReadLinkInput(const elf::File& object,
                        std::vector<std::string>& problems) {
  if (object.type() != elf::ET_REL) {
    problems.push_back("object: not a relocatable object");
    return {};
  }
  return Reader(object, problems).Read();
}

}  // namespace exhibit
