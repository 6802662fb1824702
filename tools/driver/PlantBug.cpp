// See PlantBug.h.
#include "tools/driver/PlantBug.h"
#include "ir/kernel/Kernel.h"
#include "passes/Pipelines.h"
#include "passes/outline/Groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graphc;

/// Importing, the pipeline's passes in the order in which they run, code generation.
static std::vector<std::string> pipelinePoints() {
  std::vector<std::string> points{"import"};
  llvm::StringMap<unsigned> counts;
  for (const std::string &flag : pipelineFlags()) {
    unsigned count = ++counts[flag];
    points.push_back(count == 1 ? flag : (flag + "#" + Twine(count)).str());
  }
  points.push_back("codegen");
  return points;
}

static constexpr StringRef inKernel = "codegen:";

bool driver::isPlantable(StringRef point) { return point.starts_with(inKernel) || llvm::is_contained(pipelinePoints(), point); }

bool driver::isInCode(StringRef point) { return point == "codegen" || point.starts_with(inKernel); }

std::string driver::plantableText() { return llvm::join(pipelinePoints(), ", ") + " or codegen:KERNEL"; }

static bool isFloat(Type type) { return getElementTypeOrSelf(type).isF32() || getElementTypeOrSelf(type).isF64(); }

/// Replaces a value by its cosine for all its users.
static void spoil(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto wrong = graph::CosOp::create(builder, value.getLoc(), value);
  value.replaceAllUsesExcept(wrong->getResult(0), wrong);
  Operation *op = value.getDefiningOp();
  if (Attribute id = op->removeAttr(valueAttrName))
    wrong->setAttr(valueAttrName, id);
  if (Attribute group = op->getAttr(groupAttrName))
    wrong->setAttr(groupAttrName, group);
}

/// The last float that the kernel stores becomes its cosine.
static bool plantInKernel(kernel::FuncOp kernel) {
  kernel::StoreOp last;
  kernel.walk([&](kernel::StoreOp store) {
    if (isFloat(store.getValue().getType()))
      last = store;
  });
  if (!last)
    return false;
  OpBuilder builder(last);
  last.getValueMutable().assign(scalar::CosOp::create(builder, last.getLoc(), last.getValue())->getResult(0));
  return true;
}

static bool plantInLaunch(ModuleOp module, func::FuncOp function) {
  SmallVector<kernel::LaunchOp> launches(function.getOps<kernel::LaunchOp>());
  for (size_t i = launches.size() / 2, tried = 0; tried < launches.size(); ++tried, i = (i + 1) % launches.size())
    if (plantInKernel(module.lookupSymbol<kernel::FuncOp>(launches[i].getKernel())))
      return true;
  return false;
}

bool driver::plantBugInCode(ModuleOp module, StringRef point) {
  if (!point.consume_front(inKernel))
    return plantBug(module);
  auto kernel = module.lookupSymbol<kernel::FuncOp>(point);
  return kernel && plantInKernel(kernel);
}

bool driver::plantBug(ModuleOp module) {
  func::FuncOp longest;
  for (auto function : module.getOps<func::FuncOp>())
    if (!longest || function.getBody().front().getOperations().size() > longest.getBody().front().getOperations().size())
      longest = function;
  if (!longest)
    return false;
  if (plantInLaunch(module, longest))
    return true;
  SmallVector<Operation *> candidates;
  for (Operation &op : longest.getBody().front())
    if (isComputation(&op) && op.getNumResults() == 1 && isFloat(op.getResult(0).getType()) && !op.use_empty())
      candidates.push_back(&op);
  if (candidates.empty())
    return false;
  spoil(candidates[candidates.size() / 2]->getResult(0));
  return true;
}
