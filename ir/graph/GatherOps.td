//===- GatherOps.td - data-dependent indices and orders -------------------===//
//
// Indices are checked when the kernel runs: one outside its dim is a run-time error with the op's line. Only graph.index and graph.index_put take negative
// indices (counted from the end), as eager does.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_GATHEROPS_TD
#define GRAPHC_IR_GRAPH_GATHEROPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Gather<string mnemonic, list<string> atenOps>
    : Graph_InferredOp<mnemonic, atenOps, "Gather", "Match", "Agnostic", "todo", [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let results = (outs Graph_Tensor:$result);
}

def Graph_EmbeddingOp : Graph_Gather<"embedding", ["embedding"]> {
  let summary = "Rows of weight [v, …] by indices: result [indices…, …]";
  let arguments = (ins Graph_Tensor:$weight, Graph_IndexTensor:$indices);
  let assemblyFormat = "$weight `,` $indices attr-dict `:` functional-type(operands, results)";
}
def Graph_IndexSelectOp : Graph_Gather<"index_select", ["index_select"]> {
  let summary = "Slices of x along a dim by a 1-d (or 0-d) index tensor";
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices, I64Attr:$dim);
  let assemblyFormat = "$x `,` $indices `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def Graph_GatherOp : Graph_Gather<"gather", ["gather", "take_along_dim"]> {
  let summary = "result[i…] = x[i… with dim's index replaced by indices[i…]]; indices is no larger than x in the other dims";
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices, I64Attr:$dim);
  let assemblyFormat = "$x `,` $indices `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def Graph_IndexOp : Graph_Gather<"index", ["index"]> {
  let summary = "Advanced indexing: index tensors, broadcast together, at `dims` (ascending)";
  let description = [{
    Where dims are consecutive, the broadcast index dims stand in their place, else in front; the other dims of x follow in order. Negative indices count from the end. Masks
    (bool indices) give a data-dependent shape and are refused by the importer, as is what they need.
  }];
  let arguments = (ins Graph_Tensor:$x, Variadic<Graph_IndexTensor>:$indices, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `[` $indices `]` `at` $dims attr-dict `:` functional-type(operands, results)";
}

//===-- writes: kernels of their own, later --------------------------------------===//

def Graph_ScatterReduce : I32EnumAttr<"ScatterReduce", "how scattered elements combine with what is there", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"sum", 1>, I32EnumAttrCase<"prod", 2>, I32EnumAttrCase<"amax", 3>, I32EnumAttrCase<"amin", 4>,
    I32EnumAttrCase<"mean", 5>]> {
  let cppNamespace = "::graphc::graph";
  let genSpecializedAttr = 0;
}
def Graph_ScatterReduceAttr : EnumAttr<Graph_Dialect, Graph_ScatterReduce, "scatter_reduce">;

class Graph_Scatter<string mnemonic, list<string> atenOps> : Graph_InferredOp<mnemonic, atenOps, "Opaque", "Match", "Agnostic", "todo"> {
  let results = (outs Graph_Tensor:$result);
}

def Graph_ScatterOp : Graph_Scatter<"scatter", ["scatter", "scatter_add", "scatter_reduce"]> {
  let summary = "base with base[i… with dim's index replaced by indices[i…]] combined with source[i…] for all i of indices, in row-major order";
  let description = "`exclude_self`: elements of base that something is scattered to do not take part (include_self=False).";
  let arguments = (ins Graph_Tensor:$base, Graph_IndexTensor:$indices, Graph_Tensor:$source, I64Attr:$dim, Graph_ScatterReduceAttr:$reduce, UnitAttr:$exclude_self);
  let assemblyFormat = "$base `,` $indices `,` $source `dim` $dim $reduce (`exclude_self` $exclude_self^)? attr-dict `:` functional-type(operands, results)";
}
def Graph_IndexPutOp : Graph_Scatter<"index_put", ["index_put"]> {
  let summary = "base with the elements that graph.index would read replaced by value (broadcast), or increased with `accumulate`; the last of equal indices wins";
  let arguments = (ins Graph_Tensor:$base, Graph_Tensor:$value, Variadic<Graph_IndexTensor>:$indices, DenseI64ArrayAttr:$dims, UnitAttr:$accumulate);
  let assemblyFormat = "$base `,` $value `[` $indices `]` `at` $dims (`accumulate` $accumulate^)? attr-dict `:` functional-type(operands, results)";
}
def Graph_IndexAddOp : Graph_Scatter<"index_add", ["index_add"]> {
  let summary = "base with slice indices[j] along dim increased by slice j of source; alpha is a mul of the importer";
  let arguments = (ins Graph_Tensor:$base, Graph_IndexTensor:$indices, Graph_Tensor:$source, I64Attr:$dim);
  let assemblyFormat = "$base `,` $indices `,` $source `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def Graph_IndexCopyOp : Graph_Scatter<"index_copy", ["index_copy", "index_fill"]> {
  let summary = "base with slice indices[j] along dim replaced by slice j of source; the last of equal indices wins";
  let arguments = (ins Graph_Tensor:$base, Graph_IndexTensor:$indices, Graph_Tensor:$source, I64Attr:$dim);
  let assemblyFormat = "$base `,` $indices `,` $source `dim` $dim attr-dict `:` functional-type(operands, results)";
}

//===-- orders ---------------------------------------------------------------------===//

def Graph_SortOp : Graph_InferredOp<"sort", ["sort", "argsort"], "Sort", "Match", "Agnostic", "todo"> {
  let summary = "x sorted along a dim, stably, and the positions the elements had; NaN counts as largest";
  let arguments = (ins Graph_Tensor:$x, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs Graph_Tensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$x `dim` $dim (`descending` $descending^)? attr-dict `:` functional-type(operands, results)";
}
def Graph_TopkOp : Graph_InferredOp<"topk", ["topk", "kthvalue"], "Sort", "Match", "Agnostic", "todo"> {
  let summary = "The k largest (or `smallest`) elements along a dim in order, and their positions; NaN counts as largest";
  let arguments = (ins Graph_Tensor:$x, I64Attr:$k, I64Attr:$dim, UnitAttr:$smallest);
  let results = (outs Graph_Tensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$x `k` $k `dim` $dim (`smallest` $smallest^)? attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_GATHEROPS_TD
