// Chooses the physical order of every tensor; logical shapes stay PyTorch's.
//
// Convolutions run channels-last, ops that don't care follow their operand, a permutation becomes a change of order that moves nothing, contractions get operands
// whose sums run along memory. Function arguments, results and state keep the default order. A conversion is a graph.permute that permutes no dims, made once
// per value and order:
//
//   %0 = graph.convolution %x, …                  %x1 = graph.permute %x [0, 1, 2, 3] : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32, #graph.info<order = [0, 2, 3, 1]>>
//   return %0 : tensor<1x16x8x8xf32>         ->   %0 = graph.convolution %x1, … -> tensor<1x16x8x8xf32, #graph.info<order = [0, 2, 3, 1]>>
//                                                 %1 = graph.permute %0 [0, 1, 2, 3] … -> tensor<1x16x8x8xf32>
#include "passes/Passes.h"
#include "passes/outline/Groups.h"
#include "passes/outline/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace graphc {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;

namespace {

using Order = SmallVector<int64_t>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
Order defaultOrder(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

/// Batch, spatial dims, channels.
Order channelsLast(int64_t rank) {
  Order order{0};
  for (int64_t d = 2; d < rank; ++d)
    order.push_back(d);
  order.push_back(1);
  return order;
}

class Layouter {
public:
  void run(func::FuncOp function);

private:
  Value convert(Operation *user, Value value, ArrayRef<int64_t> order);
  void require(Operation *op, Value operand, ArrayRef<int64_t> order);
  void setOrder(Operation *op, ArrayRef<int64_t> order);
  void visitContraction(Operation *op, graph::LayoutBehaviour behaviour);
  void visitOther(Operation *op);
  void visitReshape(Operation *op);
  std::optional<Order> followOperand(Operation *op, bool sameDims);
  void visit(Operation *op);

  llvm::DenseMap<std::pair<Value, Type>, Value> converted;
};

/// The value in another order, before its first user that asks.
Value Layouter::convert(Operation *user, Value value, ArrayRef<int64_t> order) {
  RankedTensorType type = typeOf(value);
  RankedTensorType wanted = graph::getTensorType(graph::getDims(type), type.getElementType(), order);
  if (type == wanted)
    return value;
  Value &known = converted[{value, wanted}];
  if (known)
    return known;
  OpBuilder builder(user);
  auto op = graph::PermuteOp::create(builder, user->getLoc(), wanted, value, defaultOrder(type.getRank()));
  remark::analysis(user->getLoc(), remark::RemarkOpts::name("AssignLayouts").category("layout"))
      << remark::add("converts {0} elements to another order", graph::getNumElements(type).str());
  return known = op.getResult();
}

void Layouter::require(Operation *op, Value operand, ArrayRef<int64_t> order) {
  Value value = convert(op, operand, order);
  for (OpOperand &use : op->getOpOperands())
    if (use.get() == operand)
      use.set(value);
}

void Layouter::setOrder(Operation *op, ArrayRef<int64_t> order) {
  for (Value result : op->getResults()) {
    RankedTensorType type = typeOf(result);
    if (type.getRank() == int64_t(order.size()))
      result.setType(graph::getTensorType(graph::getDims(type), type.getElementType(), order));
  }
}

/// The innermost dim in memory that has more than one index; -1 where there is none.
int64_t innermost(RankedTensorType type) {
  SmallVector<int64_t> order = graph::getOrder(type);
  for (int64_t d : llvm::reverse(order))
    if (type.isDynamicDim(d) || type.getDimSize(d) != 1)
      return d;
  return -1;
}

void Layouter::visitContraction(Operation *op, graph::LayoutBehaviour behaviour) {
  auto contraction = dyn_cast<graph::ContractionOpInterface>(op);
  if (!contraction)
    return;
  kernel::ContractionSpec spec = contraction.getContraction();
  int64_t rank = typeOf(spec.lhs).getRank();
  if (behaviour == graph::LayoutBehaviour::PrefersChannelsLast) {
    require(op, spec.lhs, channelsLast(rank));
    setOrder(op, channelsLast(typeOf(op->getResult(0)).getRank()));
    return;
  }
  if (int64_t d = innermost(typeOf(spec.lhs)); d >= 0 && d != rank - 1)
    require(op, spec.lhs, defaultOrder(rank));
  int64_t rhsRank = typeOf(spec.rhs).getRank();
  if (int64_t d = innermost(typeOf(spec.rhs)); d >= 0 && d < rhsRank - 2)
    require(op, spec.rhs, defaultOrder(rhsRank));
}

bool isConstant(Value value) { return value.getDefiningOp() && isa<graph::GetOp, graph::ConstantOp>(value.getDefiningOp()); }

/// The order of the first computed operand with the result's rank (and dims).
std::optional<Order> Layouter::followOperand(Operation *op, bool sameDims) {
  RankedTensorType result = typeOf(op->getResult(0));
  for (Value operand : op->getOperands()) {
    RankedTensorType type = typeOf(operand);
    if (type.getRank() == result.getRank() && !isConstant(operand) && (!sameDims || graph::getDims(type) == graph::getDims(result)))
      return graph::getOrder(type);
  }
  return std::nullopt;
}

/// The order in which a permutation of the source's dims is the source's own memory; nullopt where the view is none.
std::optional<Order> getPermutedOrder(const View &view, RankedTensorType result) {
  RankedTensorType source = typeOf(view.source);
  if (source.getRank() != result.getRank() || graph::getNumElements(source) != graph::getNumElements(result))
    return std::nullopt;
  Order order;
  for (int64_t d : graph::getOrder(source)) {
    AffineExpr expr = view.index[d];
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      order.push_back(dim.getPosition());
    else if (!isa<AffineConstantExpr>(expr))
      return std::nullopt;
  }
  Order all;
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (!llvm::is_contained(order, d)) {
      if (result.isDynamicDim(d) || result.getDimSize(d) != 1)
        return std::nullopt;
      all.push_back(d); // dims of size 1 lie anywhere
    }
  all.append(order);
  return all;
}

/// Whether the view changes nothing but the order.
bool isConversion(const View &view, RankedTensorType result) {
  if (graph::getDims(typeOf(view.source)) != graph::getDims(result) || view.source.getType() == result)
    return false;
  return llvm::all_of(llvm::enumerate(view.index), [&](auto item) {
    return isa<AffineConstantExpr>(item.value()) || item.value() == getAffineDimExpr(item.index(), result.getContext());
  });
}

/// A view that fixes the order keeps its operand's all the same where that makes it an alias: [n, c, h, w] seen as [n, c, h / 2, 2 * w].
void Layouter::visitReshape(Operation *op) {
  std::optional<Order> order = followOperand(op, false);
  Order old = graph::getOrder(typeOf(op->getResult(0)));
  if (!order || *order == old)
    return;
  setOrder(op, *order);
  if (std::optional<View> view = getView(op); !view || !getAliasOffset(op, *view))
    setOrder(op, old);
}

void Layouter::visitOther(Operation *op) {
  auto facts = cast<graph::GraphOpInterface>(op);
  if (facts.getFusionKind() == graph::FusionKind::View && facts.getLayoutBehaviour() == graph::LayoutBehaviour::FixesOrder && op->getNumOperands() == 1)
    return visitReshape(op);
  if (facts.getLayoutBehaviour() == graph::LayoutBehaviour::FixesOrder || op->getNumOperands() == 0)
    return;
  std::optional<Order> order;
  switch (facts.getFusionKind()) {
  case graph::FusionKind::View:
    if (std::optional<View> view = getView(op); view && !isConstant(view->source)) {
      if (isConversion(*view, typeOf(op->getResult(0))))
        return; // made by this pass before
      order = getPermutedOrder(*view, typeOf(op->getResult(0)));
    }
    if (!order)
      order = followOperand(op, false);
    break;
  case graph::FusionKind::Pointwise: order = followOperand(op, true); break;
  case graph::FusionKind::Window:
  case graph::FusionKind::Normalization:
  case graph::FusionKind::Reduction:
  case graph::FusionKind::Scan: order = followOperand(op, false); break;
  default: break;
  }
  if (order)
    setOrder(op, *order);
}

void Layouter::visit(Operation *op) {
  auto facts = dyn_cast<graph::GraphOpInterface>(op);
  if (facts && isComputation(op)) {
    if (facts.getFusionKind() == graph::FusionKind::Contraction)
      visitContraction(op, facts.getLayoutBehaviour());
    else
      visitOther(op);
    return;
  }
  // Results and state have the default order.
  for (Value operand : llvm::to_vector(op->getOperands()))
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      require(op, operand, defaultOrder(type.getRank()));
}

void Layouter::run(func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops)
    visit(op);
  converted.clear();
}

struct AssignLayouts : graphc::impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        Layouter().run(function);
  }
};

} // namespace
