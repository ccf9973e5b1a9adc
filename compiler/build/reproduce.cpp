#include "compiler/build/reproduce.h"

#include <cstdint>
#include <utility>

#include "compiler/build/compile.h"
#include "compiler/tile/text.h"
#include "manifests/file.h"
#include "manifests/json.h"
#include "manifests/options.h"
#include "manifests/records.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// Who made realization.json and for what; "" where it does not say.
struct Producer {
  std::string llvm_version;
  std::string target_cpu;
  std::string target_features;
};

// What is made again from.
struct Recorded {
  tile::Program program;
  TileOptions options;
  Producer producer;
};

Result<Producer> ReadProducer(std::string_view bytes, std::string_view where) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json report, ParseJson(bytes, where));
  const Json::Object* fields = report.AsObject();
  if (fields == nullptr) {
    return Error{ErrorKind::kCorrupt, std::string(where) + ": not an object",
                 ""};
  }
  const auto text = [&](const char* name) -> std::string {
    const auto field = fields->find(name);
    if (field == fields->end() || field->second.AsString() == nullptr) {
      return "";
    }
    return *field->second.AsString();
  };
  const std::string schema = text("schema");
  if (schema != "exhibit.realization/1") {
    return Error{ErrorKind::kUnsupported,
                 std::string(where) + ": schema " + QuoteText(schema) +
                     " is unknown here",
                 "a newer Exhibit may read it"};
  }
  return Producer{text("llvm_version"), text("target_cpu"),
                  text("target_features")};
}

Result<TileOptions> ReadOptions(const std::string& path) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const CaptureRecord record,
                           DecodeCapture(bytes, path));
  TileOptions options;
  if (record.kind != "tile" ||
      record.options.size() != TileOptionTable().size()) {
    return Error{ErrorKind::kCorrupt,
                 path + ": not a tile variant with all of its options", ""};
  }
  for (const auto& [name, value] : record.options) {
    EXHIBIT_RETURN_IF_ERROR(SetTileOption(name, value, options));
  }
  EXHIBIT_RETURN_IF_ERROR(CheckTileOptions(options));
  return options;
}

Result<Recorded> ReadRecorded(const std::string& folder) {
  EXHIBIT_ASSIGN_OR_RETURN(TileOptions options,
                           ReadOptions(folder + "/capture.json"));
  const std::string report = folder + "/realization.json";
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(report, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(Producer producer, ReadProducer(bytes, report));
  const std::string program = folder + "/program.tile";
  EXHIBIT_ASSIGN_OR_RETURN(
      const std::string text,
      ReadFile(program,
               static_cast<uint64_t>(tile::TileLimits().text_bytes_max)));
  EXHIBIT_ASSIGN_OR_RETURN(tile::Program read,
                           tile::ReadProgram(text, program));
  return Recorded{std::move(read), std::move(options), std::move(producer)};
}

// A failure that is a property of the run rather than of this machine or build.
bool IsOfTheRun(const Error& error) {
  return error.kind != ErrorKind::kIo && error.kind != ErrorKind::kUnsupported;
}

struct Made {
  const char* file;
  const char* word;
  const std::string* bytes;
};

Result<Reproduction> Compare(const std::string& folder,
                             const std::vector<Made>& all) {
  std::string differing;
  for (const Made& made : all) {
    const Result<std::string> stored =
        ReadFile(folder + "/" + made.file, kLibraryBytesMax);
    if (!stored.ok() && !IsOfTheRun(stored.error())) return stored.error();
    if (stored.ok() && *stored == *made.bytes) continue;
    differing += (differing.empty() ? "" : ", ") + std::string(made.word);
    if (!stored.ok()) differing += " missing";
  }
  if (differing.empty()) return Reproduction{};
  return Reproduction{ReproductionVerdict::kDifferent, differing};
}

Result<Reproduction> MakeAgain(const std::string& folder,
                               const Recorded& recorded,
                               const ManifestVariant& variant,
                               const std::string& cpu) {
  CompileOptions compile;
  if (cpu.empty()) {
    compile.cpu = recorded.producer.target_cpu;
    compile.features = recorded.producer.target_features;
  } else {
    compile.cpu = cpu;
  }
  EXHIBIT_ASSIGN_OR_RETURN(
      const CompiledKernel kernel,
      CompileKernel(recorded.program, recorded.options, compile));
  EXHIBIT_ASSIGN_OR_RETURN(
      const std::string library,
      LinkSharedLibrary(kernel.object, variant.placement_bytes));
  std::vector<Made> all = {
      {"program.tile", "program text", &kernel.program_text},
      {"kernel.ll", "IR", &kernel.ir},
      {"kernel.s", "assembly", &kernel.assembly},
      {"kernel.o", "object", &kernel.object},
      {"kernel.so", "library", &library}};
  if (cpu.empty()) {
    all.push_back({"realization.json", "report", &kernel.realization});
  }
  return Compare(folder, all);
}

}  // namespace

Result<Reproduction> ReproduceVariant(const std::string& run,
                                      const std::string& case_name,
                                      const ManifestVariant& variant,
                                      const std::string& cpu) {
  if (variant.kind != "tile") {
    return Reproduction{ReproductionVerdict::kNotCompiled, "library"};
  }
  const std::string folder = run + "/" + CaptureFolder(case_name, variant.name);
  const auto different = [](const Error& error) -> Result<Reproduction> {
    if (!IsOfTheRun(error)) return error;
    return Reproduction{ReproductionVerdict::kDifferent, error.message};
  };
  Result<Recorded> recorded = ReadRecorded(folder);
  if (!recorded.ok()) return different(recorded.error());
  const std::string& version = recorded->producer.llvm_version;
  if (version != LlvmVersion()) {
    return Reproduction{
        ReproductionVerdict::kOtherLlvm,
        (version.empty() ? "not recorded" : QuoteText(version)) + ", this is " +
            LlvmVersion()};
  }
  Result<Reproduction> made = MakeAgain(folder, *recorded, variant, cpu);
  return made.ok() ? made : different(made.error());
}

}  // namespace exhibit
