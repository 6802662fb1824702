// Pointwise operators: a table of names with the op each becomes, and the ones with rules of their own.
//
// `aten::mul(x: i64, 2.0)` becomes cast(x, f32) * constant 2.0; comparisons give bool; float functions cast integers to f32.
#include "frontend/builder/Expression.h"
#include "frontend/builder/FoldNumbers.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static Value floatOperand(Call &call) { return floatArgument(call, call.first()); }

static Value firstOperand(Call &call) { return call.value(call.first()); }

template <class Op> static void floatUnary(Call &call) {
  if (!foldUnary(call))
    givePointwise(call, call.e.create<Op>(floatOperand(call)));
}

template <class Op> static void unary(Call &call) {
  if (foldUnary(call))
    return;
  Value x = firstOperand(call);
  bool arithmetic = !std::is_same_v<Op, graph::SignOp> && !std::is_same_v<Op, graph::IsNanOp> && !std::is_same_v<Op, graph::IsInfOp> &&
                    !std::is_same_v<Op, graph::IsFiniteOp> && !std::is_same_v<Op, graph::LogicalNotOp> && !std::is_same_v<Op, graph::BitwiseNotOp>;
  if (arithmetic && x && call.e.dtype(x) == ScalarType::Bool)
    return call.fail("bool tensors are not supported by this operator (eager refuses them too)");
  givePointwise(call, call.e.create<Op>(x));
}

/// Rounding to decimal places as eager does: through a power of 10, which is multiplied or divided by.
static Value roundToDecimals(Call &call, Value x, int64_t decimals) {
  Value power = call.e.constant(call.e.dtype(x), std::pow(10.0, double(std::abs(decimals))));
  auto scale = [&](Value v, bool up) { return up ? call.e.create<graph::MulOp>(v, power) : call.e.create<graph::DivOp>(v, power); };
  return scale(call.e.create<graph::RoundOp>(scale(x, decimals > 0)), decimals < 0);
}

/// floor, ceil, round, trunc: integers are returned as they are.
template <class Op> static void rounding(Call &call) {
  int64_t decimals = call.integer("decimals", 0);
  if (decimals == 0 && foldUnary(call))
    return;
  Value x = firstOperand(call);
  if (x && !isFloat(call.e.dtype(x)))
    return givePointwise(call, x);
  givePointwise(call, x && decimals != 0 ? roundToDecimals(call, x, decimals) : call.e.create<Op>(x));
}

enum class Numbers { Any, Float, NoBool };

template <class Op> static void binary(Call &call, StringRef known, StringRef lhsName, StringRef rhsName, Numbers numbers, bool comparison = false) {
  PromotedOperand lhs = promotedOperand(call, lhsName), rhs = promotedOperand(call, rhsName);
  ScalarType type = resultType({lhs, rhs});
  // Python's / of two ints is a double; only tensors give f32.
  bool python = lhs.isNumber && rhs.isNumber && !call.find(lhsName)->is<Tensor>() && !call.find(rhsName)->is<Tensor>();
  if (numbers == Numbers::Float && !isFloat(type))
    type = python ? ScalarType::F64 : ScalarType::F32;
  if (call.failed() || (!known.empty() && foldBinary(call, known, lhs, rhs, type, comparison ? ScalarType::Bool : type)))
    return;
  if (numbers == Numbers::NoBool && type == ScalarType::Bool)
    return call.fail("bool tensors are not supported by this operator");
  givePointwise(call, broadcast<Op>(call, promoted(call, lhs, type), promoted(call, rhs, type)));
}

/// lhs (+|-) alpha * rhs; where there is an alpha, of 16-bit floats in f32.
template <class Op> static void giveScaled(Call &call, const PromotedOperand &lhs, const PromotedOperand &rhs, ScalarType type, bool hasAlpha) {
  ScalarType compute = hasAlpha ? wide(type) : type;
  Value x = promoted(call, lhs, compute), y = promoted(call, rhs, compute);
  if (hasAlpha)
    y = call.e.create<graph::MulOp>(y, promoted(call, promotedOperand(call, "alpha"), compute));
  givePointwise(call, call.e.cast(broadcast<Op>(call, x, y), type));
}

static void convertAdd(Call &call) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  const Val *factor = call.given("alpha") ? call.find("alpha") : nullptr;
  bool isOne = !factor || (factor->isNumber() && toDouble(*factor) == 1);
  if (call.failed() || (isOne && foldBinary(call, "add", lhs, rhs, type, type)))
    return;
  giveScaled<graph::AddOp>(call, lhs, rhs, type, !isOne);
}

/// self - alpha * other; rsub swaps.
static void subtract(Call &call, bool reversed) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  if (lhs.dtype == ScalarType::Bool || rhs.dtype == ScalarType::Bool)
    return call.fail("subtraction with a bool operand (eager refuses it too); use ~ or logical_xor");
  const Val *factor = call.given("alpha") ? call.find("alpha") : nullptr;
  bool isOne = !factor || (factor->isNumber() && toDouble(*factor) == 1);
  if (reversed)
    std::swap(lhs, rhs);
  if (call.failed() || (isOne && foldBinary(call, "sub", lhs, rhs, type, type)))
    return;
  giveScaled<graph::SubOp>(call, lhs, rhs, type, !isOne);
}
static void convertSub(Call &call) { subtract(call, false); }
static void convertRsub(Call &call) { subtract(call, true); }

static void convertMul(Call &call) { binary<graph::MulOp>(call, "mul", "self", "other", Numbers::Any); }

static void convertDiv(Call &call) {
  std::string mode = call.text("rounding_mode", "");
  if (mode == "trunc")
    return binary<graph::DivTruncOp>(call, "trunc_divide", "self", "other", Numbers::NoBool);
  if (mode == "floor")
    return binary<graph::DivFloorOp>(call, "floor_divide", "self", "other", Numbers::NoBool);
  binary<graph::DivOp>(call, "div", "self", "other", Numbers::Float);
}
static void convertFloorDivide(Call &call) { binary<graph::DivFloorOp>(call, "floor_divide", "self", "other", Numbers::NoBool); }
static void convertRemainder(Call &call) { binary<graph::RemainderOp>(call, "remainder", "self", "other", Numbers::NoBool); }
static void convertFmod(Call &call) { binary<graph::FmodOp>(call, "", "self", "other", Numbers::NoBool); }
static void convertPow(Call &call) { binary<graph::PowOp>(call, "pow", "self", "exponent", Numbers::NoBool); }
static void convertMaximum(Call &call) { binary<graph::MaximumOp>(call, "max", "self", "other", Numbers::Any); }
static void convertMinimum(Call &call) { binary<graph::MinimumOp>(call, "min", "self", "other", Numbers::Any); }
static void convertAtan2(Call &call) { binary<graph::Atan2Op>(call, "", "self", "other", Numbers::Float); }
static void convertCopysign(Call &call) { binary<graph::CopysignOp>(call, "", "self", "other", Numbers::Float); }
static void convertHypot(Call &call) { binary<graph::HypotOp>(call, "", "self", "other", Numbers::Float); }

template <class Op> static void compare(Call &call) {
  StringRef op = call.op();
  op = op.substr(op.rfind(':') + 1);
  op = llvm::StringSwitch<StringRef>(op).Case("not_equal", "ne").Case("less", "lt").Case("less_equal", "le").Case("greater", "gt").Case("greater_equal", "ge").Default(op);
  binary<Op>(call, op, "self", "other", Numbers::Any, true);
}
template <class Op> static void logical(Call &call) { binary<Op>(call, "", "self", "other", Numbers::Any); }

template <class Op> static void bitwise(Call &call) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  if (isFloat(type))
    return call.fail("bitwise operators on floats");
  givePointwise(call, broadcast<Op>(call, promoted(call, lhs, type), promoted(call, rhs, type)));
}

static void convertFloatPower(Call &call) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "exponent");
  givePointwise(call, broadcast<graph::PowOp>(call, promoted(call, lhs, ScalarType::F64), promoted(call, rhs, ScalarType::F64)));
}

static void convertSquare(Call &call) {
  Value x = firstOperand(call);
  if (x && call.e.dtype(x) == ScalarType::Bool)
    x = call.e.cast(x, ScalarType::I64);
  givePointwise(call, call.e.create<graph::MulOp>(x, x));
}

static void convertWhere(Call &call) {
  if (!call.find("self"))
    return call.fail("where(condition) gives a tensor whose size depends on data");
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  if (lhs.isNumber && rhs.isNumber && isFloat(type)) // a tensor of Python's floats
    type = ScalarType::F32;
  Value condition = call.e.cast(call.value("condition"), ScalarType::Bool);
  givePointwise(call, broadcast<graph::WhereOp>(call, condition, promoted(call, lhs, type), promoted(call, rhs, type)));
}

static void convertMaskedFill(Call &call) {
  Value self = call.value("self"), mask = call.e.cast(call.value("mask"), ScalarType::Bool);
  PromotedOperand value = promotedOperand(call, "value");
  if (!self || call.failed())
    return;
  if (!canCast(value.dtype, call.e.dtype(self)) && value.tensor)
    return call.fail("the fill value's dtype can't be cast to the tensor's");
  if (value.tensor && value.tensor->type.getRank() != 0)
    return call.fail("masked_fill with a value of rank " + Twine(value.tensor->type.getRank()) + "; expected a 0-d tensor");
  call.give(broadcast<graph::WhereOp>(call, mask, promoted(call, value, call.e.dtype(self)), self));
}

static void clampBetween(Call &call, StringRef minName, StringRef maxName) {
  SmallVector<PromotedOperand> operands{promotedOperand(call, "self")};
  bool hasMin = call.given(minName), hasMax = call.given(maxName);
  if (hasMin)
    operands.push_back(promotedOperand(call, minName));
  if (hasMax)
    operands.push_back(promotedOperand(call, maxName));
  ScalarType type = resultType(operands);
  if (call.failed() || foldClamp(call, operands, hasMin, type))
    return;
  Value x = promoted(call, operands[0], type);
  OptionalOperand low{hasMin ? promoted(call, operands[1], type) : Value()}, high{hasMax ? promoted(call, operands.back(), type) : Value()};
  givePointwise(call, call.e.create<graph::ClampOp>(x, low, high));
}
static void convertClamp(Call &call) { clampBetween(call, "min", "max"); }
static void convertClampMin(Call &call) { clampBetween(call, "min", ""); }
static void convertClampMax(Call &call) { clampBetween(call, "", "max"); }

static APFloat real(double value) { return APFloat(value); }

static void convertHardtanh(Call &call) {
  givePointwise(call, call.e.create<graph::HardtanhOp>(firstOperand(call), real(call.number("min_val", -1)), real(call.number("max_val", 1))));
}
static void convertRelu6(Call &call) { givePointwise(call, call.e.create<graph::HardtanhOp>(firstOperand(call), real(0), real(6))); }
static void convertLeakyRelu(Call &call) {
  givePointwise(call, call.e.create<graph::LeakyReluOp>(floatOperand(call), real(call.number("negative_slope", 0.01))));
}
static void convertElu(Call &call) {
  givePointwise(call, call.e.create<graph::EluOp>(floatOperand(call), real(call.number("alpha", 1)), real(call.number("scale", 1)),
                                                  real(call.number("input_scale", 1))));
}
static void convertSelu(Call &call) {
  givePointwise(call, call.e.create<graph::EluOp>(floatOperand(call), real(1.6732632423543772848170429916717), real(1.0507009873554804934193349852946), real(1)));
}
static void convertCelu(Call &call) {
  double alpha = call.number("alpha", 1);
  if (alpha == 0)
    return call.fail("celu with alpha 0");
  givePointwise(call, call.e.create<graph::EluOp>(floatOperand(call), real(alpha), real(1), real(1 / alpha)));
}
static void convertGelu(Call &call) {
  std::string approximate = call.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return call.fail("gelu with approximate '" + approximate + "'; expected 'none' or 'tanh'");
  givePointwise(call, call.e.create<graph::GeluOp>(floatOperand(call), approximate == "tanh"));
}
static void convertSoftplus(Call &call) {
  givePointwise(call, call.e.create<graph::SoftplusOp>(floatOperand(call), real(call.number("beta", 1)), real(call.number("threshold", 20))));
}

static void convertLogSigmoid(Call &call) {
  givePointwise(call, call.e.create<graph::LogSigmoidOp>(floatOperand(call)));
  if (call.op() == "aten::log_sigmoid_forward") // the buffer that only the backward pass reads
    call.give(call.e.constant({0}, ScalarType::F32, {}));
}

/// x where x > threshold, else value.
static void convertThreshold(Call &call) {
  Value x = firstOperand(call);
  ScalarType type = call.e.dtype(x);
  Value above = call.e.create<graph::GtOp>(x, call.e.constant(type, Val(call.number("threshold"))));
  givePointwise(call, call.e.create<graph::WhereOp>(above, x, call.e.constant(type, Val(call.number("value")))));
}

static void convertPrelu(Call &call) {
  Value x = firstOperand(call), weight = call.value("weight");
  if (x && weight && call.e.rank(weight) == 1 && call.op() == "aten::prelu") {
    int64_t rank = call.e.rank(x);
    if (rank < 2 && !graph::isConstant(call.e.dim(weight, 0), 1))
      return call.fail("prelu by a weight for each of " + call.e.dim(weight, 0).str() + " channels of a tensor of rank " + Twine(rank) + "; expected rank 2 or more");
    SmallVector<DimAttr> shape(rank < 2 ? 0 : rank - 1, call.e.dim(int64_t(1)));
    if (!shape.empty())
      shape[0] = call.e.dim(weight, 0);
    weight = call.e.reshape(weight, shape);
  }
  givePointwise(call, call.e.create<graph::PreluOp>(x, weight));
}

/// self + value * t1 (*|/) t2, of 16-bit floats in f32
static void addProduct(Call &call, bool divides) {
  PromotedOperand self = promotedOperand(call, "self"), a = promotedOperand(call, "tensor1"), b = promotedOperand(call, "tensor2");
  ScalarType type = resultType({self, a, b}), compute = wide(type);
  Value x = promoted(call, a, compute), y = promoted(call, b, compute), base = promoted(call, self, compute);
  if (call.number("value", 1) != 1)
    x = call.e.create<graph::MulOp>(x, call.e.constant(compute, Val(call.number("value", 1))));
  if (divides && !isFloat(type))
    return call.fail("addcdiv of integers (eager refuses it too)");
  Value product = divides ? broadcast<graph::DivOp>(call, x, y) : broadcast<graph::MulOp>(call, x, y);
  givePointwise(call, call.e.cast(broadcast<graph::AddOp>(call, base, product), type));
}
static void convertAddcmul(Call &call) { addProduct(call, false); }
static void convertAddcdiv(Call &call) { addProduct(call, true); }

/// start + weight * (end - start), from the nearer end as eager does; of 16-bit floats in f32.
static void convertLerp(Call &call) {
  Value given = call.value("self"), other = call.value("end");
  if (!given || !other)
    return;
  if (call.e.dtype(given) != call.e.dtype(other))
    return call.fail("lerp between tensors of two dtypes (eager refuses it too)");
  ScalarType type = wide(call.e.dtype(given));
  Value start = call.e.cast(given, type), end = call.e.cast(other, type);
  Value weight = promoted(call, promotedOperand(call, "weight"), type), one = call.e.constant(type, 1.0);
  Value difference = broadcast<graph::SubOp>(call, end, start);
  Value near = broadcast<graph::AddOp>(call, start, broadcast<graph::MulOp>(call, weight, difference));
  Value far = broadcast<graph::SubOp>(call, end, broadcast<graph::MulOp>(call, difference, call.e.create<graph::SubOp>(one, weight)));
  Value isNear = call.e.create<graph::LtOp>(call.e.create<graph::AbsOp>(weight), call.e.constant(type, 0.5));
  givePointwise(call, call.e.cast(broadcast<graph::WhereOp>(call, isNear, near, far), call.e.dtype(given)));
}

/// log(exp(a) + exp(b)) without overflow, and xlogy: what is small enough to say in other ops.
static void convertLogaddexp(Call &call) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  Value a = promoted(call, lhs, type), b = promoted(call, rhs, type), largest = broadcast<graph::MaximumOp>(call, a, b);
  Value distance = call.e.create<graph::AbsOp>(broadcast<graph::SubOp>(call, a, b));
  Value tail = call.e.create<graph::Log1pOp>(call.e.create<graph::ExpOp>(call.e.create<graph::NegOp>(distance)));
  // Equal infinities: their difference is NaN.
  Value same = broadcast<graph::EqOp>(call, a, b), infinite = call.e.create<graph::IsInfOp>(largest);
  Value skip = call.e.create<graph::LogicalAndOp>(same, infinite);
  givePointwise(call, call.e.create<graph::WhereOp>(skip, largest, broadcast<graph::AddOp>(call, largest, tail)));
}

static void convertXlogy(Call &call) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  type = floatDtype(type);
  Value x = promoted(call, lhs, type), y = promoted(call, rhs, type), zero = call.e.constant(type, 0.0);
  Value product = broadcast<graph::MulOp>(call, x, call.e.create<graph::LogOp>(y));
  Value result = broadcast<graph::WhereOp>(call, call.e.create<graph::EqOp>(x, zero), zero, product);
  givePointwise(call, broadcast<graph::WhereOp>(call, call.e.create<graph::IsNanOp>(y), y, result));
}

static void convertNanToNum(Call &call) {
  Value x = firstOperand(call);
  ScalarType type = call.e.dtype(x);
  if (!isFloat(type))
    return givePointwise(call, x);
  double largest = type == ScalarType::F16 ? 65504.0 : type == ScalarType::BF16 ? 0x1.FEp127 : type == ScalarType::F32 ? double(FLT_MAX) : DBL_MAX;
  auto replace = [&](Value condition, double value) { x = call.e.create<graph::WhereOp>(condition, call.e.constant(type, value), x); };
  Value original = x;
  replace(call.e.create<graph::IsNanOp>(original), call.number("nan", 0));
  replace(call.e.create<graph::EqOp>(original, call.e.constant(type, HUGE_VAL)), call.number("posinf", largest));
  replace(call.e.create<graph::EqOp>(original, call.e.constant(type, -HUGE_VAL)), call.number("neginf", -largest));
  givePointwise(call, x);
}

static void addUnary(ConversionTable &table) {
  const std::pair<StringRef, Conversion> floats[] = {
      {"sqrt", floatUnary<graph::SqrtOp>},   {"rsqrt", floatUnary<graph::RsqrtOp>},     {"reciprocal", floatUnary<graph::ReciprocalOp>},
      {"exp", floatUnary<graph::ExpOp>},     {"exp2", floatUnary<graph::Exp2Op>},       {"expm1", floatUnary<graph::Expm1Op>},
      {"log", floatUnary<graph::LogOp>},     {"log2", floatUnary<graph::Log2Op>},       {"log10", floatUnary<graph::Log10Op>},
      {"log1p", floatUnary<graph::Log1pOp>}, {"sin", floatUnary<graph::SinOp>},         {"cos", floatUnary<graph::CosOp>},
      {"tan", floatUnary<graph::TanOp>},     {"asin", floatUnary<graph::AsinOp>},       {"acos", floatUnary<graph::AcosOp>},
      {"atan", floatUnary<graph::AtanOp>},   {"sinh", floatUnary<graph::SinhOp>},       {"cosh", floatUnary<graph::CoshOp>},
      {"tanh", floatUnary<graph::TanhOp>},   {"asinh", floatUnary<graph::AsinhOp>},     {"acosh", floatUnary<graph::AcoshOp>},
      {"atanh", floatUnary<graph::AtanhOp>}, {"erf", floatUnary<graph::ErfOp>},         {"special_erf", floatUnary<graph::ErfOp>},
      {"erfc", floatUnary<graph::ErfcOp>},   {"special_erfc", floatUnary<graph::ErfcOp>}, {"sigmoid", floatUnary<graph::SigmoidOp>},
      {"special_expit", floatUnary<graph::SigmoidOp>}, {"silu", floatUnary<graph::SiluOp>}, {"mish", floatUnary<graph::MishOp>},
      {"hardsigmoid", floatUnary<graph::HardsigmoidOp>}, {"hardswish", floatUnary<graph::HardswishOp>}, {"softsign", floatUnary<graph::SoftsignOp>},
      {"frac", floatUnary<graph::FracOp>},
      {"arcsin", floatUnary<graph::AsinOp>}, {"arccos", floatUnary<graph::AcosOp>},     {"arctan", floatUnary<graph::AtanOp>},
      {"arcsinh", floatUnary<graph::AsinhOp>}, {"arccosh", floatUnary<graph::AcoshOp>}, {"arctanh", floatUnary<graph::AtanhOp>},
      {"special_exp2", floatUnary<graph::Exp2Op>}, {"special_expm1", floatUnary<graph::Expm1Op>}, {"special_log1p", floatUnary<graph::Log1pOp>}};
  for (const auto &[name, conversion] : floats)
    table.add(("aten::" + name).str(), conversion);
  const std::pair<StringRef, Conversion> others[] = {
      {"neg", unary<graph::NegOp>},         {"negative", unary<graph::NegOp>},       {"abs", unary<graph::AbsOp>},
      {"absolute", unary<graph::AbsOp>},    {"sign", unary<graph::SignOp>},          {"sgn", unary<graph::SignOp>},
      {"relu", unary<graph::ReluOp>},       {"isnan", unary<graph::IsNanOp>},        {"isinf", unary<graph::IsInfOp>},
      {"isfinite", unary<graph::IsFiniteOp>}, {"logical_not", unary<graph::LogicalNotOp>}, {"bitwise_not", unary<graph::BitwiseNotOp>},
      {"__not__", unary<graph::LogicalNotOp>}, {"floor", rounding<graph::FloorOp>}, {"ceil", rounding<graph::CeilOp>},
      {"round", rounding<graph::RoundOp>},  {"trunc", rounding<graph::TruncOp>},     {"fix", rounding<graph::TruncOp>},
      {"square", convertSquare},            {"hardtanh", convertHardtanh},           {"relu6", convertRelu6},
      {"leaky_relu", convertLeakyRelu},     {"elu", convertElu},                     {"selu", convertSelu},
      {"celu", convertCelu},                {"gelu", convertGelu},                   {"softplus", convertSoftplus},
      {"log_sigmoid", convertLogSigmoid},   {"log_sigmoid_forward", convertLogSigmoid}, {"threshold", convertThreshold},
      {"prelu", convertPrelu},              {"_prelu_kernel", convertPrelu},         {"nan_to_num", convertNanToNum}};
  for (const auto &[name, conversion] : others)
    table.add(("aten::" + name).str(), conversion);
}

static void addBinary(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"add", convertAdd},
      {"sub", convertSub},
      {"subtract", convertSub},
      {"rsub", convertRsub},
      {"mul", convertMul},
      {"multiply", convertMul},
      {"div", convertDiv},
      {"divide", convertDiv},
      {"true_divide", convertDiv},
      {"floor_divide", convertFloorDivide},
      {"floordiv", convertFloorDivide},
      {"remainder", convertRemainder},
      {"fmod", convertFmod},
      {"pow", convertPow},
      {"float_power", convertFloatPower},
      {"maximum", convertMaximum},
      {"max.other", convertMaximum},
      {"minimum", convertMinimum},
      {"min.other", convertMinimum},
      {"atan2", convertAtan2},
      {"copysign", convertCopysign},
      {"hypot", convertHypot},
      {"eq", compare<graph::EqOp>},
      {"ne", compare<graph::NeOp>},
      {"not_equal", compare<graph::NeOp>},
      {"lt", compare<graph::LtOp>},
      {"less", compare<graph::LtOp>},
      {"le", compare<graph::LeOp>},
      {"gt", compare<graph::GtOp>},
      {"greater", compare<graph::GtOp>},
      {"ge", compare<graph::GeOp>},
      {"logical_and", logical<graph::LogicalAndOp>},
      {"logical_or", logical<graph::LogicalOrOp>},
      {"logical_xor", logical<graph::LogicalXorOp>},
      {"bitwise_and", bitwise<graph::BitwiseAndOp>},
      {"__and__", bitwise<graph::BitwiseAndOp>},
      {"bitwise_or", bitwise<graph::BitwiseOrOp>},
      {"__or__", bitwise<graph::BitwiseOrOp>},
      {"bitwise_xor", bitwise<graph::BitwiseXorOp>},
      {"__xor__", bitwise<graph::BitwiseXorOp>},
      {"bitwise_left_shift", bitwise<graph::ShlOp>},
      {"__lshift__", bitwise<graph::ShlOp>},
      {"bitwise_right_shift", bitwise<graph::ShrOp>},
      {"__rshift__", bitwise<graph::ShrOp>},
      {"where", convertWhere},
      {"masked_fill", convertMaskedFill},
      {"clamp", convertClamp},
      {"clip", convertClamp},
      {"clamp_min", convertClampMin},
      {"clamp_max", convertClampMax},
      {"addcmul", convertAddcmul},
      {"addcdiv", convertAddcdiv},
      {"lerp", convertLerp},
      {"logaddexp", convertLogaddexp},
      {"greater_equal", compare<graph::GeOp>},
      {"arctan2", convertAtan2},
      {"xlogy", convertXlogy},
      {"special_xlogy", convertXlogy}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}

void builder::addPointwise(ConversionTable &table) {
  // Python's functions of numbers, where one was computed from a tensor.
  table.add("prim::max", convertMaximum);
  table.add("prim::min", convertMinimum);
  table.add("prim::abs", unary<graph::AbsOp>);
  addUnary(table);
  addBinary(table);
}
