//===- ContractionOps.td - matmul, linear, convolution, attention ---------===//
//
// Contractions say themselves as sums of products over logical indices (ContractionSpec); physical order comes from the types. Each can say one element too, which
// serves where no contraction kernel does (depthwise, integers).
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_CONTRACTIONOPS_TD
#define GRAPHC_IR_GRAPH_CONTRACTIONOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Contraction<string mnemonic, list<string> atenOps, string layoutBehaviour>
    : Graph_InferredOp<mnemonic, atenOps, "Contraction", "Low", layoutBehaviour, "todo",
                       [DeclareOpInterfaceMethods<Graph_ContractionInterface>, DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let results = (outs Graph_Tensor:$result);
}

def Graph_LinearOp : Graph_Contraction<"linear", ["linear", "addmm"], "FixesOrder"> {
  let summary = "x W^T + bias: x [..., k], weight [n, k], bias [n], result [..., n]";
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias);
  let assemblyFormat = "$x `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_MatmulOp : Graph_Contraction<"matmul", ["matmul", "mm", "bmm", "baddbmm"], "FixesOrder"> {
  let summary = "lhs [..., m, k] by rhs [..., k, n]; batch dims broadcast by PyTorch's rule, ranks at least 2";
  let description = "1-d operands are reshaped by the importer.";
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_ConvolutionOp : Graph_Contraction<"convolution", ["convolution", "conv1d", "conv2d", "conv3d", "_convolution"], "PrefersChannelsLast"> {
  let summary = "x [n, c, spatial…], weight [o, c/groups, kernel…], bias [o]: cross-correlation in 1, 2 or 3 dims";
  let description = "stride, padding (zeros, the same on both sides) and dilation have one entry per spatial dim. `padding='same'` of an even kernel is a graph.pad before.";
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, DefaultValuedAttr<I64Attr, "1">:$groups);
  let assemblyFormat = "$x `,` $weight (`bias` $bias^)? `stride` $stride `padding` $padding `dilation` $dilation attr-dict `:` functional-type(operands, results)";
}

def Graph_ConvTransposeOp : Graph_Contraction<"conv_transpose", ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "_convolution"], "PrefersChannelsLast"> {
  let summary = "The transpose of a convolution: x [n, c, spatial…], weight [c, o/groups, kernel…], bias [o]";
  let arguments = (ins Graph_Tensor:$x, Graph_Tensor:$weight, Optional<Graph_Tensor>:$bias, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, DenseI64ArrayAttr:$output_padding, DefaultValuedAttr<I64Attr, "1">:$groups);
  let assemblyFormat = "$x `,` $weight (`bias` $bias^)? `stride` $stride `padding` $padding `dilation` $dilation `output_padding` $output_padding attr-dict `:` functional-type(operands, results)";
}

def Graph_AttentionOp : Graph_InferredOp<"scaled_dot_product_attention", ["scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu"],
                                         "Contraction", "Low", "FixesOrder", "todo"> {
  let summary = "softmax(q k^T * scale + mask) v: q [..., l, e], k [..., s, e], v [..., s, f], result [..., l, f]";
  let description = [{
    Batch dims broadcast (eager broadcasts them too in its math path). `mask` broadcasts to [..., l, s]: bool (true takes part) or float (added). `causal`: position j of k takes part where
    j <= i. Without `scale` it is 1/sqrt(e). A row in which nothing takes part gives 0 where the mask is bool and NaN where it is -inf floats, as eager does. `gqa`: k's and v's head dim (-3)
    divides q's, heads repeat.
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value, Optional<Graph_Tensor>:$mask, UnitAttr:$causal,
                       OptionalAttr<F64Attr>:$scale, UnitAttr:$gqa);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$query `,` $key `,` $value (`mask` $mask^)? (`causal` $causal^)? (`scale` $scale^)? (`gqa` $gqa^)? attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_CONTRACTIONOPS_TD
