// See MicroKernel.h. Accumulators are one LLVM vector a register, in stack slots that the optimiser turns into loop-carried registers; the k loop isn't unrolled
// for tall tiles (LLVM's scheduler spills then), and carries several sets of accumulators for low ones, to hide the latency of additions.
#include "codegen/cpu/MicroKernel.h"
#include "codegen/cpu/LaneEmitter.h"

#include "llvm/IR/Intrinsics.h"

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

namespace {

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
    for (unsigned i = 0; i < unroll * chains; ++i) {
      slots.push_back(f.slot(vector));
      b.CreateStore(llvm::Constant::getNullValue(vector), slots.back());
    }
    emitRuns(tile.runs, tile.lhs, f.i64(0));
    llvm::SmallVector<Value *> sums;
    for (unsigned i = 0; i < chains; ++i) {
      Value *sum = get(0, i);
      for (unsigned u = 1; u < unroll; ++u)
        sum = add(sum, get(u, i));
      sums.push_back(sum);
    }
    return sums;
  }

private:
  Value *get(unsigned u, unsigned i) { return b.CreateLoad(vector, slots[u * tile.rows * registers + i]); }
  void set(unsigned u, unsigned i, Value *v) { b.CreateStore(v, slots[u * tile.rows * registers + i]); }
  Value *add(Value *x, Value *y) { return element->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y); }

  void emitRuns(llvm::ArrayRef<MicroRun> runs, Value *lhs, Value *flatK) {
    llvm::Type *memory = memoryType(b.getContext(), tile.lhsType);
    if (runs.size() > 1) {
      f.forLoop(f.i64(0), runs[0].extent, f.i64(1), [&](Value *i) {
        Value *next = b.CreateAdd(b.CreateMul(flatK, runs[1].extent), b.CreateMul(i, runs[1].extent));
        emitRuns(runs.drop_front(), b.CreateGEP(memory, lhs, b.CreateMul(i, runs[0].lhsStride)), next);
      });
      return;
    }
    Value *rhs = b.CreateGEP(memoryType(b.getContext(), tile.rhsType), tile.rhs, b.CreateMul(flatK, f.i64(tile.rhsStride)));
    Value *extent = runs[0].extent, *whole = b.CreateAnd(extent, f.i64(-int64_t(unroll)));
    f.forLoop(f.i64(0), whole, f.i64(unroll), [&](Value *k) {
      for (unsigned u = 0; u < unroll; ++u)
        step(u, lhs, runs[0].lhsStride, rhs, b.CreateAdd(k, f.i64(u)));
    });
    if (unroll > 1)
      f.forLoop(whole, extent, f.i64(1), [&](Value *k) { step(0, lhs, runs[0].lhsStride, rhs, k); });
  }

  void step(unsigned u, Value *lhs, Value *lhsStride, Value *rhs, Value *k) {
    llvm::SmallVector<Value *> columns;
    llvm::Type *memory = memoryType(b.getContext(), tile.rhsType);
    Value *row = b.CreateGEP(memory, rhs, b.CreateMul(k, f.i64(tile.rhsStride)));
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
};

} // namespace

llvm::SmallVector<Value *> graphc::cpu::emitMicroKernel(FunctionBuilder &f, const ContractionSchedule &s, const MicroTile &tile) {
  return MicroKernel(f, s, tile).run();
}
