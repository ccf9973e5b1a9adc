#include "run_builder.h"

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/json.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "manifests/tool/identity.h"

namespace exhibit {
namespace {

template <typename T>
T Need(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void Need(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message);
}

Json::Object BufferOf(const char* name, const char* role, int64_t elements) {
  return Json::Object{{"name", name},
                      {"role", role},
                      {"dtype", "f32"},
                      {"shape", Json::Array{Json(elements)}}};
}

std::string ManifestText(const RunPlan& plan) {
  Json::Array cases;
  for (const std::string& name : plan.cases) {
    cases.push_back(Json::Object{
        {"name", name},
        {"buffers", Json::Array{BufferOf("x", "input", plan.elements),
                                BufferOf("output", "output", plan.elements)}},
        {"dispatch", plan.elements},
        {"files", Json::Object{{"x", "x.npy"}, {"output", "expected.npy"}}}});
  }
  auto variant = [](const std::string& library) {
    return Json::Object{
        {"library", library}, {"symbol", "entry"}, {"workspace_bytes", 64}};
  };
  return EncodeJson(Json::Object{
      {"schema", "exhibit.manifest/1"},
      {"name", "replay-test"},
      {"question", "Does replay do what it says?"},
      {"program", "custom"},
      {"variants",
       Json::Object{{"one", variant("one.so")}, {"two", variant("two.so")}}},
      {"baseline", "one"},
      {"candidate", "two"},
      {"cases", std::move(cases)},
      {"tolerance", Json::Object{{"absolute", 1e-6}, {"relative", 1e-6}}},
      {"replay", Json::Object{{"cycles", plan.cycles},
                              {"samples", plan.samples},
                              {"warmup_ms", plan.warmup_ms},
                              {"target_ms", plan.target_ms},
                              {"timeout_s", plan.timeout_s},
                              {"seed", 1}}},
      {"decision",
       Json::Object{
           {"rule", "pairs/1"}, {"alpha", 0.9}, {"minimum_effect", 0.01}}}});
}

class Writer {
 public:
  explicit Writer(const RunPlan& plan) : plan_(plan) {
    tool_ = Need(ThisTool("exhibit-capture"));
  }

  void Write() {
    Need(CreateFolders(plan_.folder + "/arrays"));
    std::string manifest = ManifestText(plan_);
    Put(kManifestPath, manifest);
    FreezeRecord freeze;
    freeze.manifest_sha256 = Sha256Hex(manifest);
    freeze.host = Need(ProbeHost());
    Stamp(freeze);
    if (plan_.freeze) plan_.freeze(freeze);
    freeze_sha256_ = Put(kFreezePath, EncodeFreeze(freeze));
    WriteAttempt("start", "", Sha256Hex(""));
    for (const std::string& name : plan_.cases) WriteCase(name);
    std::string so_far =
        Need(ReadFile(plan_.folder + "/" + kAttemptsPath, kRecordBytesMax));
    WriteAttempt("end", "done", Sha256Hex(so_far));
  }

 private:
  std::string Put(const std::string& path, const std::string& bytes) {
    std::filesystem::path full = plan_.folder + "/" + path;
    Need(CreateFolders(full.parent_path().string()));
    Need(PublishContent(full.string(), bytes));
    return Sha256Hex(bytes);
  }

  std::string PutArray(const Array& array) {
    std::string bytes = EncodeNpy(array);
    return Put(ArrayPath(Sha256Hex(bytes)), bytes);
  }

  template <typename Record>
  void Stamp(Record& record) {
    record.tool = tool_;
    record.start_ns = BootTimeNs();
    record.end_ns = record.start_ns;
  }

  void WriteAttempt(const std::string& event, const std::string& result,
                    const std::string& previous) {
    AttemptRecord line;
    line.event = event;
    line.stage = "capture";
    line.result = result;
    line.previous_sha256 = previous;
    line.tool = tool_;
    line.time_ns = BootTimeNs();
    Need(AppendFile(plan_.folder + "/" + kAttemptsPath, EncodeAttempt(line)));
  }

  void WriteCase(const std::string& name) {
    std::vector<float> x;
    std::vector<float> output;
    std::vector<double> expected;
    for (int64_t i = 0; i < plan_.elements; ++i) {
      x.push_back(static_cast<float>(i) / 4 - 3);
      output.push_back(2 * x.back() + 1);
      expected.push_back(output.back());
    }
    std::vector<uint64_t> shape = {static_cast<uint64_t>(plan_.elements)};
    CaseRecord record;
    record.freeze_sha256 = freeze_sha256_;
    record.case_name = name;
    record.program = "custom";
    record.dispatch = plan_.elements;
    record.arrays = {{"x",
                      "input",
                      "f32",
                      {plan_.elements},
                      PutArray({DType::kF32, shape, BytesOf(x)}),
                      "file"},
                     {"output",
                      "output",
                      "f32",
                      {plan_.elements},
                      PutArray({DType::kF64, shape, BytesOf(expected)}),
                      "supplied"}};
    Stamp(record);
    std::string case_sha256 = Put(CasePath(name), EncodeCase(record));
    std::string prepared = PutArray({DType::kF32, shape, BytesOf(output)});
    WriteCapture(name, "one", plan_.baseline, case_sha256, prepared);
    WriteCapture(name, "two", plan_.candidate, case_sha256, prepared);
  }

  void WriteCapture(const std::string& case_name, const std::string& variant,
                    const std::string& library, const std::string& case_sha256,
                    const std::string& prepared_sha256) {
    std::string bytes = Need(ReadFile(
        std::string(EXHIBIT_KERNEL_DIR) + "/" + library, kLibraryBytesMax));
    std::string path = LibraryPath(case_name, variant);
    CaptureRecord record;
    record.freeze_sha256 = freeze_sha256_;
    record.case_sha256 = case_sha256;
    record.case_name = case_name;
    record.variant = variant;
    record.kind = "library";
    record.symbol = "entry";
    record.workers_per_block = 32;
    record.workspace_bytes = 64;
    record.files = {
        {path, Put(path, bytes), static_cast<int64_t>(bytes.size())}};
    record.outputs = {{"output", "", prepared_sha256}};
    record.end.status = "completed";
    Stamp(record);
    if (plan_.capture) plan_.capture(record);
    Put(CapturePath(case_name, variant), EncodeCapture(record));
  }

  const RunPlan& plan_;
  ToolIdentity tool_;
  std::string freeze_sha256_;
};

}  // namespace

void BuildRun(const RunPlan& plan) { Writer(plan).Write(); }

std::string MakeTemporaryFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "exhibit-replay-XXXXXX")
          .string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make " + name);
  }
  return name;
}

void RemoveFolder(const std::string& folder) {
  std::filesystem::remove_all(folder);
}

std::map<std::string, std::string> ReadTree(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& path : Need(ListFiles(folder))) {
    files[path] = Need(ReadFile(folder + "/" + path, kLibraryBytesMax));
  }
  return files;
}

VisitRecord ReadVisitRecord(const std::string& run, const std::string& path) {
  return Need(
      DecodeVisit(Need(ReadFile(run + "/" + path, kRecordBytesMax)), path));
}

PlanRecord ReadPlanRecord(const std::string& run, const std::string& path) {
  return Need(
      DecodePlan(Need(ReadFile(run + "/" + path, kRecordBytesMax)), path));
}

std::vector<AttemptRecord> ReadAttemptRecords(const std::string& run) {
  return Need(
      DecodeAttempts(Need(ReadFile(run + "/" + kAttemptsPath, kRecordBytesMax)),
                     kAttemptsPath));
}

}  // namespace exhibit
