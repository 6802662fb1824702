// Generates pointwise, reduce and row kernels by the schedule that SpmdSchedule chose: loops over units, stages as loops with accumulators, the
// straight-line code by LaneEmitter.
//
//   grid mode:   for unit: (row, block of the vectorised index); for vectors of the block: body; masked tail
//   inner mode:  for unit: one grid point; each stage loops over vectors of its own index, masked tail, lanes folded at its end
//
// Long float sums are cut into blocks whose sums are added up, for rounding errors grow with the length of a chain of additions.
// A row's vectors and its tail lie at the same places however units are split over calls, so result bits don't depend on the split.
#include "codegen/cpu/Accumulator.h"
#include "codegen/cpu/KernelGenerators.h"
#include "codegen/cpu/LaneEmitter.h"
#include "codegen/cpu/SpmdSchedule.h"

#include <cmath>

using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;
using graph::DimKind;
using llvm::Value;

namespace {

/// One loop of a stage, scalar (no lanes) or over vectors of its index.
struct StageLoop {
  unsigned id;
  unsigned lanes = 0;
};

/// Where a stage's loops are cut into blocks: `steps` of loop `loop` are one block.
struct Cut {
  std::optional<size_t> loop;
  int64_t steps = 0;
};

class SpmdGenerator {
public:
  SpmdGenerator(kernel::FuncOp func, FunctionBuilder &f)
      : func(func), f(f), b(f.b), space(func), schedule(chooseSchedule(func, space, f.level)), lanes(f, space) {}

  GeneratedKernel run() {
    for (unsigned id : schedule.zero)
      lanes.setIndex(id, IndexLanes::uniform(f.i64(0)));
    DimAttr units = constant(1), blocks = constant(1);
    llvm::SmallVector<unsigned> outer;
    for (unsigned id : schedule.grid) {
      if (schedule.vectorGrid == id) {
        blocks = DimAttr::binary(DimKind::CeilDiv, space.extent(id), constant(schedule.gridBlock));
        continue;
      }
      outer.push_back(id);
      units = units * space.extent(id);
    }
    units = units * blocks;
    f.forLoop(f.begin(), f.end(), f.i64(1), [&](Value *unit) { emitUnit(unit, outer, blocks); });
    f.finish();
    GeneratedKernel result;
    result.schedule = schedule.str();
    result.units = units;
    result.scratchBytes = constant(0);
    double pointsPerUnit = schedule.vectorGrid ? std::min<double>(schedule.gridBlock, estimate(space.extent(*schedule.vectorGrid))) : 1;
    setCosts(result, schedule.cyclesPerUnit);
    int64_t flops = std::llround(schedule.flopsPerPoint * pointsPerUnit);
    result.flops = units * constant(flops);
    return result;
  }

private:
  DimAttr constant(int64_t value) { return DimAttr::constant(func.getContext(), value); }

  void emitUnit(Value *unit, llvm::ArrayRef<unsigned> outer, DimAttr blocks) {
    Value *rest = unit, *block = f.i64(0);
    bool isBlocked = !blocks.isConstant() || blocks.getValue() > 1;
    if (isBlocked) {
      Value *count = f.dim(blocks);
      block = b.CreateURem(rest, count);
      rest = b.CreateUDiv(rest, count);
    }
    for (size_t d = outer.size(); d-- > 0;) {
      Value *extent = f.dim(space.extent(outer[d]));
      lanes.setIndex(outer[d], IndexLanes::uniform(d == 0 ? rest : b.CreateURem(rest, extent)));
      if (d != 0)
        rest = b.CreateUDiv(rest, extent);
    }
    mlir::Block &body = func.getBody().front();
    if (!schedule.vectorGrid)
      return emitBlock(body);
    DimAttr extent = space.extent(*schedule.vectorGrid);
    Value *low = b.CreateMul(block, f.i64(schedule.gridBlock));
    Value *high = f.dim(extent);
    if (isBlocked)
      high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, f.i64(schedule.gridBlock)), high);
    emitVectorLoop(*schedule.vectorGrid, low, high, schedule.gridLanes, [&] { emitBlock(body); });
  }

  /// Vectors of `width` lanes over [low, high), the last one masked. `low` is a multiple of the width.
  void emitVectorLoop(unsigned id, Value *low, Value *high, unsigned width, llvm::function_ref<void()> body) {
    DimAttr extent = space.extent(id);
    bool isWhole = extent.isConstant() && extent.getValue() % width == 0;
    bool isShort = extent.isConstant() && extent.getValue() < width;
    lanes.vectorLoop(isShort ? f.i64(0) : low, isShort ? f.i64(extent.getValue()) : high, width, isWhole, [&](IndexLanes index) {
      lanes.setIndex(id, index);
      body();
    });
  }

  void emitBlock(mlir::Block &block) {
    for (mlir::Operation &op : block) {
      if (auto reduce = llvm::dyn_cast<kernel::ReduceOp>(op))
        emitReduce(reduce);
      else if (auto map = llvm::dyn_cast<kernel::MapOp>(op))
        emitStage(map, [] {});
      else if (!llvm::isa<kernel::YieldOp>(op))
        lanes.emitOp(&op);
    }
  }

  llvm::SmallVector<StageLoop> loopsOf(mlir::Operation *stage) {
    llvm::SmallVector<StageLoop> loops;
    auto vectorized = schedule.inner.find(stage);
    std::optional<SpmdSchedule::Vectorized> vector;
    if (!schedule.vectorGrid && vectorized != schedule.inner.end())
      vector = vectorized->second;
    for (unsigned id : schedule.stages.find(stage)->second)
      if (!vector || vector->index != id)
        loops.push_back({id});
    if (vector)
      loops.push_back({vector->index, vector->lanes});
    return loops;
  }

  /// Blocks of about 256 iterations, by the extents alone; no cut where that is all there is.
  Cut chooseCut(llvm::ArrayRef<StageLoop> loops) {
    constexpr int64_t blockLength = 256;
    int64_t inside = 1;
    for (size_t i = loops.size(); i-- > 0;) {
      DimAttr extent = space.extent(loops[i].id);
      int64_t steps = std::max<int64_t>(1, blockLength / inside);
      if (!extent.isConstant())
        return {i, steps};
      int64_t iterations = loops[i].lanes ? llvm::divideCeil(extent.getValue(), loops[i].lanes) : extent.getValue();
      if (inside * iterations > blockLength * 3 / 2)
        return {i, steps};
      inside *= std::max<int64_t>(1, iterations);
    }
    return {};
  }

  /// Loops over a stage's domain around its region; `end` is emitted at the end of the region, `endBlock` at the end of each block of `cut`.
  void emitStage(mlir::Operation *stage, llvm::function_ref<void()> end, const Cut &cut = {}, llvm::function_ref<void()> endBlock = {}) {
    emitLoops(loopsOf(stage), 0, cut, endBlock, [&] {
      emitBlock(stage->getRegion(0).front());
      end();
    });
  }

  void emitLoops(llvm::ArrayRef<StageLoop> loops, size_t next, const Cut &cut, llvm::function_ref<void()> endBlock, llvm::function_ref<void()> body) {
    if (next == loops.size())
      return body();
    StageLoop loop = loops[next];
    auto emitRange = [&](Value *low, Value *high) {
      if (loop.lanes)
        return emitVectorLoop(loop.id, low, high, loop.lanes, body);
      f.forLoop(low, high, f.i64(1), [&](Value *i) {
        lanes.setIndex(loop.id, IndexLanes::uniform(i));
        emitLoops(loops, next + 1, cut, endBlock, body);
      });
    };
    Value *extent = f.dim(space.extent(loop.id));
    if (cut.loop != next)
      return emitRange(f.i64(0), extent);
    Value *steps = f.i64(cut.steps * std::max(loop.lanes, 1u));
    f.forLoop(f.i64(0), extent, steps, [&](Value *low) {
      emitRange(low, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, steps), extent));
      endBlock();
    });
  }

  void emitReduce(kernel::ReduceOp op) {
    auto vectorized = schedule.inner.find(op);
    bool isVectorized = !schedule.vectorGrid && vectorized != schedule.inner.end();
    Accumulator accumulator(f, op, isVectorized ? vectorized->second.lanes : lanes.width);
    Cut cut = accumulator.wantsBlocks() ? chooseCut(loopsOf(op)) : Cut();
    if (cut.loop)
      accumulator.startBlocks();
    auto add = [&] {
      llvm::SmallVector<Value *> yielded;
      for (mlir::Value v : op.getBody().front().getTerminator()->getOperands())
        yielded.push_back(lanes.value(v));
      accumulator.add(yielded, isVectorized ? lanes.mask : nullptr);
    };
    emitStage(op, add, cut, [&] { accumulator.endBlock(); });
    for (auto [result, value] : llvm::zip(op.getResults(), accumulator.finish(isVectorized)))
      lanes.setValue(result, value);
  }

  kernel::FuncOp func;
  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  IndexSpace space;
  SpmdSchedule schedule;
  LaneEmitter lanes;
};

} // namespace

void graphc::cpu::setCosts(GeneratedKernel &kernel, double cyclesPerUnit) {
  mlir::MLIRContext *context = kernel.units.getContext();
  auto scaled = [&](double factor) { // units * factor, in 1/1024
    int64_t numerator = std::max<int64_t>(1, std::llround(factor * 1024));
    return DimAttr::binary(DimKind::CeilDiv, kernel.units * DimAttr::constant(context, numerator), DimAttr::constant(context, 1024));
  };
  double nsPerUnit = cyclesPerUnit / 3.0; // about 3 GHz
  kernel.costNs = scaled(nsPerUnit);
  kernel.chunk = DimAttr::constant(context, std::max<int64_t>(1, std::llround(8000 / std::max(nsPerUnit, 1.0))));
}

GeneratedKernel graphc::cpu::generateSpmd(kernel::FuncOp func, FunctionBuilder &f) { return SpmdGenerator(func, f).run(); }
