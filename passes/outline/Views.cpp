// See Views.h.
#include "passes/outline/Views.h"

using namespace mlir;
using namespace graphc;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

std::optional<View> graphc::getView(Operation *op) {
  auto facts = dyn_cast<graph::GraphOpInterface>(op);
  if (!facts || facts.getFusionKind() != graph::FusionKind::View || op->getNumResults() != 1 || !isa<graph::ElementOpInterface>(op))
    return std::nullopt;
  RankedTensorType type = typeOf(op->getResult(0));
  KernelEmitter emitter(op->getContext(), op->getLoc(), type, graph::getDims(type), [&](Operation *other) { return other == op; });
  Value value = emitter.element(op->getResult(0), emitter.gridIndex());
  kernel::LoadOp load = getLoad(value);
  if (!load || load.getMask() || emitter.getInputs().size() != 1)
    return std::nullopt;
  SmallVector<Value> grid(emitter.getFunc().getBody().getArguments().take_back(type.getRank()));
  std::optional<SmallVector<AffineExpr>> index = renumber(load.getMap().getResults(), load.getIndices(), grid);
  if (!index)
    return std::nullopt;
  return View{emitter.getInputs()[0], *index, std::make_shared<IndexSimplifier>(emitter.getSimplifier())};
}

/// Sum of index * stride.
static AffineExpr linearize(ArrayRef<AffineExpr> index, ArrayRef<graph::DimAttr> strides, IndexSimplifier &simplifier, MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (auto [expr, stride] : llvm::zip(index, strides))
    sum = sum + expr * simplifier.getExpr(stride);
  return simplifier.simplify(sum);
}

static SmallVector<AffineExpr> allDims(unsigned rank, MLIRContext *context) {
  return llvm::map_to_vector(llvm::seq(0u, rank), [&](unsigned d) { return getAffineDimExpr(d, context); });
}

std::optional<int64_t> graphc::getAliasOffset(Operation *op, View &view) {
  RankedTensorType from = typeOf(view.source), to = typeOf(op->getResult(0));
  AffineExpr source = linearize(view.index, graph::getStrides(from), *view.simplifier, op->getContext());
  AffineExpr result = linearize(allDims(to.getRank(), op->getContext()), graph::getStrides(to), *view.simplifier, op->getContext());
  auto offset = dyn_cast<AffineConstantExpr>(view.simplifier->simplify(source - result));
  return offset ? std::optional(offset.getValue()) : std::nullopt;
}

/// Row-major strides, whatever the physical order.
static std::optional<SmallVector<int64_t>> logicalStrides(RankedTensorType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    strides[d - 1] = strides[d] * type.getDimSize(d);
  return strides;
}

std::optional<SmallVector<AffineExpr>> graphc::mapForward(Operation *op, ArrayRef<AffineExpr> index, IndexSimplifier &simplifier) {
  std::optional<View> view = getView(op);
  if (!view)
    return std::nullopt;
  MLIRContext *context = op->getContext();
  RankedTensorType from = typeOf(view->source), to = typeOf(op->getResult(0));
  if (graph::getNumElements(from) != graph::getNumElements(to))
    return std::nullopt;
  // A permutation of the dims that have more than one index.
  SmallVector<AffineExpr> result(to.getRank(), getAffineConstantExpr(0, context));
  bool isPermutation = true;
  for (int64_t d = 0; d < to.getRank(); ++d) {
    if (!to.isDynamicDim(d) && to.getDimSize(d) == 1)
      continue;
    auto *found = llvm::find(view->index, getAffineDimExpr(d, context));
    isPermutation &= found != view->index.end();
    if (isPermutation)
      result[d] = index[found - view->index.begin()];
  }
  if (isPermutation)
    return result;
  // The same row-major position.
  std::optional<SmallVector<int64_t>> fromStrides = logicalStrides(from), toStrides = logicalStrides(to);
  if (!fromStrides || !toStrides)
    return std::nullopt;
  auto constants = [&](ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t v) { return graph::DimAttr::constant(context, v); });
  };
  AffineExpr source = linearize(view->index, constants(*fromStrides), *view->simplifier, context);
  if (source != linearize(allDims(to.getRank(), context), constants(*toStrides), *view->simplifier, context))
    return std::nullopt;
  AffineExpr position = linearize(index, constants(*fromStrides), simplifier, context);
  for (int64_t d = 0; d < to.getRank(); ++d)
    result[d] = simplifier.simplify(position.floorDiv((*toStrides)[d]) % to.getDimSize(d));
  return result;
}
