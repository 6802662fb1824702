// Short spelling of floating-point IR for VectorMath*.cpp: constants splat to the type at hand, polynomials by Horner's rule, bit tricks.
#ifndef GRAPHC_CODEGEN_CPU_MATHBUILDER_H
#define GRAPHC_CODEGEN_CPU_MATHBUILDER_H

#include "codegen/cpu/FunctionBuilder.h"

#include "llvm/IR/Intrinsics.h"

namespace graphc::cpu {

class MathBuilder {
public:
  /// All values have `type`: float or double, or a vector of them.
  MathBuilder(FunctionBuilder &f, llvm::Type *type)
      : f(f), b(f.b), type(type), intType(type->getWithNewType(b.getIntNTy(type->getScalarSizeInBits()))) {}

  using V = llvm::Value *;
  V c(double value) { return llvm::ConstantFP::get(type, value); }
  V ci(int64_t value) { return llvm::ConstantInt::get(intType, value, true); }
  V add(V x, V y) { return b.CreateFAdd(x, y); }
  V sub(V x, V y) { return b.CreateFSub(x, y); }
  V mul(V x, V y) { return b.CreateFMul(x, y); }
  V div(V x, V y) { return b.CreateFDiv(x, y); }
  V fma(V x, V y, V z) { return f.intrinsic(llvm::Intrinsic::fma, {type}, {x, y, z}); }
  V abs(V x) { return f.intrinsic(llvm::Intrinsic::fabs, {type}, {x}); }
  V sqrt(V x) { return f.intrinsic(llvm::Intrinsic::sqrt, {type}, {x}); }
  V trunc(V x) { return f.intrinsic(llvm::Intrinsic::trunc, {type}, {x}); }
  V copysign(V x, V sign) { return f.intrinsic(llvm::Intrinsic::copysign, {type}, {x, sign}); }
  V neg(V x) { return b.CreateFNeg(x); }
  V select(V condition, V x, V y) { return b.CreateSelect(condition, x, y); }
  V lt(V x, V y) { return b.CreateFCmpOLT(x, y); }
  V gt(V x, V y) { return b.CreateFCmpOGT(x, y); }
  V ge(V x, V y) { return b.CreateFCmpOGE(x, y); }
  V eq(V x, V y) { return b.CreateFCmpOEQ(x, y); }
  V isNan(V x) { return b.CreateFCmpUNO(x, x); }
  V bits(V x) { return b.CreateBitCast(x, intType); }
  V fromBits(V x) { return b.CreateBitCast(x, type); }
  /// c[0] + c[1] x + …
  V polynomial(V x, llvm::ArrayRef<double> coefficients) {
    V result = c(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, c(coefficient));
    return result;
  }
  /// x rounded to the nearest integer, |x| < 2^22 (f32) or 2^51 (f64), and that integer; no undefined result for other x.
  std::pair<V, V> round(V x) {
    double magic = type->getScalarSizeInBits() == 32 ? 12582912.0 : 6755399441055744.0; // 1.5 * 2^23, 1.5 * 2^52
    V shifted = add(x, c(magic));
    return {sub(shifted, c(magic)), b.CreateSub(bits(shifted), b.CreateBitCast(c(magic), intType))};
  }
  /// 2^n for -bias < n <= bias, as bits.
  V powerOfTwo(V n) {
    bool isFloat = type->getScalarSizeInBits() == 32;
    return fromBits(b.CreateShl(b.CreateAdd(n, ci(isFloat ? 127 : 1023)), ci(isFloat ? 23 : 52)));
  }
  V clamp(V x, double low, double high) { // NaN stays
    x = select(lt(x, c(low)), c(low), x);
    return select(gt(x, c(high)), c(high), x);
  }

  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  llvm::Type *type, *intType;
};

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_MATHBUILDER_H
