// See DecomposeBuilder.h.
#include "passes/decompose/DecomposeBuilder.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

/// The bits of an integral value; 2^63 and beyond, which only stand for the largest i64, saturate.
static uint64_t toInteger(double value) { return value >= 0x1p63 ? uint64_t(std::numeric_limits<int64_t>::max()) : uint64_t(int64_t(value)); }

Value DecomposeBuilder::number(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  Attribute attribute;
  if (isa<FloatType>(element))
    attribute = b.getFloatAttr(element, value);
  else
    attribute = b.getIntegerAttr(element, APInt(element.getIntOrFloatBitWidth(), toInteger(value), /*isSigned=*/false, /*implicitTrunc=*/true));
  return make<ConstantOp>(type, DenseElementsAttr::get(type, attribute));
}

Value DecomposeBuilder::dimValue(DimAttr value, Type element) {
  Value range = make<IotaOp>(value, dim(1), dim(1), b.getI64Type());
  return make<CastOp>(reshape(range, {}), element);
}

Value DecomposeBuilder::positions(DimAttr size, int64_t d, int64_t rank) {
  SmallVector<DimAttr> shape(rank, dim(1));
  shape[d] = size;
  return reshape(make<IotaOp>(dim(0), dim(1), size, b.getI64Type()), shape);
}

Value DecomposeBuilder::transpose(Value x) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, tensorType(x).getRank()));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permute(x, order);
}

Value DecomposeBuilder::slice(Value x, int64_t d, DimAttr start, DimAttr size) {
  SmallVector<DimAttr> sizes = getDims(tensorType(x)), starts(sizes.size(), dim(0));
  starts[d] = start;
  sizes[d] = size;
  return make<SliceOp>(x, makeDimArray(context, starts), makeDimArray(context, sizes), SmallVector<int64_t>(sizes.size(), 1));
}

Value DecomposeBuilder::firstElements(Value x, ArrayRef<DimAttr> shape) {
  if (ArrayRef<DimAttr>(getDims(tensorType(x))) == shape)
    return x;
  SmallVector<DimAttr> starts(shape.size(), dim(0));
  return make<SliceOp>(x, makeDimArray(context, starts), makeDimArray(context, shape), SmallVector<int64_t>(shape.size(), 1));
}

Value DecomposeBuilder::pad(Value x, ArrayRef<DimAttr> low, ArrayRef<DimAttr> high) {
  return make<PadOp>(x, number(0, x), makeDimArray(context, low), makeDimArray(context, high));
}

SmallVector<Value> DecomposeBuilder::routine(kernel::Routine routine, ValueRange inputs, TypeRange types, ArrayRef<int64_t> config) {
  SmallVector<Type> plain;
  for (Type type : types)
    plain.push_back(getTensorType(getDims(cast<RankedTensorType>(type)), cast<RankedTensorType>(type).getElementType()));
  auto op = kernel::RoutineOp::create(b, loc, plain, routine, inputs, config);
  return SmallVector<Value>(op.getOutputs());
}

Value DecomposeBuilder::scatter(Value base, Value indices, Value source, int64_t dim, ScatterReduce how, bool excludeSelf) {
  return routine(kernel::Routine::scatter, {base, indices, source}, base.getType(), {dim, int64_t(how), excludeSelf})[0];
}
