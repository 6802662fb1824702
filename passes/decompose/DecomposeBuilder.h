// Short spelling for the graph ops that a composite is taken apart into: they go before it, at its location.
//
//   DecomposeBuilder b(op);  Value y = b.make<MulOp>(x, b.number(0.5, x));
#ifndef GRAPHC_PASSES_DECOMPOSE_DECOMPOSEBUILDER_H
#define GRAPHC_PASSES_DECOMPOSE_DECOMPOSEBUILDER_H

#include "ir/graph/Graph.h"
#include "ir/graph/Infer.h"
#include "ir/kernel/Kernel.h"

namespace graphc {

class DecomposeBuilder {
public:
  using Value = mlir::Value;
  using DimAttr = graph::DimAttr;

  explicit DecomposeBuilder(mlir::Operation *op) : b(op), loc(op->getLoc()), context(op->getContext()) {}

  template <typename Op, typename... Arguments> Value make(Arguments &&...arguments) {
    return Op::create(b, loc, std::forward<Arguments>(arguments)...)->getResult(0);
  }
  DimAttr dim(int64_t value) { return DimAttr::constant(context, value); }
  /// A 0-d constant, which broadcasts. Integers saturate at the largest i64.
  Value number(double value, mlir::Type element);
  Value number(double value, Value like) { return number(value, graph::tensorType(like).getElementType()); }
  /// A dim's value as a 0-d tensor.
  Value dimValue(DimAttr dim, mlir::Type element);
  /// One number everywhere in a tensor of the shape of `like`.
  Value filled(double value, Value like) { return expand(number(value, like), graph::getDims(graph::tensorType(like))); }
  /// 0, 1, … size - 1 along dim `d` of `rank` (i64), size 1 in the others.
  Value positions(DimAttr size, int64_t d, int64_t rank);

  Value reshape(Value x, llvm::ArrayRef<DimAttr> shape) { return make<graph::ReshapeOp>(x, graph::makeDimArray(context, shape)); }
  Value expand(Value x, llvm::ArrayRef<DimAttr> shape) { return make<graph::ExpandOp>(x, graph::makeDimArray(context, shape)); }
  Value permute(Value x, llvm::ArrayRef<int64_t> order) { return make<graph::PermuteOp>(x, order); }
  /// The last two dims swapped.
  Value transpose(Value x);
  /// `size` elements of dim `d` from `start` on.
  Value slice(Value x, int64_t d, DimAttr start, DimAttr size);
  /// The first elements of every dim, as many as `shape` says.
  Value firstElements(Value x, llvm::ArrayRef<DimAttr> shape);
  /// x between `low` and `high` zeros; negative ones crop.
  Value pad(Value x, llvm::ArrayRef<DimAttr> low, llvm::ArrayRef<DimAttr> high);
  /// What a routine of the runtime makes of the inputs, in the default order of dims.
  llvm::SmallVector<Value> routine(kernel::Routine routine, mlir::ValueRange inputs, mlir::TypeRange types, llvm::ArrayRef<int64_t> config);
  /// The routine scatter: source combined into base at `indices` along dim; indices of size 1 in other dims count for all of the source there.
  Value scatter(Value base, Value indices, Value source, int64_t dim, graph::ScatterReduce how, bool excludeSelf);

  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::MLIRContext *context;
};

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_DECOMPOSEBUILDER_H
