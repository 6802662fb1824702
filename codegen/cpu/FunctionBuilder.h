// Builds one kernel's LLVM function: the ABI of runtime/plan/KernelAbi.h, loops, branches and stack slots over an IRBuilder.
//
//   FunctionBuilder f(module, level, dims, "add");
//   f.forLoop(f.begin(), f.end(), f.i64(1), [&](llvm::Value *unit) { … });
//   f.finish();
//
// Dims, buffer pointers and stack slots are made in the entry block, so they are at hand everywhere. Mutable values live in stack slots; the optimiser turns them
// into registers. Vectors are of any width: the backend splits them into registers.
#ifndef GRAPHC_CODEGEN_CPU_FUNCTIONBUILDER_H
#define GRAPHC_CODEGEN_CPU_FUNCTIONBUILDER_H

#include "codegen/Target.h"
#include "runtime/plan/KernelAbi.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace graphc::cpu {

/// What generated code may use.
struct Level {
  std::string name;       ///< also LLVM's -mcpu
  unsigned vectorBits;    ///< of the registers to use
  unsigned accumulators;  ///< vector registers a contraction tile may hold
  unsigned maxTileRows;   ///< of a contraction tile two registers wide
};
/// Nothing for a level that doesn't exist.
std::optional<Level> findLevel(llvm::StringRef name);

class FunctionBuilder {
public:
  FunctionBuilder(llvm::Module &module, const Level &level, codegen::DimsTable &dims, llvm::StringRef name);

  llvm::IRBuilder<> b;
  const Level &level;

  llvm::Value *begin() { return function->getArg(1); }
  llvm::Value *end() { return function->getArg(2); }
  llvm::ConstantInt *i64(int64_t value) { return b.getInt64(value); }

  /// The value of a dim: a constant, or read from the dims table.
  llvm::Value *dim(graph::DimAttr dim);
  llvm::Value *buffer(unsigned i);
  llvm::Value *scratch();
  /// Memory on the stack that lives as long as the call; `align` in bytes.
  llvm::AllocaInst *slot(llvm::Type *type, uint64_t count = 1, uint64_t align = 64);

  /// Calls entry `index` of graphc_services.
  llvm::Value *callService(unsigned index, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);
  unsigned getServicesUsed() const { return servicesUsed; }
  void report(graphc_status_code code, llvm::Value *value, llvm::Value *extent);

  using Body = llvm::function_ref<void(llvm::Value *)>;
  /// for (iv = low; iv < high; iv += step); step > 0.
  void forLoop(llvm::Value *low, llvm::Value *high, llvm::Value *step, Body body);
  void ifThen(llvm::Value *condition, llvm::function_ref<void()> body, bool rare = false);
  /// Leaves the kernel where the condition holds.
  void returnIf(llvm::Value *condition);

  /// An i64 that the optimiser doesn't know to be this constant; other values are left as they are.
  llvm::Value *opaque(llvm::Value *value);
  /// The mask of the first `count` (i64, any sign) of `width` lanes. The optimiser never learns a lane of it, also not from the branches around it: LLVM 22
  /// compiles accesses with partly constant masks to code that touches lanes which are off.
  llvm::Value *firstLanes(llvm::Value *count, unsigned width);
  /// `value` in all of `width` lanes; vectors and width 0 are left as they are.
  llvm::Value *splat(llvm::Value *value, unsigned width);
  /// <first, first + 1, …> as i32 or i64 lanes.
  llvm::Constant *iota(unsigned width, unsigned bits);
  llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type *> types, llvm::ArrayRef<llvm::Value *> arguments);

  /// Ends the function; nothing may be emitted after it.
  void finish();
  llvm::Function *getFunction() { return function; }

private:
  llvm::Value *hidden(llvm::Value *value);
  llvm::Value *argsField(unsigned offset, llvm::Type *type);
  llvm::Value *entryLoad(llvm::Type *type, llvm::Value *base, uint64_t byteOffset);

  codegen::DimsTable &dims;
  llvm::Function *function;
  llvm::BasicBlock *exit = nullptr;
  llvm::BasicBlock *entry;
  llvm::BasicBlock *start;
  llvm::IRBuilder<> entryBuilder;
  llvm::DenseMap<unsigned, llvm::Value *> fields, dimValues, buffers;
  llvm::Value *opaqueZero = nullptr;
  unsigned servicesUsed = 0;
};

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_FUNCTIONBUILDER_H
