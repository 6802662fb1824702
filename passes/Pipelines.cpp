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

void graphc::buildTargetPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createAssignLayouts());
  if (options.optLevel > 0)
    pm.addPass(createFuseKernels());
  pm.addPass(createOutlineKernels());
  pm.addPass(createPackWeights());
  pm.addPass(createCSEPass());
}

void graphc::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>("graphc-graph-phase", "What is the same for all targets", buildGraphPhase);
  PassPipelineRegistration<PipelineOptions>("graphc-target-phase", "Graph to kernels for one target", buildTargetPhase);
}
