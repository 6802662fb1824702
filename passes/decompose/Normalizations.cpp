// See Normalizations.h.
//
//   batch_norm(x), constant mean, var, weight, bias:   x * scale + shift with scale = weight / sqrt(var + eps) and shift = bias - mean * scale, as eager computes it;
//                                                      FoldConstants evaluates both
//   group_norm(x [n, c, …]), groups of many elements:  the elements of a channel in blocks; sums of blocks, then of a group's blocks; the same for the squares of what
//                                                      is left without the mean. Blocks run in parallel, and in any physical order of x along its memory
#include "passes/decompose/Normalizations.h"
#include "passes/decompose/DecomposeBuilder.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// [c] as [c, 1, …], to broadcast over x [n, c, …].
Value byChannel(DecomposeBuilder &b, Value values, Value x) {
  SmallVector<DimAttr> shape(tensorType(x).getRank() - 1, b.dim(1));
  shape[0] = getDim(tensorType(values), 0);
  return b.reshape(values, shape);
}

bool isConstant(Value value) { return value && isa_and_nonnull<GetOp, ConstantOp>(value.getDefiningOp()); }

Value decomposeBatchNorm(BatchNormOp op) {
  Type element = tensorType(op.getX()).getElementType();
  if (!element.isF32() && !element.isF64())
    return Value(); // eager keeps the scale and shift of 16-bit floats in f32
  for (Value operand : op->getOperands().drop_front())
    if (!isConstant(operand) || tensorType(operand).getElementType() != element)
      return Value();
  DecomposeBuilder b(op);
  Value scale = b.make<RsqrtOp>(b.make<AddOp>(op.getVar(), b.number(op.getEps().convertToDouble(), op.getVar())));
  if (op.getWeight())
    scale = b.make<MulOp>(scale, op.getWeight());
  Value shift = b.make<MulOp>(op.getMean(), scale);
  shift = op.getBias() ? b.make<SubOp>(op.getBias(), shift) : b.make<NegOp>(shift);
  return b.make<AddOp>(b.make<MulOp>(op.getX(), byChannel(b, scale, op.getX())), byChannel(b, shift, op.getX()));
}

/// The largest divisor of `size` up to `most`.
int64_t largestDivisor(int64_t size, int64_t most) {
  for (int64_t divisor = std::min(size, most); divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

/// x [n, c, blocks, elements of a block] and the groups that means are over.
struct GroupedRows {
  int64_t batch, channels, groups, blocks, area;
  int64_t perGroup() const { return channels / groups; }
};

/// The mean over a group, as [n, c, 1, 1].
Value meanOfGroups(DecomposeBuilder &b, Value x, const GroupedRows &rows) {
  auto dims = [&](std::initializer_list<int64_t> sizes) { return llvm::map_to_vector(sizes, [&](int64_t size) { return b.dim(size); }); };
  Value sums = b.make<SumOp>(x, ArrayRef<int64_t>{3}, true);
  sums = b.make<SumOp>(b.reshape(sums, dims({rows.batch, rows.groups, rows.perGroup() * rows.blocks})), ArrayRef<int64_t>{2}, true);
  Value mean = b.make<DivOp>(sums, b.number(double(rows.perGroup() * rows.area), sums));
  Value repeated = b.expand(mean, dims({rows.batch, rows.groups, rows.perGroup()}));
  return b.reshape(repeated, dims({rows.batch, rows.channels, 1, 1}));
}

/// The groups of a group_norm that is worth two steps: many elements in a group, an area that can be cut evenly.
std::optional<GroupedRows> getLargeGroups(GroupNormOp op) {
  constexpr int64_t leastElements = 1 << 15, leastInGroup = 1024, mostBlocks = 128, leastBlocks = 8, leastBlock = 32;
  RankedTensorType type = tensorType(op.getX());
  if (!type.hasStaticShape() || !type.getElementType().isF32() || type.getNumElements() == 0)
    return std::nullopt;
  GroupedRows rows{type.getDimSize(0), type.getDimSize(1), int64_t(op.getGroups()), 0, 1};
  for (int64_t size : type.getShape().drop_front(2))
    rows.area *= size;
  rows.blocks = largestDivisor(rows.area, std::min(mostBlocks, rows.area / leastBlock));
  return type.getNumElements() >= leastElements && rows.perGroup() * rows.area >= leastInGroup && rows.blocks >= leastBlocks ? std::optional(rows) : std::nullopt;
}

Value decomposeGroupNorm(GroupNormOp op) {
  std::optional<GroupedRows> rows = getLargeGroups(op);
  if (!rows)
    return Value();
  DecomposeBuilder b(op);
  Value blocks = b.reshape(op.getX(), {b.dim(rows->batch), b.dim(rows->channels), b.dim(rows->blocks), b.dim(rows->area / rows->blocks)});
  Value mean = meanOfGroups(b, blocks, *rows), deviation = b.make<SubOp>(blocks, mean);
  Value variance = meanOfGroups(b, b.make<MulOp>(deviation, deviation), *rows);
  Value scale = b.make<RsqrtOp>(b.make<AddOp>(variance, b.number(op.getEps().convertToDouble(), variance)));
  // Scale and shift by channel, over x's own dims.
  SmallVector<DimAttr> shape(tensorType(op.getX()).getRank(), b.dim(1));
  shape[0] = b.dim(rows->batch);
  shape[1] = b.dim(rows->channels);
  scale = b.reshape(scale, shape);
  if (op.getWeight())
    scale = b.make<MulOp>(scale, byChannel(b, op.getWeight(), op.getX()));
  Value shift = b.make<MulOp>(b.reshape(mean, shape), scale);
  shift = op.getBias() ? b.make<SubOp>(byChannel(b, op.getBias(), op.getX()), shift) : b.make<NegOp>(shift);
  return b.make<AddOp>(b.make<MulOp>(op.getX(), scale), shift);
}

} // namespace

Value graphc::decomposeNormalization(Operation *op) {
  if (auto batchNorm = dyn_cast<BatchNormOp>(op))
    return decomposeBatchNorm(batchNorm);
  if (auto groupNorm = dyn_cast<GroupNormOp>(op))
    return decomposeGroupNorm(groupNorm);
  return Value();
}
