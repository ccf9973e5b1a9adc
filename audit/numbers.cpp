#include "audit/numbers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "audit/arrays.h"
#include "audit/checker.h"
#include "audit/interpreter/interpreter.h"
#include "audit/reference/attention_oracle.h"
#include "audit/reference/sine_input.h"
#include "audit/reference/vacuity.h"
#include "compiler/tile/text.h"
#include "manifests/little_endian.h"
#include "manifests/npy.h"
#include "manifests/npy_header.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "manifests/tolerance.h"

namespace exhibit {
namespace {

std::vector<uint64_t> Unsigned(const std::vector<int64_t>& shape) {
  return {shape.begin(), shape.end()};
}

// The byte that stands at `index` of an untouched guard: zone before, then
// zone after (replay/call/guarded_buffers.h states it for writers).
char GuardByte(size_t index) {
  return static_cast<char>((167 * (index % 256) + 13) % 256);
}
constexpr size_t kGuardBytesMin = 2 * 4096;

bool GuardHolds(std::optional<ArrayStream> guard) {
  if (!guard || guard->header().dtype != DType::kU8 ||
      guard->header().shape.size() != 1 ||
      guard->element_count() < kGuardBytesMin) {
    return false;
  }
  size_t index = 0;
  for (auto piece = guard->NextBytes(); !piece.empty();
       piece = guard->NextBytes()) {
    for (const char byte : piece) {
      if (byte != GuardByte(index++)) return false;
    }
  }
  return index == guard->element_count();
}

// Arrays by digest, decoded when asked for; guards are looked at once.
class Arrays {
 public:
  explicit Arrays(const Subject& subject) : subject_(subject) {}

  std::optional<ArrayStream> Open(const std::string& sha256) const {
    return ArrayStream::Open(subject_, sha256);
  }
  std::optional<std::vector<float>> Floats(const std::string& sha256) const {
    return FindFloats(subject_, sha256);
  }

  Result<int64_t> Room(const std::vector<CaseArray>& arrays) const {
    return RoomBesideInputs(subject_, arrays);
  }
  OperationBudget& operations() const { return *subject_.operations; }

  bool GuardIsIntact(const std::string& sha256) {
    const auto known = guards_.find(sha256);
    if (known != guards_.end()) return known->second;
    return guards_[sha256] = GuardHolds(Open(sha256));
  }

 private:
  const Subject& subject_;
  std::map<std::string, bool> guards_;
};

// The digest of the input that the generator gives as number `index`.
std::string InputDigest(int64_t index, const std::vector<uint64_t>& shape,
                        uint64_t count) {
  Sha256Stream hash;
  hash.Update(EncodeNpyHeader(DType::kF32, shape));
  std::vector<float> piece(ArrayStream::kPieceElements);
  for (uint64_t first = 0; first < count; first += piece.size()) {
    const auto values = std::span<float>(piece).first(
        std::min<uint64_t>(piece.size(), count - first));
    SineInputFrom(index, first, values);
    hash.Update(LittleEndianBytes<float>(values));
  }
  return hash.FinishHex();
}

// A null stream is no expectation at all; the caller has said so.
Status CheckNotVacuous(const Arrays& arrays, const std::string& sha256,
                       const Tolerance& tolerance) {
  Vacuity vacuity(tolerance);
  auto stream = arrays.Open(sha256);
  if (!stream) return Ok();  // The subject has noted why.
  for (auto piece = stream->NextDoubles(); !piece.empty();
       piece = stream->NextDoubles()) {
    vacuity.Look(piece);
  }
  return vacuity.Judge();
}

// Two arrays of one length, element by element.
ToleranceResult CompareStreams(const std::string& output, ArrayStream& actual,
                               ArrayStream& expected,
                               const Tolerance& tolerance,
                               std::string& failure) {
  ToleranceResult total;
  total.max_error = 0;
  FirstFailure first;
  first.element_count = static_cast<int64_t>(actual.element_count());
  int64_t done = 0;
  for (;;) {
    const std::span<const float> a = actual.NextFloats();
    const std::span<const double> e = expected.NextDoubles();
    if (a.empty() || a.size() != e.size()) break;
    const ToleranceResult piece = CheckTolerance(a, e, tolerance);
    if (!piece.ok() && total.ok()) {
      const auto at = static_cast<size_t>(piece.first_failed);
      total.first_failed = done + piece.first_failed;
      first.actual = a[at];
      first.expected = e[at];
    }
    total.failed_elements += piece.failed_elements;
    if (!piece.max_error) {
      total.max_error = std::nullopt;
    } else if (total.max_error) {
      total.max_error = std::max(*total.max_error, *piece.max_error);
    }
    done += static_cast<int64_t>(a.size());
  }
  if (!total.ok()) failure = DescribeFailure(output, first, total);
  return total;
}

// The digests of the oracles computed so far, by all that they depend on: cases
// often share program and inputs.
using OracleMemo = std::map<std::string, std::string>;

// One case.
class CaseNumbers {
 public:
  CaseNumbers(const Manifest& manifest, CaseEvidence& c, Arrays& arrays,
              OracleMemo& oracles, FindingList& findings)
      : manifest_(manifest),
        case_(c),
        arrays_(arrays),
        oracles_(oracles),
        check_(findings, c) {}

  void Run() {
    CheckCase();
    ReportExhausted(arrays_.operations(), case_, check_);
  }

 private:
  struct Comparison {
    ToleranceResult result;
    std::string failure;  // A sentence, or "".
  };

  void CheckCase() {
    for (size_t i = 0; i < Record().arrays.size(); ++i) CheckInput(i);
    case_.level = EvidenceLevel::kRecomputed;
    for (const CaseArray& array : Record().arrays) CheckExpected(array);
    if (!case_.sound || arrays_.operations().exhausted()) return;
    for (const auto& [variant, capture] : case_.captures) {
      if (capture.capture.record) CheckCapture(capture);
    }
    for (const auto* visits : {&case_.calibrations, &case_.visits}) {
      for (const Filed<VisitRecord>& visit : *visits) {
        if (visit.record) CheckVisit(visit);
      }
    }
    if (outputs_checked_ == 0) case_.level = EvidenceLevel::kReceiptsOnly;
  }

  static bool Completed(const Filed<VisitRecord>& visit) {
    return visit.record->end.status == "completed";
  }
  const CaseRecord& Record() const { return *case_.record.record; }

  Tolerance ToleranceOfCase() const {
    return {manifest_.absolute_tolerance, manifest_.relative_tolerance};
  }

  void CheckInput(size_t index) {
    const CaseArray& array = Record().arrays[index];
    if (array.role != "input") return;
    if (array.origin == "file") {
      case_.remarks.push_back("input-from-file: " + array.name);
      return;
    }
    const std::vector<uint64_t> shape = Unsigned(array.shape);
    const Result<uint64_t> count = ElementCount(shape);
    if (!count.ok()) {
      check_.ReportError("over-limit", case_.record.path, count.error());
      return;
    }
    // The array is there, so that this cannot overflow.
    if (!arrays_.operations().Take(static_cast<int64_t>(*count) *
                                   kSineOperations)) {
      return;
    }
    check_.Equal({"input-differs", ArrayPath(array.sha256), array.name,
                  "the generator gives other values for this input"},
                 InputDigest(static_cast<int64_t>(index), shape, *count),
                 array.sha256);
  }

  void CheckExpected(const CaseArray& array) {
    if (array.role != "output") return;
    if (array.origin == "oracle") {
      CheckOracle(array);
    } else {
      case_.level = EvidenceLevel::kComparedWithSupplied;
      case_.remarks.push_back("compared with supplied: " + array.name);
    }
    const std::optional<ArrayStream> stream = arrays_.Open(array.sha256);
    if (!stream || !IsComparable(stream->header())) return;
    const Status vacuous =
        CheckNotVacuous(arrays_, array.sha256, ToleranceOfCase());
    if (!vacuous.ok()) {
      check_.Report({.code = "oracle-vacuous",
                     .path = ArrayPath(array.sha256),
                     .field = array.name,
                     .message = vacuous.error().message});
    }
    expected_[array.name] = array.sha256;
  }

  void CheckOracle(const CaseArray& array) {
    if (!case_.sound) return;  // Of wrong inputs it would say nothing.
    const std::optional<std::string> sha256 = OracleDigest(array);
    if (!sha256) return;
    check_.Equal({"oracle-differs", ArrayPath(array.sha256), array.name,
                  "the oracle computed again gives other values"},
                 *sha256, array.sha256);
  }

  std::optional<std::string> OracleDigest(const CaseArray& array) {
    std::map<std::string, std::string> digests;
    for (const CaseArray& input : Record().arrays) {
      if (input.role == "input") digests[input.name] = input.sha256;
    }
    const std::string key = OracleKey(array.name, digests);
    const auto known = oracles_.find(key);
    if (known != oracles_.end()) return known->second;
    auto oracle =
        case_.program ? Evaluated(array.name, digests) : Oracle(digests);
    if (!oracle.ok()) {
      check_.ReportError(oracle.error().kind == ErrorKind::kLimitExceeded
                             ? "over-limit"
                             : "oracle-differs",
                         case_.record.path, oracle.error());
      return std::nullopt;
    }
    const std::span<char> bytes(reinterpret_cast<char*>(oracle->data()),
                                oracle->size() * sizeof(double));
    SwapUnlessLittle(bytes, sizeof(double));
    return oracles_[key] = NpyDigest(DType::kF64, Unsigned(array.shape), bytes);
  }

  std::string OracleKey(
      const std::string& output,
      const std::map<std::string, std::string>& digests) const {
    std::string key = output + TextOf(Record().shape);
    for (const auto& [name, sha256] : digests) key += name + "=" + sha256;
    if (case_.program) key += tile::PrintProgram(case_.program->program);
    return key;
  }

  Result<std::vector<double>> Oracle(
      std::map<std::string, std::string>& digests) {
    const OracleLimits limits = LimitsOf();
    EXHIBIT_ASSIGN_OR_RETURN(const AttentionShape shape,
                             MakeAttentionShape(Record().shape, limits));
    EXHIBIT_ASSIGN_OR_RETURN(const int64_t room, arrays_.Room(Record().arrays));
    if (shape.OutputCount() * int64_t{sizeof(double)} > room) {
      return Error{ErrorKind::kLimitExceeded,
                   "the oracle has more elements than a bundle of this size "
                   "may ask to hold: " +
                       std::to_string(shape.OutputCount()),
                   ""};
    }
    const auto query = arrays_.Floats(digests["query"]);
    const auto key = arrays_.Floats(digests["key"]);
    const auto value = arrays_.Floats(digests["value"]);
    if (!query || !key || !value) {
      return Error{ErrorKind::kCorrupt, "an input is not an array of f32", ""};
    }
    arrays_.operations().Take(shape.OperationCount());
    return AttentionOracle(shape, {*query, *key, *value}, limits);
  }

  OracleLimits LimitsOf() const {
    OracleLimits limits;
    limits.operation_count_max =
        std::min(limits.operation_count_max, arrays_.operations().left());
    return limits;
  }

  // What the program text gives in FP64. All outputs come at once.
  Result<std::vector<double>> Evaluated(
      const std::string& output,
      const std::map<std::string, std::string>& digests) {
    if (evaluated_.empty()) {
      EXHIBIT_ASSIGN_OR_RETURN(const int64_t room,
                               arrays_.Room(Record().arrays));
      std::map<std::string, BufferData> inputs;
      for (const auto& [name, sha256] : digests) {
        auto values = arrays_.Floats(sha256);
        // The evaluation misses what is not given.
        if (values) inputs[name] = std::move(*values);
      }
      EXHIBIT_ASSIGN_OR_RETURN(evaluated_, Evaluate(inputs, room));
    }
    return std::get<std::vector<double>>(evaluated_.at(output));
  }

  Result<std::map<std::string, WideBufferData>> Evaluate(
      const std::map<std::string, BufferData>& inputs, int64_t room) {
    InterpreterLimits limits;
    limits.operation_count_max =
        std::min(limits.operation_count_max, arrays_.operations().left());
    limits.memory_bytes_max = std::min(limits.memory_bytes_max, room);
    int64_t left = limits.operation_count_max;
    limits.operations_left = &left;
    auto outputs = EvaluateProgram(case_.program->program, inputs, limits);
    arrays_.operations().Take(limits.operation_count_max - left);
    return outputs;
  }

  // One output array against what is expected of it; null when it is none.
  const Comparison* Compare(const std::string& output,
                            const std::string& sha256) {
    const auto key = std::make_pair(output, sha256);
    const auto known = comparisons_.find(key);
    if (known != comparisons_.end()) return &known->second;
    const auto named = expected_.find(output);
    if (named == expected_.end()) return nullptr;
    auto expected = arrays_.Open(named->second);
    auto actual = arrays_.Open(sha256);
    if (!expected || !actual || actual->header().dtype != DType::kF32 ||
        actual->element_count() != expected->element_count()) {
      return nullptr;
    }
    ++outputs_checked_;
    Comparison comparison;
    comparison.result = CompareStreams(output, *actual, *expected,
                                       ToleranceOfCase(), comparison.failure);
    return &(comparisons_[key] = std::move(comparison));
  }

  // An output of something that says it completed.
  void CheckAccepted(const std::string& path, const std::string& output,
                     const std::string& sha256) {
    const Comparison* comparison = Compare(output, sha256);
    if (arrays_.operations().exhausted()) return;
    if (comparison == nullptr) {
      check_.Report({.code = "output-wrong",
                     .path = path,
                     .field = output,
                     .message = "the output cannot be compared",
                     .found = sha256});
    } else if (!comparison->result.ok()) {
      check_.Report({.code = "output-wrong",
                     .path = path,
                     .field = output,
                     .message = comparison->failure,
                     .found = sha256});
    }
  }

  void CheckCapture(const CaptureEvidence& capture) {
    if (!capture.Completed()) return;  // It has recorded no outputs.
    const std::string& path = capture.capture.path;
    for (const CaptureOutput& output : capture.capture.record->outputs) {
      CheckAccepted(path, output.name, output.prepared_sha256);
      if (output.jit_sha256.empty()) continue;
      check_.Equal({"jit-differs", path, output.name,
                    "the JIT-linked code and kernel.so wrote other bits"},
                   output.jit_sha256, output.prepared_sha256);
    }
  }

  void CheckVisit(const Filed<VisitRecord>& visit) {
    if (arrays_.operations().exhausted()) return;
    const VisitRecord& record = *visit.record;
    bool all_hold = true;
    for (const VisitOutput& output : record.outputs) {
      all_hold = CheckVisitOutput(visit, output) && all_hold;
    }
    for (const VisitGuard& guard : record.guards) {
      all_hold = CheckGuard(visit, guard) && all_hold;
    }
    check_.True({"end-unsupported", visit.path, "end",
                 "it ended as failed-check, but the outputs and guards that it "
                 "recorded hold"},
                record.end.status != "failed-check" || !all_hold);
  }

  // Returns whether the last output holds. The counts are of the last check.
  bool CheckVisitOutput(const Filed<VisitRecord>& visit,
                        const VisitOutput& output) {
    if (Completed(visit)) {
      CheckAccepted(visit.path, output.name, output.first_sha256);
      CheckAccepted(visit.path, output.name, output.last_sha256);
    }
    const Comparison* last = Compare(output.name, output.last_sha256);
    if (last == nullptr) return true;
    check_.Equal({"check-differs", visit.path, output.name,
                  "the number of elements outside tolerance is another"},
                 last->result.failed_elements, output.failed_elements);
    check_.True({"check-differs", visit.path, output.name,
                 "the largest error is another"},
                last->result.max_error == output.max_error);
    return last->result.ok();
  }

  bool CheckGuard(const Filed<VisitRecord>& visit, const VisitGuard& guard) {
    const bool intact = arrays_.GuardIsIntact(guard.sha256);
    if (arrays_.operations().exhausted()) return true;
    check_.Equal({"check-differs", visit.path, "guards." + guard.buffer,
                  "the guard bytes say otherwise"},
                 intact, guard.intact);
    check_.True({"guard-damaged", visit.path, "guards." + guard.buffer,
                 "a completed visit left a guard overwritten"},
                intact || !Completed(visit));
    return intact;
  }

  const Manifest& manifest_;
  CaseEvidence& case_;
  Arrays& arrays_;
  OracleMemo& oracles_;
  Checker check_;
  std::map<std::string, std::string> expected_;  // Digests, by output.
  // What the program text gives in FP64, once that was asked for.
  std::map<std::string, WideBufferData> evaluated_;
  std::map<std::pair<std::string, std::string>, Comparison> comparisons_;
  int64_t outputs_checked_ = 0;
};

}  // namespace

void CheckNumbers(const Subject& subject, Evidence& evidence,
                  FindingList& findings) {
  Arrays arrays(subject);
  OracleMemo oracles;
  for (CaseEvidence& c : evidence.cases) {
    if (!c.sound || !c.record.record) continue;
    CaseNumbers(*evidence.manifest, c, arrays, oracles, findings).Run();
  }
}

}  // namespace exhibit
