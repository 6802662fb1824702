// The pipeline, one function per phase, in the order they run:
//
//   importing (frontend) → buildGraphPhase → buildTargetPhase (once a target) → code generation → PlanBuilder
//
// Each takes a module of functions: the variants of one entry. Flags of graphc-opt: -graphc-graph-phase, -graphc-target-phase.
#ifndef GRAPHC_PASSES_PIPELINES_H
#define GRAPHC_PASSES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace graphc {

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<int> optLevel{*this, "opt-level", llvm::cl::desc("0: every op a kernel of its own; 1 or more: everything"), llvm::cl::init(1)};
};

/// What is the same for all targets: refs gone, composite ops taken apart, constants folded.
void buildGraphPhase(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Graph to kernels for one target: layouts, fusion, outlining, packed weights.
void buildTargetPhase(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Makes both known to graphc-opt.
void registerPipelines();

} // namespace graphc

#endif // GRAPHC_PASSES_PIPELINES_H
