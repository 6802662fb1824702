// See Groups.h.
#include "passes/outline/Groups.h"
#include "passes/outline/Views.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace graphc;

bool graphc::isSource(Operation *op) {
  auto facts = dyn_cast<graph::GraphOpInterface>(op);
  return facts && facts.getFusionKind() == graph::FusionKind::Source && isa<graph::ElementOpInterface>(op);
}

bool graphc::isComputation(Operation *op) {
  auto facts = dyn_cast<graph::GraphOpInterface>(op);
  if (!facts || op->getNumResults() == 0 || facts.getFusionKind() == graph::FusionKind::Source)
    return false;
  return !isa<graph::ReadStateOp>(op);
}

bool graphc::canOutline(Operation *op) { return isa<graph::ElementOpInterface, graph::ContractionOpInterface>(op); }

/// A convolution over groups of so few channels that lanes along one group's outputs would stay empty, with f32 weights that can be packed.
static bool hasSmallGroups(Operation *op, const kernel::ContractionSpec &spec) {
  constexpr int64_t maxProducts = 64; // of a row of the window
  auto facts = cast<graph::GraphOpInterface>(op);
  auto isConstant = [](graph::DimAttr dim) { return dim.isConstant(); };
  if (facts.getLayoutBehaviour() != graph::LayoutBehaviour::PrefersChannelsLast || spec.n.size() != 1 || spec.k.size() < 2 || !llvm::all_of(spec.k, isConstant) ||
      !llvm::all_of(spec.grid, isConstant) || !isConstant(spec.n[0]) || llvm::is_contained(spec.lhsMask.isEquality, true))
    return false;
  int64_t groups = spec.grid[0].getValue(), outputs = spec.n[0].getValue(), inputs = spec.k.back().getValue();
  bool isF32 = cast<RankedTensorType>(spec.rhs.getType()).getElementType().isF32();
  return groups > 1 && llvm::is_contained({2, 4, 8, 16}, outputs) && inputs <= outputs && inputs * spec.k[spec.k.size() - 2].getValue() <= maxProducts && isF32 &&
         spec.rhs.getDefiningOp<graph::GetOp>();
}

graph::ContractionOpInterface graphc::getContractionKernel(Operation *op) {
  auto contraction = dyn_cast<graph::ContractionOpInterface>(op);
  if (!contraction || !isa<graph::ElementOpInterface>(op))
    return contraction;
  kernel::ContractionSpec spec = contraction.getContraction();
  bool isColumn = llvm::all_of(spec.n, [](graph::DimAttr extent) { return extent.isConstant() && extent.getValue() == 1; });
  return isColumn || hasSmallGroups(op, spec) ? graph::ContractionOpInterface() : contraction;
}

Group graphc::makeGroup(ArrayRef<Operation *> ops) {
  Group group;
  group.ops.assign(ops.begin(), ops.end());
  for (Operation *op : ops) {
    if (!group.contraction)
      group.contraction = getContractionKernel(op);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !llvm::is_contained(ops, user); }))
        group.outputs.push_back(result);
  }
  return group;
}

SmallVector<Group> graphc::collectGroups(func::FuncOp function) {
  llvm::MapVector<int64_t, SmallVector<Operation *>> numbered;
  int64_t single = -1; // ops without a number get negative ones
  for (Operation &op : function.getBody().front()) {
    if (!isComputation(&op))
      continue;
    auto number = op.getAttrOfType<IntegerAttr>(groupAttrName);
    numbered[number ? number.getInt() : single--].push_back(&op);
  }
  SmallVector<Group> groups;
  for (auto &[number, ops] : numbered) {
    Group group = makeGroup(ops);
    if (!group.outputs.empty())
      groups.push_back(std::move(group));
  }
  return groups;
}

SmallVector<Group> graphc::collectSources(func::FuncOp function) {
  SmallVector<Group> groups;
  for (Operation &op : function.getBody().front())
    if (isSource(&op))
      groups.push_back(makeGroup({&op}));
  return groups;
}

std::string graphc::getGroupName(const Group &group) {
  std::string name;
  unsigned count = 0;
  for (Operation *op : group.ops) {
    auto facts = dyn_cast<graph::GraphOpInterface>(op);
    bool isView = facts && facts.getFusionKind() == graph::FusionKind::View;
    if ((isView && group.ops.size() > 1) || ++count > 4)
      continue;
    name += (name.empty() ? "" : "_") + op->getName().stripDialect().str();
  }
  if (name.empty())
    name = "copy";
  llvm::replace(name, '.', '_');
  return name;
}

Location graphc::getGroupLoc(const Group &group) {
  llvm::SetVector<Location> locations;
  // The op that says most about the kernel comes first.
  if (group.contraction)
    locations.insert(group.contraction->getLoc());
  for (Operation *op : group.ops)
    locations.insert(op->getLoc());
  return FusedLoc::get(group.ops[0]->getContext(), locations.getArrayRef());
}

ArrayAttr graphc::getGroupSource(const Group &group) {
  Builder builder(group.ops[0]->getContext());
  SmallVector<int64_t> ids;
  for (Operation *op : group.ops)
    if (auto value = op->getAttrOfType<IntegerAttr>(valueAttrName); value && !llvm::is_contained(ids, value.getInt()))
      ids.push_back(value.getInt());
  return ids.empty() ? ArrayAttr() : builder.getI64ArrayAttr(ids);
}

ArrayAttr graphc::getOutputValues(const Group &group) {
  SmallVector<int64_t> ids;
  for (Value output : group.outputs) {
    auto value = output.getDefiningOp()->getAttrOfType<IntegerAttr>(valueAttrName);
    ids.push_back(value && cast<OpResult>(output).getResultNumber() == 0 ? value.getInt() : -1);
  }
  bool isKnown = llvm::any_of(ids, [](int64_t id) { return id >= 0; });
  return isKnown ? Builder(group.ops[0]->getContext()).getI64ArrayAttr(ids) : ArrayAttr();
}

using IndexByValue = llvm::DenseMap<Value, SmallVector<AffineExpr>>;

/// The index of every value of a contraction's group that lies on the way from its result (at `index`) to an output.
static std::optional<IndexByValue> mapGroupForward(const Group &group, ArrayRef<AffineExpr> index, IndexSimplifier &simplifier) {
  IndexByValue indices;
  indices[group.contraction->getResult(0)] = SmallVector<AffineExpr>(index);
  for (Operation *op : group.ops) {
    for (Value operand : op->getOperands()) {
      auto found = indices.find(operand);
      if (found == indices.end() || op->getNumResults() != 1)
        continue;
      SmallVector<AffineExpr> source = found->second;
      auto facts = dyn_cast<graph::GraphOpInterface>(op);
      if (facts && facts.getFusionKind() == graph::FusionKind::Pointwise) {
        if (graph::getDims(cast<RankedTensorType>(op->getResult(0).getType())) != graph::getDims(cast<RankedTensorType>(operand.getType())))
          return std::nullopt;
      } else if (std::optional<SmallVector<AffineExpr>> forward = mapForward(op, source, simplifier)) {
        source = *forward;
      } else {
        return std::nullopt;
      }
      auto [known, isNew] = indices.try_emplace(op->getResult(0), source);
      if (!isNew && known->second != source) // c and its transpose meet: one of the two would be computed again
        return std::nullopt;
    }
  }
  if (llvm::any_of(group.outputs, [&](Value output) { return !indices.contains(output); }))
    return std::nullopt;
  return indices;
}

std::optional<SmallVector<OutputElement>> graphc::emitEpilogue(KernelEmitter &emitter, const Group &group, const KernelEmitter::Contraction &open) {
  graph::ContractionOpInterface contraction = group.contraction;
  Value result = contraction->getResult(0);
  SmallVector<AffineExpr> index = llvm::map_to_vector(contraction.getContraction().resultMap.getResults(), [&](AffineExpr expr) {
    return emitter.getSimplifier().simplify(expr.replaceDims(open.index));
  });
  Value accumulated = emitter.scalar().cast(open.accumulator, scalar::computeType(cast<RankedTensorType>(result.getType()).getElementType()));
  emitter.setElement(result, index, contraction.emitTail(emitter, accumulated, index));
  std::optional<IndexByValue> indices = mapGroupForward(group, index, emitter.getSimplifier());
  if (!indices)
    return std::nullopt;
  return llvm::map_to_vector(group.outputs, [&](Value output) {
    SmallVector<AffineExpr> at = indices->lookup(output);
    return OutputElement{emitter.element(output, at), at};
  });
}
