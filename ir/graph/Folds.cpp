// Folds and canonicalisation of graph ops. A fold never changes a result's bits: x + 0 stays (it turns -0 into +0), x * 1 goes.
#include "ir/graph/GraphSupport.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

/// The value of a splat constant as double; nullopt for others (integers beyond 2^53 included).
static std::optional<double> splatValue(Attribute attribute) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType())) {
    APFloat value = dense.getSplatValue<APFloat>();
    bool lossy = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  APInt value = dense.getSplatValue<APInt>();
  if (value.getSignificantBits() > 53)
    return std::nullopt;
  bool isUnsigned = dense.getElementType().isUnsignedInteger() || dense.getElementType().isInteger(1);
  return isUnsigned ? double(value.getZExtValue()) : double(value.getSExtValue());
}

static bool isSplat(Attribute attribute, double expected) {
  std::optional<double> value = splatValue(attribute);
  return value && *value == expected;
}

/// `value` where it has the op's type, so that it can replace the result.
static OpFoldResult sameTyped(Value value, Type type) { return value.getType() == type ? OpFoldResult(value) : OpFoldResult(); }

//===-- pointwise ----------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<NegOp>();
  return inner ? sameTyped(inner.getX(), getType()) : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) { return getX().getDefiningOp<ReluOp>() ? sameTyped(getX(), getType()) : OpFoldResult(); }

OpFoldResult CastOp::fold(FoldAdaptor) { return sameTyped(getX(), getType()); }

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isa<FloatType>(getType().getElementType()))
    return {};
  if (isSplat(adaptor.getRhs(), 0))
    return sameTyped(getLhs(), getType());
  return isSplat(adaptor.getLhs(), 0) ? sameTyped(getRhs(), getType()) : OpFoldResult();
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  std::optional<double> value = splatValue(adaptor.getRhs());
  return value && *value == 0 && !std::signbit(*value) ? sameTyped(getLhs(), getType()) : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return sameTyped(getLhs(), getType());
  return isSplat(adaptor.getLhs(), 1) ? sameTyped(getRhs(), getType()) : OpFoldResult();
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) { return isSplat(adaptor.getRhs(), 1) ? sameTyped(getLhs(), getType()) : OpFoldResult(); }

/// Exponents that eager computes without pow, too; the base keeps the result's shape.
LogicalResult PowOp::canonicalize(PowOp op, PatternRewriter &rewriter) {
  Attribute exponent;
  if (!matchPattern(op.getRhs(), m_Constant(&exponent)) || op.getLhs().getType() != op.getType())
    return rewriter.notifyMatchFailure(op, "the exponent is no constant, or the base is broadcast");
  std::optional<double> value = splatValue(exponent);
  Value base = op.getLhs();
  Location loc = op.getLoc();
  bool isFloat = isa<FloatType>(op.getType().getElementType());
  if (!value || (!isFloat && *value != 1 && *value != 2 && *value != 3))
    return rewriter.notifyMatchFailure(op, "no cheaper form of this exponent");
  if (*value == 1)
    rewriter.replaceOp(op, base);
  else if (*value == 2)
    rewriter.replaceOpWithNewOp<MulOp>(op, base, base);
  else if (*value == 3)
    rewriter.replaceOpWithNewOp<MulOp>(op, MulOp::create(rewriter, loc, base, base), base);
  else if (*value == 0.5)
    rewriter.replaceOpWithNewOp<SqrtOp>(op, base);
  else if (*value == -0.5)
    rewriter.replaceOpWithNewOp<RsqrtOp>(op, base);
  else if (*value == -1)
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, base);
  else if (*value == -2)
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, MulOp::create(rewriter, loc, base, base));
  else
    return rewriter.notifyMatchFailure(op, "no cheaper form of this exponent");
  return success();
}

//===-- views ----------------------------------------------------------------------===//

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (llvm::all_of(llvm::enumerate(getDims()), [](auto item) { return item.value() == int64_t(item.index()); }))
    return sameTyped(getX(), getType());
  auto inner = getX().getDefiningOp<PermuteOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> dims = llvm::map_to_vector(getDims(), [&](int64_t d) { return inner.getDims()[d]; });
  setDims(dims);
  getXMutable().assign(inner.getX());
  return getResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<ReshapeOp>();
  if (!inner)
    return {};
  getXMutable().assign(inner.getX());
  return getResult();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  auto inner = getX().getDefiningOp<ExpandOp>();
  if (!inner)
    return {};
  getXMutable().assign(inner.getX());
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool whole = llvm::all_of(getDimArray(getStarts()), [](DimAttr start) { return isConstant(start, 0); }) &&
               llvm::all_of(getSteps(), [](int64_t step) { return step == 1; });
  return whole ? sameTyped(getX(), getType()) : OpFoldResult();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) { return getParts().size() == 1 ? sameTyped(getParts()[0], getType()) : OpFoldResult(); }
