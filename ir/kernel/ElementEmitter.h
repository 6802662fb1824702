// What graph ops use to say one element of a result as kernel-dialect code. The implementation (passes/OutlineKernels) decides where an operand's
// element comes from: a kernel.load of a buffer, or the operand's own emitElement when it is fused.
//
//   Value PermuteOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
//     SmallVector<AffineExpr> source(index.size());
//     for (auto [i, dim] : llvm::enumerate(getDims())) source[dim] = index[i];
//     return e.element(getX(), source);
//   }
//
// Index expressions are affine over the emitter's index values: dim i of an expression stands for the i-th index in scope (grid indices, inner indices, checked
// data-dependent indices); symbol i for the kernel's i-th #graph.dim symbol.
#ifndef GRAPHC_IR_KERNEL_ELEMENTEMITTER_H
#define GRAPHC_IR_KERNEL_ELEMENTEMITTER_H

#include "ir/graph/Dim.h"
#include "ir/kernel/KernelEnums.h"
#include "ir/scalar/ScalarBuilder.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

#include <functional>

namespace graphc::kernel {

/// A conjunction of affine constraints, each `expression >= 0` (or == 0).
struct Mask {
  llvm::SmallVector<mlir::AffineExpr> expressions;
  llvm::SmallVector<bool> isEquality;
  bool empty() const { return expressions.empty(); }
};

/// Extents and access maps of a contraction over (grid…, m…, k…) and (grid…, n…, k…); result index = from (grid…, m…, n…).
struct ContractionSpec {
  mlir::Value lhs, rhs;
  llvm::SmallVector<graph::DimAttr> grid, m, n, k;
  mlir::AffineMap lhsMap, rhsMap; // dims in the order above
  Mask lhsMask;                   // over lhsMap's dims
  mlir::AffineMap resultMap;      // (grid…, m…, n…) to the result's dims
};

class ElementEmitter {
public:
  virtual ~ElementEmitter() = default;

  virtual scalar::ScalarBuilder &scalar() = 0;
  virtual mlir::MLIRContext *getContext() = 0;

  /// The element of `tensor` at `index` (in bounds), in compute type (f32 for 16-bit floats).
  virtual mlir::Value element(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index) = 0;
  /// The same where `mask` holds, else `otherwise` (of the element's compute type); nothing is read where it does not hold.
  virtual mlir::Value maskedElement(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index, const Mask &mask,
                                    mlir::Value otherwise) = 0;
  /// i1: whether the mask holds.
  virtual mlir::Value holds(const Mask &mask) = 0;
  /// Folds what `body` yields over new inner indices of the given extents. Hoisted to the outermost place where the indices that `free` names are
  /// in scope, and shared between equal `key`s there: row statistics are computed once per row.
  virtual llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<graph::DimAttr> extents, llvm::ArrayRef<Monoid> monoids,
                                                llvm::ArrayRef<mlir::AffineExpr> free, const void *key,
                                                std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::AffineExpr>)> body) = 0;
  /// An index out of data (i8…i64, ui8), checked against `extent`; recorded as a run-time error with the op's location when outside.
  virtual mlir::AffineExpr checkIndex(mlir::Value value, graph::DimAttr extent, bool wrapNegative) = 0;
  /// An index expression as i64.
  virtual mlir::Value indexValue(mlir::AffineExpr index) = 0;
  /// A #graph.dim as an affine expression: a constant, or a symbol of the kernel.
  virtual mlir::AffineExpr dim(graph::DimAttr dim) = 0;
};

} // namespace graphc::kernel

#endif // GRAPHC_IR_KERNEL_ELEMENTEMITTER_H
