//===- UnaryOps.td - pointwise ops of one operand -------------------------===//
//
// Bodies follow PyTorch's CPU kernels, edge values included (NaN, infinities, -0); what needs more than a line is in ir/scalar/ScalarMath.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_UNARYOPS_TD
#define GRAPHC_IR_GRAPH_UNARYOPS_TD
include "ir/graph/PointwiseOps.td"

//===-- arithmetic ---------------------------------------------------------===//

def Graph_NegOp : Graph_Unary<"neg", ["neg", "negative"], "Match", "todo", [{ return b.neg(x[0]); }], "same", Graph_NumberTensor> { let hasFolder = 1; }
def Graph_AbsOp : Graph_Unary<"abs", ["abs", "absolute"], "Match", "todo", [{ return b.abs(x[0]); }], "same", Graph_NumberTensor>;
def Graph_SignOp : Graph_Unary<"sign", ["sign", "sgn"], "Match", "none: zero almost everywhere", [{ return ::graphc::scalar::sign(b, x[0]); }]> {
  let summary = "-1, 0 or 1; 0 of NaN";
}
def Graph_SqrtOp : Graph_FloatUnary<"sqrt", ["sqrt"], "Match", "todo", [{ return b.sqrt(x[0]); }]>;
def Graph_RsqrtOp : Graph_FloatUnary<"rsqrt", ["rsqrt"], "Fp32", "todo", [{ return b.rsqrt(x[0]); }]>;
def Graph_ReciprocalOp : Graph_FloatUnary<"reciprocal", ["reciprocal"], "Fp32", "todo", [{ return b.div(b.constantLike(1, x[0]), x[0]); }]>;

//===-- exponentials and logarithms --------------------------------------------===//

def Graph_ExpOp : Graph_FloatUnary<"exp", ["exp"], "Fp32", "todo", [{ return b.exp(x[0]); }]>;
def Graph_Exp2Op : Graph_FloatUnary<"exp2", ["exp2"], "Match", "todo", [{ return b.exp2(x[0]); }]>;
def Graph_Expm1Op : Graph_FloatUnary<"expm1", ["expm1"], "Fp32", "todo", [{ return b.expm1(x[0]); }]>;
def Graph_LogOp : Graph_FloatUnary<"log", ["log"], "Fp32", "todo", [{ return b.log(x[0]); }]>;
def Graph_Log2Op : Graph_FloatUnary<"log2", ["log2"], "Fp32", "todo", [{ return b.log2(x[0]); }]>;
def Graph_Log10Op : Graph_FloatUnary<"log10", ["log10"], "Fp32", "todo", [{ return b.log10(x[0]); }]>;
def Graph_Log1pOp : Graph_FloatUnary<"log1p", ["log1p"], "Fp32", "todo", [{ return b.log1p(x[0]); }]>;

//===-- trigonometry -----------------------------------------------------------===//

def Graph_SinOp : Graph_FloatUnary<"sin", ["sin"], "Match", "todo", [{ return b.sin(x[0]); }]>;
def Graph_CosOp : Graph_FloatUnary<"cos", ["cos"], "Match", "todo", [{ return b.cos(x[0]); }]>;
def Graph_TanOp : Graph_FloatUnary<"tan", ["tan"], "Fp32", "todo", [{ return b.tan(x[0]); }]>;
def Graph_AsinOp : Graph_FloatUnary<"asin", ["asin", "arcsin"], "Fp32", "todo", [{ return b.asin(x[0]); }]>;
def Graph_AcosOp : Graph_FloatUnary<"acos", ["acos", "arccos"], "Fp32", "todo", [{ return b.acos(x[0]); }]>;
def Graph_AtanOp : Graph_FloatUnary<"atan", ["atan", "arctan"], "Match", "todo", [{ return b.atan(x[0]); }]>;
def Graph_SinhOp : Graph_FloatUnary<"sinh", ["sinh"], "Fp32", "todo", [{ return b.sinh(x[0]); }]>;
def Graph_CoshOp : Graph_FloatUnary<"cosh", ["cosh"], "Fp32", "todo", [{ return b.cosh(x[0]); }]>;
def Graph_TanhOp : Graph_FloatUnary<"tanh", ["tanh"], "Match", "todo", [{ return b.tanh(x[0]); }]>;
def Graph_AsinhOp : Graph_FloatUnary<"asinh", ["asinh", "arcsinh"], "Match", "todo", [{ return b.asinh(x[0]); }]>;
def Graph_AcoshOp : Graph_FloatUnary<"acosh", ["acosh", "arccosh"], "Match", "todo", [{ return b.acosh(x[0]); }]>;
def Graph_AtanhOp : Graph_FloatUnary<"atanh", ["atanh", "arctanh"], "Match", "todo", [{ return b.atanh(x[0]); }]>;
def Graph_ErfOp : Graph_FloatUnary<"erf", ["erf", "special_erf"], "Match", "todo", [{ return b.erf(x[0]); }]>;
def Graph_ErfcOp : Graph_FloatUnary<"erfc", ["erfc", "special_erfc"], "Match", "todo", [{ return b.erfc(x[0]); }]>;

//===-- activations ------------------------------------------------------------===//

def Graph_SigmoidOp : Graph_FloatUnary<"sigmoid", ["sigmoid", "special_expit"], "Match", "todo", [{ return b.sigmoid(x[0]); }]>;
def Graph_LogSigmoidOp : Graph_FloatUnary<"log_sigmoid", ["log_sigmoid", "log_sigmoid_forward"], "Match", "todo", [{ return ::graphc::scalar::logSigmoid(b, x[0]); }]>;
def Graph_ReluOp : Graph_Unary<"relu", ["relu"], "Match", "todo", [{ return ::graphc::scalar::clamp(b, x[0], b.constantLike(0, x[0]), {}); }], "same", Graph_NumberTensor> {
  let summary = "0 where x < 0, else x: -0 and NaN stay";
  let hasFolder = 1;
}
def Graph_GeluOp : Graph_FloatUnary<"gelu", ["gelu"], "Match", "todo", [{ return ::graphc::scalar::gelu(b, x[0], getTanh()); }]> {
  let summary = "x * Phi(x); `tanh` is PyTorch's approximate='tanh'";
  let arguments = !con(operandX, (ins UnitAttr:$tanh));
}
def Graph_SiluOp : Graph_FloatUnary<"silu", ["silu"], "Match", "todo", [{ return ::graphc::scalar::silu(b, x[0]); }]>;
def Graph_MishOp : Graph_FloatUnary<"mish", ["mish"], "Match", "todo", [{ return b.mul(x[0], b.tanh(b.log1p(b.exp(x[0])))); }]>;
def Graph_SoftplusOp : Graph_FloatUnary<"softplus", ["softplus"], "Fp32", "todo", [{
    return ::graphc::scalar::softplus(b, x[0], getBeta().convertToDouble(), getThreshold().convertToDouble()); }]> {
  let summary = "log(1 + exp(beta x)) / beta; x where beta x > threshold";
  let arguments = !con(operandX, (ins DefaultValuedAttr<F64Attr, "1.0">:$beta, DefaultValuedAttr<F64Attr, "20.0">:$threshold));
}
def Graph_HardsigmoidOp : Graph_FloatUnary<"hardsigmoid", ["hardsigmoid"], "Match", "todo", [{ return ::graphc::scalar::hardsigmoid(b, x[0]); }]>;
def Graph_HardswishOp : Graph_FloatUnary<"hardswish", ["hardswish"], "Match", "todo", [{ return ::graphc::scalar::hardswish(b, x[0]); }]>;
def Graph_HardtanhOp : Graph_Unary<"hardtanh", ["hardtanh", "relu6"], "Match", "todo", [{
    return ::graphc::scalar::clamp(b, x[0], b.constantLike(getMin().convertToDouble(), x[0]), b.constantLike(getMax().convertToDouble(), x[0])); }], "same", Graph_NumberTensor> {
  let arguments = !con(operandX, (ins DefaultValuedAttr<F64Attr, "-1.0">:$min, DefaultValuedAttr<F64Attr, "1.0">:$max));
}
def Graph_LeakyReluOp : Graph_FloatUnary<"leaky_relu", ["leaky_relu"], "Match", "todo", [{
    return b.select(b.compare(::graphc::scalar::Predicate::gt, x[0], b.constantLike(0, x[0])), x[0],
                    b.mul(x[0], b.constantLike(getSlope().convertToDouble(), x[0]))); }]> {
  let summary = "x where x > 0, else slope * x";
  let arguments = !con(operandX, (ins DefaultValuedAttr<F64Attr, "0.01">:$slope));
}
def Graph_EluOp : Graph_FloatUnary<"elu", ["elu", "selu", "celu"], "Match", "todo", [{
    return ::graphc::scalar::elu(b, x[0], getAlpha().convertToDouble(), getScale().convertToDouble(), getInputScale().convertToDouble()); }]> {
  let summary = "scale * alpha * expm1(input_scale * x) where x < 0, else scale * x";
  let arguments = !con(operandX, (ins DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<F64Attr, "1.0">:$scale,
                                      DefaultValuedAttr<F64Attr, "1.0">:$input_scale));
}
def Graph_SoftsignOp : Graph_FloatUnary<"softsign", ["softsign"], "Match", "todo", [{ return b.div(x[0], b.add(b.constantLike(1, x[0]), b.abs(x[0]))); }]>;

//===-- rounding and classes -------------------------------------------------===//

def Graph_FloorOp : Graph_FloatUnary<"floor", ["floor"], "Match", "none: zero almost everywhere", [{ return b.floor(x[0]); }]>;
def Graph_CeilOp : Graph_FloatUnary<"ceil", ["ceil"], "Match", "none: zero almost everywhere", [{ return b.ceil(x[0]); }]>;
def Graph_TruncOp : Graph_FloatUnary<"trunc", ["trunc", "fix"], "Match", "none: zero almost everywhere", [{ return b.trunc(x[0]); }]>;
def Graph_RoundOp : Graph_FloatUnary<"round", ["round"], "Match", "none: zero almost everywhere", [{ return b.roundEven(x[0]); }]> {
  let summary = "To the nearest integer, ties to even";
}
def Graph_FracOp : Graph_FloatUnary<"frac", ["frac"], "Match", "todo", [{ return b.sub(x[0], b.trunc(x[0])); }]>;
def Graph_IsNanOp : Graph_Unary<"isnan", ["isnan"], "Match", "none: not differentiable", [{ return b.isNan(x[0]); }], "bool">;
def Graph_IsInfOp : Graph_Unary<"isinf", ["isinf"], "Match", "none: not differentiable", [{ return ::graphc::scalar::isInf(b, x[0]); }], "bool">;
def Graph_IsFiniteOp : Graph_Unary<"isfinite", ["isfinite"], "Match", "none: not differentiable", [{ return ::graphc::scalar::isFinite(b, x[0]); }], "bool">;
def Graph_LogicalNotOp : Graph_Unary<"logical_not", ["logical_not"], "Match", "none: not differentiable", [{
    return b.compare(::graphc::scalar::Predicate::eq, x[0], b.constantLike(0, x[0])); }], "bool">;
def Graph_BitwiseNotOp : Graph_Unary<"bitwise_not", ["bitwise_not"], "Match", "none: not differentiable", [{ return ::graphc::scalar::bitNot(b, x[0]); }], "same", Graph_IntTensor>;

#endif // GRAPHC_IR_GRAPH_UNARYOPS_TD
