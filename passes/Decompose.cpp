// Takes composite ops without a kernel of their own apart into simpler graph ops, at the same locations.
//
//   scaled_dot_product_attention   matmul, scale, mask, softmax, matmul
//   lstm, gru                      one linear over all steps, then a cell for each step (the number of steps is known)
//   lstm_cell, gru_cell            two linears and pointwise gates
//   scan, scatter, sort, …         routines of the runtime (decompose/Routines.h), or comparisons and reductions (decompose/Indexing.h)
//   sum, mean, … over one element  a reshape; pools of one element: a slice
//   batch_norm, large group_norm   scale and shift; statistics in two steps (decompose/Normalizations.h)
//   convolution of symbolic dims   pads, then a convolution without padding, or windows and a matmul (decompose/Convolutions.h)
//   conv_transpose                 a convolution whose outputs are interleaved
//
// The op that gives the composite's result carries its `graph.value`.
#include "ir/graph/Infer.h"
#include "passes/Passes.h"
#include "passes/decompose/Convolutions.h"
#include "passes/decompose/DecomposeBuilder.h"
#include "passes/decompose/Indexing.h"
#include "passes/decompose/Normalizations.h"
#include "passes/decompose/Routines.h"
#include "passes/outline/Groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace graphc {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

void replace(Operation *op, ArrayRef<Value> results) {
  for (auto [old, value] : llvm::zip(op->getResults(), results)) {
    old.replaceAllUsesWith(value);
    // An op's id is that of its first result.
    auto first = old.getResultNumber() == 0 ? dyn_cast<OpResult>(value) : OpResult();
    Attribute id = op->getAttr(valueAttrName);
    if (id && first && first.getResultNumber() == 0 && !first.getOwner()->hasAttr(valueAttrName))
      first.getOwner()->setAttr(valueAttrName, id);
  }
  op->erase();
}

//===-- attention --------------------------------------------------------------------===//

/// Heads of k or v repeated to `heads`: head h is x's head h floordiv (heads / x's heads).
Value repeatHeads(DecomposeBuilder &b, Value x, DimAttr heads) {
  SmallVector<DimAttr> shape = getDims(tensorType(x));
  size_t at = shape.size() - 3;
  if (shape[at] == heads)
    return x;
  DimAttr repeats = DimAttr::binary(DimKind::FloorDiv, heads, shape[at]);
  SmallVector<DimAttr> grouped(shape), merged(shape);
  grouped.insert(grouped.begin() + at + 1, b.dim(1));
  Value split = b.reshape(x, grouped);
  grouped[at + 1] = repeats;
  merged[at] = heads;
  return b.reshape(b.expand(split, grouped), merged);
}

/// bool [l, s]: j <= i.
Value causalMask(DecomposeBuilder &b, DimAttr rows, DimAttr columns) {
  Type i64 = b.b.getI64Type();
  Value i = b.make<IotaOp>(b.dim(0), b.dim(1), rows, i64), j = b.make<IotaOp>(b.dim(0), b.dim(1), columns, i64);
  return b.make<LeOp>(j, b.reshape(i, {rows, b.dim(1)}));
}

/// What scores are multiplied with: a 0-d constant, or computed from a symbolic number of features.
Value attentionScale(DecomposeBuilder &b, AttentionOp op, Type element) {
  if (op.getScale())
    return b.number(op.getScale()->convertToDouble(), element);
  RankedTensorType query = tensorType(op.getQuery());
  DimAttr features = getDim(query, query.getRank() - 1);
  if (features.isConstant())
    return b.number(1 / std::sqrt(double(features.getValue())), element);
  return b.make<CastOp>(b.make<RsqrtOp>(b.dimValue(features, b.b.getF64Type())), element);
}

void decomposeAttention(AttentionOp op) {
  DecomposeBuilder b(op);
  Value key = op.getKey(), value = op.getValue(), mask = op.getMask();
  RankedTensorType query = tensorType(op.getQuery());
  if (op.getGqa()) {
    DimAttr heads = getDim(query, query.getRank() - 3);
    key = repeatHeads(b, key, heads);
    value = repeatHeads(b, value, heads);
  }
  Type element = query.getElementType(), compute = element.isF16() || element.isBF16() ? b.b.getF32Type() : element;
  auto widened = [&](Value x) { return compute == element ? x : b.make<CastOp>(x, compute); }; // scores keep more than half types have
  Value scores = b.make<MatmulOp>(widened(op.getQuery()), b.transpose(widened(key)));
  scores = b.make<MulOp>(scores, attentionScale(b, op, compute));
  RankedTensorType scoresType = tensorType(scores);
  if (op.getCausal())
    mask = causalMask(b, getDim(scoresType, scoresType.getRank() - 2), getDim(scoresType, scoresType.getRank() - 1));
  bool isBool = mask && tensorType(mask).getElementType().isInteger(1);
  if (isBool)
    scores = b.make<WhereOp>(mask, scores, b.number(-std::numeric_limits<double>::infinity(), scores));
  else if (mask)
    scores = b.make<AddOp>(scores, widened(mask));
  Value weights = b.make<SoftmaxOp>(scores, scoresType.getRank() - 1);
  if (isBool && !op.getCausal()) { // rows in which nothing takes part
    int64_t last = tensorType(mask).getRank() - 1;
    Value some = last < 0 ? mask : b.make<AnyOp>(mask, ArrayRef<int64_t>{last}, true);
    weights = b.make<WhereOp>(some, weights, b.number(0, weights));
  }
  if (compute != element)
    weights = b.make<CastOp>(weights, element);
  replace(op, {b.make<MatmulOp>(weights, value)});
}

//===-- recurrent cells ------------------------------------------------------------------===//

/// What a step needs besides its input: the recurrent weights and the gates of the input, x W_ih^T + b_ih.
struct Step {
  Value inputGates, h, c, wHh, bHh;
};

/// Slice `number` of `count` equal ones of the last dim.
Value part(DecomposeBuilder &b, Value gates, int64_t number, DimAttr size) {
  return b.slice(gates, tensorType(gates).getRank() - 1, size * b.dim(number), size);
}

/// Gates in PyTorch's order: input, forget, cell, output. Gives h and c.
std::pair<Value, Value> lstmStep(DecomposeBuilder &b, const Step &step) {
  DimAttr hidden = getDim(tensorType(step.h), 1);
  Value gates = b.make<AddOp>(b.make<LinearOp>(step.h, step.wHh, step.bHh), step.inputGates);
  Value i = b.make<SigmoidOp>(part(b, gates, 0, hidden)), f = b.make<SigmoidOp>(part(b, gates, 1, hidden));
  Value g = b.make<TanhOp>(part(b, gates, 2, hidden)), o = b.make<SigmoidOp>(part(b, gates, 3, hidden));
  Value c = b.make<AddOp>(b.make<MulOp>(f, step.c), b.make<MulOp>(i, g));
  return {b.make<MulOp>(o, b.make<TanhOp>(c)), c};
}

/// Gates in PyTorch's order: reset, update, new.
Value gruStep(DecomposeBuilder &b, const Step &step) {
  DimAttr hidden = getDim(tensorType(step.h), 1);
  Value recurrent = b.make<LinearOp>(step.h, step.wHh, step.bHh);
  auto sum = [&](int64_t n) { return b.make<AddOp>(part(b, step.inputGates, n, hidden), part(b, recurrent, n, hidden)); };
  Value reset = b.make<SigmoidOp>(sum(0)), update = b.make<SigmoidOp>(sum(1));
  Value gated = b.make<MulOp>(reset, part(b, recurrent, 2, hidden));
  Value fresh = b.make<TanhOp>(b.make<AddOp>(part(b, step.inputGates, 2, hidden), gated));
  return b.make<AddOp>(b.make<MulOp>(b.make<SubOp>(step.h, fresh), update), fresh);
}

void decomposeCell(LstmCellOp op) {
  DecomposeBuilder b(op);
  Value gates = b.make<LinearOp>(op.getX(), op.getWIh(), op.getBIh());
  auto [h, c] = lstmStep(b, {gates, op.getH(), op.getC(), op.getWHh(), op.getBHh()});
  replace(op, {h, c});
}

void decomposeCell(GruCellOp op) {
  DecomposeBuilder b(op);
  Value gates = b.make<LinearOp>(op.getX(), op.getWIh(), op.getBIh());
  replace(op, {gruStep(b, {gates, op.getH(), Value(), op.getWHh(), op.getBHh()})});
}

//===-- recurrent layers -------------------------------------------------------------------===//

/// Row `index` of a [n, b, h] tensor as [b, h].
Value row(DecomposeBuilder &b, Value x, int64_t index) {
  SmallVector<DimAttr> shape = getDims(tensorType(x));
  Value one = b.slice(x, 0, b.dim(index), b.dim(1));
  shape.erase(shape.begin());
  return b.reshape(one, shape);
}

/// [b, h] tensors stacked to [n, b, h].
Value stack(DecomposeBuilder &b, ArrayRef<Value> rows) {
  SmallVector<Value> parts;
  for (Value x : rows) {
    SmallVector<DimAttr> shape = getDims(tensorType(x));
    shape.insert(shape.begin(), b.dim(1));
    parts.push_back(b.reshape(x, shape));
  }
  return parts.size() == 1 ? parts[0] : b.make<ConcatOp>(parts, 0);
}

Value swapBatch(DecomposeBuilder &b, Value x) { return b.permute(x, {1, 0, 2}); }

struct LastStates {
  SmallVector<Value> h, c;
};

/// One layer in one direction over x [t, b, in]: y [t, b, hidden]; pushes the last states.
template <typename Op> Value runDirection(DecomposeBuilder &b, Op op, Value x, unsigned index, bool reverse, LastStates &last) {
  constexpr bool isLstm = std::is_same_v<Op, LstmOp>;
  unsigned perDirection = op.getBiases() ? 4 : 2;
  ValueRange weights = op.getWeights().slice(index * perDirection, perDirection);
  int64_t steps = tensorType(x).getDimSize(0);
  Value gates = b.make<LinearOp>(x, weights[0], op.getBiases() ? weights[2] : Value());
  Step step{Value(), row(b, op.getH(), index), Value(), weights[1], op.getBiases() ? weights[3] : Value()};
  if constexpr (isLstm)
    step.c = row(b, op.getC(), index);
  SmallVector<Value> rows(steps);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t t = reverse ? steps - 1 - i : i;
    step.inputGates = row(b, gates, t);
    if constexpr (isLstm)
      std::tie(step.h, step.c) = lstmStep(b, step);
    else
      step.h = gruStep(b, step);
    rows[t] = step.h;
  }
  last.h.push_back(step.h);
  last.c.push_back(step.c);
  return stack(b, rows);
}

template <typename Op> LogicalResult decomposeLayers(Op op, int64_t maxSteps) {
  DecomposeBuilder b(op);
  Value x = op.getX();
  DimAttr steps = getDim(tensorType(x), op.getBatchFirst() ? 1 : 0);
  if (!steps.isConstant() || steps.getValue() == 0 || steps.getValue() > maxSteps)
    return op.emitError("over '") << steps.str() << "' steps can't be compiled: expected a number of steps from 1 to " << maxSteps
                                  << "; give the sequence length as a number in --input";
  if (op.getBatchFirst())
    x = swapBatch(b, x);
  LastStates last;
  unsigned index = 0;
  for (int64_t layer = 0; layer < int64_t(op.getLayers()); ++layer) {
    SmallVector<Value> directions;
    for (int reverse = 0; reverse <= int(op.getBidirectional()); ++reverse)
      directions.push_back(runDirection(b, op, x, index++, reverse, last));
    x = directions.size() == 1 ? directions[0] : b.make<ConcatOp>(directions, 2);
  }
  SmallVector<Value> results = {op.getBatchFirst() ? swapBatch(b, x) : x, stack(b, last.h)};
  if constexpr (std::is_same_v<Op, LstmOp>)
    results.push_back(stack(b, last.c));
  replace(op, results);
  return success();
}

/// A fold over dims of size 1 gives the elements themselves.
template <typename Op> void decomposeUnitReduction(Op op) {
  RankedTensorType type = tensorType(op.getX());
  if (llvm::any_of(op.getDims(), [&](int64_t d) { return type.isDynamicDim(d) || type.getDimSize(d) != 1; }))
    return;
  DecomposeBuilder b(op);
  replace(op, {b.reshape(op.getX(), getDims(tensorType(op.getResult())))});
}

/// A pool whose windows are single elements picks them.
template <typename Op> void decomposeUnitPool(Op pool) {
  auto isAll = [](ArrayRef<int64_t> numbers, int64_t value) { return llvm::all_of(numbers, [&](int64_t number) { return number == value; }); };
  if (!isAll(pool.getKernel(), 1) || !isAll(pool.getPadding(), 0))
    return;
  if constexpr (std::is_same_v<Op, AvgPoolOp>)
    if (pool.getDivisor() > 1)
      return;
  DecomposeBuilder b(pool);
  SmallVector<DimAttr> sizes = getDims(tensorType(pool.getResult())), starts(sizes.size(), b.dim(0));
  SmallVector<int64_t> steps(2, 1);
  llvm::append_range(steps, pool.getStride());
  replace(pool, {b.make<SliceOp>(pool.getX(), makeDimArray(b.context, starts), makeDimArray(b.context, sizes), steps)});
}

struct Decompose : graphc::impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    bool ok = true;
    for (Operation *op : ops)
      llvm::TypeSwitch<Operation *>(op)
          .Case<AttentionOp>([](auto attention) { decomposeAttention(attention); })
          .Case<LstmCellOp, GruCellOp>([](auto cell) { decomposeCell(cell); })
          .Case<SumOp, MeanOp, ProdOp, AmaxOp, AminOp>([](auto reduction) { decomposeUnitReduction(reduction); })
          .Case<MaxPoolOp, AvgPoolOp>([](auto pool) { decomposeUnitPool(pool); })
          .Case<LstmOp, GruOp>([&](auto layers) { ok &= succeeded(decomposeLayers(layers, maxSteps)); })
          .Case<ConvolutionOp, ConvTransposeOp>([](Operation *convolution) {
            if (Value result = decomposeConvolution(convolution))
              replace(convolution, {result});
          })
          .Case<BatchNormOp, GroupNormOp>([](Operation *norm) {
            if (Value result = decomposeNormalization(norm))
              replace(norm, {result});
          })
          .Default([&](Operation *other) {
            SmallVector<Value> results = routines ? useRoutine(other) : SmallVector<Value>();
            if (results.empty())
              results = decomposeIndexing(other, routines);
            if (!results.empty())
              replace(other, results);
          });
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
