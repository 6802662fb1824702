// Gathers, scatters and sorts: result types, and one element of each gather.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;

//===-- result types -----------------------------------------------------------===//

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType weight = tensorType(a.getWeight());
  if (weight.getRank() < 1)
    return emitOptionalError(loc, "embedding takes a weight of rank 1 or more, found ", weight);
  SmallVector<DimAttr> dims = graph::getDims(tensorType(a.getIndices()));
  llvm::append_range(dims, llvm::drop_begin(graph::getDims(weight)));
  types.push_back(getTensorType(dims, weight.getElementType()));
  return success();
}

LogicalResult IndexSelectOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX()), indices = tensorType(a.getIndices());
  if (failed(checkDim(loc, a.getDim(), x.getRank())))
    return failure();
  if (indices.getRank() > 1)
    return emitOptionalError(loc, "index_select takes indices of rank 0 or 1, found ", indices);
  SmallVector<DimAttr> dims = graph::getDims(x);
  dims[a.getDim()] = getNumElements(indices);
  types.push_back(getTensorType(dims, x.getElementType()));
  return success();
}

/// Fails where a dim of `indices` other than `dim` (-1: none) is larger than x's.
static LogicalResult checkFits(OptionalLoc loc, RankedTensorType x, RankedTensorType indices, int64_t dim) {
  if (x.getRank() != indices.getRank())
    return emitOptionalError(loc, "indices have rank ", indices.getRank(), ", the operand ", x.getRank());
  if (dim != -1 && failed(checkDim(loc, dim, x.getRank())))
    return failure();
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (DimAttr have = graph::getDim(x, d), want = graph::getDim(indices, d);
        d != dim && have.isConstant() && want.isConstant() && want.getValue() > have.getValue())
      return emitOptionalError(loc, "dim ", d, " of the indices is ", want.str(), ", larger than ", have.str());
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX()), indices = tensorType(a.getIndices());
  types.push_back(getTensorType(graph::getDims(indices), x.getElementType()));
  return checkFits(loc, x, indices, a.getDim());
}

/// The shape that indexing x by `indices` at `dims` gives (see graph.index).
static FailureOr<SmallVector<DimAttr>> indexedShape(OptionalLoc loc, RankedTensorType x, ValueRange indices, ArrayRef<int64_t> dims) {
  if (indices.empty() || indices.size() != dims.size())
    return emitOptionalError(loc, indices.size(), " index tensors at ", dims.size(), " dims; expected as many, at least one");
  if (failed(checkDims(loc, dims, x.getRank(), /*sorted=*/true)))
    return failure();
  FailureOr<SmallVector<DimAttr>> indexDims = broadcastShapes(loc, llvm::map_to_vector(indices, [](Value v) { return graph::getDims(tensorType(v)); }));
  if (failed(indexDims))
    return failure();
  SmallVector<DimAttr> result;
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      result.push_back(graph::getDim(x, d));
  bool consecutive = dims.back() - dims.front() + 1 == int64_t(dims.size());
  result.insert(result.begin() + (consecutive ? dims.front() : 0), indexDims->begin(), indexDims->end());
  return result;
}

LogicalResult IndexOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX());
  FailureOr<SmallVector<DimAttr>> dims = indexedShape(loc, x, a.getIndices(), a.getDims());
  if (failed(dims))
    return failure();
  types.push_back(getTensorType(*dims, x.getElementType()));
  return success();
}

LogicalResult IndexPutOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType base = tensorType(a.getBase()), value = tensorType(a.getValue());
  FailureOr<SmallVector<DimAttr>> dims = indexedShape(loc, base, a.getIndices(), a.getDims());
  if (failed(dims))
    return failure();
  if (!broadcastsTo(graph::getDims(value), *dims) || value.getElementType() != base.getElementType())
    return emitOptionalError(loc, "value ", value, " must broadcast to ", dimsText(*dims), " of ", base.getElementType());
  types.push_back(base);
  return success();
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType base = tensorType(a.getBase()), indices = tensorType(a.getIndices()), source = tensorType(a.getSource());
  if (base.getElementType() != source.getElementType())
    return emitOptionalError(loc, "scatters ", source.getElementType(), " into ", base.getElementType());
  if (failed(checkFits(loc, base, indices, a.getDim())) || failed(checkFits(loc, source, indices, -1)))
    return failure();
  types.push_back(base);
  return success();
}

static LogicalResult inferIndexWrite(OptionalLoc loc, Value baseValue, Value indexValue, Value sourceValue, int64_t dim, SmallVectorImpl<Type> &types) {
  RankedTensorType base = tensorType(baseValue), indices = tensorType(indexValue), source = tensorType(sourceValue);
  if (failed(checkDim(loc, dim, base.getRank())))
    return failure();
  SmallVector<DimAttr> expected = graph::getDims(base);
  expected[dim] = getNumElements(indices);
  if (indices.getRank() > 1 || graph::getDims(source) != expected || source.getElementType() != base.getElementType())
    return emitOptionalError(loc, "source ", source, " and indices ", indices, " don't fit dim ", dim, " of ", base, ": expected 1-d indices and a source ",
                             dimsText(expected));
  types.push_back(base);
  return success();
}
LogicalResult IndexAddOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferIndexWrite(loc, a.getBase(), a.getIndices(), a.getSource(), a.getDim(), types);
}
LogicalResult IndexCopyOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferIndexWrite(loc, a.getBase(), a.getIndices(), a.getSource(), a.getDim(), types);
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX());
  types.append({x, getTensorType(graph::getDims(x), IntegerType::get(context, 64))});
  return checkDim(loc, a.getDim(), x.getRank());
}

LogicalResult TopkOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX());
  if (failed(checkDim(loc, a.getDim(), x.getRank())))
    return failure();
  SmallVector<DimAttr> dims = graph::getDims(x);
  if (int64_t(a.getK()) < 0 || (dims[a.getDim()].isConstant() && int64_t(a.getK()) > dims[a.getDim()].getValue()))
    return emitOptionalError(loc, "k is ", a.getK(), ", dim ", a.getDim(), " has ", dims[a.getDim()].str(), " elements");
  dims[a.getDim()] = DimAttr::constant(context, a.getK());
  types.append({getTensorType(dims, x.getElementType()), getTensorType(dims, IntegerType::get(context, 64))});
  return success();
}

//===-- one element ----------------------------------------------------------------===//

Value EmbeddingOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  RankedTensorType weight = tensorType(getWeight());
  size_t rank = tensorType(getIndices()).getRank();
  Value id = e.element(getIndices(), index.take_front(rank));
  SmallVector<AffineExpr> source = {e.checkIndex(id, graph::getDim(weight, 0), /*wrapNegative=*/false)};
  llvm::append_range(source, index.drop_front(rank));
  return e.element(getWeight(), source);
}

Value IndexSelectOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  ArrayRef<AffineExpr> at = tensorType(getIndices()).getRank() == 1 ? index.slice(getDim(), 1) : ArrayRef<AffineExpr>();
  SmallVector<AffineExpr> source(index);
  source[getDim()] = e.checkIndex(e.element(getIndices(), at), graph::getDim(tensorType(getX()), getDim()), /*wrapNegative=*/false);
  return e.element(getX(), source);
}

Value GatherOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> source(index);
  source[getDim()] = e.checkIndex(e.element(getIndices(), index), graph::getDim(tensorType(getX()), getDim()), /*wrapNegative=*/false);
  return e.element(getX(), source);
}

Value IndexOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  RankedTensorType x = tensorType(getX());
  ArrayRef<int64_t> dims = getDims();
  size_t indexRank = 0;
  for (Value indices : getIndices())
    indexRank = std::max<size_t>(indexRank, tensorType(indices).getRank());
  bool consecutive = dims.back() - dims.front() + 1 == int64_t(dims.size());
  size_t first = consecutive ? dims.front() : 0;
  ArrayRef<AffineExpr> at = index.slice(first, indexRank);
  SmallVector<AffineExpr> others(index.take_front(first));
  llvm::append_range(others, index.drop_front(first + indexRank));
  SmallVector<AffineExpr> source;
  size_t nextOther = 0, nextIndex = 0;
  for (int64_t d = 0; d < x.getRank(); ++d) {
    if (!llvm::is_contained(dims, d)) {
      source.push_back(others[nextOther++]);
      continue;
    }
    Value indices = getIndices()[nextIndex++];
    Value position = e.element(indices, broadcastIndex(tensorType(indices), at));
    source.push_back(e.checkIndex(position, graph::getDim(x, d), /*wrapNegative=*/true));
  }
  return e.element(getX(), source);
}
