// Analyses a kernel.contract and decides how it is tiled: register tile, which operand is packed into scratch, what a unit of work is.
//
//   unit (grid point, chunk of m tiles, range of n panels):
//     pack the chunk's lhs rows where the lhs isn't simple enough to be read in place (padding, several m dims, 16-bit floats)
//     for each panel of the range: pack it where the rhs isn't packed already (a few rows read it in place, as n moves it by 1); for each m tile of the chunk: multiply, epilogue
//
// Rows are split evenly over tiles: 197 rows are 2 tiles of 14 and 13 of 13. A symbolic m runs tiles of full height, then of one row.
#ifndef GRAPHC_CODEGEN_CPU_CONTRACTIONSCHEDULE_H
#define GRAPHC_CODEGEN_CPU_CONTRACTIONSCHEDULE_H

#include "codegen/cpu/FunctionBuilder.h"
#include "codegen/cpu/IndexForm.h"

namespace graphc::cpu {

/// A loop over part of k: consecutive flat k indices, `coefficient` lhs elements apart.
struct KRun {
  llvm::SmallVector<unsigned> ids; ///< merged; the last one runs, the others are 0
  graph::DimAttr extent;
};

struct ContractionSchedule {
  // The operands over indices of their own (the epilogue has others).
  llvm::SmallVector<unsigned> grid, lhsM, lhsK, rhsN, rhsK;
  llvm::SmallVector<unsigned> zero; // those of extent 1, which are in none of the lists
  IndexForm lhs, rhs;
  llvm::SmallVector<std::pair<IndexForm, bool>> lhsMask;
  graph::DimAttr m, n, k;             // flat extents
  llvm::SmallVector<KRun> runs;       // of lhsK, outermost first
  graph::DimAttr lhsRowStride;        // in elements, where the flat m index moves the lhs linearly; else null
  bool rhsNIsUnit = false;            // the last n index moves the rhs by 1

  mlir::Type elementType, accumulatorType;
  unsigned lanes;                     // accumulator elements in a register
  unsigned columns;                   // of a tile: NR
  unsigned panel;                     // columns of a packed panel, a multiple of `columns`
  unsigned rows;                      // of the tallest tile: MR
  bool packLhs, packRhs;
  bool readRhs = false;               // with packRhs: only what is left of n beyond whole panels is packed, the rest is read in place
  graph::DimAttr rhsKStride;          // in elements, where readRhs
  bool packLhsByRows;                 // layout [row][k], else [k][row]
  unsigned kUnroll;                   // independent accumulators along k
  int64_t tilesPerChunk = 1, panelsPerUnit = 1;
  double cyclesPerTile = 1;

  unsigned registersPerRow() const { return columns / lanes; }
};

ContractionSchedule chooseContraction(kernel::ContractOp op, IndexSpace &space, const Level &level);

/// Whether neighbours in `ids` form one index in every one of `forms` and none of them occurs in `constraints`.
bool canFlatten(const IndexSpace &space, llvm::ArrayRef<unsigned> ids, llvm::ArrayRef<const IndexForm *> forms);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_CONTRACTIONSCHEDULE_H
