// Index expressions of a kernel in a form that generators can ask about: which index moves an access by how many elements.
//
//   IndexSpace space(func);
//   IndexForm offset = space.offset(load.getBuffer(), load.getMap(), load.getIndices());   // in elements, physical order
//   offset.coefficient(space.id(innerIndex))                                                // 1: unit stride
//
// A form is constant + sum of coefficient * atom, where an atom is an index of the kernel, or a floordiv or mod of a form. Constants and coefficients are #graph.dim
// expressions, so symbolic strides are kept as such. Building simplifies with the extents of the indices: (8*i + j) floordiv 8 is i
// where j < 8, and (x floordiv 8)*8 + x mod 8 is x, which makes reshapes disappear.
#ifndef GRAPHC_CODEGEN_CPU_INDEXFORM_H
#define GRAPHC_CODEGEN_CPU_INDEXFORM_H

#include "ir/kernel/Kernel.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>

namespace graphc::cpu {

struct IndexForm;

/// An index of the kernel (grid, inner, checked), or floordiv/mod of a form by a positive divisor.
struct IndexAtom {
  enum Kind { Index, FloorDiv, Mod } kind = Index;
  unsigned index = 0;                     // Index: its id
  std::shared_ptr<const IndexForm> inner; // otherwise
  graph::DimAttr divisor;
  bool operator==(const IndexAtom &other) const;
};

struct IndexForm {
  struct Term {
    IndexAtom atom;
    graph::DimAttr coefficient;
  };
  graph::DimAttr constant;
  llvm::SmallVector<Term, 4> terms;

  bool isConstant() const { return terms.empty(); }
  /// True where only plain indices occur.
  bool isLinear() const;
  /// Whether the index occurs, also inside floordiv and mod.
  bool uses(unsigned index) const;
  /// Of the index as a plain term; null where it doesn't occur as one.
  graph::DimAttr coefficient(unsigned index) const;
  /// True where the index occurs inside floordiv or mod.
  bool usesNonlinearly(unsigned index) const;
  bool operator==(const IndexForm &other) const;
};

/// Smallest and largest value, both included.
struct IndexRange {
  int64_t low, high;
};

/// What a kernel.load, kernel.store or kernel.index_value computes from indices. `offset` is in elements, or the value of index_value.
struct IndexAccess {
  IndexForm offset;
  llvm::SmallVector<std::pair<IndexForm, bool>> constraints; ///< of the mask: form >= 0, or == 0 where true
  bool isValue = false;                                      ///< index_value
};

/// The indices of one kernel, their extents, and the construction of forms over them.
class IndexSpace {
public:
  explicit IndexSpace(kernel::FuncOp func);

  /// Forms of a load, store or index_value, made once with the extents that the indices had then (generators may merge indices later).
  const IndexAccess &access(mlir::Operation *op);

  /// The id of an index value: a grid or inner index, or the result of kernel.check_index.
  unsigned id(mlir::Value index);
  /// A new index that no value stands for (the reduction dims of a contraction).
  unsigned fresh(graph::DimAttr extent);
  graph::DimAttr extent(unsigned id) const { return extents[id]; }
  void setExtent(unsigned id, graph::DimAttr extent) { extents[id] = extent; }
  unsigned size() const { return extents.size(); }

  /// `expr` over dims that stand for the ids of `dims`, and the kernel's symbols.
  IndexForm form(mlir::AffineExpr expr, llvm::ArrayRef<unsigned> dims);
  /// Offset in elements of an access to `buffer`, whose type says the physical order.
  IndexForm offset(mlir::Value buffer, mlir::AffineMap map, llvm::ArrayRef<unsigned> dims);
  llvm::SmallVector<unsigned> ids(mlir::ValueRange indices);

  IndexForm constant(graph::DimAttr value) const { return {value, {}}; }
  IndexForm constant(int64_t value) const;
  IndexForm index(unsigned id) const;
  IndexForm add(const IndexForm &a, const IndexForm &b) const;
  IndexForm scale(const IndexForm &a, graph::DimAttr factor) const;
  IndexForm floorDiv(const IndexForm &a, graph::DimAttr divisor) const;
  IndexForm mod(const IndexForm &a, graph::DimAttr divisor) const;
  /// Nothing where an extent or coefficient is symbolic.
  std::optional<IndexRange> range(const IndexForm &form) const;

private:
  struct Split {
    IndexForm quotient, rest;
  };
  Split split(const IndexForm &a, graph::DimAttr divisor) const;
  bool isBelow(const IndexForm &rest, graph::DimAttr divisor) const;
  void addTerm(IndexForm &form, IndexForm::Term term) const;

  mlir::MLIRContext *context;
  mlir::ArrayAttr symbols;
  llvm::SmallVector<graph::DimAttr> extents;
  llvm::DenseMap<mlir::Value, unsigned> idOfValue;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<IndexAccess>> accesses;
};

/// The extent of an index value by where it is defined.
graph::DimAttr extentOfIndex(mlir::Value index);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_INDEXFORM_H
