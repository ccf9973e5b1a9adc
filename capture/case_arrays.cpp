#include "capture/case_arrays.h"

#include <filesystem>
#include <map>
#include <utility>

#include "audit/interpreter/interpreter.h"
#include "audit/reference/attention_oracle.h"
#include "audit/reference/sine_input.h"
#include "audit/reference/vacuity.h"
#include "capture/case_program.h"
#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/json.h"
#include "manifests/named_file.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

std::string ShapeText(const std::vector<uint64_t>& shape) {
  std::string text = "[";
  for (const uint64_t extent : shape) {
    if (text.size() > 1) text += ",";
    text += std::to_string(extent);
  }
  text += "]";
  return text;
}

std::vector<uint64_t> Unsigned(const std::vector<int64_t>& shape) {
  return std::vector<uint64_t>(shape.begin(), shape.end());
}

Error InCase(const ManifestCase& manifest_case, Error error) {
  error.message = "case " + manifest_case.name + ": " + error.message;
  return error;
}

// An array and the bytes of its file, which are what a run keeps.
struct SuppliedArray {
  Array array;
  std::string file;
};

// The file that the case names for `buffer`.
Result<SuppliedArray> ReadSupplied(const ManifestBuffer& buffer,
                                   const std::string& folder,
                                   const std::string& path) {
  SuppliedArray supplied;
  EXHIBIT_ASSIGN_OR_RETURN(supplied.file,
                           ReadNamedFile({folder, "files." + buffer.name, path},
                                         kArrayFileBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(supplied.array, DecodeNpy(supplied.file, path));
  const bool is_output = buffer.role == "output";
  const DType dtype = supplied.array.dtype;
  if (dtype != DType::kF32 && !(is_output && dtype == DType::kF64)) {
    return Error{ErrorKind::kInvalidArgument,
                 path + ", " + buffer.role + " " + buffer.name +
                     ": expected dtype " + (is_output ? "f32 or f64" : "f32") +
                     ", found " + std::string(DTypeName(dtype)),
                 "Save the array with that dtype."};
  }
  const std::vector<uint64_t> expected = Unsigned(buffer.shape);
  if (supplied.array.shape != expected) {
    return Error{ErrorKind::kInvalidArgument,
                 path + ", " + buffer.role + " " + buffer.name +
                     ": expected shape " + ShapeText(expected) + ", found " +
                     ShapeText(supplied.array.shape),
                 "The file must have the shape that the case declares."};
  }
  return supplied;
}

// Makes the arrays of one case, in declaration order.
class CaseMaker {
 public:
  CaseMaker(const CaseRequest& request, const ManifestCase& manifest_case,
            const CaseProgram& program)
      : request_(request), case_(manifest_case), program_(program) {}

  Result<std::vector<CaseArray>> Make() {
    std::vector<CaseArray> arrays;
    for (const ManifestBuffer& buffer : program_.buffers) {
      arrays.push_back(
          {buffer.name, buffer.role, buffer.dtype, buffer.shape, "", ""});
    }
    // Inputs first, wherever they stand: what is expected depends on them.
    for (const char* role : {"input", "output"}) {
      for (size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].role != role) continue;
        const Status made = MakeArray(i, arrays[i]);
        if (!made.ok()) return InCase(case_, made.error());
      }
    }
    return arrays;
  }

 private:
  Status MakeArray(size_t index, CaseArray& entry) {
    const ManifestBuffer& buffer = program_.buffers[index];
    return buffer.role == "input"
               ? MakeInput(buffer, static_cast<int64_t>(index), entry)
               : MakeExpected(buffer, entry);
  }

  Status MakeInput(const ManifestBuffer& buffer, int64_t index,
                   CaseArray& entry) {
    const auto named = case_.files.find(buffer.name);
    if (named != case_.files.end()) {
      EXHIBIT_ASSIGN_OR_RETURN(
          const SuppliedArray supplied,
          ReadSupplied(buffer, request_.manifest_folder, named->second));
      entry.origin = "file";
      inputs_[buffer.name] = FloatsOf(supplied.array);
      return Publish(supplied.file, entry);
    }
    EXHIBIT_ASSIGN_OR_RETURN(const uint64_t count,
                             ElementCount(Unsigned(buffer.shape)));
    entry.origin = request_.manifest->generator;
    std::vector<float> values = SineInput(index, count);
    const Array array{DType::kF32, Unsigned(buffer.shape), BytesOf(values)};
    inputs_[buffer.name] = std::move(values);
    return Publish(EncodeNpy(array), entry);
  }

  Status MakeExpected(const ManifestBuffer& buffer, CaseArray& entry) {
    const auto named = case_.files.find(buffer.name);
    std::vector<double> expected;
    std::string file;
    if (named != case_.files.end()) {
      EXHIBIT_ASSIGN_OR_RETURN(
          SuppliedArray supplied,
          ReadSupplied(buffer, request_.manifest_folder, named->second));
      entry.origin = "supplied";
      if (supplied.array.dtype == DType::kF64) {
        expected = DoublesOf(supplied.array);
      } else {
        const std::vector<float> floats = FloatsOf(supplied.array);
        expected.assign(floats.begin(), floats.end());
      }
      file = std::move(supplied.file);
    } else {
      EXHIBIT_ASSIGN_OR_RETURN(expected, Oracle(buffer.name));
      entry.origin = "oracle";
      file =
          EncodeNpy({DType::kF64, Unsigned(buffer.shape), BytesOf(expected)});
    }
    EXHIBIT_RETURN_IF_ERROR(CheckTellsApart(buffer, expected));
    return Publish(file, entry);
  }

  Result<std::vector<double>> Oracle(const std::string& output) {
    if (program_.text) return EvaluatedOutput(output);
    EXHIBIT_ASSIGN_OR_RETURN(const AttentionShape shape,
                             MakeAttentionShape(case_.shape));
    return AttentionOracle(
        shape, {inputs_.at("query"), inputs_.at("key"), inputs_.at("value")});
  }

  Result<std::vector<double>> EvaluatedOutput(const std::string& output) {
    if (evaluated_.empty()) {
      std::map<std::string, BufferData> inputs(inputs_.begin(), inputs_.end());
      EXHIBIT_ASSIGN_OR_RETURN(evaluated_,
                               EvaluateProgram(*program_.text, inputs));
    }
    return std::get<std::vector<double>>(evaluated_.at(output));
  }

  Status CheckTellsApart(const ManifestBuffer& buffer,
                         const std::vector<double>& expected) const {
    const Tolerance tolerance{request_.manifest->absolute_tolerance,
                              request_.manifest->relative_tolerance};
    const Status told = CheckNotVacuous(expected, tolerance);
    if (told.ok()) return told;
    Error error = told.error();
    error.message =
        "what is expected of " + buffer.name +
        " could not tell a right answer from none: " + error.message;
    if (error.hint.empty()) {
      error.hint = "Declare a smaller tolerance or inputs of another scale.";
    }
    return error;
  }

  Status Publish(const std::string& file, CaseArray& entry) const {
    entry.sha256 = Sha256Hex(file);
    return PublishContent(request_.run + "/" + ArrayPath(entry.sha256), file);
  }

  const CaseRequest& request_;
  const ManifestCase& case_;
  const CaseProgram& program_;
  std::map<std::string, std::vector<float>> inputs_;
  // Outputs of the program text in FP64, once one of them was asked for.
  std::map<std::string, WideBufferData> evaluated_;
};

// A file that an existing record lists must not have changed since.
Status CheckSameFiles(const CaseRequest& request,
                      const ManifestCase& manifest_case,
                      const CaseRecord& record) {
  for (const CaseArray& entry : record.arrays) {
    const auto named = manifest_case.files.find(entry.name);
    if (named == manifest_case.files.end()) continue;
    EXHIBIT_ASSIGN_OR_RETURN(
        const std::string file,
        ReadNamedFile(
            {request.manifest_folder, "files." + entry.name, named->second},
            kArrayFileBytesMax));
    const std::string now = Sha256Hex(file);
    if (now == entry.sha256) continue;
    return InCase(manifest_case,
                  {ErrorKind::kInvalidArgument,
                   named->second + " was captured with SHA-256 " +
                       entry.sha256 + " and is now " + now,
                   "Capture into a new folder."});
  }
  return Ok();
}

// The digest of a case.json that an earlier attempt wrote.
Result<std::string> KeepCase(const CaseRequest& request,
                             const ManifestCase& manifest_case) {
  const std::string path = CasePath(manifest_case.name);
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(request.run + "/" + path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const CaseRecord record, DecodeCase(bytes, path));
  if (record.freeze_sha256 != request.freeze_sha256) {
    return Error{ErrorKind::kCorrupt,
                 path + " cites another freeze.json: " + record.freeze_sha256,
                 "Capture into a new folder."};
  }
  EXHIBIT_RETURN_IF_ERROR(CheckSameFiles(request, manifest_case, record));
  return Sha256Hex(bytes);
}

}  // namespace

Status CheckSuppliedFiles(const Manifest& manifest,
                          const ManifestCase& manifest_case,
                          const std::string& manifest_folder) {
  if (!manifest_case.text.empty()) {
    const Result<std::string> text =
        ReadNamedFile({manifest_folder, "text", manifest_case.text},
                      ManifestLimits::kProgramBytesMax);
    if (!text.ok()) return InCase(manifest_case, text.error());
  }
  EXHIBIT_ASSIGN_OR_RETURN(
      const CaseProgram program,
      ReadCaseProgram(manifest, manifest_case, manifest_folder));
  for (const ManifestBuffer& buffer : program.buffers) {
    const auto named = manifest_case.files.find(buffer.name);
    if (named == manifest_case.files.end()) continue;
    const Result<SuppliedArray> supplied =
        ReadSupplied(buffer, manifest_folder, named->second);
    if (!supplied.ok()) return InCase(manifest_case, supplied.error());
  }
  return Ok();
}

Result<std::string> MakeCase(const CaseRequest& request,
                             const ManifestCase& manifest_case) {
  const std::string path = request.run + "/" + CasePath(manifest_case.name);
  if (PathExists(path)) return KeepCase(request, manifest_case);
  EXHIBIT_ASSIGN_OR_RETURN(const CaseProgram program,
                           ReadCaseProgram(*request.manifest, manifest_case,
                                           FrozenSourceFolder(request.run)));
  CaseRecord record;
  record.start_ns = BootTimeNs();
  EXHIBIT_RETURN_IF_ERROR(CreateFolders(request.run + "/arrays"));
  EXHIBIT_RETURN_IF_ERROR(
      CreateFolders(std::filesystem::path(path).parent_path().string()));
  EXHIBIT_ASSIGN_OR_RETURN(record.arrays,
                           CaseMaker(request, manifest_case, program).Make());
  record.freeze_sha256 = request.freeze_sha256;
  record.case_name = manifest_case.name;
  record.program = request.manifest->program;
  record.shape = manifest_case.shape;
  record.tile = manifest_case.tile;
  record.dispatch = program.dispatch;
  record.tool = request.tool;
  record.end_ns = BootTimeNs();
  const std::string bytes = EncodeCase(record);
  EXHIBIT_RETURN_IF_ERROR(PublishFile(path, bytes));
  return Sha256Hex(bytes);
}

}  // namespace exhibit
