// exhibit-compile: a tile program and options in, code and a report out.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/build/compile.h"
#include "compiler/build/reproduce.h"
#include "compiler/build/target_cpu.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/text.h"
#include "compiler/tool/capacity_table.h"
#include "compiler/tool/failure.h"
#include "compiler/tool/input.h"
#include "manifests/file.h"
#include "manifests/folder_kind.h"
#include "manifests/manifest.h"
#include "manifests/options.h"
#include "manifests/run_layout.h"
#include "manifests/tool/command.h"
#include "manifests/tool/talk.h"

namespace exhibit {
namespace {

struct Arguments {
  std::string program;
  std::string attention;
  std::string tile;  // Empty: "1,16", where there is attention.
  std::vector<std::string> settings;
  std::string cpu;  // Empty: native, or the recorded one of --reproduce.
  std::string reproduce;
  std::vector<std::string> capacity;  // Manifests.
  std::string folder;
  std::string emit;
  bool list_options = false;
  bool explain = false;
};

Exit Report(const Failure& failure) {
  return failure.is_usage ? ReportUsage(failure.error)
                          : ReportError(failure.error);
}

constexpr std::array<std::string_view, 6> kProducts = {
    "program", "plan", "ir", "asm", "object", "report"};

Exit ListOptions() {
  std::string text;
  for (const OptionInfo& option : TileOptionTable()) {
    text += option.name + " = " + option.default_value + "    (" +
            option.legal + ")\n    " + option.meaning + "\n";
  }
  const Status printed = PrintProduct(text);
  return printed.ok() ? Exit::kDone : ReportError(printed.error());
}

Status WriteFolder(const std::string& folder, const CompiledKernel& kernel) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string library,
                           LinkSharedLibrary(kernel.object));
  const std::pair<const char*, const std::string*> files[] = {
      {"program.tile", &kernel.program_text},
      {"kernel.ll", &kernel.ir},
      {"kernel.s", &kernel.assembly},
      {"kernel.o", &kernel.object},
      {"kernel.so", &library},
      {"realization.json", &kernel.realization}};
  if (PathExists(folder)) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                             ListFiles(folder));
    if (!names.empty()) {
      return Error{ErrorKind::kInvalidArgument,
                   folder + "/" + names.front() + " exists",
                   "nothing is overwritten or mixed up: name a new folder"};
    }
  }
  EXHIBIT_RETURN_IF_ERROR(CreateFolders(folder));
  for (const auto& [name, bytes] : files) {
    EXHIBIT_RETURN_IF_ERROR(PublishFile(folder + "/" + name, *bytes));
  }
  return SyncFolder(folder);
}

// Whether the packet body has a clone for full packets, and why not.
std::string CloneLine(const TileOptions& options,
                      const CompiledKernel& kernel) {
  const std::string size = std::to_string(kernel.packet_instructions) +
                           " instructions, max_full_packet_instructions is " +
                           std::to_string(options.max_full_packet_instructions);
  if (!options.full_packet) {
    return "full packet: not asked for; the packet body has " + size + "\n";
  }
  const char* said = "cloned";
  if (!kernel.has_full_packet_clone) {
    const bool small =
        kernel.packet_instructions <= options.max_full_packet_instructions;
    said = small ? "removed, since no packet can be full" : "refused";
  }
  return std::string("full packet: ") + said + ", the packet body has " + size +
         "\n";
}

std::string Explanation(const tile::Program& program,
                        const TileOptions& options, const Plan& plan,
                        const CompiledKernel& kernel) {
  std::string text = ExplainPlan(program, plan);
  text += CloneLine(options, kernel);
  text += "object " + std::to_string(kernel.object.size()) + " bytes, entry " +
          kernel.symbol + "\n";
  for (const CompilePhase& phase : kernel.phases) {
    text += phase.name + " took " +
            std::to_string(phase.duration_ns / 1'000'000) + " ms\n";
  }
  return text;
}

Exit Print(std::string_view product) {
  const Status printed = PrintProduct(product);
  return printed.ok() ? Exit::kDone : ReportError(printed.error());
}

const std::string& ProductOf(const CompiledKernel& kernel,
                             const std::string& name) {
  if (name == "ir") return kernel.ir;
  if (name == "asm") return kernel.assembly;
  if (name == "object") return kernel.object;
  return kernel.realization;
}

Exit Compile(const Arguments& arguments, const tile::Program& program,
             const TileOptions& options) {
  if (arguments.emit == "program") return Print(tile::PrintProgram(program));
  Result<Plan> plan = PlanProgram(program, options);
  if (!plan.ok()) return ReportError(plan.error());
  if (arguments.emit == "plan") return Print(ExplainPlan(program, *plan));
  Result<CompiledKernel> kernel = CompileKernel(
      program, options, {arguments.cpu.empty() ? "native" : arguments.cpu});
  if (!kernel.ok()) return ReportError(kernel.error());
  if (!arguments.folder.empty()) {
    const Status written = WriteFolder(arguments.folder, *kernel);
    if (!written.ok()) return ReportError(written.error());
  }
  const bool explain =
      arguments.explain || (arguments.emit.empty() && arguments.folder.empty());
  const std::string explanation =
      explain ? Explanation(program, options, *plan, *kernel) : "";
  if (arguments.emit.empty()) return Print(explanation);
  // Standard output carries one product.
  if (explain) SayText(explanation);
  return Print(ProductOf(*kernel, arguments.emit));
}

std::string_view WordOf(ReproductionVerdict verdict) {
  switch (verdict) {
    case ReproductionVerdict::kIdentical:
      return "identical";
    case ReproductionVerdict::kDifferent:
      return "different";
    case ReproductionVerdict::kOtherLlvm:
      return "other-llvm";
    case ReproductionVerdict::kNotCompiled:
      return "not-compiled";
  }
  throw std::logic_error("unknown verdict");
}

// One line per object, as it is made. A difference outweighs what could not be
// compared.
Exit Reproduce(const Arguments& arguments) {
  const std::string& run = arguments.reproduce;
  const Status is_run = CheckIsRun(run);
  if (!is_run.ok()) return ReportError(is_run.error());
  const auto read = ReadManifest(run + "/" + kManifestPath);
  if (auto* failure = std::get_if<Failure>(&read)) return Report(*failure);
  const Manifest& manifest = std::get<CommandManifest>(read).manifest;
  bool differs = false;
  bool other_llvm = false;
  for (const ManifestCase& c : manifest.cases) {
    for (const ManifestVariant& variant : c.variants) {
      const Result<Reproduction> made =
          ReproduceVariant(run, c.name, variant, arguments.cpu);
      if (!made.ok()) return ReportError(made.error());
      std::string line = std::string(WordOf(made->verdict)) + " " + c.name +
                         "/" + variant.name;
      if (!made->reason.empty()) line += " (" + made->reason + ")";
      const Status printed = PrintProduct(line + "\n");
      if (!printed.ok()) return ReportError(printed.error());
      differs = differs || made->verdict == ReproductionVerdict::kDifferent;
      other_llvm =
          other_llvm || made->verdict == ReproductionVerdict::kOtherLlvm;
    }
  }
  if (differs) return Exit::kDoesNotHold;
  return other_llvm ? Exit::kUnsupported : Exit::kDone;
}

// A table per manifest, each under the manifest's name.
Exit PrintCapacity(const Arguments& arguments) {
  for (const std::string& path : arguments.capacity) {
    const auto read = ReadManifest(path);
    if (auto* failure = std::get_if<Failure>(&read)) return Report(*failure);
    const auto& command = std::get<CommandManifest>(read);
    const auto table = CapacityTable(command);
    if (auto* failure = std::get_if<Failure>(&table)) return Report(*failure);
    const Status printed = PrintProduct(command.manifest.name + "\n" +
                                        std::get<std::string>(table) + "\n");
    if (!printed.ok()) return ReportError(printed.error());
  }
  return Exit::kDone;
}

bool AsksToCompile(const Arguments& arguments) {
  return !(arguments.program.empty() && arguments.attention.empty() &&
           arguments.tile.empty() && arguments.settings.empty() &&
           arguments.folder.empty() && arguments.emit.empty() &&
           !arguments.explain);
}

// What takes the place of compiling, or nullopt.
std::optional<Exit> RunOther(const Arguments& arguments) {
  if (arguments.list_options) return ListOptions();
  const bool reproduce = !arguments.reproduce.empty();
  const bool capacity = !arguments.capacity.empty();
  if (!reproduce && !capacity) return std::nullopt;
  if (reproduce && capacity) {
    return Report(UsageFailure("--reproduce and --capacity are two questions",
                               "ask one at a time"));
  }
  if (AsksToCompile(arguments) || (capacity && !arguments.cpu.empty())) {
    return Report(UsageFailure(
        reproduce ? "--reproduce takes program and options from the run"
                  : "--capacity takes programs and options from the manifest",
        reproduce ? "give --cpu or nothing beside it"
                  : "give nothing beside it"));
  }
  return reproduce ? Reproduce(arguments) : PrintCapacity(arguments);
}

Status CheckCpu(const std::string& cpu) {
  if (cpu.empty()) return Ok();
  const Result<TargetCpu> target = ResolveTargetCpu(cpu);
  return target.ok() ? Ok() : Status(target.error());
}

Outcome<tile::Program> ReadProgram(const Arguments& arguments,
                                   const TileOptions& options) {
  if (arguments.program.empty()) {
    return ReadAttention(arguments.attention,
                         arguments.tile.empty() ? "1,16" : arguments.tile,
                         options);
  }
  // What only a built-in program reads must not seem to have been obeyed.
  const TileOptions defaults;
  for (const auto& [flag, is_given] :
       {std::pair{"--tile", !arguments.tile.empty()},
        std::pair{"--set qk", options.qk != defaults.qk},
        std::pair{"--set pv", options.pv != defaults.pv}}) {
    if (!is_given) continue;
    return UsageFailure(std::string(flag) + " belongs to --attention, and " +
                            arguments.program + " is a program text",
                        "the text says itself how it is tiled and contracted");
  }
  return ReadProgramText(arguments.program);
}

Exit Run(const Arguments& arguments) {
  if (const auto other = RunOther(arguments)) return *other;
  if (arguments.program.empty() == arguments.attention.empty()) {
    return Report(UsageFailure("give either PROGRAM or --attention",
                               "see exhibit-compile --help"));
  }
  if (!arguments.emit.empty() && std::find(kProducts.begin(), kProducts.end(),
                                           arguments.emit) == kProducts.end()) {
    return Report(
        UsageFailure("--emit cannot give \"" + arguments.emit + "\"",
                     "one of program, plan, ir, asm, object, report"));
  }
  const Status cpu = CheckCpu(arguments.cpu);
  if (!cpu.ok()) return ReportError(cpu.error());
  auto options = ReadSettings(arguments.settings);
  if (auto* failure = std::get_if<Failure>(&options)) return Report(*failure);
  const auto& chosen = std::get<TileOptions>(options);
  auto program = ReadProgram(arguments, chosen);
  if (auto* failure = std::get_if<Failure>(&program)) return Report(*failure);
  return Compile(arguments, std::get<tile::Program>(program), chosen);
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  exhibit::Arguments arguments;
  exhibit::CommandLine command(
      "exhibit-compile", "Compiles a tile program and shows every step",
      {"exhibit-compile --attention 1,8,2,1,2053,80,96 --tile 1,16 \\",
       "  --set mma_output_block=4 --set full_packet=true -o decode-r4",
       "exhibit-compile decode-r4/program.tile --emit plan",
       "exhibit-compile --capacity manifests/strided.json",
       "exhibit-compile --reproduce run"});
  command.Text("PROGRAM", arguments.program, "Tile program, - for stdin");
  command.Text("--attention", arguments.attention,
               "Built-in attention: B,Hq,Hkv,Q,K,D,Dv");
  command.Text("--tile", arguments.tile,
               "Its query and key block: BQ,BK (1,16 unless given)");
  command.TextList("--set", arguments.settings, "OPTION=VALUE");
  command.Text("--cpu", arguments.cpu,
               "native (the default), x86-64, x86-64-v2, -v3 or -v4");
  command.Text("--reproduce", arguments.reproduce,
               "Compile every program of a run again, for the recorded target "
               "unless --cpu is given, and compare the bytes: one line per "
               "object, exit 1 if any differs, 4 if another LLVM made it");
  command.TextList("--capacity", arguments.capacity,
                   "MANIFEST: what every capture of it will hold, as a table: "
                   "bytes and number of the arrays of one worker, bytes of "
                   "workspace, how many mma are blocked, of those in both "
                   "dimensions, how many have a rolled K loop, full and tail "
                   "packets of a dispatch, each array with its elements; may "
                   "be given again");
  command.Text("-o,--output", arguments.folder,
               "Folder for program, IR, assembly, object, library, report");
  command.Text("--emit", arguments.emit,
               "To stdout: program, plan, ir, asm, object or report");
  command.Flag("--list-options", arguments.list_options,
               "List the options of a program, with their legal values");
  command.Flag("--explain", arguments.explain,
               "Print what was decided and why, and how long it took; this is "
               "also what is printed where nothing else is asked for");
  return exhibit::RunTool(argc, argv, command,
                          [&] { return exhibit::Run(arguments); });
}
