// See Routines.h.
//
//   graph.sort %x dim 1                       kernel.routine sort(%x) [1, 0]
//   graph.scatter %b, %i, %s dim 0 mean       two scatters that sum (values, and ones), then a division where something was written
#include "passes/decompose/Routines.h"
#include "ir/graph/Infer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Builds ops before one op.
class Builder {
public:
  explicit Builder(Operation *op) : b(op), loc(op->getLoc()) {}

  template <typename Op, typename... Arguments> Value make(Arguments &&...arguments) {
    return Op::create(b, loc, std::forward<Arguments>(arguments)...)->getResult(0);
  }
  SmallVector<Value> routine(kernel::Routine routine, ValueRange inputs, TypeRange types, ArrayRef<int64_t> config) {
    SmallVector<Type> plain;
    for (Type type : types)
      plain.push_back(getTensorType(getDims(cast<RankedTensorType>(type)), cast<RankedTensorType>(type).getElementType()));
    auto op = kernel::RoutineOp::create(b, loc, plain, routine, inputs, config);
    return SmallVector<Value>(op.getOutputs());
  }
  /// One number everywhere in a tensor of the shape of `like`.
  Value filled(double number, Value like) {
    RankedTensorType type = tensorType(like);
    Type element = type.getElementType();
    auto scalar = RankedTensorType::get({}, element);
    Attribute value = isa<FloatType>(element) ? Attribute(b.getFloatAttr(element, number)) : b.getIntegerAttr(element, int64_t(number));
    return make<ExpandOp>(make<ConstantOp>(scalar, DenseElementsAttr::get(scalar, value)), makeDimArray(b.getContext(), getDims(type)));
  }

  OpBuilder b;
  Location loc;
};

/// The first elements of every dim, as many as `shape` says.
Value firstElements(Builder &b, Value x, ArrayRef<DimAttr> shape) {
  if (ArrayRef<DimAttr>(getDims(tensorType(x))) == shape)
    return x;
  MLIRContext *context = x.getContext();
  SmallVector<DimAttr> starts(shape.size(), DimAttr::constant(context, 0));
  return b.make<SliceOp>(x, makeDimArray(context, starts), makeDimArray(context, shape), SmallVector<int64_t>(shape.size(), 1));
}

Value scatter(Builder &b, Value base, Value indices, Value source, int64_t dim, ScatterReduce how, bool excludeSelf) {
  return b.routine(kernel::Routine::scatter, {base, indices, source}, base.getType(), {dim, int64_t(how), excludeSelf})[0];
}

/// Sums and counts of what is written to each element, divided where there is something; integers round down.
Value scatterMean(Builder &b, ScatterOp op, Value source) {
  Value base = op.getBase(), indices = op.getIndices(), zero = b.filled(0, base), one = b.filled(1, base);
  int64_t dim = op.getDim();
  bool exclude = op.getExcludeSelf();
  Value written = scatter(b, zero, indices, b.filled(1, source), dim, ScatterReduce::sum, false);
  Value sum = scatter(b, base, indices, source, dim, ScatterReduce::sum, exclude);
  Value count = b.make<MaximumOp>(exclude ? written : b.make<AddOp>(written, one), one);
  Value mean = isa<FloatType>(tensorType(base).getElementType()) ? b.make<DivOp>(sum, count) : b.make<DivFloorOp>(sum, count);
  return b.make<WhereOp>(b.make<GtOp>(written, zero), mean, base);
}

SmallVector<Value> useScatter(ScatterOp op) {
  Builder b(op);
  RankedTensorType base = tensorType(op.getBase());
  SmallVector<DimAttr> shape = getDims(tensorType(op.getIndices()));
  Value source = firstElements(b, op.getSource(), shape), indices = op.getIndices(), whole = op.getBase();
  int64_t dim = op.getDim();
  if (base.getRank() == 0) { // one element, at place 0
    ArrayAttr one = makeDimArray(op.getContext(), {DimAttr::constant(op.getContext(), 1)});
    whole = b.make<ReshapeOp>(whole, one), source = b.make<ReshapeOp>(source, one), indices = b.make<ReshapeOp>(indices, one);
    dim = 0;
  }
  Value result = op.getReduce() == ScatterReduce::mean && base.getRank() != 0 ? scatterMean(b, op, source)
                                                                            : scatter(b, whole, indices, source, dim, op.getReduce(), op.getExcludeSelf());
  return {base.getRank() == 0 ? b.make<ReshapeOp>(result, makeDimArray(op.getContext(), ArrayRef<DimAttr>())) : result};
}

template <typename Op> SmallVector<Value> useScan(Op op, kernel::Routine routine) {
  return Builder(op).routine(routine, op.getX(), op->getResultTypes(), {int64_t(op.getDim())});
}

SmallVector<Value> useSort(Operation *op, Value x, int64_t dim, bool descending) {
  return Builder(op).routine(kernel::Routine::sort, x, op->getResultTypes(), {dim, descending});
}

} // namespace

Value graphc::scatterSlices(OpBuilder &builder, Location loc, Value base, Value indices, Value source, int64_t dim, ScatterReduce how) {
  RankedTensorType type = tensorType(base);
  Type plain = getTensorType(getDims(type), type.getElementType());
  auto op = kernel::RoutineOp::create(builder, loc, TypeRange(plain), kernel::Routine::scatter, ValueRange{base, indices, source},
                                      ArrayRef<int64_t>{dim, int64_t(how), 0});
  return op->getResult(0);
}

SmallVector<Value> graphc::useRoutine(Operation *op) {
  auto x = op->getNumOperands() ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  if (!x || (x.getRank() == 0 && !isa<ScatterOp>(op)))
    return {};
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<CumsumOp>([](auto o) { return useScan(o, kernel::Routine::cumsum); })
      .Case<CumprodOp>([](auto o) { return useScan(o, kernel::Routine::cumprod); })
      .Case<LogcumsumexpOp>([](auto o) { return useScan(o, kernel::Routine::logcumsumexp); })
      .Case<CummaxOp>([](auto o) { return useScan(o, kernel::Routine::cummax); })
      .Case<CumminOp>([](auto o) { return useScan(o, kernel::Routine::cummin); })
      .Case<SortOp>([](SortOp o) { return useSort(o, o.getX(), o.getDim(), o.getDescending()); })
      .Case<TopkOp>([](TopkOp o) { return useSort(o, o.getX(), o.getDim(), !o.getSmallest()); })
      .Case<ScatterOp>([](ScatterOp o) { return useScatter(o); })
      .Default(SmallVector<Value>());
}
