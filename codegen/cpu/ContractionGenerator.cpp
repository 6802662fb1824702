// Generates kernel.contract by the schedule that ContractionSchedule chose: units, packing of operands into scratch, tiles by MicroKernel, and the
// epilogue region over each tile, vectorised along n (or along m where the outputs are contiguous there).
#include "codegen/cpu/ContractionSchedule.h"
#include "codegen/cpu/IndexGroup.h"
#include "codegen/cpu/KernelGenerators.h"
#include "codegen/cpu/LaneEmitter.h"
#include "codegen/cpu/MicroKernel.h"
#include "codegen/cpu/SpmdSchedule.h"

#include "llvm/IR/Intrinsics.h"

using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;
using graph::DimKind;
using llvm::Value;

namespace {

class ContractionGenerator {
public:
  ContractionGenerator(kernel::FuncOp func, kernel::ContractOp op, FunctionBuilder &f)
      : func(func), op(op), f(f), b(f.b), space(func), lanes(f, space), s(chooseContraction(op, space, f.level)),
        lhsM(space, lanes, s.lhsM, canFlatten(space, s.lhsM, {&s.lhs}) && s.lhsMask.empty()), rhsN(space, lanes, s.rhsN, false),
        epilogueM(makeGroup(1, op.getMExtents().size())), epilogueN(makeGroup(1 + op.getMExtents().size(), op.getNExtents().size())) {
    lhsMemory = s.elementType.isF16() || s.elementType.isBF16() ? s.accumulatorType : s.elementType;
    rhsType = llvm::cast<mlir::RankedTensorType>(op.getRhs().getType()).getElementType();
    planScratch();
  }

  GeneratedKernel run() {
    for (unsigned id : s.zero)
      lanes.setIndex(id, IndexLanes::uniform(f.i64(0)));
    for (mlir::Operation &constant : func.getBody().front())
      if (&constant != op)
        lanes.emitOp(&constant);
    DimAttr tiles = ceilDiv(s.m, s.rows), panels = ceilDiv(s.n, s.columns);
    chunks = ceilDiv(tiles, s.tilesPerChunk);
    ranges = ceilDiv(panels, s.panelsPerUnit);
    DimAttr units = chunks * ranges;
    for (unsigned id : s.grid)
      units = units * space.extent(id);
    tileBuffer = f.slot(registerType(b.getContext(), s.accumulatorType), uint64_t(s.rows) * s.columns);
    f.forLoop(f.begin(), f.end(), f.i64(1), [&](Value *unit) { emitUnit(unit); });
    f.finish();
    return describe(units);
  }

private:
  DimAttr constant(int64_t value) { return DimAttr::constant(func.getContext(), value); }
  DimAttr ceilDiv(DimAttr a, int64_t divisor) { return DimAttr::binary(DimKind::CeilDiv, a, constant(divisor)); }

  GeneratedKernel describe(DimAttr units) {
    GeneratedKernel result;
    result.units = units;
    result.scratchBytes = scratchBytes;
    result.schedule = "tile " + std::to_string(s.rows) + "x" + std::to_string(s.columns) + (s.packLhs ? " pack-lhs" : "") + (s.readRhs ? " plain-rhs" : s.packRhs ? " pack-rhs" : "");
    setCosts(result, s.cyclesPerTile * s.tilesPerChunk * s.panelsPerUnit);
    result.flops = constant(2) * s.m * s.n * s.k;
    for (unsigned id : s.grid)
      result.flops = result.flops * space.extent(id);
    return result;
  }

  IndexGroup makeGroup(unsigned first, unsigned count) {
    llvm::SmallVector<unsigned> ids;
    for (unsigned i = 0; i < count; ++i)
      ids.push_back(space.id(op.getBody().getArgument(first + i)));
    llvm::SmallVector<unsigned> wide;
    for (unsigned id : ids)
      if (DimAttr extent = space.extent(id); !(extent.isConstant() && extent.getValue() == 1))
        wide.push_back(id);
    llvm::SmallVector<const IndexForm *> forms;
    bool canMerge = true;
    for (mlir::Operation &access : op.getBody().front()) {
      if (!llvm::isa<kernel::LoadOp, kernel::StoreOp, kernel::IndexValueOp>(access))
        continue;
      const IndexAccess &a = space.access(&access);
      forms.push_back(&a.offset);
      for (unsigned id : wide) {
        canMerge &= !(a.isValue && a.offset.uses(id));
        for (auto &[form, isEquality] : a.constraints)
          canMerge &= !form.uses(id);
      }
    }
    return IndexGroup(space, lanes, ids, canMerge && canFlatten(space, wide, forms));
  }

  //===-- scratch ------------------------------------------------------------------===//

  /// Rows of the packed lhs first, then one panel of the rhs, both at multiples of 64 bytes.
  void planScratch() {
    chunkRows = s.tilesPerChunk * s.rows;
    lhsRowStride = s.k;
    if (s.k.isConstant()) {
      int64_t stride = llvm::alignTo(s.k.getValue(), 16);
      lhsRowStride = constant(stride * elementBytes(lhsMemory) % 2048 == 0 ? stride + 16 : stride); // rows that collide in the cache
    }
    DimAttr lhsElements = s.packLhsByRows ? constant(chunkRows) * lhsRowStride : s.k * constant(chunkRows);
    rhsOffset = s.packLhs ? ceilDiv(lhsElements * constant(elementBytes(lhsMemory)), 64) * constant(64) : constant(0);
    scratchBytes = s.packRhs && !(s.readRhs && hasWholePanels()) ? rhsOffset + s.k * constant(int64_t(s.columns) * elementBytes(rhsType)) : rhsOffset;
  }

  bool hasWholePanels() const { return s.n.isConstant() && s.n.getValue() % s.columns == 0; }
  unsigned packLanes() { return f.level.vectorBits / 32; }

  void setK(llvm::ArrayRef<unsigned> ids, Value *value) {
    for (unsigned id : ids)
      lanes.setIndex(id, IndexLanes::uniform(f.i64(0)));
    if (!ids.empty())
      lanes.setIndex(ids.back(), IndexLanes::uniform(value));
  }

  /// Loops over all runs of k but the last `innermost` ones; the body gets the flat index of what was looped over.
  void forRuns(llvm::ArrayRef<KRun> runs, Value *flat, llvm::function_ref<void(Value *)> body) {
    if (runs.empty())
      return body(flat);
    Value *extent = f.dim(runs[0].extent);
    f.forLoop(f.i64(0), extent, f.i64(1), [&](Value *i) {
      setK(runs[0].ids, i);
      forRuns(runs.drop_front(), b.CreateAdd(b.CreateMul(flat, extent), i), body);
    });
  }

  /// The lhs element at the indices set now, where `condition` (null: everywhere) holds, else 0.
  Value *loadLhs(Value *condition) {
    Value *lhs = f.buffer(llvm::cast<mlir::BlockArgument>(op.getLhs()).getArgNumber());
    Value *zero = llvm::Constant::getNullValue(registerType(b.getContext(), s.elementType));
    Value *value = lanes.load(s.elementType, lhs, lanes.evaluate(s.lhs), condition, condition ? zero : nullptr);
    return emitCast(f, value, s.elementType, lhsMemory);
  }

  void packLhs(Value *firstRow, Value *endRow) {
    if (s.packLhsByRows) {
      f.forLoop(firstRow, endRow, f.i64(1), [&](Value *row) {
        lhsM.set(IndexLanes::uniform(row));
        Value *to = b.CreateMul(b.CreateSub(row, firstRow), f.dim(lhsRowStride));
        packRow(to);
      });
      return;
    }
    lanes.vectorLoop(firstRow, endRow, packLanes(), false, [&](IndexLanes row) {
      lhsM.set(row);
      Value *to = b.CreateSub(row.base, firstRow);
      forRuns(s.runs, f.i64(0), [&](Value *k) {
        IndexLanes target = IndexLanes::consecutive(b.CreateAdd(b.CreateMul(k, f.i64(chunkRows)), to), row.step);
        lanes.store(lhsMemory, loadLhs(lanes.holds(s.lhsMask)), f.scratch(), target, nullptr);
      });
    });
  }

  void packRow(Value *to) {
    if (s.runs.empty()) {
      lanes.store(lhsMemory, loadLhs(lanes.holds(s.lhsMask)), f.scratch(), IndexLanes::uniform(to), nullptr);
      return;
    }
    const KRun &last = s.runs.back();
    bool isUniform = llvm::none_of(s.lhsMask, [&](auto &item) { return item.first.uses(last.ids.back()); });
    forRuns(llvm::ArrayRef(s.runs).drop_back(), f.i64(0), [&](Value *k) {
      Value *start = b.CreateAdd(to, b.CreateMul(k, f.dim(last.extent)));
      setK(last.ids, f.i64(0));
      Value *inside = isUniform ? lanes.holds(s.lhsMask) : nullptr;
      if (!inside)
        return packRun(last, start, [&] { return loadLhs(isUniform ? nullptr : lanes.holds(s.lhsMask)); });
      // Padding is all of a run or none of it.
      f.ifThen(inside, [&] { packRun(last, start, [&] { return loadLhs(nullptr); }); });
      f.ifThen(b.CreateNot(inside), [&] { packRun(last, start, [&] { return llvm::Constant::getNullValue(registerType(b.getContext(), lhsMemory)); }); });
    });
  }

  /// Stores what `value` gives for vectors of the run's indices from scratch element `start` on.
  void packRun(const KRun &run, Value *start, llvm::function_ref<Value *()> value) {
    bool isWhole = run.extent.isConstant() && run.extent.getValue() % packLanes() == 0;
    lanes.vectorLoop(f.i64(0), f.dim(run.extent), packLanes(), isWhole, [&](IndexLanes i) {
      lanes.setIndex(run.ids.back(), i);
      lanes.store(lhsMemory, value(), f.scratch(), IndexLanes::consecutive(b.CreateAdd(start, i.base), i.step), nullptr);
    });
  }

  Value *rhsScratch() { return b.CreateGEP(b.getInt8Ty(), f.scratch(), f.dim(rhsOffset)); }

  /// One panel [k][columns] of the rhs, zeros past n.
  void packRhs(Value *firstColumn) {
    Value *rhs = f.buffer(llvm::cast<mlir::BlockArgument>(op.getRhs()).getArgNumber()), *to = rhsScratch();
    bool isWhole = hasWholePanels();
    Value *zero = f.splat(llvm::Constant::getNullValue(registerType(b.getContext(), rhsType)), s.columns);
    forRhsK(s.rhsK, f.i64(0), [&](Value *k) {
      lanes.width = s.columns;
      Value *inside = nullptr;
      if (!isWhole)
        inside = f.firstLanes(b.CreateSub(f.dim(s.n), firstColumn), s.columns);
      rhsN.set(IndexLanes::consecutive(firstColumn, f.i64(1)), rhsN.staysInside(s.columns));
      Value *value = lanes.load(rhsType, rhs, lanes.evaluate(s.rhs), inside, zero);
      lanes.store(rhsType, value, to, IndexLanes::consecutive(b.CreateMul(k, f.i64(s.columns)), f.i64(1)), nullptr);
      lanes.width = 0;
    });
  }

  void forRhsK(llvm::ArrayRef<unsigned> ids, Value *flat, llvm::function_ref<void(Value *)> body) {
    if (ids.empty())
      return body(flat);
    Value *extent = f.dim(space.extent(ids[0]));
    f.forLoop(f.i64(0), extent, f.i64(1), [&](Value *i) {
      lanes.setIndex(ids[0], IndexLanes::uniform(i));
      forRhsK(ids.drop_front(), b.CreateAdd(b.CreateMul(flat, extent), i), body);
    });
  }

  //===-- units and tiles ------------------------------------------------------------===//

  void emitUnit(Value *unit) {
    Value *chunkCount = f.dim(chunks), *rangeCount = f.dim(ranges);
    Value *chunk = b.CreateURem(unit, chunkCount), *rest = b.CreateUDiv(unit, chunkCount);
    Value *range = b.CreateURem(rest, rangeCount);
    rest = b.CreateUDiv(rest, rangeCount);
    for (size_t d = s.grid.size(); d-- > 0;) {
      Value *extent = f.dim(space.extent(s.grid[d]));
      lanes.setIndex(s.grid[d], IndexLanes::uniform(d == 0 ? rest : b.CreateURem(rest, extent)));
      rest = b.CreateUDiv(rest, extent);
    }
    Value *firstTile = b.CreateMul(chunk, f.i64(s.tilesPerChunk)), *m = f.dim(s.m);
    Value *endTile = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(firstTile, f.i64(s.tilesPerChunk)), f.dim(ceilDiv(s.m, s.rows)));
    firstRow = rowOfTile(firstTile);
    Value *endRow = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rowOfTile(endTile), m);
    if (s.packLhs)
      packLhs(firstRow, endRow);
    Value *firstPanel = b.CreateMul(range, f.i64(s.panelsPerUnit));
    Value *endPanel = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(firstPanel, f.i64(s.panelsPerUnit)), f.dim(ceilDiv(s.n, s.columns)));
    f.forLoop(f.opaque(firstPanel), endPanel, f.i64(1), [&](Value *panel) {
      auto emitPacked = [&] {
        if (s.packRhs)
          packRhs(b.CreateMul(panel, f.i64(s.columns)));
        emitTiles(firstTile, endTile, endRow, panel);
      };
      if (!s.readRhs)
        return emitPacked();
      Value *endColumn = b.CreateMul(b.CreateAdd(panel, f.i64(1)), f.i64(s.columns));
      Value *isWhole = hasWholePanels() ? b.getTrue() : b.CreateICmpSLE(endColumn, f.dim(s.n));
      f.ifThen(isWhole, [&] {
        readsRhs = true;
        emitTiles(firstTile, endTile, endRow, panel);
        readsRhs = false;
      });
      f.ifThen(hasWholePanels() ? b.getFalse() : b.CreateNot(isWhole), emitPacked);
    });
  }

  /// Tiles of a constant m differ by at most one row: the first `tall` have s.rows, the others one less.
  int64_t tallTiles() {
    int64_t tiles = (s.m.getValue() + s.rows - 1) / s.rows;
    return s.m.getValue() - tiles * (s.rows - 1);
  }
  Value *rowOfTile(Value *tile) {
    if (!s.m.isConstant())
      return b.CreateMul(tile, f.i64(s.rows));
    Value *tall = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, tile, f.i64(tallTiles()));
    return b.CreateAdd(b.CreateMul(tile, f.i64(s.rows - 1)), tall);
  }

  void emitTiles(Value *firstTile, Value *endTile, Value *endRow, Value *panel) {
    if (s.m.isConstant()) {
      int64_t tiles = (s.m.getValue() + s.rows - 1) / s.rows, tall = tallTiles();
      Value *limit = f.i64(tall);
      Value *endTall = tall == tiles ? endTile : b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, endTile, limit);
      f.forLoop(firstTile, endTall, f.i64(1), [&](Value *t) { emitTile(s.rows, rowOfTile(t), panel); });
      if (tall != tiles)
        f.forLoop(b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, firstTile, limit), endTile, f.i64(1),
                  [&](Value *t) { emitTile(s.rows - 1, rowOfTile(t), panel); });
      return;
    }
    Value *done = firstRow;
    for (unsigned rows : {s.rows, 4u, 1u}) { // full tiles, then lower ones for what is left
      if (rows > s.rows)
        continue;
      Value *length = b.CreateSub(endRow, done);
      Value *end = b.CreateAdd(done, b.CreateSub(length, b.CreateURem(length, f.i64(rows))));
      f.forLoop(done, end, f.i64(rows), [&](Value *row) { emitTile(rows, row, panel); });
      done = end;
    }
  }

  void emitTile(unsigned rows, Value *row, Value *panel) {
    MicroTile tile;
    tile.rows = rows;
    tile.rhsType = rhsType;
    Value *lhsRow = b.CreateSub(row, firstRow);
    tile.lhsType = s.packLhs ? lhsMemory : s.elementType;
    llvm::Type *memory = memoryType(b.getContext(), tile.lhsType);
    if (s.packLhs) {
      tile.rowStride = s.packLhsByRows ? f.dim(lhsRowStride) : f.i64(1);
      tile.lhs = b.CreateGEP(memory, f.scratch(), b.CreateMul(lhsRow, tile.rowStride));
      tile.runs.push_back({f.dim(s.k), s.packLhsByRows ? f.i64(1) : f.i64(chunkRows)});
    } else {
      lhsM.set(IndexLanes::uniform(row));
      setK(s.lhsK, f.i64(0));
      Value *lhs = f.buffer(llvm::cast<mlir::BlockArgument>(op.getLhs()).getArgNumber());
      tile.lhs = b.CreateGEP(memory, lhs, lanes.evaluate(s.lhs).base);
      tile.rowStride = f.dim(s.lhsRowStride);
      for (const KRun &run : s.runs) {
        DimAttr step = s.lhs.coefficient(run.ids.back());
        tile.runs.push_back({f.dim(run.extent), step ? f.dim(step) : f.i64(0)});
      }
      if (tile.runs.empty())
        tile.runs.push_back({f.i64(1), f.i64(0)});
    }
    setRhs(tile, panel);
    emitEpilogue(emitMicroKernel(f, s, tile), row, b.CreateMul(panel, f.i64(s.columns)));
  }

  void setRhs(MicroTile &tile, Value *panel) {
    if (readsRhs) {
      rhsN.set(IndexLanes::uniform(b.CreateMul(panel, f.i64(s.columns))));
      setK(s.rhsK, f.i64(0));
      Value *rhs = f.buffer(llvm::cast<mlir::BlockArgument>(op.getRhs()).getArgNumber());
      tile.rhs = b.CreateGEP(memoryType(b.getContext(), rhsType), rhs, lanes.evaluate(s.rhs).base);
      tile.rhsStride = f.dim(s.rhsKStride);
      return;
    }
    if (s.packRhs) {
      tile.rhs = rhsScratch();
      tile.rhsStride = f.i64(s.columns);
      return;
    }
    int64_t tilesPerPanel = s.panel / s.columns;
    Value *packed = b.CreateUDiv(panel, f.i64(tilesPerPanel)), *part = b.CreateURem(panel, f.i64(tilesPerPanel));
    Value *offset = b.CreateAdd(b.CreateMul(packed, b.CreateMul(f.dim(s.k), f.i64(s.panel))), b.CreateMul(part, f.i64(s.columns)));
    Value *rhs = f.buffer(llvm::cast<mlir::BlockArgument>(op.getRhs()).getArgNumber());
    tile.rhs = b.CreateGEP(memoryType(b.getContext(), rhsType), rhs, offset);
    tile.rhsStride = f.i64(s.panel);
  }

  //===-- epilogue --------------------------------------------------------------------===//

  /// Cost of the epilogue's accesses when the last index of `along` is vectorised: 1 for unit stride, a lane count otherwise.
  double accessCost(const IndexGroup &along) {
    double cost = 0;
    for (mlir::Operation &access : op.getBody().front()) {
      if (!llvm::isa<kernel::LoadOp, kernel::StoreOp>(access) || !along.last())
        continue;
      const IndexForm &form = space.access(&access).offset;
      DimAttr step = form.coefficient(*along.last());
      bool isUnit = step && step.isConstant() && step.getValue() == 1 && !form.usesNonlinearly(*along.last());
      cost += !form.uses(*along.last()) || (isUnit && along.staysInside(s.lanes)) ? 1 : isUnit ? 6 : 16;
    }
    return cost;
  }

  void emitEpilogue(llvm::ArrayRef<Value *> sums, Value *row, Value *column) {
    unsigned rows = sums.size() / s.registersPerRow();
    if (epilogueM.last() && rows >= 4 && accessCost(epilogueM) + 4 < accessCost(epilogueN)) {
      storeTile(sums);
      return emitColumns(rows, row, column);
    }
    bool isWhole = s.n.isConstant() && s.n.getValue() % s.columns == 0;
    Value *rest = b.CreateSub(f.dim(s.n), column), *isFull = isWhole ? b.getTrue() : b.CreateICmpSGE(rest, f.i64(s.columns));
    f.ifThen(isFull, [&] {
      if (isLight())
        return emitRegisters(sums, row, column);
      storeTile(sums);
      emitRows(rows, row, column, nullptr);
    });
    f.ifThen(isWhole ? b.getFalse() : b.CreateNot(isFull), [&] {
      storeTile(sums);
      emitRows(rows, row, column, rest);
    });
  }

  /// Accumulators to the tile buffer, row by row, for epilogues that loop over rows.
  void storeTile(llvm::ArrayRef<Value *> sums) {
    llvm::Type *element = registerType(b.getContext(), s.accumulatorType);
    for (auto [i, sum] : llvm::enumerate(sums))
      b.CreateAlignedStore(sum, b.CreateConstGEP1_64(element, tileBuffer, i * s.lanes), llvm::Align(s.lanes * elementBytes(s.accumulatorType)));
  }

  /// Whether the epilogue is small enough to be repeated for every register of a tile.
  bool isLight() {
    unsigned ops = 0;
    for (mlir::Operation &body : op.getBody().front()) {
      if (!llvm::isa<kernel::LoadOp, kernel::StoreOp, scalar::ConstantOp, scalar::AddOp, scalar::SubOp, scalar::MulOp, scalar::MaxOp,
                     scalar::MinOp, scalar::SelectOp, scalar::CompareOp>(body))
        return false;
      ops += !llvm::isa<scalar::ConstantOp>(body);
    }
    return ops <= 6 && (epilogueM.isSimple() || epilogueM.hasConstantExtents()) && epilogueN.staysInside(s.lanes);
  }

  void emitRegisters(llvm::ArrayRef<Value *> sums, Value *row, Value *column) {
    lanes.width = s.lanes;
    for (auto [i, sum] : llvm::enumerate(sums)) {
      epilogueM.set(IndexLanes::uniform(b.CreateAdd(row, f.i64(i / s.registersPerRow()))));
      epilogueN.set(IndexLanes::consecutive(b.CreateAdd(column, f.i64(i % s.registersPerRow() * s.lanes)), f.i64(1)), true);
      lanes.setValue(op.getBody().getArgument(0), sum);
      emitBody();
    }
    lanes.width = 0;
  }

  void emitBody() {
    for (mlir::Operation &body : op.getBody().front())
      lanes.emitOp(&body);
  }

  /// Lanes along n; `rest` columns of the tile are inside (null: all).
  void emitRows(unsigned rows, Value *row, Value *column, Value *rest) {
    unsigned width = s.columns % (2 * s.lanes) == 0 ? 2 * s.lanes : s.lanes;
    llvm::Type *element = registerType(b.getContext(), s.accumulatorType);
    f.forLoop(f.i64(0), f.i64(rows), f.i64(1), [&](Value *r) {
      epilogueM.set(IndexLanes::uniform(b.CreateAdd(row, r)));
      for (unsigned j = 0; j < s.columns; j += width) {
        lanes.width = width;
        if (rest)
          lanes.mask = f.firstLanes(b.CreateSub(rest, f.i64(j)), width);
        epilogueN.set(IndexLanes::consecutive(b.CreateAdd(column, f.i64(j)), f.i64(1)), epilogueN.staysInside(width));
        Value *from = b.CreateGEP(element, tileBuffer, b.CreateAdd(b.CreateMul(r, f.i64(s.columns)), f.i64(j)));
        lanes.setValue(op.getBody().getArgument(0), b.CreateAlignedLoad(llvm::VectorType::get(element, width, false), from, llvm::Align(4)));
        emitBody();
        lanes.width = 0;
        lanes.mask = nullptr;
      }
    });
  }

  /// Lanes along m.
  void emitColumns(unsigned rows, Value *row, Value *column) {
    unsigned width = llvm::PowerOf2Ceil(rows);
    Value *count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(f.dim(s.n), column), f.i64(s.columns));
    f.forLoop(f.i64(0), count, f.i64(1), [&](Value *c) {
      lanes.width = width;
      if (width != rows)
        lanes.mask = f.firstLanes(f.i64(rows), width);
      epilogueN.set(IndexLanes::uniform(b.CreateAdd(column, c)));
      epilogueM.set(IndexLanes::consecutive(f.opaque(row), f.i64(1)));
      lanes.setValue(op.getBody().getArgument(0), lanes.load(s.accumulatorType, tileBuffer, IndexLanes::consecutive(c, f.i64(s.columns)), nullptr, nullptr));
      emitBody();
      lanes.width = 0;
      lanes.mask = nullptr;
    });
  }

  kernel::FuncOp func;
  kernel::ContractOp op;
  FunctionBuilder &f;
  llvm::IRBuilder<> &b;
  IndexSpace space;
  LaneEmitter lanes;
  ContractionSchedule s;
  IndexGroup lhsM, rhsN, epilogueM, epilogueN;
  mlir::Type lhsMemory, rhsType;
  DimAttr chunks, ranges, lhsRowStride, rhsOffset, scratchBytes;
  int64_t chunkRows = 0;
  bool readsRhs = false; // in the tiles that are being emitted
  Value *firstRow = nullptr;
  llvm::AllocaInst *tileBuffer = nullptr;
};

} // namespace

llvm::Expected<GeneratedKernel> graphc::cpu::generateContraction(kernel::FuncOp func, FunctionBuilder &f) {
  kernel::ContractOp op = *func.getBody().getOps<kernel::ContractOp>().begin();
  return ContractionGenerator(func, op, f).run();
}
