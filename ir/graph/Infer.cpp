// See Infer.h.
#include "ir/graph/Infer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graphc::graph;

std::string graphc::graph::dimsText(ArrayRef<DimAttr> dims) {
  return "[" + llvm::join(llvm::map_range(dims, [](DimAttr dim) { return dim.str(); }), ", ") + "]";
}

DimAttr graphc::graph::broadcastDim(DimAttr a, DimAttr b) {
  if (a == b || isConstant(b, 1))
    return a;
  return isConstant(a, 1) ? b : DimAttr();
}

FailureOr<SmallVector<DimAttr>> graphc::graph::broadcastShapes(OptionalLoc loc, ArrayRef<SmallVector<DimAttr>> shapes) {
  SmallVector<DimAttr> result;
  for (const SmallVector<DimAttr> &dims : shapes) {
    if (dims.size() > result.size())
      result.insert(result.begin(), dims.begin(), dims.end() - result.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      DimAttr &out = result[result.size() - 1 - i], in = dims[dims.size() - 1 - i];
      DimAttr joined = broadcastDim(out, in);
      if (!joined)
        return emitOptionalError(loc, "dims ", out.str(), " and ", in.str(), " can't be broadcast together (shape ", dimsText(dims), " with ",
                                 dimsText(result), ")");
      out = joined;
    }
  }
  return result;
}

bool graphc::graph::broadcastsTo(ArrayRef<DimAttr> shape, ArrayRef<DimAttr> target) {
  return shape.size() <= target.size() &&
         llvm::all_of(llvm::zip(shape, target.take_back(shape.size())),
                      [](auto pair) { return broadcastDim(std::get<0>(pair), std::get<1>(pair)) == std::get<1>(pair); });
}

LogicalResult graphc::graph::inferPointwise(OptionalLoc loc, ValueRange operands, Type resultElement, SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<DimAttr>> shape = broadcastShapes(loc, llvm::map_to_vector(operands, [](Value v) { return getDims(tensorType(v)); }));
  if (failed(shape))
    return failure();
  Type element = tensorType(operands.back()).getElementType();
  bool hasCondition = operands.size() == 3 && tensorType(operands[0]).getElementType().isInteger(1);
  for (Value operand : operands.drop_front(hasCondition ? 1 : 0))
    if (tensorType(operand).getElementType() != element)
      return emitOptionalError(loc, "operands have element types ", tensorType(operand).getElementType(), " and ", element,
                               "; expected one: importing casts to the promoted type");
  // The order is the first operand's of full rank.
  SmallVector<int64_t> order;
  for (Value operand : operands)
    if (order.empty() && tensorType(operand).getRank() == int64_t(shape->size()))
      order = getOrder(tensorType(operand));
  types.push_back(getTensorType(*shape, resultElement ? resultElement : element, order));
  return success();
}

LogicalResult graphc::graph::checkDim(OptionalLoc loc, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  return emitOptionalError(loc, "dim ", dim, " is outside the operand's rank ", rank);
}

LogicalResult graphc::graph::checkDims(OptionalLoc loc, ArrayRef<int64_t> dims, int64_t rank, bool sorted) {
  SmallVector<bool> seen(rank);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (failed(checkDim(loc, dim, rank)))
      return failure();
    if (std::exchange(seen[dim], true))
      return emitOptionalError(loc, "dim ", dim, " is listed twice");
    if (sorted && i > 0 && dims[i - 1] > dim)
      return emitOptionalError(loc, "dims must ascend, found ", dims[i - 1], " before ", dim);
  }
  return success();
}

RankedTensorType graphc::graph::reducedType(RankedTensorType type, ArrayRef<int64_t> dims, bool keepdim, Type element) {
  SmallVector<DimAttr> result;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      result.push_back(getDim(type, d));
    else if (keepdim)
      result.push_back(DimAttr::constant(type.getContext(), 1));
  return getTensorType(result, element ? element : type.getElementType());
}

bool graphc::graph::equalButForOrder(TypeRange a, TypeRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto x = dyn_cast<RankedTensorType>(std::get<0>(pair)), y = dyn_cast<RankedTensorType>(std::get<1>(pair));
           return x && y && x.getElementType() == y.getElementType() && getDims(x) == getDims(y);
         });
}
