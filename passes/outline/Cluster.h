// What FuseKernels knows about an op and about a set of ops that is to become one kernel.
#ifndef GRAPHC_PASSES_OUTLINE_CLUSTER_H
#define GRAPHC_PASSES_OUTLINE_CLUSTER_H

#include "passes/outline/Groups.h"
#include "passes/outline/Views.h"

#include "llvm/ADT/SetVector.h"

#include <optional>

namespace graphc {

/// How an op takes part, by its fusion kind and by what asking it for an element shows.
enum class Role {
  Pointwise, // one element from the same element of its operands, gathers included
  View,      // the element of one source at another index
  Mover,     // masks or joins several sources: pads, concats
  Reduction, // folds dims away
  Row,       // row statistics, then an element each
  Window,
  Contraction,
  Alone      // scans, sorts, opaque ops
};

/// Facts about ops, computed once.
class OpFacts {
public:
  Role getRole(mlir::Operation *op);
  /// The view that an op is (Role::View).
  const View *getView(mlir::Operation *op);
  /// Whether the view's memory is its source's.
  bool isAlias(mlir::Operation *op);
  /// Scalar operations for an element, transcendental ones weighted; large where it folds.
  unsigned getCost(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, std::optional<View>> views;
  llvm::DenseMap<mlir::Operation *, bool> aliases;
  llvm::DenseMap<mlir::Operation *, unsigned> costs;
};

/// Ops that become one kernel.
struct Cluster {
  llvm::SetVector<mlir::Operation *> ops;
};

/// Bounds that keep kernels compilable and their registers enough.
inline constexpr unsigned maxClusterOps = 48, maxClusterInputs = 24, cheapCost = 8;

} // namespace graphc

#endif // GRAPHC_PASSES_OUTLINE_CLUSTER_H
