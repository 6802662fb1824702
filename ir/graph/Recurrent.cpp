// Result types of LSTM and GRU, whole and by the step.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

static LogicalResult checkShape(OptionalLoc loc, StringRef name, Value value, ArrayRef<DimAttr> shape, Type element) {
  if (!value || (graph::getDims(tensorType(value)) == SmallVector<DimAttr>(shape) && tensorType(value).getElementType() == element))
    return success();
  return emitOptionalError(loc, name, " is ", value.getType(), ", expected shape ", dimsText(shape), " of ", element);
}

/// Weights of one layer and direction, with `gates` gates over `hidden` features and `inputs` input features.
static LogicalResult checkWeights(OptionalLoc loc, ValueRange weights, int64_t gates, DimAttr inputs, DimAttr hidden, Type element) {
  DimAttr rows = hidden * gates;
  if (failed(checkShape(loc, "w_ih", weights[0], {rows, inputs}, element)) || failed(checkShape(loc, "w_hh", weights[1], {rows, hidden}, element)))
    return failure();
  for (Value bias : weights.drop_front(2))
    if (failed(checkShape(loc, "bias", bias, {rows}, element)))
      return failure();
  return success();
}

/// x [b, in], h [b, hidden]: gives [b, hidden].
static LogicalResult inferCell(OptionalLoc loc, Value x, Value h, ValueRange weights, int64_t gates, SmallVectorImpl<Type> &types) {
  RankedTensorType xt = tensorType(x), ht = tensorType(h);
  if (xt.getRank() != 2 || ht.getRank() != 2 || graph::getDim(xt, 0) != graph::getDim(ht, 0))
    return emitOptionalError(loc, "a cell takes x [b, in] and h [b, hidden], found ", xt, " and ", ht);
  types.push_back(getTensorType(graph::getDims(ht), xt.getElementType()));
  return checkWeights(loc, weights, gates, graph::getDim(xt, 1), graph::getDim(ht, 1), xt.getElementType());
}

static SmallVector<Value> present(std::initializer_list<Value> values) {
  SmallVector<Value> result;
  llvm::copy_if(values, std::back_inserter(result), [](Value v) { return bool(v); });
  return result;
}

LogicalResult LstmCellOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  if (failed(inferCell(loc, a.getX(), a.getH(), present({a.getWIh(), a.getWHh(), a.getBIh(), a.getBHh()}), 4, types)))
    return failure();
  types.push_back(types[0]);
  return checkShape(loc, "c", a.getC(), graph::getDims(tensorType(a.getH())), tensorType(a.getX()).getElementType());
}

LogicalResult GruCellOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferCell(loc, a.getX(), a.getH(), present({a.getWIh(), a.getWHh(), a.getBIh(), a.getBHh()}), 3, types);
}

namespace {
struct RecurrentShape {
  int64_t gates, layers;
  bool biases, bidirectional, batchFirst;
};
} // namespace

/// Pushes the types of y and of the last h.
static LogicalResult inferLayers(OptionalLoc loc, Value x, Value h, ValueRange weights, const RecurrentShape &shape, SmallVectorImpl<Type> &types) {
  RankedTensorType xt = tensorType(x), ht = tensorType(h);
  int64_t directions = shape.bidirectional ? 2 : 1, perCell = shape.biases ? 4 : 2;
  if (xt.getRank() != 3 || ht.getRank() != 3 || shape.layers < 1 || !isConstant(graph::getDim(ht, 0), shape.layers * directions) ||
      graph::getDim(xt, shape.batchFirst ? 0 : 1) != graph::getDim(ht, 1))
    return emitOptionalError(loc, "takes x of rank 3 and h [", shape.layers * directions, ", b, hidden], found ", xt, " and ", ht);
  if (int64_t(weights.size()) != shape.layers * directions * perCell)
    return emitOptionalError(loc, "has ", weights.size(), " weights, expected ", shape.layers * directions * perCell);
  DimAttr hidden = graph::getDim(ht, 2), inputs = graph::getDim(xt, 2);
  for (int64_t cell = 0; cell < shape.layers * directions; ++cell) {
    DimAttr features = cell < directions ? inputs : hidden * directions;
    if (failed(checkWeights(loc, weights.slice(cell * perCell, perCell), shape.gates, features, hidden, xt.getElementType())))
      return failure();
  }
  types.push_back(getTensorType({graph::getDim(xt, 0), graph::getDim(xt, 1), hidden * directions}, xt.getElementType()));
  types.push_back(getTensorType(graph::getDims(ht), xt.getElementType()));
  return success();
}

LogicalResult LstmOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RecurrentShape shape{4, int64_t(a.getLayers()), a.getBiases(), a.getBidirectional(), a.getBatchFirst()};
  if (failed(inferLayers(loc, a.getX(), a.getH(), a.getWeights(), shape, types)))
    return failure();
  types.push_back(types[1]);
  return checkShape(loc, "c", a.getC(), graph::getDims(tensorType(a.getH())), tensorType(a.getX()).getElementType());
}

LogicalResult GruOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RecurrentShape shape{3, int64_t(a.getLayers()), a.getBiases(), a.getBidirectional(), a.getBatchFirst()};
  return inferLayers(loc, a.getX(), a.getH(), a.getWeights(), shape, types);
}
