// See ContractionSchedule.h.
#include "codegen/cpu/ContractionSchedule.h"
#include "codegen/cpu/SpmdSchedule.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;

bool graphc::cpu::canFlatten(const IndexSpace &space, ArrayRef<unsigned> ids, ArrayRef<const IndexForm *> forms) {
  for (const IndexForm *form : forms) {
    for (unsigned id : ids)
      if (form->usesNonlinearly(id))
        return false;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      DimAttr a = form->coefficient(ids[i]), b = form->coefficient(ids[i + 1]);
      if (a || b)
        if (!a || !b || a != b * space.extent(ids[i + 1]))
          return false;
    }
  }
  return true;
}

namespace {

class Choice {
public:
  Choice(kernel::ContractOp op, IndexSpace &space, const Level &level) : op(op), space(space), level(level) {}

  ContractionSchedule run() {
    analyzeOperands();
    chooseRhs();
    chooseTile();
    choosePacking();
    chooseUnits();
    return s;
  }

private:
  DimAttr constant(int64_t value) { return DimAttr::constant(op.getContext(), value); }

  /// One fresh index per extent that isn't 1; `all` gets one for every extent, for the maps.
  SmallVector<unsigned> indices(ArrayAttr extents, SmallVectorImpl<unsigned> &all, DimAttr &product) {
    SmallVector<unsigned> result;
    product = constant(1);
    for (Attribute attribute : extents) {
      auto extent = cast<DimAttr>(attribute);
      unsigned id = space.fresh(extent);
      all.push_back(id);
      product = product * extent;
      (extent.isConstant() && extent.getValue() == 1 ? s.zero : result).push_back(id);
    }
    return result;
  }

  void analyzeOperands() {
    auto func = op->getParentOfType<kernel::FuncOp>();
    SmallVector<unsigned> lhsDims, rhsDims;
    for (unsigned i = 0; i < func.getNumGridDims(); ++i)
      s.grid.push_back(space.id(func.getGridIndex(i)));
    lhsDims = rhsDims = s.grid;
    s.lhsM = indices(op.getMExtents(), lhsDims, s.m);
    s.lhsK = indices(op.getKExtents(), lhsDims, s.k);
    s.lhs = space.offset(op.getLhs(), op.getLhsMap(), lhsDims);
    if (std::optional<IntegerSet> mask = op.getLhsMask())
      for (unsigned i = 0; i < mask->getNumConstraints(); ++i) {
        IndexForm form = space.form(mask->getConstraint(i), lhsDims);
        std::optional<IndexRange> range = space.range(form);
        if (mask->isEq(i) || !range || range->low < 0)
          s.lhsMask.emplace_back(form, mask->isEq(i));
      }
    s.rhsN = indices(op.getNExtents(), rhsDims, s.n);
    s.rhsK = indices(op.getKExtents(), rhsDims, s.k);
    if (op.getPanel() == 0)
      s.rhs = space.offset(op.getRhs(), op.getRhsMap(), rhsDims);
    if (canFlatten(space, s.lhsM, {&s.lhs}))
      s.lhsRowStride = s.lhsM.empty() ? constant(0) : s.lhs.coefficient(s.lhsM.back());
    if (!s.lhsRowStride && s.lhsM.size() == 1 && !s.lhs.uses(s.lhsM[0]))
      s.lhsRowStride = constant(0);
    findRuns();
    DimAttr unit = s.rhsN.empty() || op.getPanel() ? DimAttr() : s.rhs.coefficient(s.rhsN.back());
    s.rhsNIsUnit = unit && unit.isConstant() && unit.getValue() == 1;
  }

  void findRuns() {
    for (unsigned id : s.lhsK) {
      bool isMasked = llvm::any_of(s.lhsMask, [&](auto &item) { return item.first.uses(id); });
      if (!s.runs.empty() && !isMasked) {
        KRun &last = s.runs.back();
        bool lastMasked = llvm::any_of(s.lhsMask, [&](auto &item) { return item.first.uses(last.ids.back()); });
        unsigned pair[] = {last.ids.back(), id};
        if (!lastMasked && canFlatten(space, pair, {&s.lhs})) {
          last.ids.push_back(id);
          last.extent = last.extent * space.extent(id);
          continue;
        }
      }
      s.runs.push_back({{id}, space.extent(id)});
    }
    for (const KRun &run : s.runs)
      space.setExtent(run.ids.back(), run.extent);
  }

  /// A plain rhs that n walks through one by one is read once by the few rows of a single tile: packing it would only add to that.
  void chooseRhs() {
    bool isOneTile = s.m.isConstant() && s.m.getValue() <= int64_t(level.maxTileRows);
    if (op.getPanel() != 0 || !s.rhsNIsUnit || !isOneTile || s.rhsN.size() != 1 || s.rhsK.empty() || s.rhs.usesNonlinearly(s.rhsN[0]) ||
        !canFlatten(space, s.rhsK, {&s.rhs}))
      return;
    s.rhsKStride = s.rhs.coefficient(s.rhsK.back());
    s.readRhs = bool(s.rhsKStride);
  }

  void chooseTile() {
    s.elementType = cast<RankedTensorType>(op.getLhs().getType()).getElementType();
    s.accumulatorType = op.getBody().front().getArgument(0).getType();
    s.lanes = level.vectorBits / s.accumulatorType.getIntOrFloatBitWidth();
    unsigned most = level.vectorBits == 512 ? 4 : 2; // registers a row
    s.panel = op.getPanel();
    if (s.panel == 0) {
      unsigned wanted = level.vectorBits == 512 ? 32 : 16;
      while (wanted > s.lanes && s.n.isConstant() && s.n.getValue() <= wanted / 2)
        wanted /= 2;
      if (s.readRhs && s.m.getValue() <= 4 && s.n.isConstant() && s.n.getValue() >= 2 * int64_t(wanted))
        wanted *= 2; // longer runs of memory
      s.panel = std::max(wanted, s.lanes);
    }
    s.columns = s.lanes;
    for (unsigned registers = 2; registers <= most; ++registers)
      if (s.panel % (registers * s.lanes) == 0)
        s.columns = registers * s.lanes;
    unsigned tallest = std::min(level.accumulators / s.registersPerRow(), level.maxTileRows);
    s.rows = tallest;
    if (s.m.isConstant()) {
      int64_t tiles = std::max<int64_t>(1, (s.m.getValue() + tallest - 1) / tallest);
      s.rows = std::max<int64_t>(1, (s.m.getValue() + tiles - 1) / tiles);
    }
    unsigned chains = s.rows * s.registersPerRow();
    s.kUnroll = chains >= 8 ? 1 : chains >= 4 ? 2 : 4;
  }

  void choosePacking() {
    bool is16Bit = s.elementType.isF16() || s.elementType.isBF16();
    DimAttr last = s.runs.empty() ? constant(1) : s.runs.back().extent;
    bool longRuns = s.runs.size() <= 1 || (last.isConstant() && last.getValue() >= 32);
    bool isLinear = llvm::all_of(s.lhsK, [&](unsigned id) { return !s.lhs.usesNonlinearly(id); });
    bool constantStride = s.lhsRowStride && s.lhsRowStride.isConstant();
    bool strideIsSmall = constantStride || (s.lhsRowStride && s.m.isConstant() && s.m.getValue() <= 4);
    s.packLhs = is16Bit || !s.lhsMask.empty() || !isLinear || !longRuns || !strideIsSmall;
    s.packRhs = op.getPanel() == 0;
    DimAttr step = s.lhsK.empty() ? DimAttr() : s.lhs.coefficient(s.lhsK.back());
    DimAttr run = s.runs.empty() ? constant(1) : s.runs.back().extent;
    s.packLhsByRows = !s.k.isConstant() || (step && step.isConstant() && step.getValue() == 1 && run.isConstant() && run.getValue() >= 8);
    if (s.lhsM.empty())
      s.packLhsByRows = true;
  }

  void chooseUnits() {
    double k = std::max(1.0, estimate(s.k)), m = std::max(1.0, estimate(s.m)), n = std::max(1.0, estimate(s.n));
    double tiles = std::ceil(m / s.rows), panels = std::ceil(n / s.columns);
    s.cyclesPerTile = s.rows * s.registersPerRow() * k / 2 + 40 + s.rows * s.registersPerRow() * 6;
    double wanted = 12000; // cycles of a unit
    double chunk = std::max(1.0, std::floor(wanted / s.cyclesPerTile));
    if (s.packRhs)
      chunk = std::max(chunk, std::ceil(128.0 / s.rows)); // packing a panel pays only over many rows
    if (s.packLhs) // the packed rows stay in the level-2 cache
      chunk = std::min(chunk, std::max(1.0, std::floor(256 * 1024 / (4 * k * s.rows))));
    s.tilesPerChunk = std::min(chunk, tiles);
    double range = std::max(1.0, std::ceil(wanted / (s.cyclesPerTile * s.tilesPerChunk)));
    if (s.packLhs) // packing rows pays only over many panels; few chunks are split so that two workers have some
      range = std::max(range, tiles / s.tilesPerChunk >= 4 ? panels : std::ceil(panels / 4));
    s.panelsPerUnit = std::min(range, panels);
  }

  kernel::ContractOp op;
  IndexSpace &space;
  const Level &level;
  ContractionSchedule s;
};

} // namespace

ContractionSchedule graphc::cpu::chooseContraction(kernel::ContractOp op, IndexSpace &space, const Level &level) {
  return Choice(op, space, level).run();
}
