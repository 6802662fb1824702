//===- MatrixOps.td - linear systems -----------------------------------------===//
//
// Over the last two dims of stacks of matrices, in f64: importing converts other floats. `check` makes a matrix that eager's operator raises for a run-time error.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_MATRIXOPS_TD
#define GRAPHC_IR_GRAPH_MATRIXOPS_TD
include "ir/graph/GraphDialect.td"

def Graph_EliminateOp : Graph_InferredOp<"eliminate", ["linalg_solve", "linalg_inv", "linalg_det", "linalg_slogdet", "linalg_solve_triangular"], "Opaque", "Match", "FixesOrder", "todo"> {
  let summary = "Gauss-Jordan elimination of the first n columns of [.., n, n + m]: what stands in the last m columns where the first are the identity";
  let description = [{
    With `pivot` the row with the largest element of a column is swapped to the diagonal first, and a column without one other than 0 is left as it is. Without it the first n
    columns must be lower triangular: elimination is forward substitution then. facts [.., 1, 4]: the determinant, the logarithm of its size, its sign, and the number of the first zero
    pivot, counted from 1, or 0.
  }];
  let arguments = (ins RankedTensorOf<[F64]>:$x, UnitAttr:$pivot, UnitAttr:$check);
  let results = (outs RankedTensorOf<[F64]>:$solution, RankedTensorOf<[F64]>:$facts);
  let assemblyFormat = "$x (`pivot` $pivot^)? (`check` $check^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_CholeskyOp : Graph_InferredOp<"cholesky", ["linalg_cholesky"], "Opaque", "Match", "FixesOrder", "todo"> {
  let summary = "The lower triangular L with L L^T = x for symmetric positive-definite x [.., n, n], of which the lower triangle is read";
  let description = "facts [.., 1, 1]: the order of the first leading minor that is not positive, or 0. From that column on L is NaN.";
  let arguments = (ins RankedTensorOf<[F64]>:$x, UnitAttr:$check);
  let results = (outs RankedTensorOf<[F64]>:$factor, RankedTensorOf<[F64]>:$facts);
  let assemblyFormat = "$x (`check` $check^)? attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_MATRIXOPS_TD
