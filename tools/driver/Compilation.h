// The pipeline phase by phase, for those who look into it (`graphc verify`, `graphc bisect`); compile() of Compiler.h runs all of it.
//
//   Compilation compilation(options);
//   if (llvm::Error error = compilation.import()) …          module(): graph dialect, as the file says it
//   if (llvm::Error error = compilation.optimizeGraph()) …
//   if (llvm::Error error = compilation.formKernels()) …     kernel.launch over kernel.func
//   llvm::Expected<CompileResult> result = compilation.generate();
#ifndef GRAPHC_TOOLS_DRIVER_COMPILATION_H
#define GRAPHC_TOOLS_DRIVER_COMPILATION_H

#include "codegen/Target.h"
#include "frontend/SourceGraph.h"
#include "passes/Pipelines.h"
#include "runtime/plan/Plan_generated.h"
#include "tools/driver/Compiler.h"
#include "tools/driver/DecisionLog.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include <chrono>
#include <optional>

namespace graphc {
class ArtifactWriter;
}

namespace graphc::driver {

/// Keeps what MLIR reports while a phase runs: errors become the Failure's text, the rest the result's diagnostics.
class DiagnosticLog {
public:
  DiagnosticLog(mlir::MLIRContext &context, std::vector<Diagnostic> &kept);
  std::string takeErrors() { return std::exchange(errors, ""); }

private:
  llvm::LogicalResult take(mlir::Diagnostic &diagnostic);

  std::string errors;
  std::vector<Diagnostic> &kept;
  mlir::ScopedDiagnosticHandler handler;
};

class Compilation {
public:
  /// Called with "imported" when the module is as importing made it, then with "import" and after each pass with its flag
  /// ("graphc-fuse-kernels", "cse", the second one "cse#2"), each time after the bug that is planted there, if one is.
  using AfterPass = std::function<void(llvm::StringRef pass, mlir::ModuleOp module)>;

  explicit Compilation(const CompileOptions &options, AfterPass afterPass = {});

  /// The phases, each once and in this order. Errors: those of compile().
  llvm::Error import();
  llvm::Error optimizeGraph();
  llvm::Error formKernels();
  /// Machine code, plan and artifact; the module stays as it is.
  llvm::Expected<CompileResult> generate();
  /// Ends with the text of Emit::Graph, Emit::Kernel, … of the module as it is.
  llvm::Expected<CompileResult> finishText(std::string text);

  mlir::ModuleOp getModule() { return *module; }
  const frontend::SourceGraph &getSource() const { return *source; }
  codegen::DimsTable &getDims() { return dims; }
  const codegen::CpuOptions &getCpuOptions() const { return cpuOptions; }

private:
  void begin(llvm::StringRef phase);
  void finishPhase();
  llvm::Error runPasses(llvm::StringRef phase, llvm::function_ref<void(mlir::OpPassManager &, const PipelineOptions &)> build);
  void passDone(llvm::StringRef pass);
  void countOps();
  void countFusedOps();
  llvm::Expected<codegen::TargetCode> compileModule();
  llvm::Error write(const ArtifactWriter &writer);
  llvm::Error withLog(llvm::Error error);
  void summarizeTargets(const codegen::TargetCode &code, const plan::PlanT &plan);

  const CompileOptions &options;
  AfterPass afterPass;
  CompileResult result;
  mlir::MLIRContext context;
  DiagnosticLog log;
  DecisionLog decisions;
  std::optional<frontend::SourceGraph> source;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  codegen::DimsTable dims;
  codegen::CpuOptions cpuOptions;
  llvm::StringMap<unsigned> passCounts;
  bool planted = false;
  PhaseTime current;
  std::chrono::steady_clock::time_point started;
};

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_COMPILATION_H
