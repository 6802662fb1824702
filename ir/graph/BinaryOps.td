//===- BinaryOps.td - pointwise ops of two operands -----------------------===//
//
// Integer arithmetic wraps; bool add is or, mul is and. Integer division by zero records a run-time error (scalar.int_div). Scalar arguments are 0-d
// constants of the tensor's element type; `alpha` of add and sub is a mul that the importer inserts.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_BINARYOPS_TD
#define GRAPHC_IR_GRAPH_BINARYOPS_TD
include "ir/graph/PointwiseOps.td"

def Graph_AddOp : Graph_Binary<"add", ["add"], "Promote", "todo", [{ return b.add(x[0], x[1]); }]> { let hasFolder = 1; }
def Graph_SubOp : Graph_Binary<"sub", ["sub", "rsub"], "Promote", "todo", [{ return b.sub(x[0], x[1]); }], "same", Graph_NumberTensor> { let hasFolder = 1; }
def Graph_MulOp : Graph_Binary<"mul", ["mul"], "Promote", "todo", [{ return b.mul(x[0], x[1]); }]> { let hasFolder = 1; }
def Graph_DivOp : Graph_Binary<"div", ["div", "true_divide"], "Promote", "todo", [{ return b.div(x[0], x[1]); }], "same", Graph_FloatTensor> {
  let summary = "True division; importing casts integers to float first";
  let hasFolder = 1;
}
def Graph_DivTruncOp : Graph_Binary<"div_trunc", ["div"], "Promote", "none: zero almost everywhere", [{ return ::graphc::scalar::divTrunc(b, x[0], x[1]); }], "same", Graph_NumberTensor> {
  let summary = "div(rounding_mode='trunc')";
}
def Graph_DivFloorOp : Graph_Binary<"div_floor", ["div", "floor_divide"], "Promote", "none: zero almost everywhere", [{ return ::graphc::scalar::divFloor(b, x[0], x[1]); }], "same", Graph_NumberTensor> {
  let summary = "div(rounding_mode='floor'), by PyTorch's rule for floats";
}
def Graph_RemainderOp : Graph_Binary<"remainder", ["remainder"], "Promote", "todo", [{ return ::graphc::scalar::remainder(b, x[0], x[1]); }], "same", Graph_NumberTensor> {
  let summary = "Python's %: sign of the divisor";
}
def Graph_FmodOp : Graph_Binary<"fmod", ["fmod"], "Promote", "todo", [{ return ::graphc::scalar::fmod(b, x[0], x[1]); }], "same", Graph_NumberTensor> {
  let summary = "C's %: sign of the dividend";
}
def Graph_PowOp : Graph_Binary<"pow", ["pow", "float_power"], "Fp32", "todo", [{ return ::graphc::scalar::pow(b, x[0], x[1]); }], "same", Graph_NumberTensor> {
  let summary = "lhs to the power rhs; integers wrap, with a negative exponent 1 and -1 keep their powers and others give 0";
  let hasCanonicalizeMethod = 1;
}
def Graph_MaximumOp : Graph_Binary<"maximum", ["maximum", "max"], "Promote", "todo", [{ return b.max(x[0], x[1]); }]> { let summary = "NaN from either side"; }
def Graph_MinimumOp : Graph_Binary<"minimum", ["minimum", "min"], "Promote", "todo", [{ return b.min(x[0], x[1]); }]> { let summary = "NaN from either side"; }
def Graph_Atan2Op : Graph_Binary<"atan2", ["atan2", "arctan2"], "Promote", "todo", [{ return b.atan2(x[0], x[1]); }], "same", Graph_FloatTensor>;
def Graph_CopysignOp : Graph_Binary<"copysign", ["copysign"], "Promote", "todo", [{ return b.copysign(x[0], x[1]); }], "same", Graph_FloatTensor>;
def Graph_HypotOp : Graph_Binary<"hypot", ["hypot"], "Promote", "todo", [{ return ::graphc::scalar::hypot(b, x[0], x[1]); }], "same", Graph_FloatTensor>;
def Graph_PreluOp : Graph_Binary<"prelu", ["prelu", "_prelu_kernel"], "Promote", "todo", [{
    return b.select(b.compare(::graphc::scalar::Predicate::gt, x[0], b.constantLike(0, x[0])), x[0], b.mul(x[1], x[0])); }], "same", Graph_FloatTensor> {
  let summary = "x where x > 0, else weight * x; importing shapes the weight [c, 1, 1, …] so that it broadcasts";
}

//===-- comparison and logic ----------------------------------------------------===//

class Graph_Compare<string mnemonic, list<string> atenOps, string predicate>
    : Graph_Binary<mnemonic, atenOps, "Promote", "none: not differentiable",
                   "return b.compare(::graphc::scalar::Predicate::" # predicate # ", x[0], x[1]);", "bool">;
def Graph_EqOp : Graph_Compare<"eq", ["eq"], "eq">;
def Graph_NeOp : Graph_Compare<"ne", ["ne", "not_equal"], "ne">;
def Graph_LtOp : Graph_Compare<"lt", ["lt", "less"], "lt">;
def Graph_LeOp : Graph_Compare<"le", ["le", "less_equal"], "le">;
def Graph_GtOp : Graph_Compare<"gt", ["gt", "greater"], "gt">;
def Graph_GeOp : Graph_Compare<"ge", ["ge", "greater_equal"], "ge">;

class Graph_Logical<string mnemonic, string function>
    : Graph_Binary<mnemonic, [mnemonic], "Match", "none: not differentiable",
                   "return b." # function # "(::graphc::scalar::isTrue(b, x[0]), ::graphc::scalar::isTrue(b, x[1]));", "bool">;
def Graph_LogicalAndOp : Graph_Logical<"logical_and", "bitAnd">;
def Graph_LogicalOrOp : Graph_Logical<"logical_or", "bitOr">;
def Graph_LogicalXorOp : Graph_Logical<"logical_xor", "bitXor">;

class Graph_Bitwise<string mnemonic, list<string> atenOps, string function>
    : Graph_Binary<mnemonic, atenOps, "Match", "none: not differentiable", "return b." # function # "(x[0], x[1]);", "same", Graph_IntTensor>;
def Graph_BitwiseAndOp : Graph_Bitwise<"bitwise_and", ["bitwise_and", "__and__"], "bitAnd">;
def Graph_BitwiseOrOp : Graph_Bitwise<"bitwise_or", ["bitwise_or", "__or__"], "bitOr">;
def Graph_BitwiseXorOp : Graph_Bitwise<"bitwise_xor", ["bitwise_xor", "__xor__"], "bitXor">;
def Graph_ShlOp : Graph_Bitwise<"shl", ["bitwise_left_shift", "__lshift__"], "shl">;
def Graph_ShrOp : Graph_Bitwise<"shr", ["bitwise_right_shift", "__rshift__"], "shr">;

#endif // GRAPHC_IR_GRAPH_BINARYOPS_TD
