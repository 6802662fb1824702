// See SpmdSchedule.h.
#include "codegen/cpu/SpmdSchedule.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;

namespace {

/// Cycles of one scalar op on one register, and whether a call a lane is needed instead.
struct OpCost {
  double cycles;
  bool perLane = false;
};

OpCost costOf(Operation *op) {
  using namespace scalar;
  bool isDouble = op->getNumOperands() && op->getOperand(0).getType().isF64();
  return llvm::TypeSwitch<Operation *, OpCost>(op)
      .Case<ConstantOp>([](auto) { return OpCost{0}; })
      .Case<DivOp, SqrtOp>([](auto) { return OpCost{5}; })
      .Case<RsqrtOp>([](auto) { return OpCost{10}; })
      .Case<IntDivOp, IntFloorDivOp, IntRemOp>([](auto) { return OpCost{8, true}; })
      .Case<FmodOp>([](auto) { return OpCost{30, true}; })
      .Case<ExpOp, Exp2Op, LogOp>([&](auto) { return isDouble ? OpCost{30, true} : OpCost{10}; })
      .Case<TanhOp, ErfOp>([&](auto) { return isDouble ? OpCost{30, true} : OpCost{22}; })
      .Case<Expm1Op, Log2Op, Log10Op, Log1pOp, SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, AsinhOp, AcoshOp, AtanhOp,
            ErfcOp, PowOp, Atan2Op>([&](auto) { return isDouble ? OpCost{30, true} : OpCost{50}; })
      .Default([](Operation *) { return OpCost{0.5}; });
}

class ScheduleChoice {
public:
  ScheduleChoice(kernel::FuncOp func, IndexSpace &space, const Level &level) : func(func), space(space), level(level) {}

  SpmdSchedule run() {
    collect();
    orderLoops();
    SpmdSchedule inner = innerSchedule();
    SpmdSchedule best = std::move(inner);
    double bestCost = totalCost(best);
    for (unsigned index : schedule.grid) {
      SpmdSchedule candidate = gridSchedule(index);
      double cost = totalCost(candidate);
      if (cost < bestCost)
        best = std::move(candidate), bestCost = cost;
    }
    finish(best);
    return best;
  }

private:
  //===-- loop order ---------------------------------------------------------------===//

  void collect() {
    unsigned smallest = 64;
    func.walk([&](Operation *op) {
      if (isa<kernel::LoadOp, kernel::StoreOp, kernel::IndexValueOp>(op))
        accesses.push_back(op);
      for (Value v : op->getResults()) {
        unsigned width = v.getType().isIndex() ? 64 : v.getType().getIntOrFloatBitWidth();
        if (width > 1 && !isa<scalar::ConstantOp>(op))
          smallest = std::min(smallest, std::max(width, 32u));
      }
    });
    for (Operation *op : accesses)
      space.access(op);
    baseLanes = level.vectorBits / smallest;
  }

  bool canMerge(unsigned outer, unsigned inner) {
    return llvm::all_of(accesses, [&](Operation *op) {
      const IndexAccess &access = space.access(op);
      for (auto &[form, isEquality] : access.constraints)
        if (form.uses(outer) || form.uses(inner))
          return false;
      const IndexForm &form = access.offset;
      if (access.isValue ? form.uses(outer) || form.uses(inner) : form.usesNonlinearly(outer) || form.usesNonlinearly(inner))
        return false;
      DimAttr a = form.coefficient(outer), b = form.coefficient(inner);
      return (!a && !b) || (a && b && a == b * space.extent(inner));
    });
  }

  /// Sorts by how far an index moves accesses, drops extents of 1, merges neighbours.
  SmallVector<unsigned> order(ArrayRef<unsigned> ids) {
    SmallVector<std::pair<double, unsigned>> keyed;
    for (unsigned id : ids) {
      if (graph::isConstant(space.extent(id), 1)) {
        schedule.zero.push_back(id);
        continue;
      }
      double key = 0;
      for (Operation *op : accesses)
        if (DimAttr c = space.access(op).offset.coefficient(id); c && !space.access(op).isValue)
          key += std::abs(estimate(c)) * (isa<kernel::StoreOp>(op) ? 1e6 : 1);
      keyed.emplace_back(key, id);
    }
    llvm::stable_sort(keyed, [](auto &a, auto &b) { return a.first > b.first; });
    SmallVector<unsigned> result;
    for (auto &[key, id] : keyed) {
      if (!result.empty() && canMerge(result.back(), id)) {
        space.setExtent(id, space.extent(result.back()) * space.extent(id));
        schedule.zero.push_back(result.back());
        result.back() = id;
      } else {
        result.push_back(id);
      }
    }
    return result;
  }

  void orderLoops() {
    SmallVector<unsigned> ids;
    for (unsigned i = 0; i < func.getNumGridDims(); ++i)
      ids.push_back(space.id(func.getGridIndex(i)));
    schedule.grid = order(ids);
    func.walk([&](Operation *op) {
      if (isa<kernel::ReduceOp, kernel::MapOp>(op)) {
        SmallVector<unsigned> stage = order(space.ids(op->getRegion(0).getArguments()));
        schedule.stages[op] = stage;
      }
    });
  }

  //===-- candidates -----------------------------------------------------------------===//

  bool isLeaf(Operation *stage) {
    return llvm::none_of(stage->getRegion(0).front(), [](Operation &op) { return isa<kernel::ReduceOp, kernel::MapOp>(op); });
  }

  /// Registers worth of lanes that one iteration handles: several where the body is light, for latency.
  unsigned lanesFor(unsigned index, Block &body, bool reduces) {
    double cycles = 0;
    bool isPair = false;
    body.walk([&](Operation *op) {
      OpCost cost = costOf(op);
      cycles += cost.cycles + (cost.perLane ? 100 : 0);
      if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
        isPair |= llvm::any_of(kernel::getMonoids(reduce), [](kernel::Monoid m) { return kernel::getArity(m) == 2; });
    });
    if (auto reduce = dyn_cast<kernel::ReduceOp>(body.getParentOp()))
      isPair |= llvm::any_of(kernel::getMonoids(reduce), [](kernel::Monoid m) { return kernel::getArity(m) == 2; });
    unsigned most = !reduces || isPair || cycles > 12 ? 1 : cycles > 6 ? 2 : 4;
    DimAttr extent = space.extent(index);
    if (!extent.isConstant())
      return baseLanes * std::min(most, 2u);
    while (most > 1 && extent.getValue() < int64_t(baseLanes) * most)
      most /= 2;
    return baseLanes * most;
  }

  SpmdSchedule gridSchedule(unsigned index) {
    SpmdSchedule result = schedule;
    result.vectorGrid = index;
    bool reduces = !schedule.stages.empty();
    result.gridLanes = lanesFor(index, func.getBody().front(), reduces);
    return result;
  }

  SpmdSchedule innerSchedule() {
    SpmdSchedule result = schedule;
    for (auto &[stage, loops] : schedule.stages) {
      if (!isLeaf(stage))
        continue;
      double best = stageCost(result, stage, {});
      for (unsigned index : loops) {
        SpmdSchedule candidate = result;
        candidate.inner[stage] = {index, lanesFor(index, stage->getRegion(0).front(), isa<kernel::ReduceOp>(stage))};
        double cost = stageCost(candidate, stage, {});
        if (cost < best) {
          best = cost;
          result.inner[stage] = candidate.inner[stage];
        }
      }
    }
    return result;
  }

  //===-- cost -------------------------------------------------------------------------===//

  using Varying = llvm::DenseSet<const void *>; // values; indices by their address in `ids`

  bool uses(const IndexForm &form, const llvm::DenseSet<unsigned> &ids) {
    return llvm::any_of(ids, [&](unsigned id) { return form.uses(id); });
  }

  double accessCost(Operation *op, std::optional<unsigned> vector, const llvm::DenseSet<unsigned> &indirect, unsigned lanes) {
    const IndexAccess &access = space.access(op);
    double registers = std::max(1.0, double(lanes) / baseLanes), cost = 0.5;
    bool isStore = isa<kernel::StoreOp>(op);
    if (!vector || access.isValue)
      return cost;
    for (auto &[form, isEquality] : access.constraints)
      cost += form.uses(*vector) ? 1.5 * registers : 0.5;
    bool isVarying = access.offset.uses(*vector) || uses(access.offset, indirect);
    if (!isVarying)
      return cost;
    DimAttr step = access.offset.coefficient(*vector);
    bool isUnit = step && graph::isConstant(step, 1) && !access.offset.usesNonlinearly(*vector) && !uses(access.offset, indirect);
    if (isUnit)
      return cost + registers;
    return cost + lanes * (isStore ? 1.5 : 0.8);
  }

  double blockCost(const SpmdSchedule &s, Block &block, std::optional<unsigned> vector, unsigned lanes, Varying &varying,
                   llvm::DenseSet<unsigned> &indirect) {
    double total = 0, registers = std::max(1.0, double(lanes) / baseLanes);
    for (Operation &op : block) {
      bool isVarying = llvm::any_of(op.getOperands(), [&](Value v) { return varying.contains(v.getAsOpaquePointer()); });
      if (isa<kernel::ReduceOp, kernel::MapOp>(op)) {
        total += stageCost(s, &op, vector ? std::optional(std::pair(*vector, lanes)) : std::nullopt);
        isVarying = vector.has_value();
      } else if (isa<kernel::LoadOp, kernel::StoreOp, kernel::IndexValueOp>(op)) {
        total += accessCost(&op, vector, indirect, lanes);
        const IndexForm &form = space.access(&op).offset;
        isVarying |= (vector && form.uses(*vector)) || uses(form, indirect);
      } else if (auto check = dyn_cast<kernel::CheckIndexOp>(op)) {
        total += 2;
        if (isVarying)
          indirect.insert(space.id(check.getResult()));
      } else {
        OpCost cost = costOf(&op);
        total += cost.perLane && isVarying ? cost.cycles * lanes : cost.cycles * (isVarying ? registers : 1);
      }
      if (isVarying)
        for (Value v : op.getResults())
          varying.insert(v.getAsOpaquePointer());
    }
    return total;
  }

  /// One execution of a stage; `outer`: an enclosing vectorised index and its lanes.
  double stageCost(const SpmdSchedule &s, Operation *stage, std::optional<std::pair<unsigned, unsigned>> outer) {
    std::optional<unsigned> vector;
    unsigned lanes = 1;
    double iterations = 1, overhead = 2;
    auto it = s.inner.find(stage);
    if (outer)
      vector = outer->first, lanes = outer->second;
    else if (it != s.inner.end())
      vector = it->second.index, lanes = it->second.lanes;
    for (unsigned id : s.stages.find(stage)->second) {
      double extent = std::max(1.0, estimate(space.extent(id)));
      bool isVector = !outer && vector == id;
      iterations *= isVector ? std::ceil(extent / lanes) : extent;
    }
    if (!outer && vector && isa<kernel::ReduceOp>(stage))
      overhead += 4 * std::log2(lanes);
    Varying varying;
    llvm::DenseSet<unsigned> indirect;
    double body = blockCost(s, stage->getRegion(0).front(), vector, lanes, varying, indirect) + 1;
    if (!vector && isa<kernel::ReduceOp>(stage))
      body += 3; // one chain of additions
    return overhead + iterations * body;
  }

  double totalCost(SpmdSchedule &s) {
    double points = 1;
    for (unsigned id : s.grid) {
      double extent = std::max(1.0, estimate(space.extent(id)));
      points *= s.vectorGrid == id ? std::ceil(extent / s.gridLanes) : extent;
    }
    Varying varying;
    llvm::DenseSet<unsigned> indirect;
    s.cyclesPerUnit = 1 + blockCost(s, func.getBody().front(), s.vectorGrid, s.vectorGrid ? s.gridLanes : 1, varying, indirect);
    double perUnit = s.vectorGrid ? 0 : 4;
    return points * (s.cyclesPerUnit + perUnit);
  }

  void finish(SpmdSchedule &s) {
    s.flopsPerPoint = flopsOf(func.getBody().front());
    if (!s.vectorGrid) {
      s.cyclesPerUnit += 8;
      return;
    }
    int64_t vectors = 1; // of a unit: about 1500 cycles, at most 256 vectors
    while (vectors < 256 && vectors * s.cyclesPerUnit < 1500)
      vectors *= 2;
    s.gridBlock = vectors * s.gridLanes;
    double extent = estimate(space.extent(*s.vectorGrid));
    s.cyclesPerUnit = s.cyclesPerUnit * std::min<double>(vectors, std::ceil(extent / s.gridLanes)) + 8;
  }

  double flopsOf(Block &block) {
    double total = 0;
    for (Operation &op : block) {
      if (isa<kernel::ReduceOp, kernel::MapOp>(op)) {
        double points = 1;
        for (unsigned id : schedule.stages.find(&op)->second)
          points *= estimate(space.extent(id));
        total += points * (flopsOf(op.getRegion(0).front()) + (isa<kernel::ReduceOp>(op) ? 1 : 0));
      } else if (op.getName().getDialectNamespace() == "scalar" && !isa<scalar::ConstantOp, scalar::CastOp, scalar::SelectOp>(op)) {
        total += 1;
      }
    }
    return total;
  }

  kernel::FuncOp func;
  IndexSpace &space;
  const Level &level;
  SpmdSchedule schedule;
  SmallVector<Operation *> accesses;
  unsigned baseLanes = 8;
};

} // namespace

double graphc::cpu::estimate(DimAttr dim) {
  using graph::DimKind;
  if (dim.isConstant())
    return dim.getValue();
  if (dim.getKind() == DimKind::Symbol)
    return 64;
  double a = estimate(dim.operand(0)), b = estimate(dim.operand(1));
  switch (dim.getKind()) {
  case DimKind::Add: return a + b;
  case DimKind::Sub: return a - b;
  case DimKind::Mul: return a * b;
  case DimKind::FloorDiv:
  case DimKind::CeilDiv: return b ? a / b : a;
  case DimKind::Min:
  case DimKind::Mod: return std::min(a, b);
  case DimKind::Max: return std::max(a, b);
  default: return a;
  }
}

std::string SpmdSchedule::str() const {
  if (vectorGrid)
    return "spmd grid w" + std::to_string(gridLanes) + " block " + std::to_string(gridBlock);
  unsigned lanes = 0;
  for (auto &[stage, vectorized] : inner)
    lanes = std::max(lanes, vectorized.lanes);
  return lanes ? "spmd inner w" + std::to_string(lanes) : "scalar";
}

SpmdSchedule graphc::cpu::chooseSchedule(kernel::FuncOp func, IndexSpace &space, const Level &level) {
  return ScheduleChoice(func, space, level).run();
}
