#include "compiler/build/machine_code.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "llvm-c/Core.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectTransformLayer.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace exhibit {
namespace {

// Our bug in LLVM's words.
[[noreturn]] void Bug(const std::string& what, llvm::Error error) {
  throw std::logic_error(what + ": " + llvm::toString(std::move(error)));
}

template <typename T>
T Must(const std::string& what, llvm::Expected<T> value) {
  if (!value) Bug(what, value.takeError());
  return std::move(*value);
}

void MustSucceed(const std::string& what, llvm::Error error) {
  if (error) Bug(what, std::move(error));
}

class PhaseTimer {
 public:
  explicit PhaseTimer(std::vector<CompilePhase>& phases) : phases_(phases) {}

  void End(const std::string& name) {
    const auto now = std::chrono::steady_clock::now();
    phases_.push_back({name, std::chrono::nanoseconds(now - start_).count()});
    start_ = now;
  }

 private:
  std::vector<CompilePhase>& phases_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

// The one builder that optimiser, assembly and JIT take their machine from.
llvm::orc::JITTargetMachineBuilder MachineBuilder(const TargetCpu& target) {
  llvm::orc::JITTargetMachineBuilder builder(
      llvm::Triple("x86_64-unknown-linux-gnu"));
  builder.setCPU(target.name);
  builder.setFeatures(target.features);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  builder.getOptions().FunctionSections = true;
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder.getOptions().EmulatedTLS = false;
  return builder;
}

std::unique_ptr<llvm::Module> Parse(std::string_view ir,
                                    llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(
      llvm::StringRef(ir.data(), ir.size()), diagnostic, context);
  if (module == nullptr) {
    throw std::logic_error("emitted IR does not parse: line " +
                           std::to_string(diagnostic.getLineNo()) + ": " +
                           diagnostic.getMessage().str());
  }
  return module;
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

std::string Bitcode(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

// The optimised module in a context of its own. Code generation follows the
// order of use lists, which a copy inside one context does not keep: reading
// the same bytes twice is what makes the assembly that of the object.
llvm::orc::ThreadSafeModule Revive(const std::string& bitcode) {
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module =
      Must("reading back the optimised module",
           llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "optimised"),
                                  *context));
  return {std::move(module), std::move(context)};
}

std::string Assembly(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile)) {
    throw std::logic_error("the target cannot print assembly");
  }
  passes.run(module);
  return std::string(text);
}

// Only what an object may import exists for the JIT: whatever else LLVM came up
// with must fail here rather than be found in this process by chance.
void DefineImports(llvm::orc::LLJIT& jit) {
  auto address = [](auto* function) {
    return llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable);
  };
  llvm::orc::SymbolMap imports;
  imports[jit.mangleAndIntern("memcpy")] =
      address(static_cast<void* (*)(void*, const void*, size_t)>(&std::memcpy));
  imports[jit.mangleAndIntern("memmove")] = address(
      static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove));
  imports[jit.mangleAndIntern("memset")] =
      address(static_cast<void* (*)(void*, int, size_t)>(&std::memset));
  MustSucceed("defining imports",
              jit.getMainJITDylib().define(
                  llvm::orc::absoluteSymbols(std::move(imports))));
}

std::shared_ptr<llvm::orc::LLJIT> MakeJit(
    const llvm::orc::JITTargetMachineBuilder& builder) {
  llvm::orc::LLJITBuilder recipe;
  recipe.setJITTargetMachineBuilder(builder);
  recipe.setLinkProcessSymbolsByDefault(false);
  recipe.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  std::shared_ptr<llvm::orc::LLJIT> jit =
      Must("making the JIT", recipe.create());
  DefineImports(*jit);
  return jit;
}

void CheckImports(const std::string& object) {
  Result<std::vector<std::string>> undefined = UndefinedSymbols(object);
  if (!undefined.ok()) throw std::logic_error(undefined.error().message);
  const std::vector<std::string>& allowed = AllowedImports();
  for (const std::string& symbol : *undefined) {
    if (std::find(allowed.begin(), allowed.end(), symbol) == allowed.end()) {
      throw std::logic_error("the object imports " + symbol);
    }
  }
}

void Link(llvm::orc::LLJIT& jit, llvm::orc::ThreadSafeModule module,
          const std::vector<std::string>& symbols, MachineCode& made) {
  int objects = 0;
  jit.getObjTransformLayer().setTransform(
      [&](std::unique_ptr<llvm::MemoryBuffer> buffer)
          -> llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> {
        ++objects;
        made.object = buffer->getBuffer().str();
        CheckImports(made.object);
        return buffer;
      });
  std::string reported;
  jit.getExecutionSession().setErrorReporter([&](llvm::Error error) {
    reported += llvm::toString(std::move(error)) + "; ";
  });
  MustSucceed("adding the module", jit.addIRModule(std::move(module)));
  for (const std::string& symbol : symbols) {
    auto address = jit.lookup(symbol);
    if (!address) Bug(reported + "linking " + symbol, address.takeError());
    made.entries.push_back(address->toPtr<exhibit_entry*>());
  }
  if (objects != 1) throw std::logic_error("the JIT linked several objects");
  // The lambdas look into this frame.
  jit.getObjTransformLayer().setTransform({});
  jit.getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
}

void InitializeTargets() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

}  // namespace

// Of the library that is loaded, which need not be that of the headers.
std::string LlvmVersion() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

Result<MachineCode> CompileIr(std::string_view ir, const TargetCpu& target,
                              const std::vector<std::string>& symbols) {
  InitializeTargets();
  MachineCode made;
  PhaseTimer timer(made.phases);
  llvm::orc::JITTargetMachineBuilder builder = MachineBuilder(target);
  auto machine = builder.createTargetMachine();
  if (!machine) {
    return Error{ErrorKind::kUnsupported,
                 "this LLVM has no x86-64 target: " +
                     llvm::toString(machine.takeError()),
                 ""};
  }
  std::string optimised;
  {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = Parse(ir, context);
    module->setTargetTriple(builder.getTargetTriple());
    module->setDataLayout((*machine)->createDataLayout());
    Optimize(*module, **machine);
    for (const llvm::Function& function : *module) {
      if (!function.isDeclaration()) {
        made.functions.push_back(function.getName().str());
      }
    }
    optimised = Bitcode(*module);
  }
  timer.End("optimize");
  made.assembly = Revive(optimised).withModuleDo(
      [&](llvm::Module& module) { return Assembly(module, **machine); });
  timer.End("assembly");
  std::shared_ptr<llvm::orc::LLJIT> jit = MakeJit(builder);
  Link(*jit, Revive(optimised), symbols, made);
  made.code = std::move(jit);
  timer.End("jit");
  return made;
}

}  // namespace exhibit
