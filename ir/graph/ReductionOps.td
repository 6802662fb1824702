//===- ReductionOps.td - folds along dims, and scans -----------------------===//
//
// `dims` are sorted, distinct and non-negative; importing lists all dims where PyTorch gives none. The result has x's element type (importing casts integers to
// i64 before sum and prod, and to dtype where one is given); sums accumulate in f32 for 16-bit floats.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_REDUCTIONOPS_TD
#define GRAPHC_IR_GRAPH_REDUCTIONOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Reduction<string mnemonic, list<string> atenOps, string autocastClass, string derivativeRule, Type operand = Graph_Tensor, Type resultType = operand>
    : Graph_InferredOp<mnemonic, atenOps, "Reduction", autocastClass, "Agnostic", derivativeRule, [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  dag commonArguments = (ins operand:$x, DenseI64ArrayAttr:$dims, UnitAttr:$keepdim);
  let arguments = commonArguments;
  let results = (outs resultType:$result);
  let assemblyFormat = "$x $dims (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_SumOp : Graph_Reduction<"sum", ["sum"], "Fp32", "todo">;
def Graph_ProdOp : Graph_Reduction<"prod", ["prod"], "Fp32", "todo">;
def Graph_MeanOp : Graph_Reduction<"mean", ["mean"], "Match", "todo", Graph_FloatTensor> { let summary = "NaN over no elements"; }
def Graph_AmaxOp : Graph_Reduction<"amax", ["amax", "max"], "Match", "todo"> { let summary = "NaN where any element is; refuses an empty domain"; }
def Graph_AminOp : Graph_Reduction<"amin", ["amin", "min"], "Match", "todo"> { let summary = "NaN where any element is; refuses an empty domain"; }
def Graph_AnyOp : Graph_Reduction<"any", ["any"], "Match", "none: not differentiable", Graph_BoolTensor> { let summary = "Or; importing casts x to bool first"; }
def Graph_AllOp : Graph_Reduction<"all", ["all"], "Match", "none: not differentiable", Graph_BoolTensor> { let summary = "And; importing casts x to bool first"; }
def Graph_ArgmaxOp : Graph_Reduction<"argmax", ["argmax"], "Match", "none: not differentiable", Graph_Tensor, RankedTensorOf<[I64]>> {
  let summary = "Row-major position within dims of the first largest element; the first NaN wins";
}
def Graph_ArgminOp : Graph_Reduction<"argmin", ["argmin"], "Match", "none: not differentiable", Graph_Tensor, RankedTensorOf<[I64]>> {
  let summary = "Row-major position within dims of the first smallest element; the first NaN wins";
}
def Graph_VarOp : Graph_Reduction<"var", ["var", "std", "var_mean"], "Fp32", "todo", Graph_FloatTensor> {
  let summary = "sum((x - mean)^2) / max(0, n - correction)";
  let arguments = !con(commonArguments, (ins DefaultValuedAttr<F64Attr, "1.0">:$correction));
}
def Graph_LogsumexpOp : Graph_Reduction<"logsumexp", ["logsumexp"], "Fp32", "todo", Graph_FloatTensor> {
  let summary = "log(sum(exp(x))) without overflow; -inf of no elements or all -inf";
}

class Graph_ExtremeAlong<string mnemonic, list<string> atenOps>
    : Graph_InferredOp<mnemonic, atenOps, "Reduction", "Match", "Agnostic", "todo", [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let arguments = (ins Graph_Tensor:$x, I64Attr:$dim, UnitAttr:$keepdim);
  let results = (outs Graph_Tensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$x `dim` $dim (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
}
def Graph_MaxDimOp : Graph_ExtremeAlong<"max_dim", ["max"]> { let summary = "The largest element along a dim and its first position; NaN wins"; }
def Graph_MinDimOp : Graph_ExtremeAlong<"min_dim", ["min"]> { let summary = "The smallest element along a dim and its first position; NaN wins"; }

class Graph_Scan<string mnemonic, list<string> atenOps>
    : Graph_InferredOp<mnemonic, atenOps, "Scan", "Fp32", "Agnostic", "todo", [DeclareOpInterfaceMethods<Graph_ElementInterface>]> {
  let arguments = (ins Graph_Tensor:$x, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def Graph_CumsumOp : Graph_Scan<"cumsum", ["cumsum"]> { let summary = "Sums of the elements up to each along a dim"; }
def Graph_CumprodOp : Graph_Scan<"cumprod", ["cumprod"]> { let summary = "Products of the elements up to each along a dim"; }

// Without an element of their own: routines of the runtime, or comparisons (passes/decompose/Scans.cpp).
def Graph_LogcumsumexpOp : Graph_InferredOp<"logcumsumexp", ["logcumsumexp"], "Scan", "Fp32", "FixesOrder", "todo"> {
  let summary = "log(sum(exp(x))) of the elements up to each along a dim, without overflow";
  let arguments = (ins Graph_FloatTensor:$x, I64Attr:$dim);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` functional-type(operands, results)";
}
class Graph_ExtremeScan<string mnemonic> : Graph_InferredOp<mnemonic, [mnemonic], "Scan", "Match", "FixesOrder", "todo"> {
  let arguments = (ins Graph_Tensor:$x, I64Attr:$dim);
  let results = (outs Graph_Tensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def Graph_CummaxOp : Graph_ExtremeScan<"cummax"> { let summary = "The largest element up to each along a dim and its last position; NaN wins"; }
def Graph_CumminOp : Graph_ExtremeScan<"cummin"> { let summary = "The smallest element up to each along a dim and its last position; NaN wins"; }

#endif // GRAPHC_IR_GRAPH_REDUCTIONOPS_TD
