// The part of stage identity that looks at program.tile and realization.json.

#include <algorithm>
#include <optional>

#include "audit/identity.h"
#include "audit/work.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/attention.h"
#include "compiler/tile/text.h"
#include "manifests/cpu_flags.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// program.tile is, byte for byte, the canonical text of the declared program.
void CheckText(const CaptureFiles& files, const std::string& declared,
               Checker& check) {
  const std::string path = files.Path("program.tile");
  const std::string* text = files.subject.Bytes(path);
  if (text == nullptr) return;  // Missing or over a limit: reported.
  if (*text == declared) return;
  const Result<tile::Program> program = tile::ReadProgram(*text, path);
  if (!program.ok()) {
    check.ReportError("program-malformed", path, program.error());
    return;
  }
  size_t line = 1;
  for (size_t i = 0;
       i < text->size() && i < declared.size() && (*text)[i] == declared[i];
       ++i) {
    if (declared[i] == '\n') ++line;
  }
  check.Report({.code = "program-differs",
                .path = path,
                .message = "it is not the declared program, first in line " +
                           std::to_string(line)});
}

void CheckPlanned(const std::string& path, const Json::Object& planned,
                  const Json::Object& found, const std::string& prefix,
                  Checker& check) {
  for (const auto& [name, value] : planned) {
    const auto member = found.find(name);
    if (member != found.end() && member->second == value) continue;
    check.Report({.code = "realization-differs",
                  .path = path,
                  .field = prefix + name,
                  .message = "the plan made again gives another value",
                  .expected = QuoteJson(value),
                  .found = member == found.end() ? "nothing"
                                                 : QuoteJson(member->second)});
  }
}

// full_packet is realised at most where it was asked for and small enough; its
// size is that of the function of this name among those that were emitted.
void CheckClone(const std::string& path, const RealizationReport& report,
                const TileOptions& options, const std::string& name,
                Checker& check) {
  const Json::Object& realized = *report.fields.at("realized").AsObject();
  const int64_t clones = report.full_packet_specializations;
  const Claim claim{"realization-differs", path, "full_packet_specializations",
                    "a clone was made against the options, or is reported in "
                    "two ways"};
  const auto word = realized.find("full_packet");
  check.True(claim,
             word != realized.end() && word->second == Json(clones == 1));
  check.True(claim, clones == 0 || (clones == 1 && options.full_packet));
  check.True({"realization-differs", path, "full_packet_cloned_instructions",
              "more instructions were cloned than the options allow"},
             clones == 0 ? report.full_packet_cloned_instructions == 0
                         : report.full_packet_cloned_instructions > 0 &&
                               report.full_packet_cloned_instructions <=
                                   options.max_full_packet_instructions);
  const auto emitted = report.functions.find(name);
  check.True({"realization-differs", path, "functions",
              "the clone has another size, or none, among them"},
             clones == 0 ||
                 (emitted != report.functions.end() &&
                  emitted->second == report.full_packet_cloned_instructions));
}

// Every option is realised, and nothing else.
void CheckRealizedNames(const std::string& path, const Json::Object& planned,
                        const Json::Object& realized, Checker& check) {
  for (const auto& [name, value] : realized) {
    check.True({"realization-differs", path, "realized." + Printable(name),
                "no option is called so"},
               name == "full_packet" || planned.contains(name));
  }
}

// What a processor must have is what the code may use, and the code may use
// what every processor of its name has.
void CheckTarget(const std::string& path, const RealizationReport& report,
                 Checker& check) {
  const Result<std::vector<std::string>> flags =
      CpuFlagsOf(report.target_features);
  if (!flags.ok()) {
    check.Report({.code = "realization-differs",
                  .path = path,
                  .field = "target_features",
                  .message = flags.error().message});
    return;
  }
  check.Equal({"realization-differs", path, "required_cpu_flags",
               "target_features asks for others"},
              *flags, report.required_cpu_flags);
  for (const std::string& flag : CpuFlagsOfLevel(report.target_cpu)) {
    check.True({"realization-differs", path, "target_features",
                "every processor of " + report.target_cpu + " has " + flag},
               std::binary_search(flags->begin(), flags->end(), flag));
  }
}

void CheckReport(const CaptureFiles& files, const Manifest& manifest,
                 const TileOptions& options, const tile::Program& program,
                 const RealizationReport& report, Checker& check) {
  const std::string path = files.Path("realization.json");
  const Result<Plan> plan = PlanProgram(program, options);
  if (!plan.ok()) {
    check.Report({.code = "realization-differs",
                  .path = path,
                  .message = "the plan is refused: " + plan.error().message});
    return;
  }
  CheckPlanned(path, PlannedFields(program, options, *plan), report.fields, "",
               check);
  const Json::Object& realized = *report.fields.at("realized").AsObject();
  const Json::Object planned = PlannedOptions(options, *plan);
  CheckPlanned(path, planned, realized, "realized.", check);
  CheckRealizedNames(path, planned, realized, check);
  check.Equal({"capacity-differs", files.Path("capture.json"),
               "workspace_bytes", "the plan made again asks for another size"},
              plan->private_workspace_bytes, files.record.workspace_bytes);
  check.Equal({"cpu-flags-differ", files.Path("capture.json"),
               "required_cpu_flags", "realization.json states others"},
              report.required_cpu_flags, files.record.required_cpu_flags);
  if (manifest.cpu != "native") {
    check.Equal({"realization-differs", path, "target_cpu",
                 "the manifest declares another CPU"},
                manifest.cpu, report.target_cpu);
  }
  CheckTarget(path, report, check);
  CheckClone(path, report, options, program.name + ".packet.full", check);
}

void AddDetails(const RealizationReport& report, Json::Object& details) {
  for (const char* name :
       {"static_snapshot_bytes_per_worker", "static_snapshot_allocations",
        "private_workspace_bytes", "blocked_mmas", "two_dimensional_mmas",
        "rolled_mmas", "full_packet_specializations",
        "full_packet_cloned_instructions", "full_packets_dispatched",
        "tail_packets_dispatched"}) {
    details[name] = report.fields.at(name);
  }
  details["target_cpu"] = Printable(report.target_cpu);
}

// Null where there is more than can be counted.
Json WorkJson(const tile::Program& program) {
  const Result<ProgramWork> work = WorkOf(program);
  if (!work.ok()) return Json();
  return Json::Object{{"flops", work->flops},
                      {"exps", work->exps},
                      {"bytes_loaded", work->bytes_loaded},
                      {"bytes_stored", work->bytes_stored}};
}

}  // namespace

std::optional<RealizationReport> CheckProgram(const CaptureFiles& files,
                                              const Manifest& manifest,
                                              const ManifestVariant& variant,
                                              CaseEvidence& c, Checker& check) {
  const Result<TileOptions> options =
      OptionsFor(manifest, *c.declared, variant);
  if (!options.ok()) return std::nullopt;  // Reported by the declaration.
  const Result<tile::Program> program =
      c.program
          ? c.program->program
          : tile::BuildAttention(tile::AttentionSpecOf(*c.declared, *options));
  if (!program.ok()) {
    check.ReportError("program-differs", kManifestPath, program.error());
    return std::nullopt;
  }
  CheckText(files, tile::PrintProgram(*program), check);
  const std::string path = files.Path("realization.json");
  const std::string* bytes = files.subject.Bytes(path);
  if (bytes == nullptr) return std::nullopt;
  Result<RealizationReport> report = DecodeRealization(*bytes, path);
  if (!report.ok()) {
    check.ReportError("realization-malformed", path, report.error());
    return std::nullopt;
  }
  CheckReport(files, manifest, *options, *program, *report, check);
  AddDetails(*report, c.details[variant.name]);
  c.work[variant.name] = WorkJson(*program);
  return std::move(*report);
}

}  // namespace exhibit
