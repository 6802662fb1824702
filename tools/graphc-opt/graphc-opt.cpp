// graphc-opt: runs graphc's passes over IR text, for tests and for people who look inside.
#include "ir/kernel/Kernel.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<graphc::graph::GraphDialect, graphc::kernel::KernelDialect, graphc::scalar::ScalarDialect, mlir::func::FuncDialect>();
  mlir::registerTransformsPasses();
  graphc::registerGraphcPasses();
  graphc::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "graphc optimizer driver\n", registry));
}
