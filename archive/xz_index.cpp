#include "archive/xz_index.h"

#include <lzma.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

namespace exhibit {
namespace {

using Piece = std::array<char, kPieceBytes>;

uint8_t* Bytes(char* data) { return reinterpret_cast<uint8_t*>(data); }

Error Corrupt(const std::string& name, const std::string& what) {
  return Error{ErrorKind::kCorrupt, name + ": " + what, "fetch the file again"};
}

// Exactly `size` bytes from `offset` of `file`.
Result<std::string> ReadAt(FileSource& file, uint64_t offset, size_t size,
                           const std::string& name) {
  EXHIBIT_RETURN_IF_ERROR(file.Seek(offset));
  std::string bytes(size, '\0');
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                           ReadFully(file, bytes.data(), size));
  if (got != size) return Corrupt(name, "ends before its index");
  return bytes;
}

}  // namespace

struct XzIndex::State {
  ~State() { lzma_index_end(index, nullptr); }

  std::string name;
  uint64_t memory_bytes_max = 0;
  lzma_check check = LZMA_CHECK_NONE;
  lzma_index* index = nullptr;
};

Result<std::unique_ptr<XzIndex>> XzIndex::Read(FileSource& file,
                                               std::string name,
                                               const ArchiveLimits& limits) {
  auto state = std::make_unique<State>();
  state->name = std::move(name);
  state->memory_bytes_max = limits.decoder_memory_bytes_max;
  const uint64_t size_bytes = file.size_bytes();
  if (size_bytes < 2 * LZMA_STREAM_HEADER_SIZE) {
    return Corrupt(state->name, "is too short for an xz file");
  }
  const uint64_t footer_at = size_bytes - LZMA_STREAM_HEADER_SIZE;
  EXHIBIT_ASSIGN_OR_RETURN(
      std::string footer,
      ReadAt(file, footer_at, LZMA_STREAM_HEADER_SIZE, state->name));
  lzma_stream_flags flags = {};
  if (lzma_stream_footer_decode(&flags, Bytes(footer.data())) != LZMA_OK ||
      flags.backward_size > footer_at) {
    return Corrupt(state->name, "has no xz footer");
  }
  // The index in memory is larger than in the file.
  if (flags.backward_size > state->memory_bytes_max) {
    return Error{ErrorKind::kLimitExceeded,
                 state->name + ": its xz index has " +
                     std::to_string(flags.backward_size) + " bytes, at most " +
                     std::to_string(state->memory_bytes_max),
                 ""};
  }
  EXHIBIT_ASSIGN_OR_RETURN(
      std::string bytes,
      ReadAt(file, footer_at - flags.backward_size,
             static_cast<size_t>(flags.backward_size), state->name));
  uint64_t memory = state->memory_bytes_max;
  size_t at = 0;
  const lzma_ret code = lzma_index_buffer_decode(
      &state->index, &memory, nullptr, Bytes(bytes.data()), &at, bytes.size());
  if (code == LZMA_MEMLIMIT_ERROR) {
    return Error{ErrorKind::kLimitExceeded,
                 state->name + ": its xz index needs more than " +
                     std::to_string(state->memory_bytes_max) +
                     " bytes of memory",
                 ""};
  }
  if (code != LZMA_OK) return Corrupt(state->name, "has a damaged xz index");
  state->check = flags.check;
  lzma_index_iter block;
  lzma_index_iter_init(&block, state->index);
  while (lzma_index_iter_next(&block, LZMA_INDEX_ITER_BLOCK) == 0) {
    if (block.block.uncompressed_size <= limits.block_bytes_max) continue;
    return Error{ErrorKind::kLimitExceeded,
                 state->name + ": has an xz block of " +
                     std::to_string(block.block.uncompressed_size) +
                     " bytes; what is read piece by piece may have blocks of " +
                     std::to_string(limits.block_bytes_max),
                 "pack it with exhibit-archive, or xz with --block-size"};
  }
  return std::unique_ptr<XzIndex>(new XzIndex(std::move(state)));
}

XzIndex::XzIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
XzIndex::~XzIndex() = default;

// Decodes block after block.
class XzIndex::Source : public ByteSource {
 public:
  Source(const State& index, FileSource file)
      : index_(index), file_(std::move(file)) {
    lzma_index_iter_init(&at_, index_.index);
  }
  ~Source() override { lzma_end(&stream_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  Status Locate(uint64_t offset) {
    if (lzma_index_iter_locate(&at_, offset) != 0) {
      return Corrupt(index_.name,
                     "has no contents at offset " + std::to_string(offset));
    }
    EXHIBIT_RETURN_IF_ERROR(Begin());
    return Skip(offset - at_.block.uncompressed_file_offset);
  }

  Result<size_t> Read(char* data, size_t size) override {
    while (!ended_) {
      EXHIBIT_ASSIGN_OR_RETURN(const size_t got, ReadBlock(data, size));
      if (got != 0) return got;
      ended_ = lzma_index_iter_next(&at_, LZMA_INDEX_ITER_BLOCK) != 0;
      if (!ended_) EXHIBIT_RETURN_IF_ERROR(Begin());
    }
    return size_t{0};
  }

 private:
  // Starts the decoder at the block that `at_` names.
  Status Begin() {
    const auto damaged = [this](const char* what) {
      return Corrupt(index_.name,
                     std::string(what) + " of the block at offset " +
                         std::to_string(at_.block.compressed_file_offset));
    };
    EXHIBIT_ASSIGN_OR_RETURN(
        std::string header,
        ReadAt(file_, at_.block.compressed_file_offset, 1, index_.name));
    if (header[0] == '\0') return damaged("no header");
    lzma_filter filters[LZMA_FILTERS_MAX + 1];
    block_ = {};
    block_.version = 1;
    block_.check = index_.check;
    block_.filters = filters;
    block_.header_size =
        lzma_block_header_size_decode(static_cast<uint8_t>(header[0]));
    EXHIBIT_ASSIGN_OR_RETURN(header,
                             ReadAt(file_, at_.block.compressed_file_offset,
                                    block_.header_size, index_.name));
    if (lzma_block_header_decode(&block_, nullptr, Bytes(header.data())) !=
        LZMA_OK) {
      return damaged("damaged header");
    }
    const Status begun = BeginDecoder();
    block_.filters = nullptr;
    for (size_t i = 0; filters[i].id != LZMA_VLI_UNKNOWN; ++i) {
      std::free(filters[i].options);  // Allocated by liblzma's malloc.
    }
    return begun;
  }

  Status BeginDecoder() {
    if (lzma_raw_decoder_memusage(block_.filters) > index_.memory_bytes_max) {
      return Error{ErrorKind::kLimitExceeded,
                   index_.name + ": a block needs more memory than " +
                       std::to_string(index_.memory_bytes_max) + " bytes",
                   ""};
    }
    if (lzma_block_compressed_size(&block_, at_.block.unpadded_size) !=
            LZMA_OK ||
        lzma_block_decoder(&stream_, &block_) != LZMA_OK) {
      return Corrupt(index_.name, "a block cannot be decoded");
    }
    stream_.avail_in = 0;
    block_ended_ = false;
    return Ok();
  }

  // 0 at the end of the block.
  Result<size_t> ReadBlock(char* data, size_t size) {
    stream_.next_out = Bytes(data);
    stream_.avail_out = size;
    while (!block_ended_ && stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                                 file_.Read(piece_.data(), piece_.size()));
        if (got == 0) return Corrupt(index_.name, "ends inside a block");
        stream_.next_in = Bytes(piece_.data());
        stream_.avail_in = got;
      }
      const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
      if (code == LZMA_STREAM_END) {
        block_ended_ = true;
      } else if (code != LZMA_OK) {
        return Corrupt(index_.name, "damaged block");
      }
    }
    return size - stream_.avail_out;
  }

  Status Skip(uint64_t count) {
    const auto piece = std::make_unique<Piece>();
    while (count > 0) {
      const auto wanted =
          static_cast<size_t>(std::min<uint64_t>(count, piece->size()));
      EXHIBIT_ASSIGN_OR_RETURN(const size_t got, Read(piece->data(), wanted));
      if (got == 0) return Corrupt(index_.name, "ends before its contents");
      count -= got;
    }
    return Ok();
  }

  const State& index_;
  FileSource file_;
  lzma_index_iter at_;
  lzma_block block_ = {};  // The decoder writes to it until the block ends.
  lzma_stream stream_ = LZMA_STREAM_INIT;
  Piece piece_;
  bool block_ended_ = true;
  bool ended_ = false;
};

Result<std::unique_ptr<ByteSource>> XzIndex::OpenAt(FileSource file,
                                                    uint64_t offset) const {
  auto source = std::make_unique<Source>(*state_, std::move(file));
  EXHIBIT_RETURN_IF_ERROR(source->Locate(offset));
  return std::unique_ptr<ByteSource>(std::move(source));
}

}  // namespace exhibit
