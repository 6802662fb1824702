// Scalar bodies that take more than a line, by PyTorch's CPU kernels (ATen/native/cpu) with their edge values. Used by the op records of the graph dialect:
//
//   body = [{ return ::graphc::scalar::remainder(b, x[0], x[1]); }]
//
// Operands are f32, f64 or integers of equal types; functions that are only defined for floats say so.
#ifndef GRAPHC_IR_SCALAR_SCALARMATH_H
#define GRAPHC_IR_SCALAR_SCALARMATH_H

#include "ir/scalar/ScalarBuilder.h"

namespace graphc::scalar {

/// x != 0; true of NaN.
mlir::Value isTrue(ScalarBuilder &b, mlir::Value x);
mlir::Value isInf(ScalarBuilder &b, mlir::Value x);
mlir::Value isFinite(ScalarBuilder &b, mlir::Value x);
/// -1, 0 or 1; 0 of NaN.
mlir::Value sign(ScalarBuilder &b, mlir::Value x);
/// All bits flipped; logical not of i1.
mlir::Value bitNot(ScalarBuilder &b, mlir::Value x);
/// min(max(x, low), high) with either bound absent (null): x itself where it equals a bound, NaN from any operand, high where low > high.
mlir::Value clamp(ScalarBuilder &b, mlir::Value x, mlir::Value low, mlir::Value high);

/// Quotients rounded toward zero or down; floats by PyTorch's div_floor (x / 0 is ±inf or NaN, the result is exact in rounding).
mlir::Value divTrunc(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value divFloor(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// Remainders with the sign of the divisor (remainder) or of the dividend (fmod).
mlir::Value remainder(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value fmod(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// Integers by squaring, wrapping; a negative exponent gives 1 for base 1, ±1 for base -1, else 0.
mlir::Value pow(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// sqrt(x² + y²) without overflow in between; inf where either is infinite. Floats.
mlir::Value hypot(ScalarBuilder &b, mlir::Value x, mlir::Value y);

// Activations, of floats.
mlir::Value logSigmoid(ScalarBuilder &b, mlir::Value x);
mlir::Value gelu(ScalarBuilder &b, mlir::Value x, bool tanh);
mlir::Value silu(ScalarBuilder &b, mlir::Value x);
mlir::Value softplus(ScalarBuilder &b, mlir::Value x, double beta, double threshold);
mlir::Value hardsigmoid(ScalarBuilder &b, mlir::Value x);
mlir::Value hardswish(ScalarBuilder &b, mlir::Value x);
mlir::Value elu(ScalarBuilder &b, mlir::Value x, double alpha, double scale, double inputScale);

} // namespace graphc::scalar

#endif // GRAPHC_IR_SCALAR_SCALARMATH_H
