// See Pipelines.h.
#include "passes/Pipelines.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void add(OpPassManager &pm, const graphc::PipelineOptions &options, std::unique_ptr<Pass> pass) {
  if (pass->getArgument() != options.skip)
    pm.addPass(std::move(pass));
}

void graphc::buildGraphPhase(OpPassManager &pm, const PipelineOptions &options) {
  add(pm, options, createDecompose());
  add(pm, options, createCanonicalizerPass());
  add(pm, options, createCSEPass());
  add(pm, options, createFoldConstants());
}

void graphc::buildFusionPhase(OpPassManager &pm, const PipelineOptions &options) {
  add(pm, options, createAssignLayouts());
  if (options.optLevel > 0)
    add(pm, options, createFuseKernels());
}

void graphc::buildKernelPhase(OpPassManager &pm, const PipelineOptions &options) {
  add(pm, options, createOutlineKernels({options.strictNumerics}));
  add(pm, options, createPackWeights());
  add(pm, options, createCSEPass());
}

void graphc::buildTargetPhase(OpPassManager &pm, const PipelineOptions &options) {
  buildFusionPhase(pm, options);
  buildKernelPhase(pm, options);
}

std::vector<std::string> graphc::pipelineFlags() {
  OpPassManager pm(ModuleOp::getOperationName());
  PipelineOptions options;
  buildGraphPhase(pm, options);
  buildTargetPhase(pm, options);
  std::vector<std::string> flags;
  for (Pass &pass : pm)
    flags.push_back(pass.getArgument().str());
  return flags;
}

void graphc::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>("graphc-graph-phase", "What is the same for all targets", buildGraphPhase);
  PassPipelineRegistration<PipelineOptions>("graphc-target-phase", "Graph to kernels for one target", buildTargetPhase);
}
