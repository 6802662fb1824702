// See Routines.h.
//
//   graph.sort %x dim 1                       kernel.routine sort(%x) [1, 0]
//   graph.scatter %b, %i, %s dim 0 mean       two scatters that sum (values, and ones), then a division where something was written
#include "passes/decompose/Routines.h"
#include "passes/decompose/DecomposeBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Sums and counts of what is written to each element, divided where there is something; integers round down.
Value scatterMean(DecomposeBuilder &b, ScatterOp op, Value source) {
  Value base = op.getBase(), indices = op.getIndices(), zero = b.filled(0, base), one = b.filled(1, base);
  int64_t dim = op.getDim();
  bool exclude = op.getExcludeSelf();
  Value written = b.scatter(zero, indices, b.filled(1, source), dim, ScatterReduce::sum, false);
  Value sum = b.scatter(base, indices, source, dim, ScatterReduce::sum, exclude);
  Value count = b.make<MaximumOp>(exclude ? written : b.make<AddOp>(written, one), one);
  Value mean = isa<FloatType>(tensorType(base).getElementType()) ? b.make<DivOp>(sum, count) : b.make<DivFloorOp>(sum, count);
  return b.make<WhereOp>(b.make<GtOp>(written, zero), mean, base);
}

SmallVector<Value> useScatter(ScatterOp op) {
  DecomposeBuilder b(op);
  RankedTensorType base = tensorType(op.getBase());
  SmallVector<DimAttr> shape = getDims(tensorType(op.getIndices()));
  Value source = b.firstElements(op.getSource(), shape), indices = op.getIndices(), whole = op.getBase();
  int64_t dim = op.getDim();
  if (base.getRank() == 0) { // one element, at place 0
    DimAttr one[] = {b.dim(1)};
    whole = b.reshape(whole, one), source = b.reshape(source, one), indices = b.reshape(indices, one);
    dim = 0;
  }
  Value result = op.getReduce() == ScatterReduce::mean && base.getRank() != 0 ? scatterMean(b, op, source)
                                                                            : b.scatter(whole, indices, source, dim, op.getReduce(), op.getExcludeSelf());
  return {base.getRank() == 0 ? b.reshape(result, {}) : result};
}

/// A routine over the op's one operand that gives the op's results.
SmallVector<Value> useOn(Operation *op, kernel::Routine routine, ArrayRef<int64_t> config) {
  return DecomposeBuilder(op).routine(routine, op->getOperand(0), op->getResultTypes(), config);
}

template <typename Op> SmallVector<Value> useScan(Op op, kernel::Routine routine) { return useOn(op, routine, {int64_t(op.getDim())}); }

} // namespace

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
      .Case<SortOp>([](SortOp o) { return useOn(o, kernel::Routine::sort, {int64_t(o.getDim()), o.getDescending()}); })
      .Case<TopkOp>([](TopkOp o) { return useOn(o, kernel::Routine::sort, {int64_t(o.getDim()), !o.getSmallest()}); })
      .Case<ScatterOp>([](ScatterOp o) { return useScatter(o); })
      .Case<EliminateOp>([&](EliminateOp o) { return useOn(o, kernel::Routine::eliminate, {x.getRank() - 2, o.getPivot(), o.getCheck()}); })
      .Case<CholeskyOp>([&](CholeskyOp o) { return useOn(o, kernel::Routine::cholesky, {x.getRank() - 2, o.getCheck()}); })
      .Default(SmallVector<Value>());
}
