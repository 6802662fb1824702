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

/// Row-major strides of the dims from `first` on, whatever the physical order; nullopt where one of them is symbolic.
static std::optional<SmallVector<graph::DimAttr>> logicalStrides(RankedTensorType type, int64_t first) {
  SmallVector<graph::DimAttr> strides;
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= first; --d) {
    strides.insert(strides.begin(), graph::DimAttr::constant(type.getContext(), stride));
    if (type.isDynamicDim(d))
      return std::nullopt;
    stride *= type.getDimSize(d);
  }
  return strides;
}

std::optional<SmallVector<AffineExpr>> graphc::mapForward(Operation *op, ArrayRef<AffineExpr> index, IndexSimplifier &simplifier) {
  std::optional<View> view = getView(op);
  if (!view)
    return std::nullopt;
  MLIRContext *context = op->getContext();
  RankedTensorType from = typeOf(view->source), to = typeOf(op->getResult(0));
  if (graph::getNumElements(from) != graph::getNumElements(to) || graph::isConstant(graph::getNumElements(to), 0))
    return std::nullopt; // of no elements: there is no position to divide by strides of 0
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
  // The same leading dims, then the same row-major position.
  int64_t prefix = 0;
  while (prefix < std::min(from.getRank(), to.getRank()) && graph::getDim(from, prefix) == graph::getDim(to, prefix) &&
         (view->index[prefix] == getAffineDimExpr(prefix, context) || isa<AffineConstantExpr>(view->index[prefix])))
    ++prefix;
  std::optional<SmallVector<graph::DimAttr>> fromStrides = logicalStrides(from, prefix), toStrides = logicalStrides(to, prefix);
  if (!fromStrides || !toStrides)
    return std::nullopt;
  SmallVector<AffineExpr> dims = allDims(to.getRank(), context);
  AffineExpr source = linearize(ArrayRef(view->index).drop_front(prefix), *fromStrides, *view->simplifier, context);
  if (source != linearize(ArrayRef(dims).drop_front(prefix), *toStrides, *view->simplifier, context))
    return std::nullopt;
  AffineExpr position = linearize(index.drop_front(prefix), *fromStrides, simplifier, context);
  for (int64_t d = 0; d < to.getRank(); ++d)
    result[d] = d < prefix ? index[d] : simplifier.simplify(position.floorDiv((*toStrides)[d - prefix].getValue()) % to.getDimSize(d));
  return result;
}
