// See Cluster.h.
#include "passes/outline/Cluster.h"

using namespace mlir;
using namespace graphc;

const View *OpFacts::getView(Operation *op) {
  auto [it, isNew] = views.try_emplace(op);
  if (isNew)
    it->second = graphc::getView(op);
  return it->second ? &*it->second : nullptr;
}

bool OpFacts::isAlias(Operation *op) {
  auto [it, isNew] = aliases.try_emplace(op, false);
  if (isNew && getView(op)) {
    View view = *getView(op);
    aliases[op] = getAliasOffset(op, view).has_value();
  }
  return aliases[op];
}

/// Whether a contraction of a single column reads each element of its lhs at most once.
static bool readsOnce(Operation *op) {
  kernel::ContractionSpec spec = cast<graph::ContractionOpInterface>(op).getContraction();
  graph::DimAttr reads = graph::DimAttr::constant(op->getContext(), 1);
  for (graph::DimAttr extent : llvm::concat<graph::DimAttr>(spec.grid, spec.m, spec.k))
    reads = reads * extent;
  return reads == graph::getNumElements(cast<RankedTensorType>(spec.lhs.getType()));
}

Role OpFacts::getRole(Operation *op) {
  if (getContractionKernel(op))
    return Role::Contraction;
  if (!isa<graph::ElementOpInterface>(op))
    return Role::Alone;
  switch (cast<graph::GraphOpInterface>(op).getFusionKind()) {
  case graph::FusionKind::Pointwise:
  case graph::FusionKind::Gather: return Role::Pointwise;
  case graph::FusionKind::View: return getView(op) ? Role::View : Role::Mover;
  case graph::FusionKind::Reduction: return Role::Reduction;
  case graph::FusionKind::Normalization: return Role::Row;
  case graph::FusionKind::Window: return Role::Window;
  case graph::FusionKind::Contraction: return readsOnce(op) ? Role::Reduction : Role::Window; // a single column
  default: return Role::Alone;
  }
}

/// Weights of scalar ops: what a vector unit does in one instruction is 1.
static unsigned scalarCost(Operation *op) {
  if (isa<scalar::ConstantOp, scalar::CastOp>(op))
    return 0;
  if (isa<scalar::AddOp, scalar::SubOp, scalar::MulOp, scalar::MaxOp, scalar::MinOp, scalar::CompareOp, scalar::SelectOp, scalar::NegOp,
          scalar::AbsOp, scalar::AndOp, scalar::OrOp, scalar::XorOp, scalar::ShlOp, scalar::ShrOp, scalar::FloorOp, scalar::CeilOp,
          scalar::TruncOp, scalar::RoundEvenOp>(op))
    return 1;
  if (isa<scalar::DivOp, scalar::SqrtOp, scalar::RsqrtOp>(op))
    return 4;
  return isa<scalar::ScalarDialect>(op->getDialect()) ? 12 : 0;
}

unsigned OpFacts::getCost(Operation *op) {
  auto [it, isNew] = costs.try_emplace(op, 0);
  if (!isNew)
    return it->second;
  if (!isa<graph::ElementOpInterface>(op))
    return it->second = 1000;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  KernelEmitter emitter(op->getContext(), op->getLoc(), type, graph::getDims(type), [&](Operation *other) { return other == op; });
  emitter.element(op->getResult(0), emitter.gridIndex());
  unsigned cost = 0;
  emitter.getFunc().getBody().walk([&](Operation *inner) { cost += isa<kernel::ReduceOp>(inner) ? 1000 : scalarCost(inner); });
  return costs[op] = cost;
}
