// Kernels with stages over an inner domain: a warp or a block per grid point. See KernelWriter.h.
//
//   kernel.reduce [max] over (%k : 512) …      ->   constexpr int items = …; float c0[items][N];     what stages share
//   kernel.map (%k : 512) …                         for each item: load c0
//                                                   float a1 = -inf; for each item: a1 = max(a1, c0[item][lane])
//                                                   a1 = group.template reduce<gc_max_op>(a1); …
#include "codegen/cuda/KernelWriter.h"

using namespace mlir;
using graphc::graph::DimAttr;

namespace graphc::cuda {

namespace {
constexpr int64_t rowThreads = 256;
// 32-bit registers per thread for what stages share; beyond that they read it again, mostly from the caches.
constexpr int64_t cacheRegisters = 32;
constexpr unsigned partialBytes = 16; ///< per warp: gc_row_group's

Block &inner(Operation *op) { return op->getRegion(0).front(); }

/// The same element: equal buffer, map and indices, inner indices counted from the left.
bool sameAccess(kernel::LoadOp a, kernel::LoadOp b) {
  if (a.getBuffer() != b.getBuffer() || a.getMap() != b.getMap() || a.getIndices().size() != b.getIndices().size())
    return false;
  for (auto [left, right] : llvm::zip(a.getIndices(), b.getIndices())) {
    auto leftArgument = dyn_cast<BlockArgument>(left), rightArgument = dyn_cast<BlockArgument>(right);
    const bool bothInner = leftArgument && rightArgument && leftArgument.getOwner() == a->getBlock() &&
                           rightArgument.getOwner() == b->getBlock() &&
                           leftArgument.getArgNumber() == rightArgument.getArgNumber();
    if (left != right && !bothInner)
      return false;
  }
  return true;
}

/// True where the load's indices are known before its stage's body runs.
bool isEarly(kernel::LoadOp load) {
  return !load.getMask() &&
         llvm::all_of(load.getIndices(), [&](Value v) { return isa<BlockArgument>(v); });
}
} // namespace

int64_t KernelWriter::rowWidth(ArrayRef<Operation *> stages) {
  int64_t width = 8;
  for (Operation *op : stages)
    width = std::min(width, inner(op).getNumArguments() == 0
                                ? 1
                                : region.planLanes(inner(op), inner(op).getArguments().back(), stageExtents(*op).back()).width);
  return width;
}

KernelWriter::RowCache KernelWriter::findRowCache(ArrayRef<Operation *> stages, int64_t threadsPerRow) {
  RowCache cache;
  const SmallVector<DimAttr> extents = stageExtents(*stages.front());
  std::optional<int64_t> total = constantProduct(extents);
  if (!total || *total == 0 || extents.empty())
    return cache;
  for (Operation *op : stages) {
    if (stageExtents(*op) != extents)
      continue;
    for (auto load : inner(op).getOps<kernel::LoadOp>()) {
      if (!isEarly(load))
        continue;
      auto same = llvm::find_if(cache.loads, [&](auto &group) { return sameAccess(group.front(), load); });
      if (same == cache.loads.end())
        cache.loads.push_back({load});
      else
        same->push_back(load);
    }
  }
  llvm::erase_if(cache.loads, [](auto &group) { return group.size() < 2; });
  int64_t registers = 0;
  for (const auto &group : cache.loads)
    registers += (*total + threadsPerRow - 1) / threadsPerRow * (group.front()->getResult(0).getType().isF64() ? 2 : 1);
  if (!cache.loads.empty() && registers <= cacheRegisters)
    cache.extents = extents;
  else
    cache.loads.clear();
  return cache;
}

/// A loop over the steps that this thread takes through the inner domain; `item` counts them when they are cached.
void KernelWriter::openItems(ArrayRef<DimAttr> extents, ValueRange indices, bool cached) {
  const std::string flat = region.freshName("f"), total = "(index)(" + product(extents) + ")";
  if (cached) {
    body.line("GC_UNROLL");
    body.open("for (int item = 0; item < items; ++item)");
    body.line("const index " + flat + " = (item * Group::size + group.lane()) * N;");
    body.line("if (" + flat + " >= " + total + ")");
    body.line("  continue;");
  } else {
    body.line("GC_ROLLED");
    body.open("for (index " + flat + " = group.lane() * N; " + flat + " < " + total + "; " + flat + " += Group::size * N)");
  }
  region.declareIndices(indices, extents, flat);
}

void KernelWriter::writeRowCache(const RowCache &cache, int64_t width, llvm::DenseMap<Operation *, std::string> &cached) {
  body.line("constexpr int items = ((int)(" + product(cache.extents) + ") + Group::size * N - 1) / (Group::size * N);");
  SmallVector<std::string> arrays;
  for (const auto &group : cache.loads) {
    arrays.push_back(region.freshName("c"));
    body.line(valueType(group.front()->getResult(0).getType()) + " " + arrays.back() + "[items][N];");
  }
  Block &block = *cache.loads.front().front()->getBlock();
  openItems(cache.extents, block.getArguments(), true);
  for (auto [group, array] : llvm::zip(cache.loads, arrays)) {
    // Every load of the group reads the same: the first stage's indices stand for all of them.
    kernel::LoadOp load = group.front();
    for (auto [mine, shared] : llvm::zip(load->getBlock()->getArguments(), block.getArguments()))
      region.setName(mine, region.name(shared));
    region.loadItem(load, array + "[item]", load->getBlock()->getArguments().back(), width);
    for (kernel::LoadOp op : group)
      cached[op] = array + "[item][lane]";
  }
  body.close();
}

void KernelWriter::writeCooperativeStage(Operation &op, const LanePlan &plan, bool cached) {
  Block &block = inner(&op);
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  SmallVector<std::string> accumulators;
  if (reduce)
    accumulators = region.declareAccumulators(reduce);
  openItems(stageExtents(op), block.getArguments(), cached);
  region.emitLanes(block, plan, [&](kernel::YieldOp yield) { region.accumulate(reduce, accumulators, yield); });
  body.close();
  if (!reduce)
    return;
  for (auto [monoid, accumulator] : llvm::zip(kernel::getMonoids(reduce), accumulators))
    body.line(accumulator + " = group.template reduce<" + RegionEmitter::monoidType(monoid) + ">(" + accumulator + ");");
  region.bindResults(reduce, accumulators);
}

void KernelWriter::writeRows(bool block) {
  SmallVector<Operation *> stages;
  for (Operation &op : func.getBody().front())
    if (isStage(op))
      stages.push_back(&op);
  LanePlan all;
  all.width = rowWidth(stages);
  llvm::DenseMap<Operation *, LanePlan> plans;
  for (Operation *op : stages) {
    plans[op] = inner(op).getNumArguments() == 0
                    ? LanePlan()
                    : region.planLanes(inner(op), inner(op).getArguments().back(), stageExtents(*op).back(), all.width);
    llvm::append_range(all.conditions, plans[op].conditions);
  }
  const RowCache cache = findRowCache(stages, block ? rowThreads : 32);
  body.line("GC_DEVICE gc_i64 units() const { return " + product(grid()) + "; }");
  writeWide(all);
  body.open("template <int N, class Group> GC_DEVICE void row(gc_i64 unit, const Group &group) const");
  body.line("const index u = (index)unit;");
  region.declareIndices(gridIndices(), grid(), "u");
  llvm::DenseMap<Operation *, std::string> cached;
  if (!cache.loads.empty())
    writeRowCache(cache, all.width, cached);
  for (Operation &op : func.getBody().front()) {
    if (isStage(op)) {
      plans[&op].ready = cached;
      writeCooperativeStage(op, plans[&op], !cache.loads.empty() && stageExtents(op) == cache.extents);
    } else if (isa<kernel::StoreOp>(op)) {
      body.open("if (group.lane() == 0)");
      region.emitOp(op);
      body.close();
    } else {
      region.emitOp(op);
    }
  }
  body.close();
  result.launch.extents = grid();
  result.launch.tile.assign(grid().size(), 1);
  result.launch.perBlock = block ? 1 : rowThreads / 32;
  result.launch.threads = rowThreads;
  result.launch.sharedBytes = block ? rowThreads / 32 * partialBytes : 0;
  result.strategy = std::string(block ? "a block" : "a warp") + " per row, width " + std::to_string(all.width) +
                    (cache.loads.empty() ? "" : ", read once into registers");
  const std::string group = std::to_string(block ? rowThreads : 32), threads = std::to_string(rowThreads);
  finish("row_reduce.cuh", "gc_rows<" + functor + ", " + group + ", " + threads + ">(args);", 1);
}

} // namespace graphc::cuda
