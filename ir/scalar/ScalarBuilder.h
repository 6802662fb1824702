// Short spelling for scalar bodies, as used in the op records of the graph dialect:
//
//   body = [{ return b.mul(x[0], b.sigmoid(x[0])); }]
//
// Values are f32, f64, i1, i8…i64 or ui8 scalars (16-bit floats are widened before a body sees them). Binary operands have equal types; a
// `constant` takes its type from a value or is given one. Nothing here folds: canonicalisation does.
#ifndef GRAPHC_IR_SCALAR_SCALARBUILDER_H
#define GRAPHC_IR_SCALAR_SCALARBUILDER_H

#include "ir/scalar/Scalar.h"

namespace graphc::scalar {

class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// A constant of `type` (float or integer); integers are rounded toward zero.
  mlir::Value constant(double value, mlir::Type type);
  mlir::Value intConstant(int64_t value, mlir::Type type);
  mlir::Value constantLike(double value, mlir::Value like) { return constant(value, like.getType()); }

#define GRAPHC_UNARY(name, Op)                                                                                 \
  mlir::Value name(mlir::Value x) { return Op::create(builder, loc, x); }
#define GRAPHC_BINARY(name, Op)                                                                                \
  mlir::Value name(mlir::Value x, mlir::Value y) { return Op::create(builder, loc, x, y); }
  GRAPHC_BINARY(add, AddOp)
  GRAPHC_BINARY(sub, SubOp)
  GRAPHC_BINARY(mul, MulOp)
  GRAPHC_BINARY(div, DivOp)
  GRAPHC_BINARY(intDiv, IntDivOp)
  GRAPHC_BINARY(intFloorDiv, IntFloorDivOp)
  GRAPHC_BINARY(intRem, IntRemOp)
  GRAPHC_BINARY(fmod, FmodOp)
  GRAPHC_BINARY(max, MaxOp)
  GRAPHC_BINARY(min, MinOp)
  GRAPHC_BINARY(pow, PowOp)
  GRAPHC_BINARY(atan2, Atan2Op)
  GRAPHC_BINARY(copysign, CopysignOp)
  GRAPHC_BINARY(bitAnd, AndOp)
  GRAPHC_BINARY(bitOr, OrOp)
  GRAPHC_BINARY(bitXor, XorOp)
  GRAPHC_BINARY(shl, ShlOp)
  GRAPHC_BINARY(shr, ShrOp)
  GRAPHC_UNARY(neg, NegOp)
  GRAPHC_UNARY(abs, AbsOp)
  GRAPHC_UNARY(sqrt, SqrtOp)
  GRAPHC_UNARY(rsqrt, RsqrtOp)
  GRAPHC_UNARY(floor, FloorOp)
  GRAPHC_UNARY(ceil, CeilOp)
  GRAPHC_UNARY(trunc, TruncOp)
  GRAPHC_UNARY(roundEven, RoundEvenOp)
  GRAPHC_UNARY(exp, ExpOp)
  GRAPHC_UNARY(exp2, Exp2Op)
  GRAPHC_UNARY(expm1, Expm1Op)
  GRAPHC_UNARY(log, LogOp)
  GRAPHC_UNARY(log2, Log2Op)
  GRAPHC_UNARY(log10, Log10Op)
  GRAPHC_UNARY(log1p, Log1pOp)
  GRAPHC_UNARY(sin, SinOp)
  GRAPHC_UNARY(cos, CosOp)
  GRAPHC_UNARY(tan, TanOp)
  GRAPHC_UNARY(asin, AsinOp)
  GRAPHC_UNARY(acos, AcosOp)
  GRAPHC_UNARY(atan, AtanOp)
  GRAPHC_UNARY(sinh, SinhOp)
  GRAPHC_UNARY(cosh, CoshOp)
  GRAPHC_UNARY(tanh, TanhOp)
  GRAPHC_UNARY(asinh, AsinhOp)
  GRAPHC_UNARY(acosh, AcoshOp)
  GRAPHC_UNARY(atanh, AtanhOp)
  GRAPHC_UNARY(erf, ErfOp)
  GRAPHC_UNARY(erfc, ErfcOp)
#undef GRAPHC_UNARY
#undef GRAPHC_BINARY

  mlir::Value compare(Predicate predicate, mlir::Value x, mlir::Value y) {
    return CompareOp::create(builder, loc, builder.getI1Type(), PredicateAttr::get(builder.getContext(), predicate), x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse) {
    return SelectOp::create(builder, loc, onTrue.getType(), condition, onTrue, onFalse);
  }
  /// x itself where it has the type already.
  mlir::Value cast(mlir::Value x, mlir::Type type) {
    return x.getType() == type ? x : mlir::Value(CastOp::create(builder, loc, type, x));
  }
  mlir::Value logicalNot(mlir::Value x) { return bitXor(x, intConstant(1, builder.getI1Type())); }
  mlir::Value isNan(mlir::Value x) { return compare(Predicate::ne, x, x); }
  /// 1 / (1 + exp(-x)), without overflow for large |x|.
  mlir::Value sigmoid(mlir::Value x);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// f32 for 16-bit floats, else the type itself: the type in which a body computes on elements of `type`.
mlir::Type computeType(mlir::Type type);

} // namespace graphc::scalar

#endif // GRAPHC_IR_SCALAR_SCALARBUILDER_H
