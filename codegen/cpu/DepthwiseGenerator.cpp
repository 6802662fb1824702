// Generates depthwise convolutions: kernels of one sum over a small window of products x * w, in which one grid index (the channel) moves x, w and every output
// by one element, and w by itself. Lanes run along channels; a tile of output columns is in registers, so that each weight is loaded once a tile.
//
//   unit (outer grid point: batch and output row; block of channels):
//     for each tile of columns, each vector of channels:
//       for each window row: for each window column, for each column of the tile: sum[t] += x[t * stride + j] * w[j]
//       the rest of the body for each column of the tile
//
// Window rows in which padding is touched read a vector of zeros instead of x there. Windows of 1, 2 or more dims, any strides and dilations. A grid whose channel isn't
// unit stride (weights not packed, a channel multiplier) is left to SpmdGenerator.
#include "codegen/cpu/KernelGenerators.h"
#include "codegen/cpu/LaneEmitter.h"
#include "codegen/cpu/SpmdSchedule.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Intrinsics.h"

#include <cmath>

using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;
using graph::DimKind;
using llvm::Value;

namespace {

constexpr unsigned maxColumns = 8;      // of a tile
constexpr int64_t maxWindowColumns = 16; // unrolled
constexpr double wantedUnits = 16;

bool isOne(DimAttr dim) { return dim && dim.isConstant() && dim.getValue() == 1; }

class DepthwiseGenerator {
public:
  DepthwiseGenerator(kernel::FuncOp func, FunctionBuilder &f) : func(func), f(f), b(f.b), space(func), lanes(f, space) {}

  bool matches() { return matchBody() && matchIndices() && matchConstraints(); }
  GeneratedKernel run();

private:
  bool matchBody();
  bool matchIndices();
  bool matchConstraints();
  bool isPlainLoad(kernel::LoadOp load);
  bool usesOneIndex(kernel::LoadOp load);
  void chooseUnits();

  DimAttr constant(int64_t value) { return DimAttr::constant(func.getContext(), value); }
  llvm::SmallVector<mlir::Operation *> bodyOps() {
    llvm::SmallVector<mlir::Operation *> ops;
    for (mlir::Operation &op : func.getBody().front())
      ops.push_back(&op);
    return ops;
  }

  void emitUnit(Value *unit);
  void emitColumns(Value *low, Value *high);
  void emitTile(unsigned columns, Value *firstColumn, Value *low, Value *high);
  void emitWindow(llvm::ArrayRef<unsigned> rows, llvm::ArrayRef<llvm::AllocaInst *> sums);
  void emitWindowRow(llvm::ArrayRef<llvm::AllocaInst *> sums);
  Value *isInside(unsigned columns);
  Value *isInside(unsigned column, unsigned windowColumn);
  void emitEpilogue(llvm::ArrayRef<llvm::AllocaInst *> sums, Value *firstColumn);

  kernel::FuncOp func;
  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  IndexSpace space;
  LaneEmitter lanes;

  kernel::ReduceOp reduce;
  const IndexAccess *x = nullptr, *w = nullptr;
  unsigned xBuffer = 0, wBuffer = 0;
  unsigned channel = 0, column = 0;
  llvm::SmallVector<unsigned> outer;       // the other grid indices, outermost first
  llvm::SmallVector<unsigned> rows;        // reduction indices but the window column
  std::optional<unsigned> windowColumn;
  int64_t windowColumns = 1, window = 1;   // of a row, of all
  llvm::SmallVector<unsigned> zero;        // indices of extent 1
  struct Constraint {
    const IndexForm *form;
    int64_t perColumn, perWindowColumn;
  };
  llvm::SmallVector<Constraint> constraints;
  unsigned width = 0;
  int64_t channelBlock = 0; // channels of a unit, a multiple of the width; 0: all
  DimAttr blocks;
  llvm::AllocaInst *nothing = nullptr; // a vector of zeros
};

bool DepthwiseGenerator::isPlainLoad(kernel::LoadOp load) {
  return load && load->getParentOp() == reduce.getOperation() && load.getType().isF32() && space.access(load).offset.isLinear();
}

/// Whether the load knows no padding and, of the grid, one index alone, which becomes the channel.
bool DepthwiseGenerator::usesOneIndex(kernel::LoadOp load) {
  llvm::SmallVector<unsigned> used;
  for (unsigned i = 0; i < func.getNumGridDims(); ++i)
    if (space.access(load).offset.uses(space.id(func.getGridIndex(i))))
      used.push_back(space.id(func.getGridIndex(i)));
  if (used.size() != 1 || load.getMask())
    return false;
  channel = used[0];
  return true;
}

/// One sum of products of two loads; around it no other stage.
bool DepthwiseGenerator::matchBody() {
  for (mlir::Operation *op : bodyOps()) {
    if (llvm::isa<kernel::MapOp, kernel::ContractOp, kernel::CheckIndexOp>(op) || (llvm::isa<kernel::ReduceOp>(op) && reduce))
      return false;
    if (auto found = llvm::dyn_cast<kernel::ReduceOp>(op))
      reduce = found;
  }
  if (!reduce || reduce.getNumResults() != 1 || kernel::getMonoids(reduce)[0] != kernel::Monoid::sum)
    return false;
  mlir::Block &block = reduce.getBody().front();
  auto product = block.getTerminator()->getOperand(0).getDefiningOp<scalar::MulOp>();
  for (mlir::Operation &op : block)
    if (!llvm::isa<kernel::LoadOp, scalar::ConstantOp, kernel::YieldOp>(op) && &op != product)
      return false;
  if (!product || product->getParentOp() != reduce.getOperation())
    return false;
  auto first = product->getOperand(0).getDefiningOp<kernel::LoadOp>(), second = product->getOperand(1).getDefiningOp<kernel::LoadOp>();
  if (!isPlainLoad(first) || !isPlainLoad(second) || llvm::range_size(block.getOps<kernel::LoadOp>()) != 2)
    return false;
  if (!usesOneIndex(second))
    std::swap(first, second);
  if (!usesOneIndex(second))
    return false;
  x = &space.access(first), w = &space.access(second);
  xBuffer = llvm::cast<mlir::BlockArgument>(first.getBuffer()).getArgNumber();
  wBuffer = llvm::cast<mlir::BlockArgument>(second.getBuffer()).getArgNumber();
  if (!first.getOtherwise())
    return true;
  auto otherwise = first.getOtherwise().getDefiningOp<scalar::ConstantOp>();
  auto value = otherwise ? llvm::dyn_cast<mlir::FloatAttr>(otherwise.getValue()) : mlir::FloatAttr();
  return value && value.getValue().isPosZero();
}

/// Checks the channel; finds the output column and the window's.
bool DepthwiseGenerator::matchIndices() {
  llvm::SmallVector<const IndexForm *> stores;
  for (mlir::Operation *op : bodyOps())
    if (llvm::isa<kernel::StoreOp>(op))
      stores.push_back(&space.access(op).offset);
  auto isUnit = [&](const IndexForm *form) { return isOne(form->coefficient(channel)) && !form->usesNonlinearly(channel); };
  if (isOne(space.extent(channel)) || stores.empty() || !isUnit(&x->offset) || !isUnit(&w->offset) || !llvm::all_of(stores, isUnit))
    return false;
  auto smallest = [&](llvm::ArrayRef<unsigned> ids, const IndexForm &form) {
    std::optional<unsigned> best;
    for (unsigned id : ids)
      if (DimAttr c = form.coefficient(id); c && (!best || estimate(c) < estimate(form.coefficient(*best))))
        best = id;
    return best;
  };
  for (unsigned i = 0; i < func.getNumGridDims(); ++i)
    if (space.id(func.getGridIndex(i)) != channel)
      outer.push_back(space.id(func.getGridIndex(i)));
  rows = space.ids(reduce.getBody().front().getArguments());
  for (auto *ids : {&outer, &rows})
    llvm::erase_if(*ids, [&](unsigned id) {
      if (!isOne(space.extent(id)))
        return false;
      zero.push_back(id);
      return true;
    });
  for (unsigned id : rows) {
    if (!space.extent(id).isConstant())
      return false;
    window *= space.extent(id).getValue();
  }
  std::optional<unsigned> found = smallest(outer, *stores[0]);
  if (!found || !x->offset.coefficient(*found) || window == 0)
    return false;
  column = *found;
  llvm::erase(outer, column);
  windowColumn = smallest(rows, x->offset);
  if (!windowColumn)
    return true;
  llvm::erase(rows, *windowColumn);
  windowColumns = space.extent(*windowColumn).getValue();
  return windowColumns <= maxWindowColumns && w->offset.coefficient(*windowColumn);
}

/// Padding: linear inequalities that don't depend on the channel.
bool DepthwiseGenerator::matchConstraints() {
  for (auto &[form, isEquality] : x->constraints) {
    DimAttr perColumn = form.coefficient(column), perWindowColumn = windowColumn ? form.coefficient(*windowColumn) : DimAttr();
    if (isEquality || !form.isLinear() || form.uses(channel) || (perColumn && !perColumn.isConstant()) || (perWindowColumn && !perWindowColumn.isConstant()))
      return false;
    std::optional<IndexRange> range = space.range(form);
    if (!range || range->low < 0)
      constraints.push_back({&form, perColumn ? perColumn.getValue() : 0, perWindowColumn ? perWindowColumn.getValue() : 0});
  }
  return true;
}

/// Channels are split where there are few rows.
void DepthwiseGenerator::chooseUnits() {
  width = f.level.vectorBits / 32;
  blocks = constant(1);
  double points = 1;
  for (unsigned id : outer)
    points *= std::max(1.0, estimate(space.extent(id)));
  DimAttr channels = space.extent(channel);
  if (!channels.isConstant() || points >= wantedUnits)
    return;
  int64_t vectors = llvm::divideCeil(channels.getValue(), width);
  int64_t parts = std::max<int64_t>(1, std::min<int64_t>(vectors / 2, std::llround(wantedUnits / points)));
  channelBlock = llvm::divideCeil(vectors, parts) * width;
  blocks = constant(llvm::divideCeil(channels.getValue(), channelBlock));
}

GeneratedKernel DepthwiseGenerator::run() {
  chooseUnits();
  for (unsigned id : zero)
    lanes.setIndex(id, IndexLanes::uniform(f.i64(0)));
  nothing = f.slot(llvm::VectorType::get(b.getFloatTy(), width, false));
  b.CreateStore(llvm::Constant::getNullValue(nothing->getAllocatedType()), nothing);
  GeneratedKernel result;
  result.units = blocks;
  for (unsigned id : outer)
    result.units = result.units * space.extent(id);
  f.forLoop(f.begin(), f.end(), f.i64(1), [&](Value *unit) { emitUnit(unit); });
  f.finish();
  result.schedule = "depthwise w" + std::to_string(width) + (channelBlock ? " block " + std::to_string(channelBlock) : "");
  result.scratchBytes = constant(0);
  DimAttr points = result.units * space.extent(column) * space.extent(channel);
  result.flops = DimAttr::binary(DimKind::FloorDiv, points, blocks) * constant(2 * window);
  double channels = channelBlock ? double(channelBlock) : estimate(space.extent(channel));
  setCosts(result, std::ceil(channels / width) * estimate(space.extent(column)) * (0.8 * window + 6));
  return result;
}

void DepthwiseGenerator::emitUnit(Value *unit) {
  Value *rest = unit, *low = f.i64(0), *high = f.dim(space.extent(channel));
  if (channelBlock) {
    Value *count = f.dim(blocks);
    low = b.CreateMul(b.CreateURem(rest, count), f.i64(channelBlock));
    high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, f.i64(channelBlock)), high);
    rest = b.CreateUDiv(rest, count);
  }
  for (size_t d = outer.size(); d-- > 0;) {
    Value *extent = f.dim(space.extent(outer[d]));
    lanes.setIndex(outer[d], IndexLanes::uniform(d == 0 ? rest : b.CreateURem(rest, extent)));
    rest = b.CreateUDiv(rest, extent);
  }
  emitColumns(low, high);
}

/// All columns of a row. The last tile of a constant number of columns starts earlier where it would go beyond the end: it computes some columns again.
void DepthwiseGenerator::emitColumns(Value *low, Value *high) {
  DimAttr extent = space.extent(column);
  if (extent.isConstant()) {
    int64_t count = extent.getValue(), tiles = std::max<int64_t>(1, llvm::divideCeil(count, maxColumns));
    int64_t columns = std::max<int64_t>(1, llvm::divideCeil(count, tiles));
    f.forLoop(f.i64(0), extent.getValue() ? f.i64(tiles) : f.i64(0), f.i64(1), [&](Value *tile) {
      Value *first = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateMul(tile, f.i64(columns)), f.i64(count - columns));
      emitTile(columns, first, low, high);
    });
    return;
  }
  constexpr unsigned columns = 4;
  Value *count = f.dim(extent), *whole = b.CreateAnd(count, f.i64(-int64_t(columns)));
  f.forLoop(f.i64(0), whole, f.i64(columns), [&](Value *first) { emitTile(columns, first, low, high); });
  f.forLoop(whole, count, f.i64(1), [&](Value *first) { emitTile(1, first, low, high); });
}

void DepthwiseGenerator::emitTile(unsigned columns, Value *firstColumn, Value *low, Value *high) {
  DimAttr channels = space.extent(channel);
  bool isWhole = channels.isConstant() && channels.getValue() % width == 0;
  lanes.vectorLoop(low, high, width, isWhole, [&](IndexLanes index) {
    lanes.setIndex(channel, index);
    lanes.setIndex(column, IndexLanes::uniform(firstColumn));
    llvm::SmallVector<llvm::AllocaInst *> sums;
    for (unsigned t = 0; t < columns; ++t) {
      sums.push_back(f.slot(nothing->getAllocatedType()));
      b.CreateStore(llvm::Constant::getNullValue(nothing->getAllocatedType()), sums.back());
    }
    emitWindow(rows, sums);
    emitEpilogue(sums, firstColumn);
  });
}

void DepthwiseGenerator::emitWindow(llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<llvm::AllocaInst *> sums) {
  if (loops.empty())
    return emitWindowRow(sums);
  f.forLoop(f.i64(0), f.dim(space.extent(loops[0])), f.i64(1), [&](Value *i) {
    lanes.setIndex(loops[0], IndexLanes::uniform(i));
    emitWindow(loops.drop_front(), sums);
  });
}

/// Whether every constraint holds in the whole window row for all columns of the tile: at the corner where each is smallest.
Value *DepthwiseGenerator::isInside(unsigned columns) {
  Value *inside = b.getTrue();
  for (const Constraint &c : constraints) {
    int64_t least = std::min<int64_t>(0, c.perColumn * (columns - 1)) + std::min<int64_t>(0, c.perWindowColumn * (windowColumns - 1));
    inside = b.CreateAnd(inside, b.CreateICmpSGE(lanes.evaluate(*c.form).base, f.i64(-least)));
  }
  return inside;
}

Value *DepthwiseGenerator::isInside(unsigned tileColumn, unsigned j) {
  Value *inside = b.getTrue();
  for (const Constraint &c : constraints)
    inside = b.CreateAnd(inside, b.CreateICmpSGE(lanes.evaluate(*c.form).base, f.i64(-(c.perColumn * tileColumn + c.perWindowColumn * j))));
  return inside;
}

void DepthwiseGenerator::emitWindowRow(llvm::ArrayRef<llvm::AllocaInst *> sums) {
  if (windowColumn)
    lanes.setIndex(*windowColumn, IndexLanes::uniform(f.i64(0)));
  llvm::Type *element = b.getFloatTy(), *vector = nothing->getAllocatedType();
  auto stride = [&](const IndexAccess *access, std::optional<unsigned> id) { return id ? f.dim(access->offset.coefficient(*id)) : f.i64(0); };
  Value *xs = b.CreateGEP(element, f.buffer(xBuffer), lanes.evaluate(x->offset).base), *perColumn = stride(x, column), *perX = stride(x, windowColumn);
  Value *ws = b.CreateGEP(element, f.buffer(wBuffer), lanes.evaluate(w->offset).base), *perW = stride(w, windowColumn);
  auto load = [&](Value *pointer) -> Value * {
    if (lanes.mask)
      return b.CreateMaskedLoad(vector, pointer, llvm::Align(4), lanes.mask, llvm::Constant::getNullValue(vector));
    return b.CreateAlignedLoad(vector, pointer, llvm::Align(4));
  };
  auto emit = [&](bool checks) {
    for (unsigned j = 0; j < windowColumns; ++j) {
      Value *weight = load(b.CreateGEP(element, ws, b.CreateMul(perW, f.i64(j))));
      for (unsigned t = 0; t < sums.size(); ++t) {
        Value *pointer = b.CreateGEP(element, xs, b.CreateAdd(b.CreateMul(perColumn, f.i64(t)), b.CreateMul(perX, f.i64(j))));
        if (checks)
          pointer = b.CreateSelect(isInside(t, j), pointer, nothing);
        Value *sum = b.CreateLoad(vector, sums[t]);
        b.CreateStore(f.intrinsic(llvm::Intrinsic::fma, {vector}, {load(pointer), weight, sum}), sums[t]);
      }
    }
  };
  if (constraints.empty())
    return emit(false);
  Value *inside = isInside(sums.size());
  f.ifThen(inside, [&] { emit(false); });
  f.ifThen(b.CreateNot(inside), [&] { emit(true); });
}

/// What doesn't depend on the column is computed once, the rest for each column.
void DepthwiseGenerator::emitEpilogue(llvm::ArrayRef<llvm::AllocaInst *> sums, Value *firstColumn) {
  llvm::DenseSet<mlir::Value> varying{reduce.getResult(0)};
  llvm::SmallVector<mlir::Operation *> perColumn;
  for (mlir::Operation *op : bodyOps()) {
    if (op == reduce)
      continue;
    bool isVarying = llvm::any_of(op->getOperands(), [&](mlir::Value v) { return varying.contains(v); });
    if (llvm::isa<kernel::LoadOp, kernel::StoreOp, kernel::IndexValueOp>(op)) {
      const IndexAccess &access = space.access(op);
      isVarying |= llvm::isa<kernel::StoreOp>(op) || access.offset.uses(column);
      for (auto &[form, isEquality] : access.constraints)
        isVarying |= form.uses(column);
    }
    if (!isVarying) {
      lanes.emitOp(op);
      continue;
    }
    varying.insert(op->result_begin(), op->result_end());
    perColumn.push_back(op);
  }
  for (auto [t, sum] : llvm::enumerate(sums)) {
    lanes.setIndex(column, IndexLanes::uniform(b.CreateAdd(firstColumn, f.i64(t))));
    lanes.setValue(reduce.getResult(0), b.CreateLoad(nothing->getAllocatedType(), sum));
    for (mlir::Operation *op : perColumn)
      lanes.emitOp(op);
  }
}

} // namespace

std::optional<GeneratedKernel> graphc::cpu::generateDepthwise(kernel::FuncOp func, FunctionBuilder &f) {
  DepthwiseGenerator generator(func, f);
  if (!generator.matches())
    return std::nullopt;
  return generator.run();
}
