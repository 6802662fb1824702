// The ops of the scalar dialect on lanes: one LLVM instruction where it has the right edge values, else what gives them. Transcendentals are in VectorMath.h, conversions in
// Casts.cpp.
#include "codegen/cpu/LaneEmitter.h"
#include "codegen/cpu/MathBuilder.h"
#include "codegen/cpu/VectorMath.h"
#include "ir/scalar/Scalar.h"
#include "ir/support/Check.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

namespace {

class ScalarEmitter {
public:
  ScalarEmitter(FunctionBuilder &f, mlir::Operation *op, llvm::ArrayRef<Value *> operands, Value *mask)
      : f(f), b(f.b), op(op), x(operands), mask(mask) {
    type = op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType();
    isFloat = mlir::isa<mlir::FloatType>(type);
    isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    unify();
  }

  Value *run() {
    if (auto constant = llvm::dyn_cast<scalar::ConstantOp>(op))
      return emitConstant(constant);
    if (auto cast = llvm::dyn_cast<scalar::CastOp>(op))
      return emitCast(f, x[0], type, cast.getType());
    if (auto compare = llvm::dyn_cast<scalar::CompareOp>(op))
      return emitCompare(compare.getPredicate());
    if (llvm::isa<scalar::SelectOp>(op))
      return b.CreateSelect(x[0], x[1], x[2]);
    return isFloat ? emitFloat() : emitInt();
  }

private:
  /// Widens uniform operands where any is varying; the condition of a select may stay uniform.
  void unify() {
    unsigned width = 0;
    for (Value *v : x)
      if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType()))
        width = vector->getNumElements();
    for (auto [i, v] : llvm::enumerate(x))
      if (!(i == 0 && llvm::isa<scalar::SelectOp>(op) && !v->getType()->isVectorTy()))
        v = f.splat(v, width);
  }

  Value *emitConstant(scalar::ConstantOp constant) {
    llvm::Type *llvmType = registerType(b.getContext(), constant.getType());
    if (auto value = llvm::dyn_cast<mlir::FloatAttr>(constant.getValue()))
      return llvm::ConstantFP::get(llvmType, value.getValue());
    return llvm::ConstantInt::get(llvmType, llvm::cast<mlir::IntegerAttr>(constant.getValue()).getValue());
  }

  Value *emitCompare(scalar::Predicate predicate) {
    using P = llvm::CmpInst::Predicate;
    static constexpr P floats[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
    static constexpr P ints[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
    static constexpr P naturals[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
    unsigned i = static_cast<unsigned>(predicate);
    return isFloat ? b.CreateFCmp(floats[i], x[0], x[1]) : b.CreateICmp(isUnsigned ? naturals[i] : ints[i], x[0], x[1]);
  }

  Value *emitFloat() {
    using namespace scalar;
    using V = Value *;
    MathBuilder m(f, x[0]->getType());
    auto unary = [&](llvm::Intrinsic::ID id) { return f.intrinsic(id, {x[0]->getType()}, {x[0]}); };
    return llvm::TypeSwitch<mlir::Operation *, V>(op)
        .Case<AddOp>([&](auto) { return b.CreateFAdd(x[0], x[1]); })
        .Case<SubOp>([&](auto) { return b.CreateFSub(x[0], x[1]); })
        .Case<MulOp>([&](auto) { return b.CreateFMul(x[0], x[1]); })
        .Case<DivOp>([&](auto) { return b.CreateFDiv(x[0], x[1]); })
        .Case<MaxOp>([&](auto) { return m.select(m.isNan(x[0]), x[0], m.select(m.gt(x[0], x[1]), x[0], x[1])); })
        .Case<MinOp>([&](auto) { return m.select(m.isNan(x[0]), x[0], m.select(m.lt(x[0], x[1]), x[0], x[1])); })
        .Case<PowOp>([&](auto) { return emitPow(f, x[0], x[1]); })
        .Case<Atan2Op>([&](auto) { return emitAtan2(f, x[0], x[1]); })
        .Case<FmodOp>([&](auto) { return emitFmod(f, x[0], x[1]); })
        .Case<CopysignOp>([&](auto) { return m.copysign(x[0], x[1]); })
        .Case<NegOp>([&](auto) { return b.CreateFNeg(x[0]); })
        .Case<AbsOp>([&](auto) { return m.abs(x[0]); })
        .Case<SqrtOp>([&](auto) { return m.sqrt(x[0]); })
        .Case<RsqrtOp>([&](auto) { return m.div(m.c(1), m.sqrt(x[0])); })
        .Case<FloorOp>([&](auto) { return unary(llvm::Intrinsic::floor); })
        .Case<CeilOp>([&](auto) { return unary(llvm::Intrinsic::ceil); })
        .Case<TruncOp>([&](auto) { return unary(llvm::Intrinsic::trunc); })
        .Case<RoundEvenOp>([&](auto) { return unary(llvm::Intrinsic::roundeven); })
        .Default([&](mlir::Operation *) { return emitMath(f, functionOf(), x[0]); });
  }

  MathFunction functionOf() {
    using namespace scalar;
    using F = MathFunction;
    return llvm::TypeSwitch<mlir::Operation *, F>(op)
        .Case<ExpOp>([](auto) { return F::Exp; })
        .Case<Exp2Op>([](auto) { return F::Exp2; })
        .Case<Expm1Op>([](auto) { return F::Expm1; })
        .Case<LogOp>([](auto) { return F::Log; })
        .Case<Log2Op>([](auto) { return F::Log2; })
        .Case<Log10Op>([](auto) { return F::Log10; })
        .Case<Log1pOp>([](auto) { return F::Log1p; })
        .Case<SinOp>([](auto) { return F::Sin; })
        .Case<CosOp>([](auto) { return F::Cos; })
        .Case<TanOp>([](auto) { return F::Tan; })
        .Case<AsinOp>([](auto) { return F::Asin; })
        .Case<AcosOp>([](auto) { return F::Acos; })
        .Case<AtanOp>([](auto) { return F::Atan; })
        .Case<SinhOp>([](auto) { return F::Sinh; })
        .Case<CoshOp>([](auto) { return F::Cosh; })
        .Case<TanhOp>([](auto) { return F::Tanh; })
        .Case<AsinhOp>([](auto) { return F::Asinh; })
        .Case<AcoshOp>([](auto) { return F::Acosh; })
        .Case<AtanhOp>([](auto) { return F::Atanh; })
        .Case<ErfOp>([](auto) { return F::Erf; })
        .Case<ErfcOp>([](auto) { return F::Erfc; })
        .Default([](mlir::Operation *op) {
          GRAPHC_CHECK(false, ("the CPU code generator lacks " + op->getName().getStringRef() + " on floats").str().c_str());
          return F::Exp;
        });
  }

  Value *emitInt() {
    using namespace scalar;
    using V = Value *;
    bool isBool = type.isInteger(1);
    return llvm::TypeSwitch<mlir::Operation *, V>(op)
        .Case<AddOp>([&](auto) { return isBool ? b.CreateOr(x[0], x[1]) : b.CreateAdd(x[0], x[1]); })
        .Case<SubOp>([&](auto) { return isBool ? b.CreateXor(x[0], x[1]) : b.CreateSub(x[0], x[1]); })
        .Case<MulOp>([&](auto) { return isBool ? b.CreateAnd(x[0], x[1]) : b.CreateMul(x[0], x[1]); })
        .Case<MaxOp>([&](auto) { return b.CreateBinaryIntrinsic(isUnsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax, x[0], x[1]); })
        .Case<MinOp>([&](auto) { return b.CreateBinaryIntrinsic(isUnsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, x[0], x[1]); })
        .Case<AndOp>([&](auto) { return b.CreateAnd(x[0], x[1]); })
        .Case<OrOp>([&](auto) { return b.CreateOr(x[0], x[1]); })
        .Case<XorOp>([&](auto) { return b.CreateXor(x[0], x[1]); })
        .Case<ShlOp, ShrOp>([&](auto) { return emitShift(); })
        .Case<NegOp>([&](auto) { return isBool ? x[0] : b.CreateNeg(x[0]); })
        .Case<AbsOp>([&](auto) { return isUnsigned ? x[0] : b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], b.getFalse()); })
        .Default([&](mlir::Operation *) { return emitDivision(); });
  }

  Value *constant(uint64_t value) { return llvm::ConstantInt::get(x[0]->getType(), value); }

  /// Shifts out of range are done with a shift in range and replaced.
  Value *emitShift() {
    unsigned width = type.getIntOrFloatBitWidth();
    Value *isIn = b.CreateICmpULT(x[1], constant(width));
    if (width == 1) // the only shift in range is by 0
      isIn = b.CreateNot(x[1]);
    Value *amount = b.CreateSelect(isIn, x[1], constant(0));
    if (llvm::isa<scalar::ShlOp>(op))
      return b.CreateSelect(isIn, b.CreateShl(x[0], amount), constant(0));
    if (isUnsigned)
      return b.CreateSelect(isIn, b.CreateLShr(x[0], amount), constant(0));
    return b.CreateAShr(x[0], b.CreateSelect(isIn, x[1], constant(width - 1)));
  }

  Value *emitDivision() {
    bool isFloor = llvm::isa<scalar::IntFloorDivOp>(op), isRem = llvm::isa<scalar::IntRemOp>(op);
    GRAPHC_CHECK(isFloor || isRem || llvm::isa<scalar::IntDivOp>(op), "the CPU code generator lacks a scalar op on integers");
    Value *zero = constant(0), *isZero = b.CreateICmpEQ(x[1], zero);
    Value *wide = b.CreateIntCast(x[0], x[0]->getType()->getWithNewType(b.getInt64Ty()), !isUnsigned);
    Value *bad = isZero;
    if (mask && bad->getType()->isVectorTy())
      bad = b.CreateAnd(bad, mask);
    reportLanes(f, bad, GRAPHC_STATUS_INTEGER_DIVISION_BY_ZERO, wide, f.i64(0));
    Value *divisor = b.CreateSelect(isZero, constant(1), x[1]), *result;
    if (isUnsigned) {
      result = isRem ? b.CreateURem(x[0], divisor) : b.CreateUDiv(x[0], divisor);
    } else {
      // by -1 is negation, which wraps; the instruction would trap on the most negative value
      Value *isMinusOne = b.CreateICmpEQ(divisor, constant(~uint64_t(0)));
      Value *safe = b.CreateSelect(isMinusOne, constant(1), divisor);
      Value *quotient = b.CreateSDiv(x[0], safe), *rest = b.CreateSub(x[0], b.CreateMul(quotient, safe));
      if (isFloor) {
        Value *isMixed = b.CreateICmpSLT(b.CreateXor(x[0], safe), zero);
        Value *correct = b.CreateAnd(b.CreateICmpNE(rest, zero), isMixed);
        quotient = b.CreateSub(quotient, b.CreateZExt(correct, quotient->getType()));
      }
      result = isRem ? rest : b.CreateSelect(isMinusOne, b.CreateNeg(x[0]), quotient);
    }
    return b.CreateSelect(isZero, zero, result);
  }

  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  mlir::Operation *op;
  llvm::SmallVector<Value *> x;
  Value *mask;
  mlir::Type type;
  bool isFloat, isUnsigned;
};

} // namespace

Value *graphc::cpu::emitScalarOp(FunctionBuilder &f, mlir::Operation *op, llvm::ArrayRef<Value *> operands, Value *mask) {
  return ScalarEmitter(f, op, operands, mask).run();
}
