// The functions of the scalar dialect in LLVM IR, on scalars or vectors of f32 or f64, within the error bounds and with the edge
// values of ir/scalar/ScalarOps.td.
//
//   f32: the hot functions (exp, exp2, log, tanh, erf) in f32, all others in double and rounded once; arguments beyond 2^50 of sin, cos
//        and tan go to the services table lane by lane, where full reduction is done
//   f64: the services table, lane by lane
//
// The polynomials come from codegen/cpu/fit_math.py.
#ifndef GRAPHC_CODEGEN_CPU_VECTORMATH_H
#define GRAPHC_CODEGEN_CPU_VECTORMATH_H

#include "codegen/cpu/FunctionBuilder.h"

namespace graphc::cpu {

enum class MathFunction {
  Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Erf, Erfc
};

/// `x` is float or double, or a vector of them.
llvm::Value *emitMath(FunctionBuilder &f, MathFunction function, llvm::Value *x);
llvm::Value *emitPow(FunctionBuilder &f, llvm::Value *x, llvm::Value *y);
llvm::Value *emitAtan2(FunctionBuilder &f, llvm::Value *y, llvm::Value *x);
llvm::Value *emitFmod(FunctionBuilder &f, llvm::Value *x, llvm::Value *y);

/// Calls entry `service` (of one or two doubles) for every lane; f32 lanes are widened and the result rounded.
llvm::Value *callPerLane(FunctionBuilder &f, unsigned service, llvm::ArrayRef<llvm::Value *> arguments);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_VECTORMATH_H
