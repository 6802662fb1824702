//===- WindowOps.td - pooling and resizing ---------------------------------===//
//
// x is [n, c, spatial…] (importing adds n where PyTorch allows its absence); lists have one entry per spatial dim, of which there are 1, 2 or 3.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_WINDOWOPS_TD
#define GRAPHC_IR_GRAPH_WINDOWOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Window<string mnemonic, list<string> atenOps, string autocastClass>
    : Graph_InferredOp<mnemonic, atenOps, "Window", autocastClass, "Agnostic", "todo", [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

class Graph_MaxPool<string mnemonic> : Graph_Window<mnemonic, ["max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices"], "Match"> {
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                       UnitAttr:$ceil_mode);
}
def Graph_MaxPoolOp : Graph_MaxPool<"max_pool"> { let summary = "Largest element of each window; padding never wins, NaN does"; }
def Graph_MaxPoolWithIndicesOp : Graph_MaxPool<"max_pool_with_indices"> {
  let summary = "max_pool and the row-major spatial position of each largest element";
  let results = (outs Graph_Tensor:$result, RankedTensorOf<[I64]>:$indices);
}

def Graph_AvgPoolOp : Graph_Window<"avg_pool", ["avg_pool1d", "avg_pool2d", "avg_pool3d"], "Match"> {
  let summary = "Mean of each window; `divisor` 0 means the number of elements";
  let arguments = (ins Graph_FloatTensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, UnitAttr:$ceil_mode,
                       UnitAttr:$count_include_pad, DefaultValuedAttr<I64Attr, "0">:$divisor);
}

def Graph_AdaptiveAvgPoolOp : Graph_Window<"adaptive_avg_pool", ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_avg_pool3d"], "Match"> {
  let summary = "Means over the windows [floor(i in/out), ceil((i + 1) in/out))";
  let arguments = (ins Graph_FloatTensor:$x, Graph_DimArrayAttr:$output_size);
}

class Graph_AdaptiveMaxPool<string mnemonic> : Graph_Window<mnemonic, ["adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"], "Match"> {
  let arguments = (ins Graph_Tensor:$x, Graph_DimArrayAttr:$output_size);
}
def Graph_AdaptiveMaxPoolOp : Graph_AdaptiveMaxPool<"adaptive_max_pool"> { let summary = "Largest elements of adaptive_avg_pool's windows"; }
def Graph_AdaptiveMaxPoolWithIndicesOp : Graph_AdaptiveMaxPool<"adaptive_max_pool_with_indices"> {
  let summary = "adaptive_max_pool and the row-major spatial positions";
  let results = (outs Graph_Tensor:$result, RankedTensorOf<[I64]>:$indices);
}

// `scales`: the scale factors the program gave, one per spatial dim, or empty where it gave sizes (PyTorch computes coordinates from the given factor).
class Graph_Upsample<string mnemonic, list<string> atenOps> : Graph_Window<mnemonic, atenOps, "Match"> {
  dag sizeArguments = (ins Graph_Tensor:$x, Graph_DimArrayAttr:$output_size, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scales);
  let arguments = sizeArguments;
}
def Graph_UpsampleNearestOp : Graph_Upsample<"upsample_nearest", ["upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d"]> {
  let summary = "Element floor(i / scale) of x, or floor((i + 0.5) / scale) with `exact`";
  let arguments = !con(sizeArguments, (ins UnitAttr:$exact));
}
def Graph_UpsampleLinearOp : Graph_Upsample<"upsample_linear", ["upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"]> {
  let summary = "Linear interpolation in each spatial dim";
  let arguments = !con(sizeArguments, (ins UnitAttr:$align_corners));
}
def Graph_UpsampleBicubicOp : Graph_Upsample<"upsample_bicubic", ["upsample_bicubic2d"]> {
  let summary = "Cubic convolution (a = -0.75) over 4 x 4 elements; 2 spatial dims";
  let arguments = !con(sizeArguments, (ins UnitAttr:$align_corners));
}

#endif // GRAPHC_IR_GRAPH_WINDOWOPS_TD
