// See Pipelines.h.
#include "passes/Pipelines.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void graphc::buildGraphPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createDecompose());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createFoldConstants());
}

void graphc::buildFusionPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createAssignLayouts());
  if (options.optLevel > 0)
    pm.addPass(createFuseKernels());
}

void graphc::buildKernelPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createOutlineKernels({options.strictNumerics}));
  pm.addPass(createPackWeights());
  pm.addPass(createCSEPass());
}

void graphc::buildTargetPhase(OpPassManager &pm, const PipelineOptions &options) {
  buildFusionPhase(pm, options);
  buildKernelPhase(pm, options);
}

void graphc::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>("graphc-graph-phase", "What is the same for all targets", buildGraphPhase);
  PassPipelineRegistration<PipelineOptions>("graphc-target-phase", "Graph to kernels for one target", buildTargetPhase);
}
