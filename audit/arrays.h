// The arrays of a subject, in pieces: no stage needs a whole one unless it
// computes with all elements at once.

#ifndef EXHIBIT_AUDIT_ARRAYS_H_
#define EXHIBIT_AUDIT_ARRAYS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/bytes.h"
#include "audit/subject.h"
#include "manifests/npy.h"
#include "manifests/npy_header.h"
#include "manifests/records.h"

namespace exhibit {

// The header of the array of that digest. Fails as DecodeNpyHeader does, and
// with kNotFound when there is no such file.
Result<NpyHeader> ArrayHeader(const Subject& subject,
                              const std::string& sha256);

// The elements of one array in order. What the file system does in the middle
// ends the elements early and is remembered by the subject.
class ArrayStream {
 public:
  // Of every piece but the last: arrays of one length have equal pieces.
  static constexpr size_t kPieceElements = 8192;

  // Absent when it is missing or does not decode, which an earlier stage has
  // said. `subject` must outlive the stream.
  static std::optional<ArrayStream> Open(const Subject& subject,
                                         const std::string& sha256);

  const NpyHeader& header() const { return header_; }
  uint64_t element_count() const { return element_count_; }

  // Each returns the next piece, valid until the next call, and an empty one at
  // the end. Another dtype than named is a bug.
  std::span<const char> NextBytes();      // u8
  std::span<const float> NextFloats();    // f32
  std::span<const double> NextDoubles();  // f64, or f32 widened

 private:
  ArrayStream(const Subject& subject, NpyHeader header,
              std::unique_ptr<ByteSource> source);
  std::span<const char> NextPiece();
  void Require(bool fits) const;

  const Subject* subject_;
  NpyHeader header_;
  uint64_t element_count_ = 0;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> piece_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

// All elements of an array of f32. Absent also when it is not of f32.
std::optional<std::vector<float>> FindFloats(const Subject& subject,
                                             const std::string& sha256);

// What one computation may hold besides the inputs among `arrays`. Fails with
// kLimitExceeded where these alone pass what the subject may ask for.
Result<int64_t> RoomBesideInputs(const Subject& subject,
                                 const std::vector<CaseArray>& arrays);

// Whether its elements can be compared with an output: f32 or f64.
bool IsComparable(const NpyHeader& header);

// The digest that EncodeNpy's bytes would have; `data` are those of elements.
std::string NpyDigest(DType dtype, const std::vector<uint64_t>& shape,
                      std::span<const char> data);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_ARRAYS_H_
