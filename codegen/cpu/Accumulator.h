// The running values of a kernel.reduce, in stack slots (registers after the optimiser): scalars, or one partial result a lane that `finish` folds into one.
#ifndef GRAPHC_CODEGEN_CPU_ACCUMULATOR_H
#define GRAPHC_CODEGEN_CPU_ACCUMULATOR_H

#include "codegen/cpu/LaneEmitter.h"

namespace graphc::cpu {

class Accumulator {
public:
  /// `width` lanes, 0 for scalars; starts at the neutral elements.
  Accumulator(FunctionBuilder &f, kernel::ReduceOp op, unsigned width);
  /// Combines with what the region yielded; lanes where `mask` (null: all) is off stay as they were.
  void add(llvm::ArrayRef<llvm::Value *> yielded, llvm::Value *mask);
  /// Whether there is a float sum, whose rounding errors blocks keep small.
  bool wantsBlocks() const;
  /// From now on float sums have totals, to which endBlock adds them; the last block must be ended before `finish`.
  void startBlocks();
  void endBlock();
  /// One value a result: the lanes as they are, or all lanes folded into a scalar (in a fixed order).
  llvm::SmallVector<llvm::Value *> finish(bool foldLanes);

private:
  struct Part {
    kernel::Monoid monoid;
    llvm::SmallVector<mlir::Type, 2> types; // value, or value and index
    bool isFloatSum() const { return monoid == kernel::Monoid::sum && llvm::isa<mlir::FloatType>(types[0]); }
  };
  llvm::SmallVector<llvm::Value *, 2> combine(const Part &part, llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> x);
  llvm::Value *combineValue(kernel::Monoid monoid, mlir::Type type, llvm::Value *a, llvm::Value *x);
  llvm::Value *isBetter(const Part &part, llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> x);

  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  unsigned width;
  llvm::SmallVector<Part> parts;
  llvm::SmallVector<llvm::AllocaInst *> slots;
  llvm::SmallVector<llvm::AllocaInst *> totals; // by slot, null where there is none; empty without blocks
};

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_ACCUMULATOR_H
