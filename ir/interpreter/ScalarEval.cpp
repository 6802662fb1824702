// See ScalarEval.h. Transcendentals are libm's in double and rounded once, so their error is below half an ulp of f32 plus a hair.
#include "ir/interpreter/ScalarEval.h"
#include "ir/scalar/Scalar.h"
#include "ir/support/Check.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graphc;
using namespace graphc::interpreter;

namespace {

/// x86's cvttss2si: truncation, and the most negative value for what does not fit.
template <typename Int> int64_t truncateToInt(double x) {
  double t = std::trunc(x);
  double limit = std::ldexp(1.0, sizeof(Int) * 8 - 1);
  return t >= -limit && t < limit ? static_cast<Int>(t) : std::numeric_limits<Int>::min();
}

int64_t floatToInt(double x, Type type) {
  if (type.isInteger(1))
    return x != 0;
  bool wide = type.isInteger(64) || type.isIndex();
  return wrapInt(wide ? truncateToInt<int64_t>(x) : truncateToInt<int32_t>(x), type);
}

class Evaluator {
public:
  Evaluator(Operation *op, ArrayRef<const Lanes *> operands, size_t count, Precision precision, Failure &failure)
      : op(op), x(operands), count(count), precision(precision), failure(failure), result(op->getResult(0).getType(), count) {}

  Lanes run() {
    if (auto constant = dyn_cast<scalar::ConstantOp>(op))
      return evaluateConstant(constant);
    if (isa<scalar::CastOp>(op))
      return castLanes(*x[0], result.type, precision);
    if (auto compare = dyn_cast<scalar::CompareOp>(op))
      return evaluateCompare(compare.getPredicate());
    if (isa<scalar::SelectOp>(op))
      return evaluateSelect();
    if (result.isFloat())
      evaluateFloat();
    else
      evaluateInt();
    return std::move(result);
  }

private:
  Lanes evaluateConstant(scalar::ConstantOp constant) {
    if (result.isFloat())
      result.floats.assign(count, cast<FloatAttr>(constant.getValue()).getValueAsDouble());
    else
      result.ints.assign(count, wrapInt(static_cast<int64_t>(cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue()), result.type));
    return std::move(result);
  }

  template <typename T> void compareInto(const std::vector<T> &a, const std::vector<T> &b, scalar::Predicate p) {
    using P = scalar::Predicate;
    for (size_t i = 0; i < count; ++i)
      result.ints[i] = p == P::eq ? a[i] == b[i] : p == P::ne ? a[i] != b[i] : p == P::lt ? a[i] < b[i]
                     : p == P::le ? a[i] <= b[i] : p == P::gt ? a[i] > b[i] : a[i] >= b[i];
  }
  Lanes evaluateCompare(scalar::Predicate p) {
    if (x[0]->isFloat())
      compareInto(x[0]->floats, x[1]->floats, p);
    else
      compareInto(x[0]->ints, x[1]->ints, p);
    return std::move(result);
  }
  Lanes evaluateSelect() {
    for (size_t i = 0; i < count; ++i) {
      const Lanes &from = *x[x[0]->ints[i] ? 1 : 2];
      if (result.isFloat())
        result.floats[i] = from.floats[i];
      else
        result.ints[i] = from.ints[i];
    }
    return std::move(result);
  }

  template <typename F> void unary(F f) {
    for (size_t i = 0; i < count; ++i)
      result.floats[i] = roundFloat(f(x[0]->floats[i]), result.type, precision);
  }
  template <typename F> void binary(F f) {
    for (size_t i = 0; i < count; ++i)
      result.floats[i] = roundFloat(f(x[0]->floats[i], x[1]->floats[i]), result.type, precision);
  }
  template <typename F> void intUnary(F f) {
    for (size_t i = 0; i < count; ++i)
      result.ints[i] = wrapInt(f(x[0]->ints[i]), result.type);
  }
  template <typename F> void intBinary(F f) {
    for (size_t i = 0; i < count; ++i)
      result.ints[i] = wrapInt(f(x[0]->ints[i], x[1]->ints[i]), result.type);
  }

  void evaluateFloat() {
    using namespace scalar;
    llvm::TypeSwitch<Operation *>(op)
        .Case<AddOp>([&](auto) { binary([](double a, double b) { return a + b; }); })
        .Case<SubOp>([&](auto) { binary([](double a, double b) { return a - b; }); })
        .Case<MulOp>([&](auto) { binary([](double a, double b) { return a * b; }); })
        .Case<DivOp>([&](auto) { binary([](double a, double b) { return a / b; }); })
        .Case<FmodOp>([&](auto) { binary([](double a, double b) { return std::fmod(a, b); }); })
        .Case<MaxOp>([&](auto) { binary([](double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b); }); })
        .Case<MinOp>([&](auto) { binary([](double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b); }); })
        .Case<PowOp>([&](auto) { binary([](double a, double b) { return std::pow(a, b); }); })
        .Case<Atan2Op>([&](auto) { binary([](double a, double b) { return std::atan2(a, b); }); })
        .Case<CopysignOp>([&](auto) { binary([](double a, double b) { return std::copysign(a, b); }); })
        .Default([&](Operation *) { evaluateFloatUnary(); });
  }

  void evaluateFloatUnary() {
    using namespace scalar;
    llvm::TypeSwitch<Operation *>(op)
        .Case<NegOp>([&](auto) { unary([](double a) { return -a; }); })
        .Case<AbsOp>([&](auto) { unary([](double a) { return std::fabs(a); }); })
        .Case<SqrtOp>([&](auto) { unary([](double a) { return std::sqrt(a); }); })
        .Case<RsqrtOp>([&](auto) { unary([](double a) { return 1 / std::sqrt(a); }); })
        .Case<FloorOp>([&](auto) { unary([](double a) { return std::floor(a); }); })
        .Case<CeilOp>([&](auto) { unary([](double a) { return std::ceil(a); }); })
        .Case<TruncOp>([&](auto) { unary([](double a) { return std::trunc(a); }); })
        .Case<RoundEvenOp>([&](auto) { unary([](double a) { return std::nearbyint(a); }); })
        .Case<ExpOp>([&](auto) { unary([](double a) { return std::exp(a); }); })
        .Case<Exp2Op>([&](auto) { unary([](double a) { return std::exp2(a); }); })
        .Case<Expm1Op>([&](auto) { unary([](double a) { return std::expm1(a); }); })
        .Case<LogOp>([&](auto) { unary([](double a) { return std::log(a); }); })
        .Case<Log2Op>([&](auto) { unary([](double a) { return std::log2(a); }); })
        .Case<Log10Op>([&](auto) { unary([](double a) { return std::log10(a); }); })
        .Case<Log1pOp>([&](auto) { unary([](double a) { return std::log1p(a); }); })
        .Case<SinOp>([&](auto) { unary([](double a) { return std::sin(a); }); })
        .Case<CosOp>([&](auto) { unary([](double a) { return std::cos(a); }); })
        .Case<TanOp>([&](auto) { unary([](double a) { return std::tan(a); }); })
        .Case<AsinOp>([&](auto) { unary([](double a) { return std::asin(a); }); })
        .Case<AcosOp>([&](auto) { unary([](double a) { return std::acos(a); }); })
        .Case<AtanOp>([&](auto) { unary([](double a) { return std::atan(a); }); })
        .Case<SinhOp>([&](auto) { unary([](double a) { return std::sinh(a); }); })
        .Case<CoshOp>([&](auto) { unary([](double a) { return std::cosh(a); }); })
        .Case<TanhOp>([&](auto) { unary([](double a) { return std::tanh(a); }); })
        .Case<AsinhOp>([&](auto) { unary([](double a) { return std::asinh(a); }); })
        .Case<AcoshOp>([&](auto) { unary([](double a) { return std::acosh(a); }); })
        .Case<AtanhOp>([&](auto) { unary([](double a) { return std::atanh(a); }); })
        .Case<ErfOp>([&](auto) { unary([](double a) { return std::erf(a); }); })
        .Case<ErfcOp>([&](auto) { unary([](double a) { return std::erfc(a); }); })
        .Default([&](Operation *) { unknown(); });
  }

  void evaluateInt() {
    using namespace scalar;
    bool isBool = result.type.isInteger(1);
    auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
    unsigned width = result.type.getIntOrFloatBitWidth();
    llvm::TypeSwitch<Operation *>(op)
        .Case<AddOp>([&](auto) { intBinary([&](int64_t a, int64_t b) { return isBool ? a | b : int64_t(u(a) + u(b)); }); })
        .Case<SubOp>([&](auto) { intBinary([&](int64_t a, int64_t b) { return isBool ? a ^ b : int64_t(u(a) - u(b)); }); })
        .Case<MulOp>([&](auto) { intBinary([&](int64_t a, int64_t b) { return isBool ? a & b : int64_t(u(a) * u(b)); }); })
        .Case<MaxOp>([&](auto) { intBinary([](int64_t a, int64_t b) { return std::max(a, b); }); })
        .Case<MinOp>([&](auto) { intBinary([](int64_t a, int64_t b) { return std::min(a, b); }); })
        .Case<AndOp>([&](auto) { intBinary([](int64_t a, int64_t b) { return a & b; }); })
        .Case<OrOp>([&](auto) { intBinary([](int64_t a, int64_t b) { return a | b; }); })
        .Case<XorOp>([&](auto) { intBinary([](int64_t a, int64_t b) { return a ^ b; }); })
        .Case<ShlOp>([&](auto) { intBinary([&](int64_t a, int64_t b) { return b < 0 || b >= width ? 0 : int64_t(u(a) << b); }); })
        .Case<ShrOp>([&](auto) { intBinary([&](int64_t a, int64_t b) { return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> b; }); })
        .Case<NegOp>([&](auto) { intUnary([&](int64_t a) { return int64_t(0 - u(a)); }); })
        .Case<AbsOp>([&](auto) { intUnary([&](int64_t a) { return a < 0 ? int64_t(0 - u(a)) : a; }); })
        .Default([&](Operation *) { evaluateDivision(); });
  }

  void evaluateDivision() {
    bool isFloor = isa<scalar::IntFloorDivOp>(op), isRem = isa<scalar::IntRemOp>(op);
    if (!isFloor && !isRem && !isa<scalar::IntDivOp>(op))
      return unknown();
    intBinary([&](int64_t a, int64_t b) -> int64_t {
      if (b == 0) {
        failure.record(op, "integer division by zero");
        return 0;
      }
      if (b == -1)
        return isRem ? 0 : int64_t(0 - uint64_t(a));
      if (isRem)
        return a % b;
      return a / b - (isFloor && a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    });
  }

  void unknown() { GRAPHC_CHECK(false, "the interpreter lacks a scalar op"); }

  Operation *op;
  ArrayRef<const Lanes *> x;
  size_t count;
  Precision precision;
  Failure &failure;
  Lanes result;
};

} // namespace

Lanes graphc::interpreter::castLanes(const Lanes &x, Type type, Precision precision) {
  size_t count = x.size();
  Lanes result(type, count);
  for (size_t i = 0; i < count; ++i) {
    if (result.isFloat() && !x.isFloat() && type.isF32() && precision == Precision::Default)
      result.floats[i] = static_cast<float>(x.ints[i]); // one rounding, also above 2^53
    else if (result.isFloat())
      result.floats[i] = roundFloat(x.isFloat() ? x.floats[i] : static_cast<double>(x.ints[i]), type, precision);
    else
      result.ints[i] = x.isFloat() ? floatToInt(x.floats[i], type) : type.isInteger(1) ? x.ints[i] != 0 : wrapInt(x.ints[i], type);
  }
  return result;
}

Lanes graphc::interpreter::evaluateScalar(Operation *op, ArrayRef<const Lanes *> operands, size_t count, Precision precision,
                                          Failure &failure) {
  return Evaluator(op, operands, count, precision, failure).run();
}
