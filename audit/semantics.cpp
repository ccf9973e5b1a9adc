#include "audit/semantics.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "audit/arrays.h"
#include "audit/checker.h"
#include "audit/interpreter/interpreter.h"
#include "compiler/tile/text.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// About a quarter of an hour. The oracle's own limit comes first, unless the
// blocks of a case are far larger than its shape.
constexpr int64_t kOperationCountMax = int64_t{1} << 40;

using Buffers = std::map<std::string, BufferData>;

// Beside `held_bytes` of results that are not forgotten yet.
Result<Buffers> RunCase(const Subject& subject, const CaseRecord& record,
                        const tile::Program& program, int64_t held_bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(const int64_t room,
                           RoomBesideInputs(subject, record.arrays));
  Buffers inputs;
  for (const CaseArray& array : record.arrays) {
    if (array.role != "input") continue;
    auto values = FindFloats(subject, array.sha256);
    // The interpreter misses what is not given.
    if (values) inputs[array.name] = std::move(*values);
  }
  InterpreterLimits limits;
  limits.operation_count_max =
      std::min(kOperationCountMax, subject.operations->left());
  limits.memory_bytes_max =
      std::min(limits.memory_bytes_max, room - held_bytes);
  int64_t left = limits.operation_count_max;
  limits.operations_left = &left;
  Result<Buffers> outputs = RunProgram(program, inputs, limits);
  subject.operations->Take(limits.operation_count_max - left);
  return outputs;
}

int64_t BytesOf(const Buffers& buffers) {
  size_t bytes = 0;
  for (const auto& [name, buffer] : buffers) {
    bytes += std::visit(
        [](const auto& values) { return values.size() * sizeof(values[0]); },
        buffer);
  }
  return static_cast<int64_t>(bytes);
}

// What programs gave, by their text and the digests of their inputs.
class Executions {
 public:
  explicit Executions(const Subject& subject) : subject_(subject) {}

  const Result<Buffers>& Of(const std::string& text,
                            const tile::Program& program,
                            const CaseRecord& record) {
    std::string inputs;
    for (const CaseArray& array : record.arrays) {
      if (array.role == "input") inputs += array.name + "=" + array.sha256;
    }
    const auto key = std::make_pair(text, inputs);
    const auto known = results_.find(key);
    if (known != results_.end()) return known->second;
    const Result<Buffers>& result =
        results_.emplace(key, RunCase(subject_, record, program, held_bytes_))
            .first->second;
    if (result.ok()) held_bytes_ += BytesOf(*result);
    return result;
  }

  // Between two cases, which often share programs: forgets what is too much to
  // hold. No result may be in use.
  void Trim() {
    constexpr int64_t kHeldBytesMax = int64_t{64} << 20;
    const int64_t room = subject_.computing_bytes_max;
    if (held_bytes_ <= std::min(kHeldBytesMax, room / 4)) return;
    results_.clear();
    held_bytes_ = 0;
  }

 private:
  const Subject& subject_;
  std::map<std::pair<std::string, std::string>, Result<Buffers>> results_;
  int64_t held_bytes_ = 0;
};

bool SameBits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// The shortest decimal that reads back the same.
std::string FloatText(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

struct Differences {
  size_t count = 0;
  size_t first = 0;
  float first_found = 0;
};

// `found` has as many elements.
Differences CountDifferences(const std::vector<float>& expected,
                             ArrayStream& found) {
  Differences differences;
  size_t i = 0;
  for (auto piece = found.NextFloats(); !piece.empty();
       piece = found.NextFloats()) {
    for (const float value : piece) {
      if (!SameBits(expected[i], value) && differences.count++ == 0) {
        differences.first = i;
        differences.first_found = value;
      }
      ++i;
    }
  }
  return differences;
}

// One case.
class CaseSemantics {
 public:
  CaseSemantics(const Subject& subject, CaseEvidence& c, Executions& executions,
                FindingList& findings)
      : subject_(subject),
        case_(c),
        executions_(executions),
        check_(findings, c) {}

  void Run() {
    for (const auto& [variant, capture] : case_.captures) {
      if (capture.variant->kind != "tile" || !capture.Completed()) continue;
      const Buffers* expected = Execute(variant);
      if (expected == nullptr) continue;
      expected_[variant] = expected;
      for (const CaptureOutput& output : capture.capture.record->outputs) {
        CheckOutput(capture.capture.path, output.name, output.prepared_sha256,
                    *expected);
      }
    }
    for (const auto* visits : {&case_.calibrations, &case_.visits}) {
      for (const Filed<VisitRecord>& visit : *visits) CheckVisit(visit);
    }
    ReportExhausted(*subject_.operations, case_, check_);
  }

 private:
  // What the captured program text gives; null after a finding.
  const Buffers* Execute(const std::string& variant) {
    const std::string path =
        CaptureFolder(case_.name(), variant) + "/program.tile";
    const std::string* text = subject_.Bytes(path);
    if (text == nullptr) return nullptr;  // Missing or too large: reported.
    const Result<tile::Program> program = tile::ReadProgram(*text, path);
    if (!program.ok()) {
      check_.ReportError("program-malformed", path, program.error());
      return nullptr;
    }
    const Result<Buffers>& outputs =
        executions_.Of(*text, *program, *case_.record.record);
    if (outputs.ok()) return &outputs.value();
    check_.ReportError(outputs.error().kind == ErrorKind::kLimitExceeded
                           ? "over-limit"
                           : "semantics-output-differs",
                       path, outputs.error());
    return nullptr;
  }

  void CheckVisit(const Filed<VisitRecord>& visit) {
    if (!visit.record || visit.record->end.status != "completed") return;
    const auto expected = expected_.find(visit.record->variant);
    if (expected == expected_.end()) return;
    for (const VisitOutput& output : visit.record->outputs) {
      for (const std::string& sha256 :
           {output.first_sha256, output.last_sha256}) {
        CheckOutput(visit.path, output.name, sha256, *expected->second);
      }
    }
  }

  // `sha256` is the array that something at `path` says it wrote.
  void CheckOutput(const std::string& path, const std::string& name,
                   const std::string& sha256, const Buffers& outputs) {
    if (subject_.operations->exhausted()) return;
    const auto executed = outputs.find(name);
    const auto* expected =
        executed == outputs.end()
            ? nullptr
            : std::get_if<std::vector<float>>(&executed->second);
    if (equal_.contains({expected, sha256})) return;
    auto found = ArrayStream::Open(subject_, sha256);
    if (subject_.operations->exhausted()) return;
    if (expected == nullptr || !found || found->header().dtype != DType::kF32 ||
        found->element_count() != expected->size()) {
      check_.Report({.code = "semantics-output-differs",
                     .path = path,
                     .field = name,
                     .message = "the program text has no such output",
                     .found = sha256});
      return;
    }
    const Differences differences = CountDifferences(*expected, *found);
    if (differences.count == 0) {
      equal_.insert({expected, sha256});
      return;
    }
    check_.Report(
        {.code = "semantics-output-differs",
         .path = path,
         .field = name,
         .message = std::to_string(differences.count) + " of " +
                    std::to_string(expected->size()) +
                    " elements have other bits than the program text gives, "
                    "first [" +
                    std::to_string(differences.first) + "]",
         .expected = FloatText((*expected)[differences.first]),
         .found = FloatText(differences.first_found)});
  }

  const Subject& subject_;
  CaseEvidence& case_;
  Executions& executions_;
  Checker check_;
  std::map<std::string, const Buffers*> expected_;  // By variant.
  // Arrays that are known to be what a program gives.
  std::set<std::pair<const std::vector<float>*, std::string>> equal_;
};

}  // namespace

void CheckSemantics(const Subject& subject, Evidence& evidence,
                    FindingList& findings) {
  Executions executions(subject);
  for (CaseEvidence& c : evidence.cases) {
    if (!c.sound || !c.record.record) continue;
    CaseSemantics(subject, c, executions, findings).Run();
    executions.Trim();
  }
}

}  // namespace exhibit
