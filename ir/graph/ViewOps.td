//===- ViewOps.td - ops that move elements, and ranges --------------------===//
//
// Pure: an op gives a new value; whether memory is shared is the compiler's choice (importing has resolved eager aliasing). Sizes and offsets are
// #graph.dim expressions, dims count from 0 (importing resolves negative ones).
//
//===----------------------------------------------------------------------===//
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
  let hasFolder = 1;
}

def Graph_ReshapeOp : Graph_View<"reshape", ["reshape", "view", "flatten", "unflatten", "squeeze", "unsqueeze"], "FixesOrder"> {
  let summary = "The same elements in row-major order of the logical dims under another shape";
  let arguments = (ins Graph_Tensor:$x, Graph_DimArrayAttr:$shape);
  let assemblyFormat = "$x `to` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Graph_ExpandOp : Graph_View<"expand", ["expand", "broadcast_to"]> {
  let summary = "x broadcast to `shape`: dims of size 1 repeat, dims are added in front";
  let arguments = (ins Graph_Tensor:$x, Graph_DimArrayAttr:$shape);
  let assemblyFormat = "$x `to` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Graph_SliceOp : Graph_View<"slice", ["slice", "narrow", "select"]> {
  let summary = "Elements starts[d] + i * steps[d], i < sizes[d]; one entry per dim, steps >= 1";
  let arguments = (ins Graph_Tensor:$x, Graph_DimArrayAttr:$starts, Graph_DimArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let assemblyFormat = "$x `from` $starts `size` $sizes `step` $steps attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Graph_FlipOp : Graph_View<"flip", ["flip"]> {
  let summary = "Reversed along dims";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x $dims attr-dict `:` functional-type(operands, results)";
}

def Graph_RollOp : Graph_View<"roll", ["roll"]> {
  let summary = "Rotated by shifts[i] along dims[i]; importing flattens x for a roll without dims";
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$shifts, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `by` $shifts `along` $dims attr-dict `:` functional-type(operands, results)";
}

def Graph_PadOp : Graph_View<"pad", ["constant_pad_nd", "pad"]> {
  let summary = "low[d] and high[d] elements of `value` around x; negative ones crop; one entry per dim";
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$value, Graph_DimArrayAttr:$low, Graph_DimArrayAttr:$high);
  let description = "`value` is a 0-d tensor of x's element type.";
  let assemblyFormat = "$x `,` $value `low` $low `high` $high attr-dict `:` functional-type(operands, results)";
}

class Graph_EdgePad<string mnemonic, list<string> atenOps> : Graph_View<mnemonic, atenOps> {
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let description = "One entry per dim of x (0 for dims that are not padded), none negative.";
  let assemblyFormat = "$x `low` $low `high` $high attr-dict `:` functional-type(operands, results)";
}
def Graph_PadReflectOp : Graph_EdgePad<"pad_reflect", ["reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "pad"]> {
  let summary = "Padded by mirror images without the edge; each pad is less than the dim";
}
def Graph_PadReplicateOp : Graph_EdgePad<"pad_replicate", ["replication_pad1d", "replication_pad2d", "replication_pad3d", "pad"]> {
  let summary = "Padded by the edge element; the dim is at least 1";
}
def Graph_PadCircularOp : Graph_EdgePad<"pad_circular", ["_pad_circular", "pad"]> {
  let summary = "Padded by wrapping around; each pad is at most the dim";
}

def Graph_ConcatOp : Graph_View<"concat", ["cat", "concat", "stack", "hstack", "vstack"]> {
  let summary = "Operands one after the other along a dim";
  let arguments = (ins Variadic<Graph_Tensor>:$parts, I64Attr:$dim);
  let description = "At least one part; all of one rank and element type. (PyTorch's legacy empty 1-d part is dropped by the importer.)";
  let assemblyFormat = "$parts `dim` $dim attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Graph_DiagonalOp : Graph_View<"diagonal", ["diagonal"]> {
  let summary = "The elements with dim2's index = dim1's index + offset, as a new last dim";
  let arguments = (ins Graph_Tensor:$x, I64Attr:$offset, I64Attr:$dim1, I64Attr:$dim2);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Graph_AsStridedOp : Graph_View<"as_strided", ["as_strided", "unfold"], "FixesOrder"> {
  let summary = "Element i… is element offset + sum(i_d * strides_d) of x's elements in default order";
  let arguments = (ins Graph_Tensor:$x, Graph_DimArrayAttr:$sizes, Graph_DimArrayAttr:$strides, Graph_DimAttr:$offset);
  let assemblyFormat = "$x `sizes` $sizes `strides` $strides `offset` $offset attr-dict `:` functional-type(operands, results)";
}

class Graph_Triangle<string mnemonic> : Graph_View<mnemonic, [mnemonic]> {
  let arguments = (ins Graph_Tensor:$x, I64Attr:$diagonal);
  let description = "Of the last two dims, i and j.";
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def Graph_TrilOp : Graph_Triangle<"tril"> { let summary = "x where j - i <= diagonal, else 0"; }
def Graph_TriuOp : Graph_Triangle<"triu"> { let summary = "x where j - i >= diagonal, else 0"; }

def Graph_SliceScatterOp : Graph_View<"slice_scatter", ["slice_scatter", "select_scatter", "slice", "copy"]> {
  let summary = "base with the elements at starts[d] + i * steps[d] taken from value; one entry per dim";
  let arguments = (ins Graph_Tensor:$base, Graph_Tensor:$value, Graph_DimArrayAttr:$starts, DenseI64ArrayAttr:$steps);
  let assemblyFormat = "$base `,` $value `from` $starts `step` $steps attr-dict `:` functional-type(operands, results)";
}

def Graph_Bound : AnyAttrOf<[Graph_DimAttr, F64Attr], "#graph.dim or f64">;
def Graph_IotaOp : Graph_InferredOp<"iota", ["arange", "linspace"], "Source", "Match", "Agnostic", "none: no tensor operand",
                                    [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let summary = "start + i * step, i < size, as a 1-d tensor of dtype";
  let description = [{
    start and step are #graph.dim expressions (integers, maybe symbolic) or f64. Integers compute in i64; floats in f64, rounded once to dtype, as eager does. The value of a
    dim as a tensor is an iota of size 1 that starts there.
  }];
  let arguments = (ins Graph_Bound:$start, Graph_Bound:$step, Graph_DimAttr:$size, TypeAttr:$dtype);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_VIEWOPS_TD
