// Index expressions in canonical form, using the ranges of their dims.
//
// A view of a view leaves divisions that ranges decide: with d1 in [0, 64),
//
//   (d0 * 64 + d1) floordiv 64   ->  d0          (d0 * 64 + d1) mod 64  ->  d1
//   d0 floordiv 8 * 8 + d0 mod 8 ->  d0          (d0 mod 64) floordiv 8 ->  (d0 floordiv 8) mod 8
//
// Equal expressions of this family become the same AffineExpr, so that elements can be shared by pointer comparison.
#ifndef GRAPHC_PASSES_OUTLINE_INDEXSIMPLIFIER_H
#define GRAPHC_PASSES_OUTLINE_INDEXSIMPLIFIER_H

#include "ir/graph/Dim.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace graphc {

/// Bounds of an expression, both inclusive; nullopt: unknown.
struct IndexRange {
  std::optional<int64_t> low, high;
  bool within(int64_t first, int64_t last) const { return low && high && *low >= first && *high <= last; }
};

class IndexSimplifier {
public:
  explicit IndexSimplifier(mlir::MLIRContext *context) : context(context) {}

  /// Adds the next dim: an index in [0, extent).
  unsigned addDim(graph::DimAttr extent);
  /// The symbol that stands for `dim` (added where it is new); an expression of constants and symbols.
  mlir::AffineExpr getSymbol(graph::DimAttr dim);
  /// A #graph.dim as an affine expression: a constant or a symbol.
  mlir::AffineExpr getExpr(graph::DimAttr dim);

  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  llvm::SmallVector<mlir::AffineExpr> simplify(llvm::ArrayRef<mlir::AffineExpr> exprs) const;
  IndexRange getRange(mlir::AffineExpr expr) const;

  graph::DimAttr getExtent(unsigned dim) const { return extents[dim]; }
  unsigned getNumDims() const { return extents.size(); }
  llvm::ArrayRef<graph::DimAttr> getSymbols() const { return symbols; }

private:
  /// A sum of coefficient * atom, and a constant; atoms are dims, symbols, floordiv, mod, ceildiv or products with symbols.
  struct Sum {
    llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>> terms;
    int64_t constant = 0;
  };
  void add(Sum &sum, mlir::AffineExpr expr, int64_t scale) const;
  void addAtom(Sum &sum, mlir::AffineExpr atom, int64_t scale) const;
  void addProduct(Sum &sum, mlir::AffineExpr lhs, mlir::AffineExpr rhs, int64_t scale) const;
  void addDivision(Sum &sum, mlir::AffineExpr lhs, int64_t divisor, int64_t scale) const;
  void addRemainder(Sum &sum, mlir::AffineExpr lhs, int64_t divisor, int64_t scale) const;
  void addSymbolic(Sum &sum, mlir::AffineExprKind kind, mlir::AffineExpr lhs, mlir::AffineExpr rhs, int64_t scale) const;
  void joinQuotients(Sum &sum) const;
  mlir::AffineExpr build(Sum sum) const;
  IndexRange getRange(const Sum &sum) const;
  Sum toSum(mlir::AffineExpr expr) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<graph::DimAttr> extents, symbols;
};

/// Whether `expr` is dim `dim` alone or contains it.
bool usesDim(mlir::AffineExpr expr, unsigned dim);

} // namespace graphc

#endif // GRAPHC_PASSES_OUTLINE_INDEXSIMPLIFIER_H
