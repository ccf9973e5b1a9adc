// The declared link, by lld inside this process, and a look at symbols.

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "compiler/build/compile.h"
#include "lld/Common/Driver.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace exhibit {
namespace {

// A private folder for the linker's files, removed at the end: lld reads
// and writes by path only.
class LinkFolder {
 public:
  LinkFolder() {
    const char* base = getenv("TMPDIR");
    path_ = std::string(base != nullptr && *base != 0 ? base : "/tmp") +
            "/exhibit-link-XXXXXX";
    made_ = mkdtemp(path_.data()) != nullptr;
  }
  ~LinkFolder() {
    if (!made_) return;
    // Nothing to be done about a failure; the files are ours alone.
    (void)unlink(object().c_str());
    (void)unlink(padding().c_str());
    (void)unlink(library().c_str());
    (void)rmdir(path_.c_str());
  }
  LinkFolder(const LinkFolder&) = delete;
  LinkFolder& operator=(const LinkFolder&) = delete;

  bool made() const { return made_; }
  const std::string& path() const { return path_; }
  std::string object() const { return path_ + "/kernel.o"; }
  std::string padding() const { return path_ + "/padding.o"; }
  std::string library() const { return path_ + "/kernel.so"; }

 private:
  std::string path_;
  bool made_ = false;
};

Status WriteObject(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file.fail()) {
    return Error{ErrorKind::kIo, "cannot write " + path,
                 "check the space in TMPDIR"};
  }
  return Ok();
}

Result<std::string> ReadLibrary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file || !bytes) {
    return Error{ErrorKind::kIo, "cannot read " + path, ""};
  }
  return bytes.str();
}

// The smallest object whose .text is `bytes` trap instructions, with which lld
// also fills the gaps between functions.
std::string PaddingObject(int64_t bytes) {
  constexpr std::string_view kNames("\0.text\0.shstrtab\0", 17);
  namespace elf = llvm::ELF;
  elf::Elf64_Ehdr header = {};
  std::copy_n(elf::ElfMagic, 4, header.e_ident);
  header.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
  header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  header.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
  header.e_type = elf::ET_REL;
  header.e_machine = elf::EM_X86_64;
  header.e_version = elf::EV_CURRENT;
  header.e_ehsize = sizeof(elf::Elf64_Ehdr);
  header.e_shentsize = sizeof(elf::Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  header.e_shoff = sizeof(elf::Elf64_Ehdr);
  std::array<elf::Elf64_Shdr, 3> sections = {};
  const uint64_t behind = sizeof header + sizeof sections;
  sections[1].sh_name = 1;
  sections[1].sh_type = elf::SHT_PROGBITS;
  sections[1].sh_flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
  sections[1].sh_offset = behind;
  sections[1].sh_size = static_cast<uint64_t>(bytes);
  sections[1].sh_addralign = 1;
  sections[2].sh_name = 7;
  sections[2].sh_type = elf::SHT_STRTAB;
  sections[2].sh_offset = behind + static_cast<uint64_t>(bytes);
  sections[2].sh_size = kNames.size();
  sections[2].sh_addralign = 1;
  std::string object(reinterpret_cast<const char*>(&header), sizeof header);
  object.append(reinterpret_cast<const char*>(sections.data()),
                sizeof sections);
  object.append(static_cast<size_t>(bytes), '\xcc');
  return object.append(kNames);
}

}  // namespace

const std::vector<std::string>& SharedLibraryLinkArguments() {
  static const std::vector<std::string> arguments = {
      "-shared", "-O0", "--no-relax", "--hash-style=gnu", "--build-id=none"};
  return arguments;
}

Result<std::string> LinkSharedLibrary(std::string_view object,
                                      int64_t placement_bytes) {
  // lld keeps its state in globals: one link at a time, whoever asks.
  static std::mutex one_link;
  const std::lock_guard<std::mutex> lock(one_link);
  LinkFolder folder;
  if (!folder.made()) {
    return Error{ErrorKind::kIo, "cannot make the folder " + folder.path(),
                 "set TMPDIR to a folder that can be written"};
  }
  EXHIBIT_RETURN_IF_ERROR(WriteObject(folder.object(), object));
  const std::string input = folder.object();
  const std::string padding = folder.padding();
  if (placement_bytes > 0) {
    EXHIBIT_RETURN_IF_ERROR(
        WriteObject(padding, PaddingObject(placement_bytes)));
  }
  const std::string output = folder.library();
  std::vector<const char*> arguments = {"ld.lld"};
  for (const std::string& argument : SharedLibraryLinkArguments()) {
    arguments.push_back(argument.c_str());
  }
  arguments.insert(arguments.end(), {"-o", output.c_str()});
  if (placement_bytes > 0) arguments.push_back(padding.c_str());
  arguments.push_back(input.c_str());
  std::string said;
  llvm::raw_string_ostream stream(said);
  const lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (!result.canRunAgain) {
    throw std::logic_error("lld cannot run again in this process: " + said);
  }
  if (result.retCode != 0) {
    return Error{ErrorKind::kInvalidArgument,
                 "the object cannot be linked: " + said,
                 "it must be a position-independent x86-64 ELF object"};
  }
  return ReadLibrary(output);
}

const std::vector<std::string>& AllowedImports() {
  static const std::vector<std::string> imports = {"memcpy", "memmove",
                                                   "memset"};
  return imports;
}

Result<std::vector<std::string>> UndefinedSymbols(std::string_view object) {
  auto corrupt = [](llvm::Error error) {
    return Error{ErrorKind::kCorrupt,
                 "not a relocatable x86-64 ELF object: " +
                     llvm::toString(std::move(error)),
                 ""};
  };
  auto file =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
          llvm::StringRef(object.data(), object.size()), "object"));
  if (!file) return corrupt(file.takeError());
  if (!(*file)->isRelocatableObject() ||
      (*file)->getArch() != llvm::Triple::x86_64) {
    return corrupt(llvm::createStringError("another kind or machine"));
  }
  std::set<std::string> undefined;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags) return corrupt(flags.takeError());
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) == 0) continue;
    auto name = symbol.getName();
    if (!name) return corrupt(name.takeError());
    if (!name->empty()) undefined.insert(name->str());
  }
  return std::vector<std::string>(undefined.begin(), undefined.end());
}

}  // namespace exhibit
