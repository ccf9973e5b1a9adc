// Bytes that flow: where they come from and where they go.
//
// A decoder is a source that reads from another source, an encoder a sink that
// writes to another sink; so nothing ever stands whole in memory.

#ifndef EXHIBIT_ARCHIVE_BYTES_H_
#define EXHIBIT_ARCHIVE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/result.h"
#include "manifests/sha256.h"

namespace exhibit {

// The size of the pieces in which bytes are moved.
inline constexpr size_t kPieceBytes = 64 * 1024;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads up to `size` > 0 bytes into `data`; 0 only at the end. After an
  // error the source must not be used.
  virtual Result<size_t> Read(char* data, size_t size) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Takes all of `bytes` or fails. After an error it must not be used.
  virtual Status Write(std::string_view bytes) = 0;
};

// Reads until `size` bytes or the end; less than `size` only at the end.
Result<size_t> ReadFully(ByteSource& source, char* data, size_t size);

// The rest of `source`. Fails with kLimitExceeded, naming `name`, when that is
// more than `bytes_max`; never holds more.
Result<std::string> ReadAll(ByteSource& source, const std::string& name,
                            uint64_t bytes_max);

// The same where `source` should have `size_bytes`, which the caller can bear:
// room is made once, and no more than that is read. Less only at the end.
Result<std::string> ReadSized(ByteSource& source, uint64_t size_bytes);

// Reads the rest of `source` and forgets it. Returns the number of bytes.
Result<uint64_t> Drain(ByteSource& source);

// The bytes of `bytes`, which must outlive the source.
class StringSource : public ByteSource {
 public:
  explicit StringSource(std::string_view bytes) : rest_(bytes) {}
  Result<size_t> Read(char* data, size_t size) override;

 private:
  std::string_view rest_;
};

class StringSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override;
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What passes through on the way from `source`, counted and hashed.
class HashingSource : public ByteSource {
 public:
  explicit HashingSource(ByteSource& source) : source_(source) {}
  Result<size_t> Read(char* data, size_t size) override;
  uint64_t size_bytes() const { return size_bytes_; }
  // SHA-256 of what was read, in hexadecimal. Ends the source.
  std::string FinishHex() { return hash_.FinishHex(); }

 private:
  ByteSource& source_;
  Sha256Stream hash_;
  uint64_t size_bytes_ = 0;
};

// A regular file, opened for reading. Symbolic links are not followed, in no
// component of the path below `folder`.
class FileSource : public ByteSource {
 public:
  // Opens `folder`/`path`; messages name it `path`. Fails with kNotFound when
  // it is absent and with kCorrupt when it is no regular file.
  static Result<FileSource> Open(const std::string& folder,
                                 const std::string& path);
  FileSource(FileSource&& other) noexcept;
  FileSource& operator=(FileSource&& other) noexcept;
  ~FileSource() override;

  Result<size_t> Read(char* data, size_t size) override;
  // The next Read begins at `offset`.
  Status Seek(uint64_t offset);
  uint64_t size_bytes() const { return size_bytes_; }  // When it was opened.

 private:
  FileSource(int fd, std::string name, uint64_t size_bytes);

  int fd_;
  std::string name_;
  uint64_t size_bytes_;
};

// A new file, mode 0644 before the umask.
class FileSink : public ByteSink {
 public:
  // Creates `path`, which must not exist; messages name it `name`.
  static Result<FileSink> Create(const std::string& path,
                                 const std::string& name);
  FileSink(FileSink&& other) noexcept;
  FileSink& operator=(FileSink&& other) noexcept;
  ~FileSink() override;

  Status Write(std::string_view bytes) override;
  // Flushes to the disk and closes. Without it the file may be incomplete.
  Status Finish();

 private:
  FileSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  int fd_;
  std::string name_;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_BYTES_H_
