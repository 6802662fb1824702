// See MicroKernel.h. Accumulators are one LLVM vector a register, in stack slots that the optimiser turns into loop-carried registers; the k loop isn't unrolled
// for tall tiles (LLVM's scheduler spills then), and carries several sets of accumulators for low ones, to hide the latency of additions.
//
// Rounding errors grow with the length of a sum, so a long float sum is cut into blocks: each starts at 0 and is added to the tile's totals, which stay in memory.
// Where a block ends depends on the extents alone.
#include "codegen/cpu/MicroKernel.h"
#include "codegen/cpu/LaneEmitter.h"

#include "llvm/IR/Intrinsics.h"

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

namespace {

/// Products that are summed before they are added to the totals; up to half as many again where that makes one block.
constexpr int64_t blockLength = 256;

class MicroKernel {
public:
  MicroKernel(FunctionBuilder &f, const ContractionSchedule &s, const MicroTile &tile) : f(f), b(f.b), s(s), tile(tile) {
    element = registerType(b.getContext(), s.accumulatorType);
    vector = llvm::VectorType::get(element, s.lanes, false);
    registers = s.registersPerRow();
  }

  llvm::SmallVector<Value *> run() {
    unsigned chains = tile.rows * registers;
    unroll = chains >= 8 ? 1 : chains >= 4 ? 2 : 4;
    for (unsigned i = 0; i < unroll * chains; ++i)
      slots.push_back(f.slot(vector));
    startSums();
    if (element->isFloatingPointTy())
      chooseBlocks();
    if (block.run) {
      totals = f.slot(vector, chains);
      for (unsigned i = 0; i < chains; ++i)
        b.CreateStore(llvm::Constant::getNullValue(vector), total(i), /*isVolatile=*/true);
    }
    emitRun(0, tile.lhs, f.i64(0));
    if (!block.run)
      return takeSums();
    llvm::SmallVector<Value *> sums;
    for (unsigned i = 0; i < chains; ++i)
      sums.push_back(b.CreateLoad(vector, total(i), /*isVolatile=*/true));
    return sums;
  }

private:
  Value *get(unsigned u, unsigned i) { return b.CreateLoad(vector, slots[u * tile.rows * registers + i]); }
  void set(unsigned u, unsigned i, Value *v) { b.CreateStore(v, slots[u * tile.rows * registers + i]); }
  Value *add(Value *x, Value *y) { return element->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y); }

  void startSums() {
    for (llvm::AllocaInst *slot : slots)
      b.CreateStore(llvm::Constant::getNullValue(vector), slot);
  }

  llvm::SmallVector<Value *> takeSums() {
    llvm::SmallVector<Value *> sums;
    for (unsigned i = 0; i < tile.rows * registers; ++i) {
      Value *sum = get(0, i);
      for (unsigned u = 1; u < unroll; ++u)
        sum = add(sum, get(u, i));
      sums.push_back(sum);
    }
    return sums;
  }

  /// Accesses to the totals are volatile, so that the optimiser doesn't keep them in registers that the inner loop needs.
  Value *total(unsigned i) { return b.CreateConstGEP1_64(vector, totals, i); }

  void endBlock() {
    for (auto [i, sum] : llvm::enumerate(takeSums()))
      b.CreateStore(add(b.CreateLoad(vector, total(i), /*isVolatile=*/true), sum), total(i), /*isVolatile=*/true);
    startSums();
  }

  /// The run that is cut, and how many of its steps are a block; no run where all of k is one.
  void chooseBlocks() {
    int64_t inside = 1; // products of one step
    for (size_t run = tile.runs.size(); run-- > 0;) {
      auto *extent = llvm::dyn_cast<llvm::ConstantInt>(tile.runs[run].extent);
      if (!extent) {
        block = {run, std::max<int64_t>(1, blockLength / inside)};
        return;
      }
      int64_t length = inside * extent->getSExtValue();
      if (length > blockLength * 3 / 2) {
        int64_t count = std::max<int64_t>(2, (length + blockLength / 2) / blockLength);
        int64_t steps = (extent->getSExtValue() + count - 1) / count;
        block = {run, run + 1 == tile.runs.size() ? int64_t(llvm::alignTo(steps, unroll)) : steps};
        return;
      }
      inside = length;
    }
  }

  void emitRun(size_t run, Value *lhs, Value *flatK) {
    Value *extent = tile.runs[run].extent;
    if (block.run != run)
      return emitSteps(run, lhs, flatK, f.i64(0), extent);
    f.forLoop(f.i64(0), extent, f.i64(block.steps), [&](Value *low) {
      Value *high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, f.i64(block.steps)), extent);
      emitSteps(run, lhs, flatK, low, high);
      endBlock();
    });
  }

  /// Steps [low, high) of a run; `flatK`: the index of its step 0 over this and the outer runs.
  void emitSteps(size_t run, Value *lhs, Value *flatK, Value *low, Value *high) {
    llvm::Type *memory = memoryType(b.getContext(), tile.lhsType);
    Value *stride = tile.runs[run].lhsStride;
    if (run + 1 < tile.runs.size()) {
      Value *inner = tile.runs[run + 1].extent;
      f.forLoop(low, high, f.i64(1), [&](Value *i) {
        emitRun(run + 1, b.CreateGEP(memory, lhs, b.CreateMul(i, stride)), b.CreateMul(b.CreateAdd(flatK, i), inner));
      });
      return;
    }
    Value *rhs = b.CreateGEP(memoryType(b.getContext(), tile.rhsType), tile.rhs, b.CreateMul(flatK, tile.rhsStride));
    Value *whole = b.CreateAdd(low, b.CreateAnd(b.CreateSub(high, low), f.i64(-int64_t(unroll))));
    f.forLoop(low, whole, f.i64(unroll), [&](Value *k) {
      for (unsigned u = 0; u < unroll; ++u)
        step(u, lhs, stride, rhs, b.CreateAdd(k, f.i64(u)));
    });
    if (unroll > 1)
      f.forLoop(whole, high, f.i64(1), [&](Value *k) { step(0, lhs, stride, rhs, k); });
  }

  void step(unsigned u, Value *lhs, Value *lhsStride, Value *rhs, Value *k) {
    llvm::SmallVector<Value *> columns;
    llvm::Type *memory = memoryType(b.getContext(), tile.rhsType);
    Value *row = b.CreateGEP(memory, rhs, b.CreateMul(k, tile.rhsStride));
    for (unsigned j = 0; j < registers; ++j) {
      Value *pointer = b.CreateConstGEP1_64(memory, row, j * s.lanes);
      Value *lanes = b.CreateAlignedLoad(llvm::VectorType::get(memory, s.lanes, false), pointer, llvm::Align(elementBytes(tile.rhsType)));
      columns.push_back(emitCast(f, lanes, tile.rhsType, s.accumulatorType));
    }
    llvm::Type *lhsMemory = memoryType(b.getContext(), tile.lhsType);
    Value *column = b.CreateGEP(lhsMemory, lhs, b.CreateMul(k, lhsStride));
    for (unsigned i = 0; i < tile.rows; ++i) {
      Value *pointer = b.CreateGEP(lhsMemory, column, b.CreateMul(f.i64(i), tile.rowStride));
      Value *one = b.CreateAlignedLoad(lhsMemory, pointer, llvm::Align(elementBytes(tile.lhsType)));
      Value *splat = f.splat(emitCast(f, one, tile.lhsType, s.accumulatorType), s.lanes);
      for (unsigned j = 0; j < registers; ++j)
        set(u, i * registers + j, multiplyAdd(splat, columns[j], get(u, i * registers + j)));
    }
  }

  Value *multiplyAdd(Value *x, Value *y, Value *sum) {
    if (element->isFloatingPointTy())
      return f.intrinsic(llvm::Intrinsic::fma, {vector}, {x, y, sum});
    return b.CreateAdd(b.CreateMul(x, y), sum);
  }

  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  const ContractionSchedule &s;
  const MicroTile &tile;
  llvm::Type *element;
  llvm::VectorType *vector;
  unsigned registers, unroll = 1;
  llvm::SmallVector<llvm::AllocaInst *> slots;
  struct {
    std::optional<size_t> run;
    int64_t steps = 0;
  } block;
  llvm::AllocaInst *totals = nullptr;
};

} // namespace

llvm::SmallVector<Value *> graphc::cpu::emitMicroKernel(FunctionBuilder &f, const ContractionSchedule &s, const MicroTile &tile) {
  return MicroKernel(f, s, tile).run();
}
