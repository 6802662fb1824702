//===- StructureOps.td - parameters, state, symbols, guards ---------------===//
#ifndef GRAPHC_IR_GRAPH_STRUCTUREOPS_TD
#define GRAPHC_IR_GRAPH_STRUCTUREOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Structure<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, [], "Opaque", "Match", "Agnostic", "none: structure", traits>;

def Graph_ParameterOp : Graph_Structure<"parameter", [Symbol]> {
  let summary = "A weight or constant tensor of the model, by its name in the file";
  let description = "At module level. `value` is usually a dense_resource over mapped memory, whose size the verifier checks.";
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value, UnitAttr:$requires_grad);
  let assemblyFormat = "$sym_name attr-dict `=` $value";
  let hasVerifier = 1;
}

def Graph_GetOp : Graph_Op<"get", [], "Source", "Match", "Agnostic", "rule: of the parameter", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a graph.parameter";
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

def Graph_ConstantOp : Graph_Op<"constant", [], "Source", "Match", "Agnostic", "none: constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A small constant tensor (scalars, lists)";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_StateOp : Graph_Structure<"state", [Symbol]> {
  let summary = "A tensor that outlives a run, in the Context (DESIGN section 9)";
  let description = "At module level: its initial value. Shapes may differ from variant to variant of the entry; graph.read_state says the shape it has there.";
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$initial, StrAttr:$attribute);
  let assemblyFormat = "$sym_name `attribute` $attribute attr-dict `=` $initial";
}

def Graph_ReadStateOp : Graph_Structure<"read_state", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The state's value at the start of the run";
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

def Graph_WriteStateOp : Graph_Structure<"write_state", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The state's value after the run; at most one write a state in a function";
  let arguments = (ins FlatSymbolRefAttr:$state, Graph_Tensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($value)";
}

def Graph_SymbolOp : Graph_Structure<"symbol", [Symbol]> {
  let summary = "A symbolic dim: its range and where it comes from";
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$min, OptionalAttr<I64Attr>:$max, StrAttr:$origin);
  let assemblyFormat = "$sym_name `min` $min (`max` $max^)? `from` $origin attr-dict";
}

def Graph_GuardOp : Graph_Structure<"guard"> {
  let summary = "A run-time check on dims that the program needs and that could not be proved";
  let description = "At the start of a function. `lhs predicate rhs` must hold, else the run fails with `message` and the op's location.";
  let arguments = (ins Graph_DimAttr:$lhs, StrAttr:$predicate, Graph_DimAttr:$rhs, StrAttr:$message);
  let assemblyFormat = "$lhs $predicate $rhs `,` $message attr-dict";
  let hasVerifier = 1;
}

#endif // GRAPHC_IR_GRAPH_STRUCTUREOPS_TD
