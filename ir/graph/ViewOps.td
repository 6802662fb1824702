//===- ViewOps.td - ops that move elements --------------------------------===//
#ifndef GRAPHC_IR_GRAPH_VIEWOPS_TD
#define GRAPHC_IR_GRAPH_VIEWOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_View<string mnemonic, list<string> atenOps, string layoutBehaviour = "Agnostic">
    : Graph_InferredOp<mnemonic, atenOps, "View", "Match", layoutBehaviour, "todo", [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let results = (outs Graph_Tensor:$result);
}

def Graph_PermuteOp : Graph_View<"permute", ["permute", "transpose", "t", "movedim"]> {
  let summary = "Dim i of the result is dim dims[i] of x";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x $dims attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_VIEWOPS_TD
