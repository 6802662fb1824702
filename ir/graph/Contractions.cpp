// Contractions: their result types.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

//===-- result types -----------------------------------------------------------===//

static LogicalResult checkSameElement(OptionalLoc loc, ValueRange operands) {
  for (Value operand : operands)
    if (operand && tensorType(operand).getElementType() != tensorType(operands[0]).getElementType())
      return emitOptionalError(loc, "operands have element types ", tensorType(operands[0]).getElementType(), " and ",
                               tensorType(operand).getElementType(), "; expected one");
  return success();
}

static LogicalResult checkBias(OptionalLoc loc, Value bias, DimAttr features) {
  if (!bias || graph::getDims(tensorType(bias)) == SmallVector<DimAttr>{features})
    return success();
  return emitOptionalError(loc, "bias is ", bias.getType(), ", expected shape [", features.str(), "]");
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX()), weight = tensorType(a.getWeight());
  if (x.getRank() < 1 || weight.getRank() != 2)
    return emitOptionalError(loc, "linear takes x of rank 1 or more and a weight of rank 2, found ", x, " and ", weight);
  if (graph::getDim(x, x.getRank() - 1) != graph::getDim(weight, 1))
    return emitOptionalError(loc, "linear: x has ", graph::getDim(x, x.getRank() - 1).str(), " features, the weight takes ", graph::getDim(weight, 1).str());
  SmallVector<DimAttr> dims = graph::getDims(x);
  dims.back() = graph::getDim(weight, 0);
  types.push_back(getTensorType(dims, x.getElementType()));
  return success(succeeded(checkSameElement(loc, a.getOperands())) && succeeded(checkBias(loc, a.getBias(), dims.back())));
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = tensorType(a.getLhs()), rhs = tensorType(a.getRhs());
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitOptionalError(loc, "matmul takes ranks of 2 or more, found ", lhs, " and ", rhs);
  SmallVector<DimAttr> l = graph::getDims(lhs), r = graph::getDims(rhs);
  if (l.back() != r[r.size() - 2])
    return emitOptionalError(loc, "matmul: lhs has ", l.back().str(), " columns, rhs ", r[r.size() - 2].str(), " rows");
  FailureOr<SmallVector<DimAttr>> dims = broadcastShapes(loc, {SmallVector<DimAttr>(l.begin(), l.end() - 2), SmallVector<DimAttr>(r.begin(), r.end() - 2)});
  if (failed(dims) || failed(checkSameElement(loc, a.getOperands())))
    return failure();
  dims->append({l[l.size() - 2], r.back()});
  types.push_back(getTensorType(*dims, lhs.getElementType()));
  return success();
}

namespace {
/// The numbers of a convolution (x, weight of equal rank 3 to 5, lists with one entry per spatial dim).
struct ConvolutionLists {
  ArrayRef<int64_t> stride, padding, dilation;
  int64_t groups;
};
} // namespace

static LogicalResult checkConvolution(OptionalLoc loc, RankedTensorType x, RankedTensorType weight, const ConvolutionLists &lists) {
  int64_t spatial = x.getRank() - 2;
  if (x.getRank() != weight.getRank() || spatial < 1 || spatial > 3)
    return emitOptionalError(loc, "takes x [n, c, spatial…] and a weight of the same rank, with 1 to 3 spatial dims; found ", x, " and ", weight);
  for (ArrayRef<int64_t> list : {lists.stride, lists.padding, lists.dilation})
    if (int64_t(list.size()) != spatial)
      return emitOptionalError(loc, "stride, padding and dilation have one entry for each of the ", spatial, " spatial dims, found ", list.size());
  if (llvm::any_of(lists.stride, [](int64_t s) { return s < 1; }) || llvm::any_of(lists.dilation, [](int64_t s) { return s < 1; }) ||
      llvm::any_of(lists.padding, [](int64_t s) { return s < 0; }) || lists.groups < 1)
    return emitOptionalError(loc, "stride, dilation and groups must be positive, padding not negative");
  return success();
}

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX()), weight = tensorType(a.getWeight());
  int64_t groups = a.getGroups();
  if (failed(checkConvolution(loc, x, weight, {a.getStride(), a.getPadding(), a.getDilation(), groups})) ||
      failed(checkSameElement(loc, a.getOperands())) || failed(checkBias(loc, a.getBias(), graph::getDim(weight, 0))))
    return failure();
  DimAttr outputs = graph::getDim(weight, 0);
  if (graph::getDim(x, 1) != graph::getDim(weight, 1) * groups || (outputs.isConstant() && outputs.getValue() % groups != 0))
    return emitOptionalError(loc, "x has ", graph::getDim(x, 1).str(), " channels; a weight of ", dimsText(graph::getDims(weight)), " in ", groups, " groups takes ",
                             (graph::getDim(weight, 1) * groups).str(), " and gives a multiple of the groups");
  SmallVector<DimAttr> dims = {graph::getDim(x, 0), outputs};
  for (int64_t d = 0; d < x.getRank() - 2; ++d) {
    DimAttr padded = graph::getDim(x, d + 2) + 2 * a.getPadding()[d], reach = (graph::getDim(weight, d + 2) - 1) * a.getDilation()[d] + 1;
    dims.push_back(floorDiv(padded - reach, a.getStride()[d]) + 1);
    if (dims.back().isConstant() && dims.back().getValue() < 1)
      return emitOptionalError(loc, "a kernel that reaches over ", reach.str(), " elements is larger than the padded dim ", d + 2, " of ", padded.str());
  }
  types.push_back(getTensorType(dims, x.getElementType()));
  return success();
}

LogicalResult ConvTransposeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX()), weight = tensorType(a.getWeight());
  int64_t groups = a.getGroups();
  if (failed(checkConvolution(loc, x, weight, {a.getStride(), a.getPadding(), a.getDilation(), groups})) ||
      failed(checkSameElement(loc, a.getOperands())) || failed(checkBias(loc, a.getBias(), graph::getDim(weight, 1) * groups)))
    return failure();
  if (graph::getDim(x, 1) != graph::getDim(weight, 0) || int64_t(a.getOutputPadding().size()) != x.getRank() - 2 ||
      (graph::getDim(x, 1).isConstant() && graph::getDim(x, 1).getValue() % groups != 0))
    return emitOptionalError(loc, "x has ", graph::getDim(x, 1).str(), " channels in ", groups, " groups, the weight takes ", graph::getDim(weight, 0).str(),
                             "; output_padding has ", a.getOutputPadding().size(), " entries");
  SmallVector<DimAttr> dims = {graph::getDim(x, 0), graph::getDim(weight, 1) * groups};
  for (int64_t d = 0; d < x.getRank() - 2; ++d) {
    int64_t extra = a.getOutputPadding()[d], stride = a.getStride()[d], dilation = a.getDilation()[d];
    if (extra < 0 || (extra >= stride && extra >= dilation))
      return emitOptionalError(loc, "output_padding ", extra, " must be smaller than the stride ", stride, " or the dilation ", dilation);
    dims.push_back((graph::getDim(x, d + 2) - 1) * stride - 2 * a.getPadding()[d] + (graph::getDim(weight, d + 2) - 1) * dilation + (extra + 1));
    if (dims.back().isConstant() && dims.back().getValue() < 1)
      return emitOptionalError(loc, "the result's dim ", d + 2, " would have ", dims.back().str(), " elements, it needs at least 1");
  }
  types.push_back(getTensorType(dims, x.getElementType()));
  return success();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType q = tensorType(a.getQuery()), k = tensorType(a.getKey()), v = tensorType(a.getValue());
  if (q.getRank() < 2 || k.getRank() < 2 || v.getRank() < 2 || (a.getGqa() && q.getRank() < 3))
    return emitOptionalError(loc, "attention takes query, key and value of rank 2 or more, found ", q, ", ", k, " and ", v);
  SmallVector<DimAttr> qd = graph::getDims(q), kd = graph::getDims(k), vd = graph::getDims(v);
  if (qd.back() != kd.back() || kd[kd.size() - 2] != vd[vd.size() - 2])
    return emitOptionalError(loc, "query ", dimsText(qd), ", key ", dimsText(kd), " and value ", dimsText(vd), " don't fit: expected [..., l, e], [..., s, e], [..., s, f]");
  SmallVector<DimAttr> qb(qd.begin(), qd.end() - 2), kb(kd.begin(), kd.end() - 2), vb(vd.begin(), vd.end() - 2);
  if (a.getGqa() && !kb.empty() && !vb.empty())
    kb.back() = vb.back() = qb.back(); // heads repeat
  FailureOr<SmallVector<DimAttr>> dims = broadcastShapes(loc, {qb, kb, vb});
  if (failed(dims) || failed(checkSameElement(loc, {a.getQuery(), a.getKey(), a.getValue()})))
    return failure();
  if (a.getMask()) {
    RankedTensorType mask = tensorType(a.getMask());
    SmallVector<DimAttr> scores = *dims;
    scores.append({qd[qd.size() - 2], kd[kd.size() - 2]});
    if (!broadcastsTo(graph::getDims(mask), scores) || !(mask.getElementType().isInteger(1) || mask.getElementType() == q.getElementType()))
      return emitOptionalError(loc, "mask ", mask, " must be bool or ", q.getElementType(), " and broadcast to ", dimsText(scores));
  }
  dims->append({qd[qd.size() - 2], vd.back()});
  types.push_back(getTensorType(*dims, q.getElementType()));
  return success();
}
