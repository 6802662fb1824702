// The folds that ops share: keys and counts, and the mean of a row with its elements' squared distances from it.
#ifndef GRAPHC_IR_GRAPH_MOMENTS_H
#define GRAPHC_IR_GRAPH_MOMENTS_H

#include "ir/graph/GraphSupport.h"

namespace graphc::graph {

/// Tells the folds of one op apart, as keys of ElementEmitter::reduce.
inline const void *foldKey(mlir::Operation *op, unsigned number) { return reinterpret_cast<const char *>(op) + number; }

/// The product of extents as a scalar of `type`.
mlir::Value emitCount(kernel::ElementEmitter &e, llvm::ArrayRef<DimAttr> extents, mlir::Type type);

/// The mean is `mean` + `rest`: rounding leaves less than a unit in the last place of the mean apart, which small variances magnify. An element's distance is
/// (x - mean) - rest; of equal elements it vanishes.
struct Moments {
  mlir::Value mean, rest;
  mlir::Value squares; ///< the sum of squared distances from mean + rest

  mlir::Value distance(scalar::ScalarBuilder &b, mlir::Value x) const { return b.sub(b.sub(x, mean), rest); }
};

/// Over the elements that `at` gives at inner indices; two folds of `op`, numbers 0 and 1.
Moments emitMoments(kernel::ElementEmitter &e, mlir::Operation *op, llvm::ArrayRef<DimAttr> extents, llvm::ArrayRef<mlir::AffineExpr> free,
                    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::AffineExpr>)> at);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_MOMENTS_H
