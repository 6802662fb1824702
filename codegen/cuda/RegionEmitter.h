// Bodies of kernels as C++ statements: scalar ops, loads and stores, stages as loops.
//
// Input: a block of the kernel dialect. Output: statements appended to a CodeWriter. Lanes: the statements run for N
// neighbouring values of one index; loads and stores that are contiguous in it become vector accesses outside the loop
// over the lanes:
//
//   float v0[N];
//   gc_load_elements<float, N>(v0, in0 + i0 * 512 + i1);
//   float s1[N];
//   for (int lane = 0; lane < N; ++lane) {
//     const index i1_lane = i1 + lane;
//     const float v2 = gc_exp(v0[lane]);
//     s1[lane] = v2;
//   }
//   gc_store_elements<float, N>(out0 + i0 * 512 + i1, s1);
#pragma once

#include "codegen/cuda/AccessText.h"
#include "codegen/cuda/CodeWriter.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace graphc::cuda {

/// Which accesses of a block become vectors over `index`, and the run-time conditions for it.
struct LanePlan {
  mlir::Value index; ///< null: no lanes
  int64_t width = 1;
  llvm::DenseSet<mlir::Operation *> vectors;
  llvm::SmallVector<std::string> conditions;
  llvm::DenseMap<mlir::Operation *, std::string> ready; ///< loads whose value is already there, under this name
};

class RegionEmitter {
public:
  RegionEmitter(AccessText &text, CodeWriter &out) : text(text), out(out) {}

  void setName(mlir::Value value, std::string name) { names[value] = std::move(name); }
  std::string name(mlir::Value value) const;
  std::string freshName(const char *prefix) { return prefix + std::to_string(counter++); }

  /// Declares `indices` from the flat index `flat` over `extents`, last one fastest.
  void declareIndices(mlir::ValueRange indices, llvm::ArrayRef<graph::DimAttr> extents, const std::string &flat);

  /// The largest width up to 8 with at most 16 bytes per access at which some access of the block is a vector; `extent` is the
  /// number of values of `index`.
  LanePlan planLanes(mlir::Block &block, mlir::Value index, graph::DimAttr extent);
  /// The accesses of the block that are vectors at `width`.
  LanePlan planLanes(mlir::Block &block, mlir::Value index, graph::DimAttr extent, int64_t width);

  /// Statements for `plan.width` lanes under the template parameter N. `yield` is called for the terminator of a reduce.
  void emitLanes(mlir::Block &block, const LanePlan &plan, llvm::function_ref<void(kernel::YieldOp)> yield);
  /// Reads N elements from `index` on into `array`, as a vector where that is possible at `width`.
  void loadItem(kernel::LoadOp op, const std::string &array, mlir::Value index, int64_t width);
  /// Statements for one value of every index.
  void emitOne(mlir::Block &block, llvm::function_ref<void(kernel::YieldOp)> yield);
  /// One op; stages become loops.
  void emitOp(mlir::Operation &op);

  /// Declares the accumulators of a reduce with their neutral elements; one name per monoid.
  llvm::SmallVector<std::string> declareAccumulators(kernel::ReduceOp op);
  /// `accumulator = combine(accumulator, yielded)` for each monoid.
  void accumulate(kernel::ReduceOp op, llvm::ArrayRef<std::string> accumulators, kernel::YieldOp yield);
  /// Binds the op's results to the accumulators.
  void bindResults(kernel::ReduceOp op, llvm::ArrayRef<std::string> accumulators);

  static std::string monoidType(kernel::Monoid monoid);

private:
  std::string constant(mlir::TypedAttr value);
  std::string scalarExpression(mlir::Operation &op);
  std::string loadExpression(kernel::LoadOp op);
  void emitStore(kernel::StoreOp op);
  void emitVectorLoad(kernel::LoadOp op, const LanePlan &plan);
  void openLoops(mlir::ValueRange indices, llvm::ArrayRef<graph::DimAttr> extents);
  void emitStage(mlir::Operation &op);
  IndexName indexName() const {
    return [this](mlir::Value v) { return name(v); };
  }

  AccessText &text;
  CodeWriter &out;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::DenseMap<mlir::Operation *, std::string> storeArrays;
  unsigned counter = 0;
};

llvm::SmallVector<graph::DimAttr> dimsOf(mlir::ArrayAttr extents);

} // namespace graphc::cuda
