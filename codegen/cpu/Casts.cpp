// scalar.cast on lanes: every conversion between f16, bf16, f32, f64, bool and integers, as our own vector code where an instruction is missing (what
// LLVM would turn into a library call is kept out). 16-bit floats are i16 in registers.
#include "codegen/cpu/LaneEmitter.h"
#include "codegen/cpu/MathBuilder.h"

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

namespace {

class Caster {
public:
  Caster(FunctionBuilder &f, Value *x) : f(f), b(f.b), x(x) {}

  Value *run(mlir::Type from, mlir::Type to) {
    if (from == to)
      return x;
    if (from.isF16() || from.isBF16()) {
      x = from.isF16() ? halfToFloat(x) : brainToFloat(x);
      from = mlir::Float32Type::get(from.getContext());
      if (from == to)
        return x;
    }
    bool fromFloat = mlir::isa<mlir::FloatType>(from);
    if (to.isF16() || to.isBF16()) {
      Value *asFloat = toFloat32(from);
      return to.isF16() ? floatToHalf(asFloat) : floatToBrain(asFloat);
    }
    llvm::Type *type = x->getType()->getWithNewType(registerType(b.getContext(), to));
    if (to.isInteger(1))
      return fromFloat ? b.CreateFCmpUNE(x, zero()) : b.CreateICmpNE(x, zero());
    if (mlir::isa<mlir::FloatType>(to))
      return fromFloat ? b.CreateFPCast(x, type) : intToFloat(from, type);
    return fromFloat ? floatToInt(to, type) : intToInt(from, type);
  }

private:
  Value *zero() { return llvm::Constant::getNullValue(x->getType()); }
  llvm::Type *like(llvm::Type *element) { return x->getType()->getWithNewType(element); }
  bool isUnsigned(mlir::Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

  Value *intToInt(mlir::Type from, llvm::Type *type) { return isUnsigned(from) ? b.CreateZExtOrTrunc(x, type) : b.CreateSExtOrTrunc(x, type); }

  Value *intToFloat(mlir::Type from, llvm::Type *type) {
    Value *wide = x;
    if (x->getType()->getScalarSizeInBits() < 32)
      wide = isUnsigned(from) ? b.CreateZExt(x, like(b.getInt32Ty())) : b.CreateSExt(x, like(b.getInt32Ty()));
    return b.CreateSIToFP(wide, type);
  }

  /// f64 to 16 bits goes through f32 rounded to odd, so that the second rounding decides as one from f64 would.
  Value *toFloat32(mlir::Type from) {
    llvm::Type *floatType = like(b.getFloatTy());
    if (!mlir::isa<mlir::FloatType>(from))
      return intToFloatOdd(from, floatType);
    return from.isF64() ? roundToOdd(x, floatType) : x;
  }
  /// Integers of up to 32 bits are exact in f64; 64-bit ones are beyond f16 and round twice only above 2^53.
  Value *intToFloatOdd(mlir::Type from, llvm::Type *floatType) {
    if (x->getType()->getScalarSizeInBits() < 24)
      return intToFloat(from, floatType);
    return roundToOdd(intToFloat(from, like(b.getDoubleTy())), floatType);
  }
  Value *roundToOdd(Value *wide, llvm::Type *floatType) {
    Value *rounded = b.CreateFPTrunc(wide, floatType), *back = b.CreateFPExt(rounded, wide->getType());
    llvm::Type *ints = like(b.getInt32Ty());
    Value *bits = b.CreateBitCast(rounded, ints), *one = llvm::ConstantInt::get(ints, 1);
    Value *absBack = f.intrinsic(llvm::Intrinsic::fabs, {wide->getType()}, {back}), *absWide = f.intrinsic(llvm::Intrinsic::fabs, {wide->getType()}, {wide});
    Value *isInexact = b.CreateFCmpONE(back, wide);
    Value *down = b.CreateSub(bits, b.CreateZExt(b.CreateFCmpOGT(absBack, absWide), ints)); // toward zero
    Value *odd = b.CreateOr(down, one);
    return b.CreateBitCast(b.CreateSelect(isInexact, odd, bits), floatType);
  }

  Value *halfToFloat(Value *bits) { return b.CreateFPExt(b.CreateBitCast(bits, like(b.getHalfTy())), like(b.getFloatTy())); }
  /// Behind a fence: LLVM merges this rounding with one from f64 before it, into a library call that nobody links.
  Value *floatToHalf(Value *v) {
    Value *fenced = f.intrinsic(llvm::Intrinsic::arithmetic_fence, {v->getType()}, {v});
    return b.CreateBitCast(b.CreateFPTrunc(fenced, like(b.getHalfTy())), like(b.getInt16Ty()));
  }
  Value *brainToFloat(Value *bits) {
    llvm::Type *ints = like(b.getInt32Ty());
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, ints), llvm::ConstantInt::get(ints, 16)), like(b.getFloatTy()));
  }
  /// Round to nearest even by integer arithmetic; NaN becomes a quiet one.
  Value *floatToBrain(Value *v) {
    llvm::Type *ints = like(b.getInt32Ty());
    auto c = [&](uint64_t value) { return llvm::ConstantInt::get(ints, value); };
    Value *bits = b.CreateBitCast(v, ints);
    Value *odd = b.CreateAnd(b.CreateLShr(bits, c(16)), c(1));
    Value *rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, c(0x7fff)), odd), c(16));
    Value *quiet = b.CreateOr(b.CreateLShr(bits, c(16)), c(0x40));
    return b.CreateTrunc(b.CreateSelect(b.CreateFCmpUNO(v, v), quiet, rounded), like(b.getInt16Ty()));
  }

  /// x86's truncating conversion: the most negative value for NaN and what doesn't fit; narrow integers take the low bits.
  Value *floatToInt(mlir::Type to, llvm::Type *type) {
    bool isWide = to.isInteger(64) || to.isIndex();
    llvm::Type *ints = like(b.getIntNTy(isWide ? 64 : 32));
    double limit = isWide ? 0x1p63 : 0x1p31;
    Value *low = llvm::ConstantFP::get(x->getType(), -limit), *high = llvm::ConstantFP::get(x->getType(), limit);
    Value *whole = f.intrinsic(llvm::Intrinsic::trunc, {x->getType()}, {x});
    Value *fits = b.CreateAnd(b.CreateFCmpOGE(whole, low), b.CreateFCmpOLT(whole, high));
    Value *converted = b.CreateFPToSI(b.CreateSelect(fits, whole, zero()), ints);
    Value *smallest = llvm::ConstantInt::get(ints, isWide ? uint64_t(1) << 63 : uint64_t(1) << 31);
    return b.CreateTrunc(b.CreateSelect(fits, converted, smallest), type);
  }

  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  Value *x;
};

} // namespace

Value *graphc::cpu::emitCast(FunctionBuilder &f, Value *x, mlir::Type from, mlir::Type to) { return Caster(f, x).run(from, to); }
