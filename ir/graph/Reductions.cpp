// Reductions and scans: result types, and one element each.
#include "ir/graph/Moments.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Monoid;

//===-- result types -----------------------------------------------------------===//

/// Whether any of dims is the constant 0.
static bool isEmptyAlong(RankedTensorType type, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims, [&](int64_t d) { return isConstant(graph::getDim(type, d), 0); });
}

static LogicalResult inferReduction(OptionalLoc loc, Value x, ArrayRef<int64_t> dims, bool keepdim, bool needsElements, Type element,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(x);
  if (failed(checkDims(loc, dims, type.getRank(), /*sorted=*/true)))
    return failure();
  RankedTensorType result = reducedType(type, dims, keepdim, element);
  if (needsElements && isEmptyAlong(type, dims) && !isConstant(getNumElements(result), 0))
    return emitOptionalError(loc, "the reduced dims of ", type, " have no elements, and this reduction has no identity");
  types.push_back(result);
  return success();
}

#define GRAPHC_INFER_REDUCTION(Op, needsElements, element)                                                                                 \
  LogicalResult Op::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {                   \
    return inferReduction(loc, a.getX(), a.getDims(), a.getKeepdim(), needsElements, element, types);                                    \
  }
GRAPHC_INFER_REDUCTION(SumOp, false, Type())
GRAPHC_INFER_REDUCTION(ProdOp, false, Type())
GRAPHC_INFER_REDUCTION(MeanOp, false, Type())
GRAPHC_INFER_REDUCTION(AmaxOp, true, Type())
GRAPHC_INFER_REDUCTION(AminOp, true, Type())
GRAPHC_INFER_REDUCTION(AnyOp, false, Type())
GRAPHC_INFER_REDUCTION(AllOp, false, Type())
GRAPHC_INFER_REDUCTION(ArgmaxOp, true, IntegerType::get(context, 64))
GRAPHC_INFER_REDUCTION(ArgminOp, true, IntegerType::get(context, 64))
GRAPHC_INFER_REDUCTION(VarOp, false, Type())
GRAPHC_INFER_REDUCTION(LogsumexpOp, false, Type())
#undef GRAPHC_INFER_REDUCTION

static LogicalResult inferExtremeAlong(OptionalLoc loc, Value x, int64_t dim, bool keepdim, SmallVectorImpl<Type> &types) {
  if (failed(inferReduction(loc, x, {dim}, keepdim, /*needsElements=*/true, Type(), types)))
    return failure();
  types.push_back(getTensorType(graph::getDims(cast<RankedTensorType>(types[0])), IntegerType::get(x.getContext(), 64)));
  return success();
}
LogicalResult MaxDimOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferExtremeAlong(loc, a.getX(), a.getDim(), a.getKeepdim(), types);
}
LogicalResult MinDimOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferExtremeAlong(loc, a.getX(), a.getDim(), a.getKeepdim(), types);
}

static LogicalResult inferSame(OptionalLoc loc, Value x, int64_t dim, SmallVectorImpl<Type> &types) {
  types.push_back(x.getType());
  return checkDim(loc, dim, tensorType(x).getRank());
}
LogicalResult CumsumOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSame(loc, a.getX(), a.getDim(), types);
}
LogicalResult CumprodOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSame(loc, a.getX(), a.getDim(), types);
}

LogicalResult LogcumsumexpOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSame(loc, a.getX(), a.getDim(), types);
}
static LogicalResult inferExtremeScan(OptionalLoc loc, Value x, int64_t dim, SmallVectorImpl<Type> &types) {
  types.append({x.getType(), getTensorType(graph::getDims(tensorType(x)), IntegerType::get(x.getContext(), 64))});
  return checkDim(loc, dim, tensorType(x).getRank());
}
LogicalResult CummaxOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferExtremeScan(loc, a.getX(), a.getDim(), types);
}
LogicalResult CumminOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferExtremeScan(loc, a.getX(), a.getDim(), types);
}

//===-- one element ----------------------------------------------------------------===//

namespace {
/// A fold of x over `dims` for the result element at `index`.
class Fold {
public:
  Fold(ElementEmitter &e, Operation *op, Value x, ArrayRef<int64_t> dims, bool keepdim, ArrayRef<AffineExpr> index)
      : e(e), op(op), x(x), dims(dims), free(index) {
    for (int64_t d = 0; d < tensorType(x).getRank(); ++d) {
      bool reduced = llvm::is_contained(dims, d);
      outer.push_back(reduced ? AffineExpr() : index.front());
      if (!reduced || keepdim)
        index = index.drop_front();
      if (reduced)
        extents.push_back(graph::getDim(tensorType(x), d));
    }
  }

  /// x at inner index k.
  Value at(ArrayRef<AffineExpr> k) {
    SmallVector<AffineExpr> point(outer);
    for (auto [d, i] : llvm::zip(dims, k))
      point[d] = i;
    return e.element(x, point);
  }
  /// Row-major position of k within the reduced dims.
  Value position(ArrayRef<AffineExpr> k) {
    AffineExpr linear = getAffineConstantExpr(0, e.getContext());
    for (auto [extent, i] : llvm::zip(extents, k))
      linear = linear * e.dim(extent) + i;
    return e.indexValue(linear);
  }
  /// The fold of `term` of each inner index; `number` tells folds of one op apart.
  Value reduce(Monoid monoid, unsigned number, llvm::function_ref<Value(ArrayRef<AffineExpr>)> term) {
    return e.reduce(extents, {monoid}, free, foldKey(op, number),
                    [&](ArrayRef<AffineExpr> k) { return SmallVector<Value>{term(k)}; })[0];
  }
  /// Value and position of the extreme element.
  SmallVector<Value> reduceWithPosition(Monoid monoid) {
    return e.reduce(extents, {monoid}, free, op, [&](ArrayRef<AffineExpr> k) { return SmallVector<Value>{at(k), position(k)}; });
  }
  Value plain(Monoid monoid) {
    return reduce(monoid, 0, [&](ArrayRef<AffineExpr> k) { return at(k); });
  }
  /// How many elements are folded, in the compute type of x.
  Value count() { return emitCount(e, extents, scalar::computeType(tensorType(x).getElementType())); }
  Moments moments() {
    return emitMoments(e, op, extents, free, [&](ArrayRef<AffineExpr> k) { return at(k); });
  }

private:
  ElementEmitter &e;
  Operation *op;
  Value x;
  ArrayRef<int64_t> dims;
  ArrayRef<AffineExpr> free;
  SmallVector<AffineExpr> outer;
  SmallVector<DimAttr> extents;
};
} // namespace

#define GRAPHC_EMIT_REDUCTION(Op, monoid)                                                                                                  \
  Value Op::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {                                                       \
    return Fold(e, *this, getX(), getDims(), getKeepdim(), index).plain(monoid);                                                         \
  }
GRAPHC_EMIT_REDUCTION(SumOp, Monoid::sum)
GRAPHC_EMIT_REDUCTION(ProdOp, Monoid::prod)
GRAPHC_EMIT_REDUCTION(AmaxOp, Monoid::max)
GRAPHC_EMIT_REDUCTION(AminOp, Monoid::min)
GRAPHC_EMIT_REDUCTION(AnyOp, Monoid::any)
GRAPHC_EMIT_REDUCTION(AllOp, Monoid::all)
#undef GRAPHC_EMIT_REDUCTION

Value MeanOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Fold fold(e, *this, getX(), getDims(), getKeepdim(), index);
  return e.scalar().div(fold.plain(Monoid::sum), fold.count());
}

Value ArgmaxOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return Fold(e, *this, getX(), getDims(), getKeepdim(), index).reduceWithPosition(Monoid::argmax)[1];
}
Value ArgminOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return Fold(e, *this, getX(), getDims(), getKeepdim(), index).reduceWithPosition(Monoid::argmin)[1];
}
Value MaxDimOp::emitElement(ElementEmitter &e, unsigned result, ArrayRef<AffineExpr> index) {
  int64_t dim = getDim();
  return Fold(e, *this, getX(), dim, getKeepdim(), index).reduceWithPosition(Monoid::argmax)[result];
}
Value MinDimOp::emitElement(ElementEmitter &e, unsigned result, ArrayRef<AffineExpr> index) {
  int64_t dim = getDim();
  return Fold(e, *this, getX(), dim, getKeepdim(), index).reduceWithPosition(Monoid::argmin)[result];
}

Value VarOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Fold fold(e, *this, getX(), getDims(), getKeepdim(), index);
  Value squares = fold.moments().squares, count = fold.count();
  scalar::ScalarBuilder &b = e.scalar();
  Value divisor = b.sub(count, b.constantLike(getCorrection().convertToDouble(), count));
  return b.div(squares, b.max(divisor, b.constantLike(0, divisor)));
}

Value LogsumexpOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Fold fold(e, *this, getX(), getDims(), getKeepdim(), index);
  Value max = fold.plain(Monoid::max);
  // An infinite maximum would give inf - inf: shift by 0 then, as eager does.
  auto shift = [&] { return e.scalar().select(scalar::isInf(e.scalar(), max), e.scalar().constantLike(0, max), max); };
  Value sum = fold.reduce(Monoid::sum, 1, [&](ArrayRef<AffineExpr> k) { return e.scalar().exp(e.scalar().sub(fold.at(k), shift())); });
  return e.scalar().add(e.scalar().log(sum), shift());
}

/// A scan's element as a fold over all positions up to it: right everywhere; the scan root replaces it where it must be fast.
static Value emitScan(ElementEmitter &e, Operation *op, Value x, int64_t dim, Monoid monoid, ArrayRef<AffineExpr> index) {
  DimAttr extent = graph::getDim(tensorType(x), dim);
  return e.reduce({extent}, {monoid}, index, op, [&](ArrayRef<AffineExpr> k) {
    SmallVector<AffineExpr> point(index);
    point[dim] = k[0];
    Type compute = scalar::computeType(tensorType(x).getElementType());
    Value neutral = e.scalar().constant(monoid == Monoid::sum ? 0 : 1, compute);
    return SmallVector<Value>{e.maskedElement(x, point, kernel::Mask{{index[dim] - k[0]}, {false}}, neutral)};
  })[0];
}
Value CumsumOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitScan(e, *this, getX(), getDim(), Monoid::sum, index);
}
Value CumprodOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitScan(e, *this, getX(), getDim(), Monoid::prod, index);
}
