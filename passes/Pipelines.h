// The pipeline, one function per phase, in the order they run:
//
//   importing (frontend) → buildGraphPhase → buildFusionPhase, buildKernelPhase (once a target) → code generation → PlanBuilder
//
// Each takes a module of functions: the variants of one entry. Flags of graphc-opt: -graphc-graph-phase, -graphc-target-phase.
#ifndef GRAPHC_PASSES_PIPELINES_H
#define GRAPHC_PASSES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace graphc {

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<int> optLevel{*this, "opt-level", llvm::cl::desc("0: every op a kernel of its own; 1 or more: everything"), llvm::cl::init(1)};
  Option<bool> strictNumerics{*this, "strict-numerics", llvm::cl::desc("f16 and bf16 results round after every op, also inside a kernel"), llvm::cl::init(false)};
  Option<std::string> skip{*this, "skip", llvm::cl::desc("flag of a pass to leave out, for tests: canonicalize, cse, graphc-fold-constants, …")};
};

/// What is the same for all targets: composite ops taken apart, constants folded.
void buildGraphPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// For one target: layouts, and which ops share a kernel (passes/outline/Groups.h).
void buildFusionPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Groups to kernels: outlining, packed weights.
void buildKernelPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Graph to kernels for one target: both of the above.
void buildTargetPhase(mlir::OpPassManager &pm, const PipelineOptions &options);

/// The flags of all passes in the order in which they run.
std::vector<std::string> pipelineFlags();

/// Makes the phases known to graphc-opt.
void registerPipelines();

} // namespace graphc

#endif // GRAPHC_PASSES_PIPELINES_H
