//===- NormalizationOps.td - row statistics, then elements ------------------===//
#ifndef GRAPHC_IR_GRAPH_NORMALIZATIONOPS_TD
#define GRAPHC_IR_GRAPH_NORMALIZATIONOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Normalization<string mnemonic, list<string> atenOps, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, atenOps, "Normalization", "Fp32", "Agnostic", "todo",
                       traits # [DeclareOpInterfaceMethods<Graph_ElementInterface, ["getRowDims"]>]> {
  let results = (outs Graph_FloatTensor:$result);
}

def Graph_SoftmaxOp : Graph_Normalization<"softmax", ["softmax", "_softmax"]> {
  let summary = "exp(x - max) / sum along a dim; a row of -inf alone gives NaN";
  let arguments = (ins Graph_FloatTensor:$x, I64Attr:$dim);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` functional-type(operands, results)";
}

def Graph_LogSoftmaxOp : Graph_Normalization<"log_softmax", ["log_softmax", "_log_softmax"]> {
  let summary = "x - max - log(sum(exp(x - max))) along a dim";
  let arguments = (ins Graph_FloatTensor:$x, I64Attr:$dim);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` functional-type(operands, results)";
}

def Graph_LayerNormOp : Graph_Normalization<"layer_norm", ["layer_norm", "native_layer_norm"], [AttrSizedOperandSegments]> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias over the last `normalized` dims";
  let arguments = (ins Graph_FloatTensor:$x, Optional<Graph_FloatTensor>:$weight, Optional<Graph_FloatTensor>:$bias, I64Attr:$normalized, F64Attr:$eps);
  let description = "weight and bias have the normalised dims' shape; the variance is the biased one.";
  let assemblyFormat = "$x (`weight` $weight^)? (`bias` $bias^)? `over` $normalized `eps` $eps attr-dict `:` functional-type(operands, results)";
}

def Graph_RmsNormOp : Graph_Normalization<"rms_norm", ["rms_norm", "_fused_rms_norm"]> {
  let summary = "x / sqrt(mean(x^2) + eps) * weight over the last `normalized` dims";
  let arguments = (ins Graph_FloatTensor:$x, Optional<Graph_FloatTensor>:$weight, I64Attr:$normalized, F64Attr:$eps);
  let assemblyFormat = "$x (`weight` $weight^)? `over` $normalized `eps` $eps attr-dict `:` functional-type(operands, results)";
}

def Graph_GroupNormOp : Graph_Normalization<"group_norm", ["group_norm", "native_group_norm", "instance_norm"], [AttrSizedOperandSegments]> {
  let summary = "layer_norm over each of `groups` groups of channels and all dims after them; x [n, c, …], weight and bias [c]";
  let arguments = (ins Graph_FloatTensor:$x, Optional<Graph_FloatTensor>:$weight, Optional<Graph_FloatTensor>:$bias, I64Attr:$groups, F64Attr:$eps);
  let assemblyFormat = "$x (`weight` $weight^)? (`bias` $bias^)? `groups` $groups `eps` $eps attr-dict `:` functional-type(operands, results)";
}

def Graph_BatchNormOp : Graph_InferredOp<"batch_norm", ["batch_norm", "_native_batch_norm_legit_no_training", "native_batch_norm", "cudnn_batch_norm"],
                                         "Pointwise", "Fp32", "Agnostic", "todo",
                                         [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let summary = "Inference form: (x - mean) / sqrt(var + eps) * weight + bias by channel (dim 1 of x, or dim 0 of a 1-d x never occurs)";
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$mean, Graph_FloatTensor:$var, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x `mean` $mean `var` $var (`weight` $weight^)? (`bias` $bias^)? `eps` $eps attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_NORMALIZATIONOPS_TD
