// Decides how a pointwise, reduce or row kernel becomes loops: which indices are merged, which one is vectorised and with how many lanes.
//
//   grid      one grid index is vectorised; everything in the body that depends on it has one lane a grid point (pointwise kernels, reductions over outer dims,
//             pooling and depthwise windows over channels-last tensors)
//   inner     a unit is one grid point; each stage without stages inside vectorises an index of its own (softmax, norms, reductions over rows)
//
// Example: sum over the last dim of [64, 1000] is `inner`, over the first `grid`. The choice is the cheaper one by a cost model in cycles.
#ifndef GRAPHC_CODEGEN_CPU_SPMDSCHEDULE_H
#define GRAPHC_CODEGEN_CPU_SPMDSCHEDULE_H

#include "codegen/cpu/FunctionBuilder.h"
#include "codegen/cpu/IndexForm.h"

#include "llvm/ADT/DenseSet.h"

namespace graphc::cpu {

struct SpmdSchedule {
  /// Loop order, outermost first; indices that were merged away or have extent 1 are in none and are always 0.
  llvm::SmallVector<unsigned> grid;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> stages;
  llvm::SmallVector<unsigned> zero;
  /// `grid` mode: the vectorised grid index.
  std::optional<unsigned> vectorGrid;
  unsigned gridLanes = 0;
  int64_t gridBlock = 0; ///< elements of the vectorised index in one unit
  /// `inner` mode: per stage the vectorised index and its lanes; stages without an entry are scalar loops.
  struct Vectorized {
    unsigned index, lanes;
  };
  llvm::DenseMap<mlir::Operation *, Vectorized> inner;
  double cyclesPerUnit = 1;
  double flopsPerPoint = 0; ///< arithmetic of one grid point
  std::string str() const;
};

/// A guess at a dim for cost estimates: its value, with 64 for every symbol.
double estimate(graph::DimAttr dim);

SpmdSchedule chooseSchedule(kernel::FuncOp func, IndexSpace &space, const Level &level);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_SPMDSCHEDULE_H
