//===- ReductionOps.td - reductions and normalisations --------------------===//
#ifndef GRAPHC_IR_GRAPH_REDUCTIONOPS_TD
#define GRAPHC_IR_GRAPH_REDUCTIONOPS_TD
include "ir/graph/GraphDialect.td"

def Graph_SoftmaxOp : Graph_InferredOp<"softmax", ["softmax", "_softmax"], "Normalization", "Fp32", "Agnostic", "todo",
                                       [DeclareOpInterfaceMethods<Graph_ElementInterface, ["getRowDims"]>]> {
  let summary = "exp(x - max) / sum along a dim; a row of -inf alone gives NaN";
  let arguments = (ins Graph_FloatTensor:$x, I64Attr:$dim);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_REDUCTIONOPS_TD
