// See NullTarget.h.
#include "codegen/null/NullTarget.h"
#include "ir/kernel/Kernel.h"

using namespace mlir;
using namespace graphc;

codegen::TargetCode codegen::compileNothing(ModuleOp module) {
  TargetCode code;
  code.images.push_back({"null", {}});
  for (auto func : module.getOps<kernel::FuncOp>()) {
    graph::DimAttr units = graph::DimAttr::constant(module.getContext(), 1);
    for (unsigned d = 0; d < func.getNumGridDims(); ++d)
      units = units * func.getGridExtent(d);
    KernelCode kernel;
    kernel.name = func.getSymName().str();
    kernel.levels = {{{{"none", 0, units, {}, {}}}}};
    code.kernels.push_back(std::move(kernel));
  }
  return code;
}
