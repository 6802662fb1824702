//===- PointwiseOps.td - the base of pointwise ops, and those of three operands ---===//
//
// A pointwise op is a record with its scalar body. Operands have equal element types (importing inserts the casts of PyTorch's promotion) and broadcast by
// PyTorch's rule; the result has their element type unless `resultElement` says otherwise: "bool", or "attribute" for the op's dtype. In a body, `b` is the
// scalar::ScalarBuilder and `x` are the operands' elements in compute type.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_POINTWISEOPS_TD
#define GRAPHC_IR_GRAPH_POINTWISEOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Pointwise<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, code body,
                      string resultElement = "same", list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, atenOps, "Pointwise", autocastClass, "Agnostic", derivativeRule,
                       traits # [DeclareOpInterfaceMethods<Graph_PointwiseInterface>, DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  assert !ne(body, ""), "pointwise graph op " # mnemonic # " needs a scalar body";
  let results = (outs Graph_Tensor:$result);
  string element = !if(!eq(resultElement, "same"), "::mlir::Type()",
                   !if(!eq(resultElement, "bool"), "::mlir::IntegerType::get(context, 1)", "adaptor.getDtype()"));
  let extraClassDefinition = inferredOpFacts #
    "::mlir::Value $cppClass::buildBody(::graphc::scalar::ScalarBuilder &b, ::mlir::ValueRange x) {" # body # "}\n" #
    "::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc, Adaptor adaptor, " #
    "::llvm::SmallVectorImpl<::mlir::Type> &types) {\n" #
    "  return ::graphc::graph::inferPointwise(loc, adaptor.getOperands(), " # element # ", types); }\n" #
    "::mlir::Value $cppClass::emitElement(::graphc::kernel::ElementEmitter &e, unsigned, ::llvm::ArrayRef<::mlir::AffineExpr> index) {\n" #
    "  return ::graphc::graph::emitPointwiseElement(*this, e, index); }\n";
}

class Graph_Unary<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, code body, string resultElement = "same",
                  Type operand = Graph_Tensor> : Graph_Pointwise<mnemonic, atenOps, autocastClass, derivativeRule, body, resultElement> {
  dag operandX = (ins operand:$x);
  let arguments = operandX;
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
class Graph_FloatUnary<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, code body>
    : Graph_Unary<mnemonic, atenOps, autocastClass, derivativeRule, body, "same", Graph_FloatTensor>;

class Graph_Binary<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, code body, string resultElement = "same",
                   Type operand = Graph_Tensor> : Graph_Pointwise<mnemonic, atenOps, autocastClass, derivativeRule, body, resultElement> {
  let arguments = (ins operand:$lhs, operand:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_WhereOp : Graph_Pointwise<"where", ["where", "masked_fill"], "Promote", "todo", [{ return b.select(x[0], x[1], x[2]); }]> {
  let summary = "onTrue where the condition holds, else onFalse";
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$on_true, Graph_Tensor:$on_false);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
}

def Graph_ClampOp : Graph_Pointwise<"clamp", ["clamp", "clamp_min", "clamp_max", "clip"], "Match", "todo", [{
    return ::graphc::scalar::clamp(b, x[0], getMin() ? x[1] : ::mlir::Value(), getMax() ? x.back() : ::mlir::Value()); }], "same", [AttrSizedOperandSegments]> {
  let summary = "min(max(x, min), max): x itself where it equals a bound (-0 stays), NaN from any operand, max where min > max";
  let description = "Scalar bounds are 0-d constants of x's element type.";
  let arguments = (ins Graph_Tensor:$x, Optional<Graph_Tensor>:$min, Optional<Graph_Tensor>:$max);
  let assemblyFormat = "$x (`min` $min^)? (`max` $max^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_CastOp : Graph_Unary<"cast", ["to", "_to_copy", "type_as", "float", "half", "bool", "int", "long"], "Match", "todo", [{
    return b.cast(b.cast(x[0], getType().getElementType()), ::graphc::scalar::computeType(getType().getElementType())); }], "attribute"> {
  let summary = "Conversion to dtype by scalar.cast's rules; always rounds";
  let arguments = !con(operandX, (ins TypeAttr:$dtype));
  let assemblyFormat = "$x `to` $dtype attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // GRAPHC_IR_GRAPH_POINTWISEOPS_TD
