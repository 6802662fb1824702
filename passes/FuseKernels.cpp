// Decides which graph ops share a kernel, greedily in program order, and numbers the groups (`graph.group`); OutlineKernels makes the kernels.
//
// Each op looks at its operands' producers, through views, and joins their kernel where that saves memory traffic and costs no repeated work:
//
//   pointwise after anything with the same domain (epilogues of contractions, tails of rows and reductions, chains and trees)
//   reductions and row kernels after pointwise ops, views into everything that can read through them
//   pointwise with a broadcast row statistic: becomes a row kernel
//
// A view that several consumers read is cloned for each. Never across state: reads and writes are no kernels. What is refused says why in a remark (category "fusion").
//
//   %0 = graph.linear %x, %w                  %0 = graph.linear %x, %w {graph.group = 0}
//   %1 = graph.relu %0                   ->   %1 = graph.relu %0 {graph.group = 0}
#include "passes/Passes.h"
#include "passes/outline/Cluster.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace graphc {
#define GEN_PASS_DEF_FUSEKERNELS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

class Fuser {
public:
  explicit Fuser(func::FuncOp function) : block(function.getBody().front()) {}
  void run();

private:
  /// An operand of a consumer: the views on the way (nearest to the consumer first) and who computes what they read (null: nobody in this block).
  struct Path {
    SmallVector<Operation *> views;
    Operation *producer = nullptr;
    Value source;
  };
  Path trace(Value operand);
  void visitConsumer(Operation *op);
  void visitOperand(Operation *op, OpOperand &operand);
  void visitView(Operation *op);

  /// Why the producer's cluster and the consumer's must stay apart; empty: they may be one.
  std::string refuse(Operation *producer, const Path &path, Operation *consumer);
  std::string refuseRoles(Operation *producer, const Path &path, Operation *consumer);
  std::string refusePointwise(Operation *producer, const Path &path, Operation *consumer);
  std::string refuseMerged(ArrayRef<Operation *> ops);
  std::string refuseContraction(const Group &group);
  bool isRowBroadcast(Operation *producer, Operation *consumer);
  bool needsRow(const Cluster &cluster);
  bool makesCycle(const llvm::SetVector<Operation *> &ops);
  unsigned getClusterCost(const Cluster &cluster);

  Cluster &clusterOf(Operation *op) { return clusters[clusterIndex.lookup(op)]; }
  SmallVector<Operation *> mergedOps(ArrayRef<Operation *> parts, ArrayRef<Operation *> extra);
  void merge(ArrayRef<Operation *> ops);
  void absorbViews(Operation *op, OpOperand &operand, ArrayRef<Operation *> views);
  void addSingle(Operation *op);
  bool acceptsViews(Operation *op, ArrayRef<Operation *> views);
  bool runsAlongChannels(Operation *op);
  void number();

  Block &block;
  OpFacts facts;
  std::vector<Cluster> clusters;
  llvm::DenseMap<Operation *, unsigned> clusterIndex;
};

void Fuser::addSingle(Operation *op) {
  clusterIndex[op] = clusters.size();
  clusters.emplace_back().ops.insert(op);
}

SmallVector<Operation *> Fuser::mergedOps(ArrayRef<Operation *> parts, ArrayRef<Operation *> extra) {
  llvm::SetVector<Operation *> all(extra.begin(), extra.end());
  for (Operation *part : parts)
    all.insert(clusterOf(part).ops.begin(), clusterOf(part).ops.end());
  SmallVector<Operation *> ops = all.takeVector();
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

void Fuser::merge(ArrayRef<Operation *> ops) {
  unsigned target = clusterIndex.lookup(ops[0]);
  Cluster merged;
  merged.ops.insert(ops.begin(), ops.end());
  for (Operation *op : ops) {
    clusters[clusterIndex.lookup(op)].ops.clear();
    clusterIndex[op] = target;
  }
  clusters[target] = std::move(merged);
}

Fuser::Path Fuser::trace(Value operand) {
  Path path;
  path.source = operand;
  Operation *op = operand.getDefiningOp();
  while (op && isComputation(op) && facts.getRole(op) == Role::View) {
    path.views.push_back(op);
    path.source = facts.getView(op)->source;
    op = path.source.getDefiningOp();
  }
  path.producer = op && isComputation(op) ? op : nullptr;
  return path;
}

//===-- what may be one kernel ---------------------------------------------------------===//

unsigned Fuser::getClusterCost(const Cluster &cluster) {
  unsigned cost = 0;
  for (Operation *op : cluster.ops)
    cost += facts.getCost(op);
  return cost;
}

bool Fuser::needsRow(const Cluster &cluster) {
  return llvm::any_of(cluster.ops, [&](Operation *op) { return facts.getRole(op) == Role::Row; });
}

/// Whether the producer is a statistic of the rows that the consumer goes over: dims of size 1 that the consumer stretches, folded by a reduction of its cluster.
bool Fuser::isRowBroadcast(Operation *producer, Operation *consumer) {
  RankedTensorType from = typeOf(producer->getResult(0)), to = typeOf(consumer->getResult(0));
  if (from.getRank() != to.getRank() || needsRow(clusterOf(producer)))
    return false;
  int64_t row = 1;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    if (graph::getDim(from, d) == graph::getDim(to, d))
      continue;
    if (from.isDynamicDim(d) || from.getDimSize(d) != 1 || to.isDynamicDim(d))
      return false;
    row *= to.getDimSize(d);
  }
  bool folds = llvm::any_of(clusterOf(producer).ops, [&](Operation *op) { return facts.getRole(op) == Role::Reduction; });
  return folds && row > 1 && row <= 65536;
}

/// Whether computing or copying the smaller tensor by itself costs next to nothing beside the larger one.
static bool isMuchSmaller(RankedTensorType small, RankedTensorType large) {
  constexpr int64_t leastElements = 1 << 15, leastRatio = 64;
  if (!small.hasStaticShape() || !large.hasStaticShape())
    return false;
  return large.getNumElements() >= leastElements && large.getNumElements() / leastRatio >= small.getNumElements();
}

std::string Fuser::refusePointwise(Operation *producer, const Path &path, Operation *consumer) {
  RankedTensorType from = typeOf(path.views.empty() ? producer->getResult(0) : path.views.front()->getResult(0));
  RankedTensorType to = typeOf(consumer->getResult(0));
  bool sameDomain = graph::getDims(from) == graph::getDims(to);
  if (sameDomain && (path.views.empty() || graph::getNumElements(typeOf(path.source)) == graph::getNumElements(from)))
    return "";
  if (path.views.empty() && isRowBroadcast(producer, consumer))
    return "";
  unsigned cost = getClusterCost(clusterOf(producer));
  constexpr unsigned cheapAtEveryElement = 3; // a few of what a vector unit does in one instruction, no root or division
  if (cost > cheapAtEveryElement && isMuchSmaller(typeOf(path.source), to))
    return "it would be computed for every element it is broadcast to, and has few of its own (cost " + std::to_string(cost) + ")";
  return cost <= cheapCost ? "" : "it would be computed once for every element it is broadcast to (cost " + std::to_string(cost) + ")";
}

std::string Fuser::refuseRoles(Operation *producer, const Path &path, Operation *consumer) {
  Role from = facts.getRole(producer), to = facts.getRole(consumer);
  if (from == Role::Alone || to == Role::Alone)
    return "it has a kernel of its own";
  if (to == Role::Pointwise)
    return refusePointwise(producer, path, consumer);
  auto isElementwise = [&](Operation *op) {
    Role role = facts.getRole(op);
    return role == Role::Pointwise || role == Role::View || role == Role::Mover;
  };
  bool elementwise = llvm::all_of(clusterOf(producer).ops, isElementwise);
  if (to == Role::Reduction)
    return elementwise ? "" : "a reduction takes in pointwise ops only";
  if (to == Role::Row) {
    if (!elementwise)
      return "a row kernel takes in pointwise ops only";
    unsigned cost = getClusterCost(clusterOf(producer));
    return cost <= cheapCost ? "" : "every pass over the row would compute it again (cost " + std::to_string(cost) + ")";
  }
  return "its elements would be computed for every window or product they are part of";
}

/// Whether no division occurs: what a contraction's inner loops can step through.
bool isLinear(ArrayRef<AffineExpr> exprs) {
  bool divides = false;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      AffineExprKind kind = part.getKind();
      divides |= kind == AffineExprKind::FloorDiv || kind == AffineExprKind::Mod || kind == AffineExprKind::CeilDiv;
    });
  return !divides;
}

/// By how many elements the innermost index of the sum (of more than one value) steps through lhs memory; nullopt where that is no number.
std::optional<int64_t> getSumStride(RankedTensorType lhs, AffineMap map, ArrayRef<graph::DimAttr> k) {
  for (unsigned back = 0; back < k.size(); ++back) {
    if (k[k.size() - 1 - back].isConstant() && k[k.size() - 1 - back].getValue() == 1)
      continue;
    unsigned dim = map.getNumDims() - 1 - back;
    int64_t total = 0;
    for (auto [expr, stride] : llvm::zip(map.getResults(), graph::getStrides(lhs))) {
      SmallVector<AffineExpr> zeros(map.getNumDims(), getAffineConstantExpr(0, map.getContext())), unit(zeros);
      unit[dim] = getAffineConstantExpr(1, map.getContext());
      auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceDims(unit) - expr.replaceDims(zeros), 0, map.getNumSymbols()));
      if (!step || (step.getValue() != 0 && !stride.isConstant()))
        return std::nullopt;
      total += step.getValue() == 0 ? 0 : step.getValue() * stride.getValue();
    }
    return total;
  }
  return 1;
}

/// A contraction's operands must be plain accesses to memory, its outputs reachable from its result.
std::string Fuser::refuseContraction(const Group &group) {
  graph::ContractionOpInterface contraction = group.contraction;
  RankedTensorType result = typeOf(contraction->getResult(0));
  kernel::ContractionSpec spec = contraction.getContraction();
  KernelEmitter emitter(result.getContext(), contraction.getLoc(), result, spec.grid,
                        [&](Operation *op) { return llvm::is_contained(group.ops, op); });
  KernelEmitter::Contraction open = emitter.openContraction(spec);
  kernel::ContractOp kernel = open.op;
  if (!kernel)
    return "an operand of the contraction would be computed, not read";
  if ((!isLinear(kernel.getLhsMap().getResults()) && isLinear(spec.lhsMap.getResults())) ||
      (!isLinear(kernel.getRhsMap().getResults()) && isLinear(spec.rhsMap.getResults())))
    return "the contraction would divide indices to read its operand";
  bool wasContiguous = getSumStride(typeOf(spec.lhs), spec.lhsMap, spec.k) == 1;
  if (wasContiguous && getSumStride(typeOf(kernel.getLhs()), kernel.getLhsMap(), spec.k) != 1)
    return "the contraction would no longer sum along memory";
  if (!emitEpilogue(emitter, group, open))
    return "its domain differs from the contraction's";
  bool isAgain = kernel.walk([](kernel::ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return isAgain ? "the contraction's elements would be computed again, at indices that aren't proved the same" : "";
}

/// What holds for the ops as one kernel, whoever joined whom.
std::string Fuser::refuseMerged(ArrayRef<Operation *> ops) {
  if (ops.size() > maxClusterOps)
    return "the kernel would have " + std::to_string(ops.size()) + " ops, more than " + std::to_string(maxClusterOps);
  unsigned contractions = 0, folds = 0;
  for (Operation *op : ops) {
    Role role = facts.getRole(op);
    contractions += role == Role::Contraction;
    folds += role == Role::Row || role == Role::Reduction || role == Role::Window;
  }
  if (contractions > 1)
    return "a kernel has one contraction";
  if (contractions == 1 && folds > 0)
    return "a contraction's kernel folds nothing else";
  if (folds > 1 && llvm::any_of(ops, [&](Operation *op) { return runsAlongChannels(op); }))
    return "a convolution along channels has a kernel of its own";
  llvm::SetVector<Operation *> set(ops.begin(), ops.end());
  llvm::SmallDenseSet<Value> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!set.contains(operand.getDefiningOp()))
        inputs.insert(operand);
  if (inputs.size() > maxClusterInputs)
    return "the kernel would have " + std::to_string(inputs.size()) + " inputs, more than " + std::to_string(maxClusterInputs);
  if (makesCycle(set))
    return "something between the two needs one and is needed by the other";
  Group group = makeGroup(ops);
  if (group.contraction)
    return refuseContraction(group);
  for (Value output : group.outputs)
    if (graph::getDims(typeOf(output)) != graph::getDims(typeOf(group.outputs[0])))
      return "another consumer needs its value, whose shape differs from the kernel's domain";
  return "";
}

/// Whether a path leaves the ops and comes back, with every other cluster taken as one.
bool Fuser::makesCycle(const llvm::SetVector<Operation *> &ops) {
  Operation *last = *std::max_element(ops.begin(), ops.end(), [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Operation *> pending;
  llvm::DenseSet<Operation *> seen;
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (!ops.contains(user) && seen.insert(user).second)
        pending.push_back(user);
  };
  for (Operation *op : ops)
    addUsers(op);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    auto known = clusterIndex.find(op);
    if (known == clusterIndex.end() || clusters[known->second].ops.size() <= 1) {
      if (last->isBeforeInBlock(op))
        continue; // nothing after the last op leads back by itself
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return ops.contains(user); }))
        return true;
      addUsers(op);
      continue;
    }
    for (Operation *member : clusters[known->second].ops) {
      if (llvm::any_of(member->getUsers(), [&](Operation *user) { return ops.contains(user); }))
        return true;
      seen.insert(member);
      addUsers(member);
    }
  }
  return false;
}

std::string Fuser::refuse(Operation *producer, const Path &path, Operation *consumer) {
  if (std::string reason = refuseRoles(producer, path, consumer); !reason.empty())
    return reason;
  // What others need of the producer's cluster stays an output: then views between the two would change its domain.
  SmallVector<Operation *> ops = mergedOps({producer, consumer}, path.views);
  for (Operation *op : clusterOf(producer).ops)
    for (Operation *user : op->getUsers())
      if (!llvm::is_contained(ops, user) && (!path.views.empty() || facts.getRole(consumer) == Role::Reduction))
        return "another consumer needs its value in memory";
  for (Operation *view : path.views)
    for (Operation *user : view->getUsers())
      if (!llvm::is_contained(ops, user))
        return "another consumer reads it through the same view";
  return refuseMerged(ops);
}

//===-- the walk --------------------------------------------------------------------------===//

/// Makes the views private to the operand's owner, in whose cluster they end up.
void Fuser::absorbViews(Operation *op, OpOperand &operand, ArrayRef<Operation *> views) {
  if (views.empty())
    return;
  OpBuilder builder(op);
  Value value = facts.getView(views.back())->source;
  llvm::SmallPtrSet<Operation *, 8> readers{op}; // the owner and the views that it alone reads
  for (Operation *view : views)
    if (llvm::all_of(view->getUsers(), [&](Operation *user) { return readers.contains(user); }))
      readers.insert(view);
  SmallVector<Operation *> own;
  bool shared = false;
  for (Operation *view : llvm::reverse(views)) { // from the source on
    shared |= !readers.contains(view);
    if (shared) {
      IRMapping mapping;
      mapping.map(facts.getView(view)->source, value);
      view = builder.clone(*view, mapping);
      addSingle(view);
    }
    value = view->getResult(0);
    own.push_back(view);
  }
  Value old = operand.get();
  for (OpOperand &same : op->getOpOperands())
    if (same.get() == old)
      same.set(value);
  merge(mergedOps({op}, own));
}

/// A convolution over many groups that is no contraction of its own: its lanes run along channels, which must stay last in memory.
bool Fuser::runsAlongChannels(Operation *op) {
  auto contraction = dyn_cast<graph::ContractionOpInterface>(op);
  if (!contraction || facts.getRole(op) != Role::Window)
    return false;
  kernel::ContractionSpec spec = contraction.getContraction();
  return llvm::any_of(spec.grid, [](graph::DimAttr extent) { return !extent.isConstant() || extent.getValue() > 1; });
}

/// Whether the op still makes a kernel when it reads through the views, and a better one than with a copy.
bool Fuser::acceptsViews(Operation *op, ArrayRef<Operation *> views) {
  // A few elements that lie elsewhere are copied sooner than every element of the kernel divides indices to find them.
  auto divides = [&](Operation *view) { return !isLinear(facts.getView(view)->index); };
  if (isMuchSmaller(typeOf(views.front()->getResult(0)), typeOf(op->getResult(0))) && llvm::any_of(views, divides))
    return false;
  return facts.getRole(op) != Role::Alone && !runsAlongChannels(op) && refuseMerged(mergedOps({op}, views)).empty();
}

void Fuser::visitOperand(Operation *op, OpOperand &operand) {
  Path path = trace(operand.get());
  Operation *producer = path.producer;
  if (producer && clusterIndex.lookup(producer) == clusterIndex.lookup(op) && path.views.empty())
    return;
  if (producer) {
    std::string reason = refuse(producer, path, op);
    if (reason.empty())
      return merge(mergedOps({producer, op}, path.views));
    remark::missed(op->getLoc(), remark::RemarkOpts::name("FuseKernels").category("fusion"))
        << remark::reason("{0} stays apart from {1}: {2}", op->getName().getStringRef().str(), producer->getName().getStringRef().str(), reason);
  }
  // At least read through the views that move elements; aliases behind them cost nothing.
  while (!path.views.empty() && facts.isAlias(path.views.back()))
    path.views.pop_back();
  if (!path.views.empty() && acceptsViews(op, path.views))
    absorbViews(op, operand, path.views);
}

void Fuser::visitConsumer(Operation *op) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    visitOperand(op, op->getOpOperand(i));
}

/// A view that still has users of its own and moves elements: the kernel before it may write them where they go.
void Fuser::visitView(Operation *op) {
  if (facts.isAlias(op) || clusterOf(op).ops.size() > 1)
    return;
  Path path = trace(op->getResult(0));
  if (!path.producer || facts.getRole(path.producer) == Role::Alone || facts.getRole(path.producer) == Role::Row)
    return;
  if (llvm::any_of(clusterOf(path.producer).ops, [&](Operation *member) { return runsAlongChannels(member); }))
    return;
  if (graph::getNumElements(typeOf(path.source)) != graph::getNumElements(typeOf(op->getResult(0))))
    return;
  SmallVector<Operation *> ops = mergedOps({path.producer, op}, path.views);
  for (Operation *member : ops)
    if (member != op && llvm::any_of(member->getUsers(), [&](Operation *user) { return !llvm::is_contained(ops, user); }))
      return;
  if (refuseMerged(ops).empty())
    merge(ops);
}

void Fuser::number() {
  int64_t next = 0;
  llvm::DenseMap<unsigned, int64_t> numbers;
  for (Operation &op : block) {
    auto known = clusterIndex.find(&op);
    if (known == clusterIndex.end() || clusters[known->second].ops.size() < 2)
      continue;
    auto [it, isNew] = numbers.try_emplace(known->second, next);
    next += isNew;
    op.setAttr(groupAttrName, IntegerAttr::get(IntegerType::get(op.getContext(), 64), it->second));
  }
}

void Fuser::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    op.removeAttr(groupAttrName);
    if (isComputation(&op))
      ops.push_back(&op);
  }
  for (Operation *op : ops)
    addSingle(op);
  for (Operation *op : ops)
    if (facts.getRole(op) != Role::View)
      visitConsumer(op);
  for (Operation *op : ops)
    if (facts.getRole(op) == Role::View && !op->use_empty())
      visitView(op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && isOpTriviallyDead(op)) {
      clusters[clusterIndex.lookup(op)].ops.remove(op);
      clusterIndex.erase(op);
      op->erase();
    }
  number();
}

struct FuseKernels : graphc::impl::FuseKernelsBase<FuseKernels> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        Fuser(function).run();
  }
};

} // namespace
