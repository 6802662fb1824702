// Implements Moments.h: the sum, then the sums of the distances from the rounded mean and of their squares; the first of these corrects the mean and the squares.
#include "ir/graph/Moments.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Monoid;

Value graph::emitCount(ElementEmitter &e, ArrayRef<DimAttr> extents, Type type) {
  AffineExpr product = getAffineConstantExpr(1, e.getContext());
  for (DimAttr extent : extents)
    product = product * e.dim(extent);
  if (auto constant = dyn_cast<AffineConstantExpr>(product))
    return e.scalar().constant(double(constant.getValue()), type);
  return e.scalar().cast(e.indexValue(product), type);
}

Moments graph::emitMoments(ElementEmitter &e, Operation *op, ArrayRef<DimAttr> extents, ArrayRef<AffineExpr> free,
                           llvm::function_ref<Value(ArrayRef<AffineExpr>)> at) {
  scalar::ScalarBuilder &b = e.scalar();
  Value sum = e.reduce(extents, {Monoid::sum}, free, foldKey(op, 0), [&](ArrayRef<AffineExpr> k) { return SmallVector<Value>{at(k)}; })[0];
  auto mean = [&] { return b.div(sum, emitCount(e, extents, sum.getType())); };
  // A fold may be put further out than its use: what its body needs besides other folds is computed in the body.
  SmallVector<Value> sums = e.reduce(extents, {Monoid::sum, Monoid::sum}, free, foldKey(op, 1), [&](ArrayRef<AffineExpr> k) {
    Value distance = b.sub(at(k), mean());
    return SmallVector<Value>{b.mul(distance, distance), distance};
  });
  Value rest = b.div(sums[1], emitCount(e, extents, sum.getType())), squares = b.sub(sums[0], b.mul(sums[1], rest));
  return {mean(), rest, b.max(squares, b.constantLike(0, squares))};
}
