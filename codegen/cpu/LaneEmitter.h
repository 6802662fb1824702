// Emits the straight-line ops of a kernel body over lanes: a value is either uniform (an LLVM scalar) or varying (a vector with one lane an iteration
// of the vectorised index). Generators own the loops; they say what each index is and which lanes are on.
//
//   LaneEmitter lanes(f, space);
//   lanes.setIndex(row, IndexLanes::uniform(r));
//   lanes.setIndex(column, IndexLanes::consecutive(c, f.i64(1)));
//   lanes.width = 16, lanes.mask = tailMask;
//   lanes.emitOp(op);
//
// Memory is touched only where an access's own mask and the lanes' mask hold. Element types in memory: bool is a byte; f16 and bf16 are i16 in registers until
// scalar.cast widens them.
#ifndef GRAPHC_CODEGEN_CPU_LANEEMITTER_H
#define GRAPHC_CODEGEN_CPU_LANEEMITTER_H

#include "codegen/cpu/FunctionBuilder.h"
#include "codegen/cpu/IndexForm.h"

namespace graphc::cpu {

/// An index over the lanes: base + step * lane, or any vector of values.
struct IndexLanes {
  llvm::Value *base = nullptr;  ///< i64
  llvm::Value *step = nullptr;  ///< i64; null: the same in all lanes
  llvm::Value *lanes = nullptr; ///< <width x i32 or i64>; base and step are null then

  static IndexLanes uniform(llvm::Value *base) { return {base, nullptr, nullptr}; }
  static IndexLanes consecutive(llvm::Value *base, llvm::Value *step) { return {base, step, nullptr}; }
  bool isUniform() const { return !step && !lanes; }
};

/// LLVM type of one element in memory, and in a register.
llvm::Type *memoryType(llvm::LLVMContext &context, mlir::Type type);
llvm::Type *registerType(llvm::LLVMContext &context, mlir::Type type);
/// Bytes of one element in memory.
unsigned elementBytes(mlir::Type type);

class LaneEmitter {
public:
  LaneEmitter(FunctionBuilder &f, IndexSpace &space) : f(f), b(f.b), space(space) {}

  unsigned width = 0;          ///< lanes of varying values; 0 where all is uniform
  llvm::Value *mask = nullptr; ///< <width x i1>: lanes that are on; null: all

  void setIndex(unsigned id, IndexLanes lanes) { indices[id] = lanes; }
  void setValue(mlir::Value v, llvm::Value *lanes) { values[v] = lanes; }
  llvm::Value *value(mlir::Value v);

  /// Vectors of `lanesPerStep` (a power of two) over [low, high), the last one masked; `isWhole`: the length is known to be a multiple. The body gets the index.
  void vectorLoop(llvm::Value *low, llvm::Value *high, unsigned lanesPerStep, bool isWhole, llvm::function_ref<void(IndexLanes)> body);

  /// A load, store, index_value, check_index or scalar op.
  void emitOp(mlir::Operation *op);

  IndexLanes evaluate(const IndexForm &form);
  /// <width x i64 or i32> of an index that isn't uniform, or i64.
  llvm::Value *materialize(const IndexLanes &lanes);

  /// Reads elements of `type` at `offset` (in elements) from `base`, where `condition` (i1 or lanes of i1, null: everywhere) holds, else `otherwise`.
  llvm::Value *load(mlir::Type type, llvm::Value *base, const IndexLanes &offset, llvm::Value *condition, llvm::Value *otherwise);
  void store(mlir::Type type, llvm::Value *value, llvm::Value *base, const IndexLanes &offset, llvm::Value *condition);
  /// Conjunction of a mask's constraints: i1 or lanes of i1; null where all hold everywhere.
  llvm::Value *holds(llvm::ArrayRef<std::pair<IndexForm, bool>> constraints);

  FunctionBuilder &f;

private:
  llvm::Value *loadScalar(llvm::Type *type, llvm::Value *pointer, llvm::Value *condition);
  llvm::Value *loadLanes(llvm::Type *type, llvm::Value *base, const IndexLanes &offset, llvm::Value *condition, llvm::Value *otherwise);
  llvm::Value *orNothing(llvm::Value *pointer, llvm::Type *type, llvm::Value *on);
  llvm::Value *gather(llvm::Type *type, llvm::Value *pointers, llvm::Value *condition, llvm::Value *otherwise);
  IndexLanes evaluateAtom(const IndexAtom &atom);
  llvm::Value *bufferOf(mlir::Value buffer);
  void emitCheckIndex(kernel::CheckIndexOp op);
  llvm::Value *andMask(llvm::Value *a, llvm::Value *b);
  llvm::Value *pointers(llvm::Type *type, llvm::Value *base, const IndexLanes &offset);

  llvm::IRBuilder<> &b;
  IndexSpace &space;
  llvm::DenseMap<unsigned, IndexLanes> indices;
  llvm::DenseMap<mlir::Value, llvm::Value *> values;
};

/// One op of the scalar dialect on lanes. `mask` says which lanes count for run-time errors (null: all).
llvm::Value *emitScalarOp(FunctionBuilder &f, mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands, llvm::Value *mask);
/// The conversion of scalar.cast.
llvm::Value *emitCast(FunctionBuilder &f, llvm::Value *x, mlir::Type from, mlir::Type to);
/// Records a failure for the first lane where `bad` holds (i1 or lanes of i1); `value` is i64, uniform or varying.
void reportLanes(FunctionBuilder &f, llvm::Value *bad, graphc_status_code code, llvm::Value *value, llvm::Value *extent);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_LANEEMITTER_H
