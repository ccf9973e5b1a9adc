#include "archive/xz.h"

#include <lzma.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace exhibit {
namespace {

constexpr lzma_check kCheck = LZMA_CHECK_CRC64;

using Piece = std::array<char, kPieceBytes>;

uint8_t* Bytes(char* data) { return reinterpret_cast<uint8_t*>(data); }
const uint8_t* Bytes(const char* data) {
  return reinterpret_cast<const uint8_t*>(data);
}

Error EncoderError(lzma_ret code) {
  if (code == LZMA_MEM_ERROR) {
    return Error{ErrorKind::kIo, "xz: not enough memory to compress",
                 "use fewer --threads"};
  }
  throw std::logic_error("lzma encoder returned " + std::to_string(code));
}

}  // namespace

struct XzSink::State {
  explicit State(ByteSink& to) : sink(to) {}
  ~State() { lzma_end(&stream); }

  // Runs the encoder until it has taken all its input, or, with LZMA_FINISH,
  // until it has given out everything.
  Status Run(lzma_action action) {
    for (;;) {
      stream.next_out = Bytes(piece.data());
      stream.avail_out = piece.size();
      const lzma_ret code = lzma_code(&stream, action);
      if (code != LZMA_OK && code != LZMA_STREAM_END) return EncoderError(code);
      const size_t made = piece.size() - stream.avail_out;
      EXHIBIT_RETURN_IF_ERROR(sink.Write(std::string_view(piece.data(), made)));
      if (code == LZMA_STREAM_END) return Ok();
      if (action == LZMA_RUN && stream.avail_in == 0) return Ok();
    }
  }

  ByteSink& sink;
  lzma_stream stream = LZMA_STREAM_INIT;
  Piece piece;
};

Result<std::unique_ptr<XzSink>> XzSink::Create(ByteSink& sink, int threads) {
  if (threads < 1 || threads > kXzThreadsMax) {
    throw std::logic_error("xz threads " + std::to_string(threads));
  }
  auto state = std::make_unique<State>(sink);
  lzma_mt options = {};
  options.threads = static_cast<uint32_t>(threads);
  options.block_size = kXzBlockBytes;
  options.timeout = 0;  // Give out data only when a buffer is full.
  options.preset = kXzPreset;
  options.check = kCheck;
  // Also for one thread: the single-threaded encoder makes other bytes.
  const lzma_ret code = lzma_stream_encoder_mt(&state->stream, &options);
  if (code != LZMA_OK) return EncoderError(code);
  return std::unique_ptr<XzSink>(new XzSink(std::move(state)));
}

XzSink::XzSink(std::unique_ptr<State> state) : state_(std::move(state)) {}
XzSink::~XzSink() = default;

Status XzSink::Write(std::string_view bytes) {
  if (bytes.empty()) return Ok();
  state_->stream.next_in = Bytes(bytes.data());
  state_->stream.avail_in = bytes.size();
  return state_->Run(LZMA_RUN);
}

Status XzSink::Finish() {
  state_->stream.avail_in = 0;
  return state_->Run(LZMA_FINISH);
}

struct XzSource::State {
  State(ByteSource& from, std::string file_name, const ArchiveLimits& bounds)
      : source(from), name(std::move(file_name)), limits(bounds) {}
  ~State() { lzma_end(&stream); }

  std::string Where() const {
    return name + ": xz offset " + std::to_string(stream.total_in);
  }
  Error Failed(lzma_ret code) const;
  Status Refill();
  Status CheckKind() const;
  Status CheckNothingFollows();

  ByteSource& source;
  const std::string name;
  const ArchiveLimits limits;
  lzma_stream stream = LZMA_STREAM_INIT;
  Piece piece;
  bool source_ended = false;
  bool ended = false;
};

Error XzSource::State::Failed(lzma_ret code) const {
  switch (code) {
    case LZMA_MEM_ERROR:
      return Error{ErrorKind::kIo, Where() + ": not enough memory", ""};
    case LZMA_MEMLIMIT_ERROR:
      return Error{ErrorKind::kLimitExceeded,
                   Where() + ": needs " +
                       std::to_string(lzma_memusage(&stream)) +
                       " bytes of memory, more than " +
                       std::to_string(limits.decoder_memory_bytes_max),
                   ""};
    case LZMA_FORMAT_ERROR:
      return Error{ErrorKind::kCorrupt, Where() + ": is not an xz file", ""};
    case LZMA_OPTIONS_ERROR:
      return Error{ErrorKind::kCorrupt,
                   Where() + ": uses xz options that liblzma does not know",
                   ""};
    case LZMA_DATA_ERROR:
      return Error{ErrorKind::kCorrupt, Where() + ": compressed data damaged",
                   "fetch the file again"};
    case LZMA_BUF_ERROR:
      return Error{ErrorKind::kCorrupt, Where() + ": ends inside the stream",
                   "the file was cut short; fetch it again"};
    default:
      throw std::logic_error("lzma decoder returned " + std::to_string(code));
  }
}

Status XzSource::State::Refill() {
  if (stream.avail_in != 0 || source_ended) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                           source.Read(piece.data(), piece.size()));
  stream.next_in = Bytes(piece.data());
  stream.avail_in = got;
  source_ended = got == 0;
  return Ok();
}

Status XzSource::State::CheckKind() const {
  const lzma_check check = lzma_get_check(&stream);
  if (check == kCheck) return Ok();
  return Error{ErrorKind::kCorrupt,
               Where() + ": xz check type " + std::to_string(check) +
                   ", expected " + std::to_string(kCheck) + " (" +
                   kXzCheckName + ")",
               ""};
}

Status XzSource::State::CheckNothingFollows() {
  EXHIBIT_RETURN_IF_ERROR(Refill());
  if (stream.avail_in == 0) return Ok();
  return Error{ErrorKind::kCorrupt, Where() + ": bytes follow the xz stream",
               "the file must hold exactly one stream"};
}

Result<std::unique_ptr<XzSource>> XzSource::Create(
    ByteSource& source, std::string name, const ArchiveLimits& limits) {
  auto state = std::make_unique<State>(source, std::move(name), limits);
  // Without LZMA_CONCATENATED: what follows the stream is ours to refuse.
  const lzma_ret code = lzma_stream_decoder(
      &state->stream, limits.decoder_memory_bytes_max, LZMA_TELL_ANY_CHECK);
  if (code != LZMA_OK) return state->Failed(code);
  return std::unique_ptr<XzSource>(new XzSource(std::move(state)));
}

XzSource::XzSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
XzSource::~XzSource() = default;

Result<size_t> XzSource::Read(char* data, size_t size) {
  State& s = *state_;
  if (s.ended) return size_t{0};
  s.stream.next_out = Bytes(data);
  s.stream.avail_out = size;
  for (;;) {
    EXHIBIT_RETURN_IF_ERROR(s.Refill());
    const lzma_ret code =
        lzma_code(&s.stream, s.source_ended ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_GET_CHECK) {
      EXHIBIT_RETURN_IF_ERROR(s.CheckKind());
      continue;
    }
    if (code != LZMA_OK && code != LZMA_STREAM_END) return s.Failed(code);
    EXHIBIT_RETURN_IF_ERROR(CheckExpansion(
        s.name, {s.stream.total_in, s.stream.total_out}, s.limits));
    if (code == LZMA_STREAM_END) {
      s.ended = true;
      EXHIBIT_RETURN_IF_ERROR(s.CheckNothingFollows());
      return size - s.stream.avail_out;
    }
    if (s.stream.avail_out < size) return size - s.stream.avail_out;
  }
}

std::string XzLibraryVersion() { return lzma_version_string(); }

}  // namespace exhibit
