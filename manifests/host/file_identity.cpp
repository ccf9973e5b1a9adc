#include "manifests/host/file_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr uint64_t kFileBytesMax = uint64_t{8} << 30;
constexpr uint64_t kNoteBytesMax = 64 << 10;
constexpr uint64_t kBuildIdBytesMax = 64;
constexpr size_t kReadBytes = size_t{1} << 20;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

  // Exactly `count` bytes at `offset`, or false.
  bool ReadAt(uint64_t offset, void* out, size_t count) const {
    return ::pread(fd_, out, count, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(count);
  }

 private:
  int fd_;
};

Error SystemError(const std::string& path, int number) {
  const char* text = strerrordesc_np(number);
  return Error{number == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
               "cannot read " + path + ": " +
                   (text != nullptr ? text : "error") + " (errno " +
                   std::to_string(number) + ")",
               ""};
}

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

// The build id among the notes of one segment.
std::string BuildIdInNotes(std::string_view notes, uint64_t alignment) {
  Elf64_Nhdr note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const auto aligned = [&](uint64_t n) {
      return (n + alignment - 1) / alignment * alignment;
    };
    const uint64_t content = aligned(sizeof note + uint64_t{note.n_namesz});
    const uint64_t end = content + note.n_descsz;
    if (end > notes.size()) return "";
    const bool is_gnu = note.n_namesz == 4 && notes.substr(sizeof note, 4) ==
                                                  std::string_view("GNU\0", 4);
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID &&
        note.n_descsz <= kBuildIdBytesMax) {
      return Hex(notes.substr(content, note.n_descsz));
    }
    notes.remove_prefix(std::min<uint64_t>(aligned(end), notes.size()));
  }
  return "";
}

// "" for whatever is not a 64-bit little-endian ELF file with a build id.
std::string ReadBuildId(const OpenFile& file) {
  Elf64_Ehdr header{};
  if (!file.ReadAt(0, &header, sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return "";
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!file.ReadAt(header.e_phoff + i * sizeof segment, &segment,
                     sizeof segment)) {
      return "";
    }
    if (segment.p_type != PT_NOTE || segment.p_filesz > kNoteBytesMax) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!file.ReadAt(segment.p_offset, notes.data(), notes.size())) continue;
    std::string build_id = BuildIdInNotes(notes, segment.p_align == 8 ? 8 : 4);
    if (!build_id.empty()) return build_id;
  }
  return "";
}

Result<std::string> DigestOf(const OpenFile& file, const std::string& path) {
  Sha256Stream stream;
  std::string chunk(kReadBytes, '\0');
  uint64_t total = 0;
  while (true) {
    const ssize_t count = ::read(file.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, errno);
    if (count == 0) return stream.FinishHex();
    total += static_cast<uint64_t>(count);
    if (total > kFileBytesMax) {
      return Error{
          ErrorKind::kLimitExceeded,
          path + ": larger than " + std::to_string(kFileBytesMax) + " bytes",
          ""};
    }
    stream.Update(
        std::string_view(chunk).substr(0, static_cast<size_t>(count)));
  }
}

using FileKey = std::tuple<dev_t, ino_t, off_t, time_t, long>;

// A process describes its files around every visit, and a compiler's libraries
// are a hundred megabytes.
class Remembered {
 public:
  std::optional<FileIdentity> Find(const FileKey& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = identities_.find(key);
    if (found == identities_.end()) return std::nullopt;
    return found->second;
  }
  void Add(const FileKey& key, const FileIdentity& identity) {
    const std::lock_guard<std::mutex> lock(mutex_);
    identities_.emplace(key, identity);
  }

 private:
  std::mutex mutex_;
  std::map<FileKey, FileIdentity> identities_;
};

}  // namespace

Result<std::optional<FileIdentity>> IdentifyFile(const std::string& path) {
  static Remembered remembered;
  const OpenFile file(path);
  struct stat facts {};
  if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) {
    return SystemError(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) return std::optional<FileIdentity>();
  const FileKey key(facts.st_dev, facts.st_ino, facts.st_size,
                    facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  std::optional<FileIdentity> identity = remembered.Find(key);
  if (identity) return identity;
  identity.emplace();
  EXHIBIT_ASSIGN_OR_RETURN(identity->sha256, DigestOf(file, path));
  identity->build_id = ReadBuildId(file);
  remembered.Add(key, *identity);
  return identity;
}

}  // namespace exhibit
