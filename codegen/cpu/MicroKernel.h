// The inner loop of a contraction: one register tile of accumulators over all of k.
//
//   acc[i][j] += lhs[i * rowStride + k * kStride] * rhs[k * rhsStride + j]
#ifndef GRAPHC_CODEGEN_CPU_MICROKERNEL_H
#define GRAPHC_CODEGEN_CPU_MICROKERNEL_H

#include "codegen/cpu/ContractionSchedule.h"

namespace graphc::cpu {

/// One loop over part of k; all strides in elements.
struct MicroRun {
  llvm::Value *extent, *lhsStride;
};

struct MicroTile {
  unsigned rows;
  llvm::Value *lhs, *rowStride; ///< of the tile's first row
  mlir::Type lhsType;           ///< in memory; never a 16-bit float (those are widened when they are packed)
  llvm::SmallVector<MicroRun> runs; ///< outermost first, at least one
  llvm::Value *rhs;             ///< of the tile's first column
  mlir::Type rhsType;
  llvm::Value *rhsStride;       ///< from one k to the next
};

/// The sums, one vector of s.lanes a register: row i's j-th register is number i * s.registersPerRow() + j.
llvm::SmallVector<llvm::Value *> emitMicroKernel(FunctionBuilder &f, const ContractionSchedule &s, const MicroTile &tile);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_MICROKERNEL_H
