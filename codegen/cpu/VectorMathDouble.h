// Functions computed in double for f32 results: arguments are floats widened to double, relative errors stay below 1e-9, so rounding the
// result to f32 is within 0.52 ulp. See VectorMath.h.
#ifndef GRAPHC_CODEGEN_CPU_VECTORMATHDOUBLE_H
#define GRAPHC_CODEGEN_CPU_VECTORMATHDOUBLE_H

#include "codegen/cpu/VectorMath.h"

namespace graphc::cpu {

llvm::Value *emitMathInDouble(FunctionBuilder &f, MathFunction function, llvm::Value *x);
llvm::Value *emitPowInDouble(FunctionBuilder &f, llvm::Value *x, llvm::Value *y);
llvm::Value *emitAtan2InDouble(FunctionBuilder &f, llvm::Value *y, llvm::Value *x);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_VECTORMATHDOUBLE_H
