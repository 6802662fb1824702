// See SingleOpKernel.h.
#include "ir/interpreter/SingleOpKernel.h"
#include "ir/graph/Contractions.h"
#include "ir/support/Check.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace graphc;
using kernel::Mask;
using kernel::Monoid;

namespace {

class SingleOpEmitter : public kernel::ElementEmitter {
public:
  SingleOpEmitter(OpBuilder &builder, Operation *op, kernel::FuncOp func)
      : builder(builder), op(op), func(func), scalarBuilder(builder, op->getLoc()) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      buffers.try_emplace(operand, func.getInput(i));
    for (unsigned i = 0; i < func.getNumGridDims(); ++i)
      addIndex(func.getGridIndex(i));
  }

  AffineExpr addIndex(Value index) {
    indices.push_back(index);
    return getAffineDimExpr(indices.size() - 1, getContext());
  }
  /// Reductions whose free indices are grid indices alone go before this op.
  void setRowAnchor(Operation *anchor) { rowAnchor = anchor; }

  void store(Value value, unsigned output, ArrayRef<AffineExpr> index) {
    Value buffer = func.getOutput(output);
    Type elementType = cast<RankedTensorType>(buffer.getType()).getElementType();
    auto [map, operands] = access(index);
    kernel::StoreOp::create(builder, op->getLoc(), scalarBuilder.cast(value, elementType), buffer, operands, AffineMapAttr::get(map), IntegerSetAttr());
  }

  scalar::ScalarBuilder &scalar() override { return scalarBuilder; }
  MLIRContext *getContext() override { return op->getContext(); }

  Value element(Value tensor, ArrayRef<AffineExpr> index) override { return load(tensor, index, nullptr, Value()); }
  Value maskedElement(Value tensor, ArrayRef<AffineExpr> index, const Mask &mask, Value otherwise) override {
    return mask.empty() ? element(tensor, index) : load(tensor, index, &mask, otherwise);
  }

  Value holds(const Mask &mask) override {
    Value result = scalarBuilder.intConstant(1, builder.getI1Type());
    Value zero = scalarBuilder.intConstant(0, builder.getI64Type());
    for (auto [expression, isEquality] : llvm::zip(mask.expressions, mask.isEquality)) {
      auto predicate = isEquality ? scalar::Predicate::eq : scalar::Predicate::ge;
      result = scalarBuilder.bitAnd(result, scalarBuilder.compare(predicate, indexValue(expression), zero));
    }
    return result;
  }

  SmallVector<Value> reduce(ArrayRef<graph::DimAttr> extents, ArrayRef<Monoid> monoids, ArrayRef<AffineExpr> free, const void *key,
                            std::function<SmallVector<Value>(ArrayRef<AffineExpr>)> body) override {
    bool hoists = rowAnchor && usesGridOnly(free);
    if (hoists && rowResults.count(key))
      return rowResults[key];
    OpBuilder::InsertionGuard guard(builder);
    if (hoists)
      builder.setInsertionPoint(rowAnchor);
    // The region is filled before the op exists: only its values tell the result types.
    OpBuilder::InsertPoint point = builder.saveInsertionPoint();
    auto region = std::make_unique<Region>();
    Block &block = region->emplaceBlock();
    SmallVector<AffineExpr> inner;
    for (size_t i = 0; i < extents.size(); ++i)
      inner.push_back(addIndex(block.addArgument(builder.getIndexType(), op->getLoc())));
    builder.setInsertionPointToStart(&block);
    SmallVector<Value> values = body(inner);
    kernel::YieldOp::create(builder, op->getLoc(), values);
    builder.restoreInsertionPoint(point);
    SmallVector<Type> types = llvm::map_to_vector(values, [](Value v) { return v.getType(); });
    kernel::ReduceOp reduceOp = kernel::createReduce(builder, op->getLoc(), extents, monoids, types);
    reduceOp.getBody().takeBody(*region);
    SmallVector<Value> results(reduceOp.getResults());
    if (hoists)
      rowResults[key] = results;
    return results;
  }

  AffineExpr checkIndex(Value value, graph::DimAttr extent, bool wrapNegative) override {
    return addIndex(kernel::CheckIndexOp::create(builder, op->getLoc(), builder.getIndexType(), value, extent,
                                                 wrapNegative ? builder.getUnitAttr() : UnitAttr()));
  }

  Value indexValue(AffineExpr index) override {
    auto [map, operands] = access(index);
    return kernel::IndexValueOp::create(builder, op->getLoc(), builder.getI64Type(), operands, AffineMapAttr::get(map));
  }

  AffineExpr dim(graph::DimAttr dim) override {
    if (dim.isConstant())
      return getAffineConstantExpr(dim.getValue(), getContext());
    SmallVector<Attribute> symbols(func.getSymbols().getValue());
    auto *it = llvm::find(symbols, dim);
    unsigned position = it - symbols.begin();
    if (it == symbols.end()) {
      symbols.push_back(dim);
      func.setSymbolsAttr(builder.getArrayAttr(symbols));
    }
    return getAffineSymbolExpr(position, getContext());
  }

private:
  bool usesGridOnly(ArrayRef<AffineExpr> expressions) {
    unsigned grid = func.getNumGridDims();
    return llvm::all_of(expressions, [&](AffineExpr e) {
      for (unsigned d = grid; d < indices.size(); ++d)
        if (e.isFunctionOfDim(d))
          return false;
      return true;
    });
  }

  /// The expressions over just the indices they use.
  std::pair<AffineMap, SmallVector<Value>> access(ArrayRef<AffineExpr> expressions) {
    SmallVector<Value> used;
    SmallVector<AffineExpr> renamed(indices.size());
    for (auto [d, index] : llvm::enumerate(indices)) {
      if (!llvm::any_of(expressions, [&](AffineExpr e) { return e.isFunctionOfDim(d); }))
        continue;
      renamed[d] = getAffineDimExpr(used.size(), getContext());
      used.push_back(index);
    }
    for (AffineExpr &e : renamed)
      e = e ? e : getAffineConstantExpr(0, getContext());
    SmallVector<AffineExpr> results;
    for (AffineExpr e : expressions)
      results.push_back(e.replaceDims(renamed));
    return {AffineMap::get(used.size(), func.getSymbols().size(), results, getContext()), used};
  }

  Value load(Value tensor, ArrayRef<AffineExpr> index, const Mask *mask, Value otherwise) {
    Value buffer = buffers.lookup(tensor);
    GRAPHC_CHECK(buffer, "an op asked for an element of something that is not its operand");
    Type elementType = cast<RankedTensorType>(buffer.getType()).getElementType();
    SmallVector<AffineExpr> all(index);
    if (mask)
      llvm::append_range(all, mask->expressions);
    auto [map, operands] = access(all);
    IntegerSetAttr set;
    if (mask)
      set = IntegerSetAttr::get(IntegerSet::get(map.getNumDims(), map.getNumSymbols(), map.getResults().drop_front(index.size()), mask->isEquality));
    AffineMap accessMap = AffineMap::get(map.getNumDims(), map.getNumSymbols(), map.getResults().take_front(index.size()), getContext());
    Value fallback = mask ? scalarBuilder.cast(otherwise, elementType) : Value();
    Value value = kernel::LoadOp::create(builder, op->getLoc(), elementType, buffer, operands, fallback, AffineMapAttr::get(accessMap), set);
    return scalarBuilder.cast(value, graphc::scalar::computeType(elementType));
  }

  OpBuilder &builder;
  Operation *op;
  kernel::FuncOp func;
  graphc::scalar::ScalarBuilder scalarBuilder;
  Operation *rowAnchor = nullptr;
  SmallVector<Value> indices;
  llvm::DenseMap<Value, Value> buffers;
  llvm::DenseMap<const void *, SmallVector<Value>> rowResults;
};

kernel::FuncOp createFunc(OpBuilder &builder, Operation *op, unsigned result, ArrayRef<graph::DimAttr> grid) {
  auto func = kernel::FuncOp::create(builder, op->getLoc(), "single_op", op->getOperandTypes(), TypeRange(op->getResult(result).getType()), grid);
  builder.setInsertionPointToStart(&func.getBody().front());
  return func;
}

kernel::FuncOp buildElementKernel(OpBuilder &builder, graph::ElementOpInterface op, unsigned result) {
  SmallVector<graph::DimAttr> dims = graph::getDims(cast<RankedTensorType>(op->getResult(result).getType())), grid, inner;
  SmallVector<int64_t> rowDims = op.getRowDims();
  for (auto [d, dim] : llvm::enumerate(dims))
    (llvm::is_contained(rowDims, int64_t(d)) ? inner : grid).push_back(dim);
  kernel::FuncOp func = createFunc(builder, op, result, grid);
  SingleOpEmitter emitter(builder, op, func);
  ValueRange innerIndices;
  if (!inner.empty()) {
    kernel::MapOp map = kernel::createMap(builder, op->getLoc(), inner);
    emitter.setRowAnchor(map);
    innerIndices = map.getBody().getArguments();
    builder.setInsertionPointToStart(&map.getBody().front());
  }
  SmallVector<AffineExpr> index;
  unsigned nextGrid = 0;
  size_t nextInner = 0;
  for (size_t d = 0; d < dims.size(); ++d)
    index.push_back(llvm::is_contained(rowDims, int64_t(d)) ? emitter.addIndex(innerIndices[nextInner++])
                                                            : getAffineDimExpr(nextGrid++, op->getContext()));
  emitter.store(op.emitElement(emitter, result, index), 0, index);
  return func;
}

/// f32 for 16-bit floats, i32 for 8-bit integers, i64 for wider ones, else the type itself.
Type accumulatorType(Type elementType) {
  if (isa<FloatType>(elementType))
    return graphc::scalar::computeType(elementType);
  return IntegerType::get(elementType.getContext(), elementType.getIntOrFloatBitWidth() <= 8 ? 32 : 64);
}

kernel::FuncOp buildContractionKernel(OpBuilder &builder, graph::ContractionOpInterface op, unsigned result) {
  kernel::ContractionSpec spec = op.getContraction();
  kernel::FuncOp func = createFunc(builder, op, result, spec.grid);
  SingleOpEmitter emitter(builder, op, func);
  auto extents = [&](ArrayRef<graph::DimAttr> dims) { return builder.getArrayAttr(SmallVector<Attribute>(dims.begin(), dims.end())); };
  auto input = [&](Value v) { return func.getInput(llvm::find(op->getOperands(), v) - op->getOperands().begin()); };
  IntegerSetAttr mask;
  if (!spec.lhsMask.empty())
    mask = IntegerSetAttr::get(IntegerSet::get(spec.lhsMap.getNumDims(), spec.lhsMap.getNumSymbols(), spec.lhsMask.expressions, spec.lhsMask.isEquality));
  auto contract = kernel::ContractOp::create(builder, op->getLoc(), input(spec.lhs), input(spec.rhs), extents(spec.m), extents(spec.n), extents(spec.k),
                                             AffineMapAttr::get(spec.lhsMap), AffineMapAttr::get(spec.rhsMap), mask, builder.getI64IntegerAttr(0));
  Block &block = contract.getBody().emplaceBlock();
  Type elementType = cast<RankedTensorType>(spec.lhs.getType()).getElementType();
  block.addArgument(accumulatorType(elementType), op->getLoc());
  for (size_t i = 0; i < spec.m.size() + spec.n.size(); ++i)
    emitter.addIndex(block.addArgument(builder.getIndexType(), op->getLoc()));
  builder.setInsertionPointToStart(&block);
  Type resultElement = cast<RankedTensorType>(op->getResult(result).getType()).getElementType();
  Value acc = emitter.scalar().cast(block.getArgument(0), graphc::scalar::computeType(resultElement));
  SmallVector<AffineExpr> index(spec.resultMap.getResults());
  emitter.store(op.emitTail(emitter, acc, index), 0, index);
  return func;
}

} // namespace

static bool isConstantDim(Value tensor, size_t d) { return graph::getDim(cast<RankedTensorType>(tensor.getType()), unsigned(d)).isConstant(); }

/// Whether the op's maps would hold a symbolic size, which they can't: a dim of the weight, or the extent of one that a convolution pads or a transposed one spreads.
static bool needsSymbolicSize(Operation *op) {
  if (!isa<graph::ConvolutionOp, graph::ConvTransposeOp>(op))
    return false;
  Value x = op->getOperand(0), weight = op->getOperand(1);
  size_t rank = size_t(cast<RankedTensorType>(x.getType()).getRank());
  for (size_t d = 0; d < rank; ++d)
    if (!isConstantDim(weight, d))
      return true;
  if (auto transposed = dyn_cast<graph::ConvTransposeOp>(op); transposed && hasDisjointWindows(transposed))
    return false;
  auto convolution = dyn_cast<graph::ConvolutionOp>(op);
  return llvm::any_of(llvm::seq<size_t>(2, rank), [&](size_t d) { return !isConstantDim(x, d) && (!convolution || convolution.getPadding()[d - 2] > 0); });
}

bool graphc::interpreter::hasKernel(Operation *op) {
  return isa<graph::ElementOpInterface, graph::ContractionOpInterface>(op) && !needsSymbolicSize(op);
}

kernel::FuncOp graphc::interpreter::buildSingleOpKernel(OpBuilder &builder, Operation *op, unsigned result) {
  OpBuilder::InsertionGuard guard(builder);
  if (auto contraction = dyn_cast<graph::ContractionOpInterface>(op))
    return buildContractionKernel(builder, contraction, result);
  return buildElementKernel(builder, cast<graph::ElementOpInterface>(op), result);
}
