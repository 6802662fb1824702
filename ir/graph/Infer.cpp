// See Infer.h.
#include "ir/graph/Infer.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace graphc::graph;

DimAttr graphc::graph::broadcastDim(DimAttr a, DimAttr b) {
  auto isOne = [](DimAttr dim) { return dim.isConstant() && dim.getValue() == 1; };
  if (a == b || isOne(b))
    return a;
  return isOne(a) ? b : DimAttr();
}

/// The operands' common shape by PyTorch's rule: trailing dims align, size 1 stretches.
static FailureOr<SmallVector<DimAttr>> broadcastShapes(std::optional<Location> loc, ValueRange operands) {
  SmallVector<DimAttr> shape;
  for (Value operand : operands) {
    SmallVector<DimAttr> dims = getDims(cast<RankedTensorType>(operand.getType()));
    if (dims.size() > shape.size())
      shape.insert(shape.begin(), dims.size() - shape.size(), DimAttr::constant(operand.getContext(), 1));
    for (size_t i = 0; i < dims.size(); ++i) {
      DimAttr &out = shape[shape.size() - 1 - i], in = dims[dims.size() - 1 - i];
      DimAttr joined = broadcastDim(out, in);
      if (!joined)
        return emitOptionalError(loc, "dims ", out.str(), " and ", in.str(), " can't be broadcast together");
      out = joined;
    }
  }
  return shape;
}

LogicalResult graphc::graph::inferPointwise(std::optional<Location> loc, ValueRange operands, StringRef resultElement,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<DimAttr>> shape = broadcastShapes(loc, operands);
  if (failed(shape))
    return failure();
  Type element = cast<RankedTensorType>(operands.back().getType()).getElementType();
  if (resultElement == "bool")
    element = IntegerType::get(element.getContext(), 1);
  // The order is kept where every operand of full rank has it.
  SmallVector<int64_t> order;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() == int64_t(shape->size()) && type.getRank() > 0) {
      order = getOrder(type);
      break;
    }
  }
  types.push_back(getTensorType(*shape, element, order));
  return success();
}
