// See PlanBuilder.h. VariantBuilder does the functions, PlanTables what they share.
#include "codegen/plan/PlanBuilder.h"
#include "codegen/plan/PlanTables.h"
#include "codegen/plan/VariantBuilder.h"
#include "ir/support/Location.h"
#include "runtime/plan/KernelAbi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::codegen;

namespace {

void addKernels(const TargetCode &code, plan::PlanT &plan, PlanTables &tables) {
  for (const LevelImage &image : code.images)
    plan.levels.push_back(image.level);
  for (const KernelCode &kernel : code.kernels) {
    auto entry = std::make_unique<plan::KernelT>();
    entry->name = kernel.name;
    entry->hash = kernel.hash;
    for (const LevelCode &levelCode : kernel.levels) {
      auto level = std::make_unique<plan::KernelLevelT>();
      for (const CandidateCode &candidateCode : levelCode.candidates) {
        auto candidate = std::make_unique<plan::CandidateT>();
        auto optional = [&](graph::DimAttr dim) { return dim ? tables.dim(dim) : -1; };
        candidate->schedule = candidateCode.schedule;
        candidate->entry = candidateCode.entry;
        candidate->units = optional(candidateCode.units);
        candidate->chunk = optional(candidateCode.chunk);
        candidate->scratch_bytes = optional(candidateCode.scratchBytes);
        level->candidates.push_back(std::move(candidate));
      }
      entry->levels.push_back(std::move(level));
    }
    plan.service_count = std::max(plan.service_count, kernel.servicesUsed);
    plan.kernels.push_back(std::move(entry));
  }
}

void addStates(ModuleOp module, plan::PlanT &plan, PlanTables &tables) {
  for (auto op : module.getOps<graph::StateOp>()) {
    auto state = std::make_unique<plan::StateT>();
    auto type = cast<RankedTensorType>(op.getInitial().getType());
    state->name = op.getSymName().str();
    state->attribute = op.getAttribute().str();
    state->dtype = getDType(type.getElementType());
    state->dims.assign(type.getShape().begin(), type.getShape().end());
    state->location = tables.location(op.getLoc());
    if (type.getNumElements() > 0)
      state->initial = tables.constant(op.getInitial(), op.getAttribute(), "");
    plan.states.push_back(std::move(state));
  }
}

std::unique_ptr<plan::TensorInfoT> makeTensorInfo(RankedTensorType type, DictionaryAttr attributes, const std::string &fallbackName,
                                                  PlanTables &tables) {
  auto info = std::make_unique<plan::TensorInfoT>();
  auto text = [&](StringRef key) {
    auto attribute = attributes ? attributes.getAs<StringAttr>(key) : StringAttr();
    return attribute ? attribute.str() : std::string();
  };
  info->name = text("graph.name");
  if (info->name.empty())
    info->name = fallbackName;
  info->path = text("graph.path");
  info->dtype = getDType(type.getElementType());
  info->dims = tables.dimsOf(type);
  info->scalar = attributes && attributes.contains("graph.scalar");
  info->mutated = attributes && attributes.contains("graph.mutated");
  return info;
}

/// What needs input `i` in row-major order, in any of the variants; null: nothing.
LocationAttr rowMajorFor(ModuleOp module, unsigned i) {
  for (auto function : module.getOps<func::FuncOp>())
    if (i < function.getNumArguments())
      if (auto where = function.getArgAttrOfType<LocationAttr>(i, "graph.row_major"))
        return where;
  return {};
}

llvm::Error addInterface(ModuleOp module, func::FuncOp first, plan::PlanT &plan, PlanTables &tables) {
  auto check = [&](Type type) {
    return graph::getOrder(cast<RankedTensorType>(type)) == llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(type).getRank()));
  };
  for (auto [i, type] : llvm::enumerate(first.getArgumentTypes())) {
    if (!check(type))
      return llvm::createStringError("input " + std::to_string(i) + " of '" + first.getSymName().str() + "' has a physical order");
    plan.inputs.push_back(makeTensorInfo(cast<RankedTensorType>(type), first.getArgAttrDict(i), "in" + std::to_string(i), tables));
    if (LocationAttr where = rowMajorFor(module, unsigned(i))) {
      plan.inputs.back()->row_major = true;
      plan.inputs.back()->location = tables.location(Location(where));
    }
  }
  for (auto [i, type] : llvm::enumerate(first.getResultTypes())) {
    if (!check(type))
      return llvm::createStringError("output " + std::to_string(i) + " of '" + first.getSymName().str() + "' has a physical order");
    if (!first.getResultAttr(i, graph::writesInputAttrName)) // those change an input instead
      plan.outputs.push_back(makeTensorInfo(cast<RankedTensorType>(type), first.getResultAttrDict(i), "out" + std::to_string(i), tables));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<BuiltPlan> codegen::buildPlan(ModuleOp module, const TargetCode &code, DimsTable &dims, const PlanOptions &options) {
  BuiltPlan built{std::make_unique<plan::PlanT>(), {}};
  plan::PlanT &plan = *built.plan;
  plan.abi_version = GRAPHC_KERNEL_ABI_VERSION;
  plan.producer = options.producer;
  plan.model = options.model;
  plan.entry = options.entry;
  plan.target = options.target;
  plan.numerics = options.numerics;
  PlanTables tables(module, dims, built);
  tables.locations(module.getLoc());
  if (llvm::Error error = tables.addSymbols())
    return error;
  addKernels(code, plan, tables);
  addStates(module, plan, tables);
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty())
    return llvm::createStringError("the module has no function to plan");
  if (llvm::Error error = addInterface(module, *functions.begin(), plan, tables))
    return error;
  for (func::FuncOp function : functions) {
    llvm::Expected<std::unique_ptr<plan::VariantT>> variant = VariantBuilder(function, plan, code, tables).build();
    if (!variant)
      return variant.takeError();
    if (auto next = function->getAttrOfType<IntegerAttr>("graph.next"))
      (*variant)->next = {uint32_t(next.getInt())};
    plan.variants.push_back(std::move(*variant));
  }
  if (llvm::Error error = tables.finishDims())
    return error;
  return built;
}
