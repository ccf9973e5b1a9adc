#include "archive/gzip.h"

#include <zlib.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "manifests/json.h"

namespace exhibit {
namespace {

// Deflate, no flags, no time, "slowest compression", operating system unknown.
constexpr std::string_view kHeader("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff",
                                   10);
constexpr int kUnknownSystem = 255;
constexpr int kWindowBits = 15;
constexpr int kGzipForm = 16;  // Added to the window bits; refuses zlib form.
constexpr int kMemoryLevel = 8;

using Piece = std::array<char, kPieceBytes>;

Bytef* Bytes(char* data) { return reinterpret_cast<Bytef*>(data); }

// Counts in a z_stream are 32 bits wide.
uInt Count(size_t size) {
  constexpr size_t kMost = size_t{1} << 30;
  return static_cast<uInt>(size < kMost ? size : kMost);
}

}  // namespace

struct GzipSink::State {
  explicit State(ByteSink& to) : sink(to) {}
  ~State() { (void)deflateEnd(&stream); }  // Only frees memory.

  Status Run(int flush) {
    for (;;) {
      stream.next_out = Bytes(piece.data());
      stream.avail_out = Count(piece.size());
      const int code = deflate(&stream, flush);
      // Z_BUF_ERROR: nothing to do, which is how Z_NO_FLUSH ends.
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        throw std::logic_error("deflate returned " + std::to_string(code));
      }
      const size_t made = piece.size() - stream.avail_out;
      EXHIBIT_RETURN_IF_ERROR(sink.Write(std::string_view(piece.data(), made)));
      if (code == Z_STREAM_END) return Ok();
      if (flush == Z_NO_FLUSH && stream.avail_out != 0) return Ok();
    }
  }

  ByteSink& sink;
  z_stream stream = {};
  gz_header header = {};
  Piece piece;
};

Result<std::unique_ptr<GzipSink>> GzipSink::Create(ByteSink& sink) {
  auto state = std::make_unique<State>(sink);
  int code =
      deflateInit2(&state->stream, kGzipLevel, Z_DEFLATED,
                   kWindowBits + kGzipForm, kMemoryLevel, Z_DEFAULT_STRATEGY);
  if (code == Z_OK) {
    state->header.os = kUnknownSystem;
    code = deflateSetHeader(&state->stream, &state->header);
  }
  if (code == Z_MEM_ERROR) {
    return Error{ErrorKind::kIo, "gzip: not enough memory to compress", ""};
  }
  if (code != Z_OK) {
    throw std::logic_error("deflate setup returned " + std::to_string(code));
  }
  return std::unique_ptr<GzipSink>(new GzipSink(std::move(state)));
}

GzipSink::GzipSink(std::unique_ptr<State> state) : state_(std::move(state)) {}
GzipSink::~GzipSink() = default;

Status GzipSink::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const uInt count = Count(bytes.size());
    // zlib's input pointer is not const unless ZLIB_CONST; it never writes.
    state_->stream.next_in = Bytes(const_cast<char*>(bytes.data()));
    state_->stream.avail_in = count;
    EXHIBIT_RETURN_IF_ERROR(state_->Run(Z_NO_FLUSH));
    bytes.remove_prefix(count);
  }
  return Ok();
}

Status GzipSink::Finish() {
  state_->stream.avail_in = 0;
  return state_->Run(Z_FINISH);
}

struct GzipSource::State {
  State(ByteSource& from, std::string file_name, const ArchiveLimits& bounds)
      : source(from), name(std::move(file_name)), limits(bounds) {}
  ~State() { (void)inflateEnd(&stream); }  // Only frees memory.

  std::string Where() const {
    return name + ": gzip offset " + std::to_string(stream.total_in);
  }
  Error Failed(int code) const;
  Status Refill();
  Status ReadHeader();
  Result<int> Inflate();
  Status CheckPadding();
  Status CheckNothingFollows();

  ByteSource& source;
  const std::string name;
  const ArchiveLimits limits;
  z_stream stream = {};
  Piece piece;
  unsigned last_byte = 0;  // That was taken in.
  bool started = false;
  bool source_ended = false;
  bool ended = false;
};

Error GzipSource::State::Failed(int code) const {
  switch (code) {
    case Z_MEM_ERROR:
      return Error{ErrorKind::kIo, Where() + ": not enough memory", ""};
    case Z_DATA_ERROR:
    case Z_NEED_DICT:
      return Error{ErrorKind::kCorrupt,
                   Where() + ": compressed data damaged" +
                       (stream.msg ? std::string(": ") + stream.msg : ""),
                   "fetch the file again"};
    case Z_BUF_ERROR:
      return Error{ErrorKind::kCorrupt, Where() + ": ends inside the member",
                   "the file was cut short; fetch it again"};
    default:
      throw std::logic_error("inflate returned " + std::to_string(code));
  }
}

Status GzipSource::State::Refill() {
  if (stream.avail_in != 0 || source_ended) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                           source.Read(piece.data(), piece.size()));
  stream.next_in = Bytes(piece.data());
  stream.avail_in = Count(got);
  source_ended = got == 0;
  return Ok();
}

// No checksum covers the header, so it is compared with the only legal one.
Status GzipSource::State::ReadHeader() {
  started = true;
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                           ReadFully(source, piece.data(), kHeader.size()));
  const std::string_view header(piece.data(), got);
  if (header != kHeader) {
    return Error{ErrorKind::kCorrupt,
                 Where() + ": gzip header is " + QuoteText(header) +
                     ", expected " + QuoteText(kHeader),
                 ""};
  }
  stream.next_in = Bytes(piece.data());
  stream.avail_in = Count(got);
  return Ok();
}

// One step, at most to the end of a block. Returns Z_OK or Z_STREAM_END.
Result<int> GzipSource::State::Inflate() {
  EXHIBIT_RETURN_IF_ERROR(Refill());
  const uInt before = stream.avail_in;
  const int code = inflate(&stream, Z_BLOCK);
  if (stream.avail_in != before) last_byte = stream.next_in[-1];
  const bool between_blocks = (stream.data_type & 128) != 0;
  // The end of a block may lie in bits that were taken in before, which zlib
  // does not count as progress.
  if (code == Z_BUF_ERROR && !between_blocks) return Failed(code);
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
    return Failed(code);
  }
  if (between_blocks) EXHIBIT_RETURN_IF_ERROR(CheckPadding());
  return code == Z_STREAM_END ? Z_STREAM_END : Z_OK;
}

// Between two blocks: zlib steps over bits up to the next whole byte after the
// last block, and in front of the length of a stored one, whatever they are.
Status GzipSource::State::CheckPadding() {
  const unsigned bits = static_cast<unsigned>(stream.data_type) & 7;
  unsigned rest = bits == 0 ? 0 : last_byte >> (8 - bits);
  if ((stream.data_type & 64) == 0) {
    constexpr unsigned kHeaderBits = 3;  // Whether it is the last; its kind.
    if (bits < kHeaderBits) {
      EXHIBIT_RETURN_IF_ERROR(Refill());
      if (stream.avail_in == 0) return Ok();  // inflate will miss it.
      rest |= static_cast<unsigned>(*stream.next_in) << bits;
    }
    const bool stored = (rest >> 1 & 3) == 0;
    if (!stored) return Ok();
    rest >>= kHeaderBits;
  }
  if (rest == 0) return Ok();
  return Error{ErrorKind::kCorrupt,
               Where() + ": the bits up to the next byte are not zero", ""};
}

Status GzipSource::State::CheckNothingFollows() {
  EXHIBIT_RETURN_IF_ERROR(Refill());
  if (stream.avail_in == 0) return Ok();
  return Error{ErrorKind::kCorrupt, Where() + ": bytes follow the gzip member",
               "the file must hold exactly one member"};
}

Result<std::unique_ptr<GzipSource>> GzipSource::Create(
    ByteSource& source, std::string name, const ArchiveLimits& limits) {
  auto state = std::make_unique<State>(source, std::move(name), limits);
  const int code = inflateInit2(&state->stream, kWindowBits + kGzipForm);
  if (code != Z_OK) return state->Failed(code);
  return std::unique_ptr<GzipSource>(new GzipSource(std::move(state)));
}

GzipSource::GzipSource(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
GzipSource::~GzipSource() = default;

Result<size_t> GzipSource::Read(char* data, size_t size) {
  State& s = *state_;
  if (s.ended) return size_t{0};
  if (!s.started) EXHIBIT_RETURN_IF_ERROR(s.ReadHeader());
  const uInt count = Count(size);
  s.stream.next_out = Bytes(data);
  s.stream.avail_out = count;
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const int code, s.Inflate());
    EXHIBIT_RETURN_IF_ERROR(CheckExpansion(
        s.name, {s.stream.total_in, s.stream.total_out}, s.limits));
    if (code == Z_STREAM_END) {
      s.ended = true;
      EXHIBIT_RETURN_IF_ERROR(s.CheckNothingFollows());
      return size_t{count - s.stream.avail_out};
    }
    if (s.stream.avail_out < count) return size_t{count - s.stream.avail_out};
  }
}

std::string GzipLibraryVersion() { return zlibVersion(); }

}  // namespace exhibit
