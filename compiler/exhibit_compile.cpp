// exhibit-compile: a tile program and options in, code and a report out.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/build/compile.h"
#include "compiler/build/reproduce.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/attention.h"
#include "compiler/tile/text.h"
#include "manifests/file.h"
#include "manifests/manifest.h"
#include "manifests/options.h"
#include "manifests/run_layout.h"
#include "manifests/tool/command.h"

namespace exhibit {
namespace {

struct Arguments {
  std::string program;
  std::string attention;
  std::string tile = "1,16";
  std::vector<std::string> settings;
  std::string cpu;  // Empty: native, or the recorded one of --reproduce.
  std::string reproduce;
  std::string folder;
  std::string emit;
  bool list_options = false;
  bool explain = false;
};

// An error in the command line's own words: exit 2 instead of 3.
struct Failure {
  Error error;
  bool is_usage = false;
};

template <typename T>
using Outcome = std::variant<T, Failure>;

Failure Usage(std::string message, std::string hint) {
  return {{ErrorKind::kInvalidArgument, std::move(message), std::move(hint)},
          true};
}

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

// "1,8,2" as exactly `count` decimal integers.
Outcome<std::vector<int64_t>> ParseList(const std::string& flag,
                                        const std::string& text, size_t count) {
  std::vector<int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    if (stop == end && numbers.size() == count) return numbers;
    if (stop == end || *stop != ',') break;
    at = stop + 1;
  }
  return Usage(flag + " needs " + std::to_string(count) +
                   " integers with commas, read \"" + text + "\"",
               flag == "--tile" ? "such as --tile 1,16"
                                : "such as --attention 1,8,2,1,2053,80,96");
}

Outcome<TileOptions> ReadSettings(const std::vector<std::string>& settings) {
  TileOptions options;
  std::vector<std::string> seen;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return Usage("--set needs option=value, read \"" + setting + "\"",
                   "--list-options shows the options");
    }
    const std::string name = setting.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return Usage("--set gives " + name + " twice", "keep one of them");
    }
    seen.push_back(name);
    Result<Json> value =
        ParseOptionText(std::string_view(setting).substr(equals + 1));
    if (!value.ok()) return Failure{value.error(), true};
    const Status set = SetTileOption(name, *value, options);
    if (!set.ok()) {
      return Failure{set.error(),
                     set.error().kind == ErrorKind::kInvalidArgument};
    }
  }
  const Status checked = CheckTileOptions(options);
  if (!checked.ok()) return Failure{checked.error(), true};
  return options;
}

Outcome<tile::Program> BuildIn(const Arguments& arguments,
                               const TileOptions& options) {
  auto shape = ParseList("--attention", arguments.attention, 7);
  if (auto* failure = std::get_if<Failure>(&shape)) return *failure;
  auto blocks = ParseList("--tile", arguments.tile, 2);
  if (auto* failure = std::get_if<Failure>(&blocks)) return *failure;
  const auto& s = std::get<std::vector<int64_t>>(shape);
  const auto& b = std::get<std::vector<int64_t>>(blocks);
  tile::AttentionSpec spec;
  spec.shape = {s[0], s[1], s[2], s[3], s[4], s[5], s[6]};
  spec.query_block = b[0];
  spec.key_block = b[1];
  auto contraction = [](const std::string& word) {
    return word == "reduce" ? tile::Contraction::kReduce
                            : tile::Contraction::kMma;
  };
  spec.qk = contraction(options.qk);
  spec.pv = contraction(options.pv);
  Result<tile::Program> program = tile::BuildAttention(spec);
  if (!program.ok()) return Failure{program.error(), true};
  return std::move(*program);
}

Outcome<tile::Program> ReadInput(const Arguments& arguments) {
  const auto limit = static_cast<uint64_t>(tile::TileLimits().text_bytes_max);
  std::string text;
  std::string where = arguments.program;
  if (arguments.program == "-") {
    where = "standard input";
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    Result<std::string> bytes = ReadFile(arguments.program, limit);
    if (!bytes.ok()) return Failure{bytes.error()};
    text = std::move(*bytes);
  }
  Result<tile::Program> program = tile::ReadProgram(text, where);
  if (!program.ok()) return Failure{program.error()};
  return std::move(*program);
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
  for (const auto& [name, bytes] : files) {
    const std::string path = folder + "/" + name;
    if (!PathExists(path)) continue;
    return Error{ErrorKind::kInvalidArgument, path + " exists",
                 "nothing is overwritten: name a new folder"};
  }
  EXHIBIT_RETURN_IF_ERROR(CreateFolders(folder));
  for (const auto& [name, bytes] : files) {
    EXHIBIT_RETURN_IF_ERROR(PublishFile(folder + "/" + name, *bytes));
  }
  return SyncFolder(folder);
}

std::string Explanation(const tile::Program& program, const Plan& plan,
                        const CompiledKernel& kernel) {
  std::string text = ExplainPlan(program, plan);
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
  if (arguments.explain) return Print(Explanation(program, *plan, *kernel));
  if (!arguments.emit.empty()) {
    return Print(ProductOf(*kernel, arguments.emit));
  }
  return Exit::kDone;
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
  const std::string path = run + "/" + kManifestPath;
  const Result<std::string> bytes = ReadFile(path, kRecordBytesMax);
  if (!bytes.ok()) return ReportError(bytes.error());
  const Result<Manifest> manifest = ParseManifest(*bytes, path);
  if (!manifest.ok()) return ReportError(manifest.error());
  bool differs = false;
  bool other_llvm = false;
  for (const ManifestCase& c : manifest->cases) {
    for (const ManifestVariant& variant : manifest->variants) {
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

bool AsksToCompile(const Arguments& arguments) {
  return !(arguments.program.empty() && arguments.attention.empty() &&
           arguments.settings.empty() && arguments.folder.empty() &&
           arguments.emit.empty() && !arguments.explain);
}

Exit Run(const Arguments& arguments) {
  if (arguments.list_options) return ListOptions();
  if (!arguments.reproduce.empty()) {
    if (!AsksToCompile(arguments)) return Reproduce(arguments);
    return Report(Usage("--reproduce takes program and options from the run",
                        "give --cpu or nothing beside it"));
  }
  if (arguments.program.empty() == arguments.attention.empty()) {
    return Report(Usage("give either PROGRAM or --attention",
                        "see exhibit-compile --help"));
  }
  if (!arguments.emit.empty() && std::find(kProducts.begin(), kProducts.end(),
                                           arguments.emit) == kProducts.end()) {
    return Report(Usage("--emit cannot give \"" + arguments.emit + "\"",
                        "one of program, plan, ir, asm, object, report"));
  }
  if (arguments.emit.empty() && arguments.folder.empty() &&
      !arguments.explain) {
    return Report(Usage("nothing is asked for",
                        "give -o DIR, --emit PRODUCT or --explain"));
  }
  auto options = ReadSettings(arguments.settings);
  if (auto* failure = std::get_if<Failure>(&options)) return Report(*failure);
  const auto& chosen = std::get<TileOptions>(options);
  auto program = arguments.program.empty() ? BuildIn(arguments, chosen)
                                           : ReadInput(arguments);
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
       "exhibit-compile --reproduce run"});
  command.Text("PROGRAM", arguments.program, "Tile program, - for stdin");
  command.Text("--attention", arguments.attention,
               "Built-in attention: B,Hq,Hkv,Q,K,D,Dv");
  command.Text("--tile", arguments.tile, "Its query and key block: BQ,BK");
  command.TextList("--set", arguments.settings, "OPTION=VALUE");
  command.Text("--cpu", arguments.cpu,
               "native (the default), x86-64, x86-64-v2, -v3 or -v4");
  command.Text("--reproduce", arguments.reproduce,
               "Compile every program of a run again, for the recorded target "
               "unless --cpu is given, and compare the bytes: one line per "
               "object, exit 1 if any differs, 4 if another LLVM made it");
  command.Text("-o,--output", arguments.folder,
               "Folder for program, IR, assembly, object, library, report");
  command.Text("--emit", arguments.emit,
               "To stdout: program, plan, ir, asm, object or report");
  command.Flag("--list-options", arguments.list_options,
               "List the options of a program, with their legal values");
  command.Flag("--explain", arguments.explain,
               "Print what was decided and why, and how long it took");
  return exhibit::RunTool(argc, argv, command,
                          [&] { return exhibit::Run(arguments); });
}
