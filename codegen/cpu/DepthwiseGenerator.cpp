// Generates depthwise convolutions and convolutions over small groups: kernels of one sum over a small window of products x * w, in which output channels move w and
// every output by one element. Lanes run along them; a tile of output columns is in registers, so that each weight is loaded once a tile.
//
//   unit (outer grid point: batch and output row; block of channels):
//     for each tile of columns, each vector of channels:
//       for each window row: for each window column j, for each channel i of a group, for each column of the tile: sum[t] += x_i[t * stride + j] * w[j, i]
//       the rest of the body for each column of the tile
//
// Depthwise, x_i is the vector of x's same channels. Over groups the channel is two grid indices (group, output of the group) that w and the outputs see as one; x_i has in
// each lane channel i of the lane's group: a shuffle of the channels of the vector's groups, or, where a group fills vectors, one channel in all lanes.
//
// Window rows in which padding is touched read a vector of zeros instead of x there. Windows of 1, 2 or more dims, any strides and dilations. Other forms (weights not
// packed, say) are left to SpmdGenerator.
#include "codegen/cpu/ContractionSchedule.h"
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

constexpr int64_t maxUnrolled = 64; // products of a window row
constexpr double wantedUnits = 16;

bool isOne(DimAttr dim) { return dim && graph::isConstant(dim, 1); }

class DepthwiseGenerator {
public:
  DepthwiseGenerator(kernel::FuncOp func, FunctionBuilder &f) : func(func), f(f), b(f.b), space(func), lanes(f, space) {}

  bool matches() { return matchBody() && matchChannel() && matchIndices() && matchConstraints(); }
  GeneratedKernel run();

private:
  bool matchBody();
  bool matchChannel();
  bool matchGroups(llvm::ArrayRef<unsigned> ids);
  bool matchIndices();
  bool matchConstraints();
  bool isPlainLoad(kernel::LoadOp load);
  bool isWeights(kernel::LoadOp load);
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
  Value *firstInput();
  Value *loadVector(Value *pointer, unsigned count, Value *mask);
  bool fillsVectors() const { return perGroup % width == 0; }
  Value *loadX(Value *pointer);
  Value *takeX(Value *loaded, unsigned i);
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
  llvm::SmallVector<unsigned> channelIds;  // grid indices that are the channel: one, or group and output
  unsigned channel = 0, column = 0;        // channel: of all outputs
  std::optional<unsigned> groups, inputChannel;
  int64_t perGroup = 1, inputsPerGroup = 1, inputChannels = 0;
  Value *firstChannel = nullptr;           // of the vector
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
  unsigned width = 0, tileColumns = 0;
  int64_t channelBlock = 0; // channels of a unit, a multiple of the width; 0: all
  DimAttr blocks;
  llvm::AllocaInst *nothing = nullptr; // zeros, as many as are read at a time
};

bool DepthwiseGenerator::isPlainLoad(kernel::LoadOp load) {
  return load && load->getParentOp() == reduce.getOperation() && load.getType().isF32() && space.access(load).offset.isLinear();
}

/// Whether the load knows no padding and, of the grid, one index or two alone, which become the channel.
bool DepthwiseGenerator::isWeights(kernel::LoadOp load) {
  channelIds.clear();
  for (unsigned i = 0; i < func.getNumGridDims(); ++i)
    if (space.access(load).offset.uses(space.id(func.getGridIndex(i))))
      channelIds.push_back(space.id(func.getGridIndex(i)));
  return !load.getMask() && (channelIds.size() == 1 || channelIds.size() == 2);
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
  if (!isWeights(second))
    std::swap(first, second);
  if (!isWeights(second))
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

/// Merges two channel indices into one and checks how it moves every access.
bool DepthwiseGenerator::matchChannel() {
  width = f.level.vectorBits / 32;
  if (channelIds.size() == 2 && !matchGroups(channelIds))
    return false;
  if (channelIds.size() == 1)
    channel = channelIds[0];
  bool stores = false;
  auto isUnit = [&](const IndexForm &form) { return isOne(form.coefficient(channel)) && !form.usesNonlinearly(channel); };
  for (mlir::Operation *op : bodyOps())
    if (llvm::isa<kernel::StoreOp>(op)) {
      stores = true;
      if (!isUnit(space.access(op).offset))
        return false;
    }
  return stores && !isOne(space.extent(channel)) && isUnit(w->offset) && (groups || isUnit(x->offset));
}

/// Groups of x's channels [group, input] and w's and the outputs' [group, output]: everything but x sees (group, output) as one index.
bool DepthwiseGenerator::matchGroups(llvm::ArrayRef<unsigned> ids) {
  unsigned group = ids[0], output = ids[1];
  DimAttr outputs = space.extent(output), inputs = x->offset.coefficient(group);
  if (!outputs.isConstant() || !space.extent(group).isConstant() || !inputs || !inputs.isConstant() || x->offset.uses(output))
    return false;
  llvm::SmallVector<const IndexForm *> forms{&w->offset};
  for (mlir::Operation *op : bodyOps()) {
    if (!llvm::isa<kernel::LoadOp, kernel::StoreOp, kernel::IndexValueOp>(op))
      continue;
    const IndexAccess &access = space.access(op);
    forms.push_back(&access.offset);
    bool isUsed = access.isValue && (access.offset.uses(group) || access.offset.uses(output));
    for (auto &[form, isEquality] : access.constraints)
      isUsed |= form.uses(group) || form.uses(output);
    if (isUsed)
      return false;
  }
  perGroup = outputs.getValue(), inputsPerGroup = inputs.getValue(), inputChannels = inputsPerGroup * space.extent(group).getValue();
  bool isShuffle = width % perGroup == 0 && int64_t(width) / perGroup * inputsPerGroup <= width;
  if (!canFlatten(space, ids, forms) || !(isShuffle || fillsVectors()))
    return false;
  groups = group;
  channel = output;
  space.setExtent(channel, space.extent(group) * outputs);
  zero.push_back(group);
  return true;
}

/// Finds the output column, the window's column and a group's input channel.
bool DepthwiseGenerator::matchIndices() {
  auto smallest = [&](llvm::ArrayRef<unsigned> ids, const IndexForm &form) {
    std::optional<unsigned> best;
    for (unsigned id : ids)
      if (DimAttr c = form.coefficient(id); c && (!best || estimate(c) < estimate(form.coefficient(*best))))
        best = id;
    return best;
  };
  for (unsigned i = 0; i < func.getNumGridDims(); ++i)
    if (!llvm::is_contained(channelIds, space.id(func.getGridIndex(i))))
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
  if (inputsPerGroup > 1) {
    auto *input = llvm::find_if(rows, [&](unsigned id) { return isOne(x->offset.coefficient(id)) && space.extent(id) == constant(inputsPerGroup); });
    if (input == rows.end() || !w->offset.coefficient(*input))
      return false;
    inputChannel = *input;
    rows.erase(input);
  }
  llvm::SmallVector<mlir::Operation *> ops = bodyOps();
  const IndexForm &store = space.access(*llvm::find_if(ops, [](mlir::Operation *op) { return llvm::isa<kernel::StoreOp>(op); })).offset;
  std::optional<unsigned> found = smallest(outer, store);
  if (!found || !x->offset.coefficient(*found) || window == 0)
    return false;
  column = *found;
  llvm::erase(outer, column);
  windowColumn = smallest(rows, x->offset);
  if (!windowColumn)
    return inputsPerGroup <= maxUnrolled;
  llvm::erase(rows, *windowColumn);
  windowColumns = space.extent(*windowColumn).getValue();
  return windowColumns * inputsPerGroup <= maxUnrolled && w->offset.coefficient(*windowColumn);
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
  blocks = constant(1);
  tileColumns = groups && f.level.vectorBits < 512 ? 4 : 8; // registers for sums, and for x before it is shuffled
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
  nothing = f.slot(llvm::VectorType::get(b.getFloatTy(), width, false), 1 + inputsPerGroup / width);
  for (unsigned i = 0; i < 1 + inputsPerGroup / width; ++i)
    b.CreateStore(llvm::Constant::getNullValue(nothing->getAllocatedType()), b.CreateConstGEP1_64(nothing->getAllocatedType(), nothing, i));
  GeneratedKernel result;
  result.units = blocks;
  for (unsigned id : outer)
    result.units = result.units * space.extent(id);
  f.forLoop(f.begin(), f.end(), f.i64(1), [&](Value *unit) { emitUnit(unit); });
  f.finish();
  result.schedule = std::string(groups ? "groups" : "depthwise") + " w" + std::to_string(width) + (channelBlock ? " block " + std::to_string(channelBlock) : "");
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
    int64_t count = extent.getValue(), tiles = std::max<int64_t>(1, llvm::divideCeil(count, tileColumns));
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
    firstChannel = index.base;
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

/// A vector of `count` elements from `pointer` on, of which the channels of the mask exist.
Value *DepthwiseGenerator::loadVector(Value *pointer, unsigned count, Value *mask) {
  auto *type = llvm::VectorType::get(b.getFloatTy(), count, false);
  if (mask)
    return b.CreateMaskedLoad(type, pointer, llvm::Align(4), mask, llvm::Constant::getNullValue(type));
  return b.CreateAlignedLoad(type, pointer, llvm::Align(4));
}

/// What is loaded of x once a column: a vector of channels, or, where a group fills vectors, nothing but the address.
Value *DepthwiseGenerator::loadX(Value *pointer) {
  if (!groups)
    return loadVector(pointer, width, lanes.mask);
  if (fillsVectors())
    return pointer;
  unsigned count = width / perGroup * inputsPerGroup;
  Value *mask = nullptr;
  if (lanes.mask) {
    Value *rest = b.CreateSub(f.i64(inputChannels), firstInput());
    mask = f.firstLanes(rest, count);
  }
  return loadVector(pointer, count, mask);
}

/// In each lane, x's channel `i` of the lane's group.
Value *DepthwiseGenerator::takeX(Value *loaded, unsigned i) {
  if (!groups)
    return loaded;
  if (fillsVectors())
    return f.splat(b.CreateAlignedLoad(b.getFloatTy(), b.CreateConstGEP1_64(b.getFloatTy(), loaded, i), llvm::Align(4)), width);
  llvm::SmallVector<int> pattern;
  for (unsigned lane = 0; lane < width; ++lane)
    pattern.push_back(lane / perGroup * inputsPerGroup + i);
  return b.CreateShuffleVector(loaded, pattern);
}

/// The channel of x with which the vector's first group starts.
Value *DepthwiseGenerator::firstInput() { return b.CreateMul(b.CreateUDiv(firstChannel, f.i64(perGroup)), f.i64(inputsPerGroup)); }

void DepthwiseGenerator::emitWindowRow(llvm::ArrayRef<llvm::AllocaInst *> sums) {
  for (std::optional<unsigned> id : {windowColumn, inputChannel})
    if (id)
      lanes.setIndex(*id, IndexLanes::uniform(f.i64(0)));
  llvm::Type *element = b.getFloatTy(), *vector = nothing->getAllocatedType();
  auto stride = [&](const IndexAccess *access, std::optional<unsigned> id) { return id ? f.dim(access->offset.coefficient(*id)) : f.i64(0); };
  Value *xs = b.CreateGEP(element, f.buffer(xBuffer), lanes.evaluate(x->offset).base), *perColumn = stride(x, column), *perX = stride(x, windowColumn);
  if (groups)
    xs = b.CreateGEP(element, xs, firstInput());
  Value *ws = b.CreateGEP(element, f.buffer(wBuffer), lanes.evaluate(w->offset).base), *perW = stride(w, windowColumn), *perInput = stride(w, inputChannel);
  auto emit = [&](bool checks) {
    for (unsigned j = 0; j < windowColumns; ++j) {
      llvm::SmallVector<Value *> loaded;
      for (unsigned t = 0; t < sums.size(); ++t) {
        Value *pointer = b.CreateGEP(element, xs, b.CreateAdd(b.CreateMul(perColumn, f.i64(t)), b.CreateMul(perX, f.i64(j))));
        loaded.push_back(loadX(checks ? b.CreateSelect(isInside(t, j), pointer, nothing) : pointer));
      }
      for (int64_t i = 0; i < inputsPerGroup; ++i) {
        Value *weight = loadVector(b.CreateGEP(element, ws, b.CreateAdd(b.CreateMul(perW, f.i64(j)), b.CreateMul(perInput, f.i64(i)))), width, lanes.mask);
        for (unsigned t = 0; t < sums.size(); ++t)
          b.CreateStore(f.intrinsic(llvm::Intrinsic::fma, {vector}, {takeX(loaded[t], i), weight, b.CreateLoad(vector, sums[t])}), sums[t]);
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
