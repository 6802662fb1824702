// See Backend.h.
#include "codegen/cpu/Backend.h"
#include "ir/support/Check.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <mutex>

using namespace graphc;
using namespace graphc::cpu;

namespace {
constexpr const char *triple = "x86_64-unknown-linux-gnu";

void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}
} // namespace

Backend::Backend(const Level &level) {
  initializeTarget();
  std::string error;
  llvm::Triple target(triple);
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(target, error);
  GRAPHC_CHECK(backend, "LLVM lacks its x86 backend");
  llvm::TargetOptions options;
  options.FunctionSections = false;
  options.UniqueSectionNames = false;
  machine.reset(backend->createTargetMachine(target, level.name, "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                             llvm::CodeGenOptLevel::Default));
  GRAPHC_CHECK(machine, "LLVM has no target machine for this level");
}

void Backend::prepare(llvm::Module &module) {
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
}

void Backend::optimize(llvm::Module &module) {
  GRAPHC_CHECK(!llvm::verifyModule(module, &llvm::errs()), "generated LLVM IR does not verify");
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager loopPasses;
  loopPasses.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loopPasses), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::DCEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

llvm::SmallVector<char, 0> Backend::emit(llvm::Module &module, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  bool refused = machine->addPassesToEmitFile(passes, os, nullptr, type);
  GRAPHC_CHECK(!refused, "LLVM cannot emit this kind of file");
  passes.run(module);
  return bytes;
}
