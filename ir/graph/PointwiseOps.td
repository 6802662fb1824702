//===- PointwiseOps.td - one record an op ---------------------------------===//
//
// A pointwise op is a record with its scalar body. Operands have equal element types (importing inserts the casts of PyTorch's promotion) and broadcast by
// PyTorch's rule; the result has their element type unless `resultElement` says otherwise ("bool").
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
  let extraClassDefinition = graphOpFacts #
    "::mlir::Value $cppClass::buildBody(::graphc::scalar::ScalarBuilder &b, ::mlir::ValueRange x) {" # body # "}\n" #
    "::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc, ::mlir::ValueRange operands, " #
    "::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &types) {\n" #
    "  return ::graphc::graph::inferPointwise(loc, operands, \"" # resultElement # "\", types); }\n" #
    "::mlir::Value $cppClass::emitElement(::graphc::kernel::ElementEmitter &e, unsigned, ::llvm::ArrayRef<::mlir::AffineExpr> index) {\n" #
    "  return ::graphc::graph::emitPointwiseElement(*this, e, index); }\n";
}

class Graph_Unary<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, code body, string resultElement = "same">
    : Graph_Pointwise<mnemonic, atenOps, autocastClass, derivativeRule, body, resultElement> {
  let arguments = (ins Graph_Tensor:$x);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

class Graph_Binary<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, code body, string resultElement = "same">
    : Graph_Pointwise<mnemonic, atenOps, autocastClass, derivativeRule, body, resultElement> {
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_AddOp : Graph_Binary<"add", ["add"], "Promote", "todo", [{ return b.add(x[0], x[1]); }]>;
def Graph_MulOp : Graph_Binary<"mul", ["mul"], "Promote", "todo", [{ return b.mul(x[0], x[1]); }]>;
def Graph_ReluOp : Graph_Unary<"relu", ["relu"], "Match", "todo", [{ return b.max(x[0], b.constantLike(0, x[0])); }]>;
def Graph_EqOp : Graph_Binary<"eq", ["eq"], "Promote", "none: not differentiable", [{ return b.compare(::graphc::scalar::Predicate::eq, x[0], x[1]); }], "bool">;

#endif // GRAPHC_IR_GRAPH_POINTWISEOPS_TD
