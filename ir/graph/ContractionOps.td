//===- ContractionOps.td - matmul, linear, convolution, attention ---------===//
#ifndef GRAPHC_IR_GRAPH_CONTRACTIONOPS_TD
#define GRAPHC_IR_GRAPH_CONTRACTIONOPS_TD
include "ir/graph/GraphDialect.td"

def Graph_LinearOp : Graph_InferredOp<"linear", ["linear", "addmm", "mm"], "Contraction", "Low", "FixesOrder", "todo",
                                      [DeclareOpInterfaceMethods<Graph_ContractionInterface>]> {
  let summary = "x W^T + bias: x [..., k], weight [n, k], bias [n], result [..., n]";
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_CONTRACTIONOPS_TD
