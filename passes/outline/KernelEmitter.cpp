// See KernelEmitter.h.
#include "passes/outline/KernelEmitter.h"
#include "ir/support/Check.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::kernel;

/// Puts the builder into a scope for as long as it lives.
class KernelEmitter::Enter {
public:
  Enter(KernelEmitter &emitter, Scope *scope) : emitter(emitter), guard(emitter.builder), saved(emitter.current) {
    emitter.current = scope;
    if (scope->open)
      emitter.builder.setInsertionPoint(scope->open);
    else
      emitter.builder.setInsertionPointToEnd(scope->block);
  }
  ~Enter() { emitter.current = saved; }

private:
  KernelEmitter &emitter;
  OpBuilder::InsertionGuard guard;
  Scope *saved;
};

KernelEmitter::KernelEmitter(MLIRContext *context, Location loc, TypeRange outputs, ArrayRef<graph::DimAttr> gridExtents, IsFused isFused,
                             Rounding rounding)
    : builder(context), loc(loc), isFused(std::move(isFused)), rounding(rounding), simplifier(context), numOutputs(outputs.size()) {
  func = FuncOp::create(builder, loc, "kernel", TypeRange(), outputs, gridExtents);
  outermost = current = addScope(nullptr, &func.getBody().front());
  builder.setInsertionPointToEnd(current->block);
  for (auto [i, extent] : llvm::enumerate(gridExtents))
    grid.push_back(addIndex(func.getGridIndex(i), extent, current));
  rootScalarBuilder = std::make_unique<scalar::ScalarBuilder>(builder, loc);
  scalarBuilder = rootScalarBuilder.get();
}

KernelEmitter::~KernelEmitter() {
  if (!finished)
    func->erase();
}

//===-- scopes, indices, keys --------------------------------------------------------===//

KernelEmitter::Scope *KernelEmitter::addScope(Scope *parent, Block *block) {
  scopes.push_back(std::make_unique<Scope>());
  Scope *scope = scopes.back().get();
  scope->parent = parent;
  scope->block = block;
  scope->depth = parent ? parent->depth + 1 : 0;
  return scope;
}

AffineExpr KernelEmitter::addIndex(Value index, graph::DimAttr extent, Scope *scope) {
  unsigned dim = simplifier.addDim(extent);
  indexValues.push_back(index);
  indexScopes.push_back(scope);
  return getAffineDimExpr(dim, getContext());
}

KernelEmitter::Scope *KernelEmitter::scopeOf(ArrayRef<AffineExpr> exprs) const {
  Scope *scope = outermost;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        scope = innermost(scope, indexScopes[dim.getPosition()]);
    });
  return scope;
}

std::vector<const void *> KernelEmitter::makeKey(const void *what, ArrayRef<AffineExpr> exprs) const {
  std::vector<const void *> key{what};
  for (AffineExpr expr : exprs)
    key.push_back(expr.getAsOpaquePointer());
  key.push_back(nullptr);
  for (auto [expr, isEquality] : llvm::zip(activeMask.expressions, activeMask.isEquality)) {
    key.push_back(expr.getAsOpaquePointer());
    key.push_back(reinterpret_cast<const void *>(uintptr_t(isEquality)));
  }
  return key;
}

AffineMap KernelEmitter::compact(ArrayRef<AffineExpr> exprs, SmallVectorImpl<Value> &operands, ArrayRef<AffineExpr> further) {
  SmallVector<bool> used(simplifier.getNumDims());
  for (AffineExpr expr : llvm::concat<const AffineExpr>(exprs, further))
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        used[dim.getPosition()] = true;
    });
  SmallVector<AffineExpr> replacements(used.size(), getAffineConstantExpr(0, getContext()));
  for (unsigned d = 0; d < used.size(); ++d)
    if (used[d]) {
      replacements[d] = getAffineDimExpr(operands.size(), getContext());
      operands.push_back(indexValues[d]);
    }
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : llvm::concat<const AffineExpr>(exprs, further))
    results.push_back(expr.replaceDims(replacements));
  return AffineMap::get(operands.size(), simplifier.getSymbols().size(), results, getContext());
}

//===-- elements ---------------------------------------------------------------------===//

Value KernelEmitter::element(Value tensor, ArrayRef<AffineExpr> unsimplified) {
  SmallVector<AffineExpr> index = simplifier.simplify(unsimplified);
  Scope *scope = innermost(scopeOf(index), scopeOf(activeMask.expressions));
  std::vector<const void *> key = makeKey(tensor.getAsOpaquePointer(), index);
  if (auto found = scope->memo.find(key); found != scope->memo.end())
    return found->second[0];
  Enter enter(*this, scope);
  Value value = produce(tensor, index, Value());
  scope->memo[key] = {value};
  return value;
}

void KernelEmitter::setElement(Value tensor, ArrayRef<AffineExpr> unsimplified, Value value) {
  SmallVector<AffineExpr> index = simplifier.simplify(unsimplified);
  scopeOf(index)->memo[makeKey(tensor.getAsOpaquePointer(), index)] = {roundResult(tensor, value)};
}

bool KernelEmitter::computes(Value tensor) const {
  Operation *op = tensor.getDefiningOp();
  if (!op || !isa<graph::ElementOpInterface>(op))
    return false;
  auto facts = dyn_cast<graph::GraphOpInterface>(op);
  return isFused(op) || (facts && facts.getFusionKind() == graph::FusionKind::Source);
}

/// The element through its producer or memory, at the current place. `otherwise`: what a masked load gives outside the active mask (null: 0).
Value KernelEmitter::produce(Value tensor, ArrayRef<AffineExpr> index, Value otherwise) {
  if (Value constant = inlineConstant(tensor))
    return constant;
  if (!computes(tensor))
    return load(tensor, index, otherwise);
  auto op = cast<graph::ElementOpInterface>(tensor.getDefiningOp());
  scalar::ScalarBuilder ownBuilder(builder, op->getLoc());
  scalar::ScalarBuilder *saved = std::exchange(scalarBuilder, &ownBuilder);
  Value value = roundResult(tensor, op.emitElement(*this, cast<OpResult>(tensor).getResultNumber(), index));
  scalarBuilder = saved;
  return value;
}

Value KernelEmitter::inlineConstant(Value tensor) {
  DenseElementsAttr value;
  if (!inlinesConstants || !matchPattern(tensor, m_Constant(&value)) || !value.isSplat())
    return {};
  Type type = scalar::computeType(value.getElementType());
  if (isa<FloatType>(type))
    return scalarBuilder->constant(value.getSplatValue<APFloat>().convertToDouble(), type);
  APInt number = value.getSplatValue<APInt>();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  return scalarBuilder->intConstant(isUnsigned ? int64_t(number.getZExtValue()) : number.getSExtValue(), type);
}

Value KernelEmitter::getBuffer(Value tensor) {
  auto *found = llvm::find(inputs, tensor);
  if (found != inputs.end())
    return func.getBody().getArgument(found - inputs.begin());
  inputs.push_back(tensor);
  return func.getBody().insertArgument(unsigned(inputs.size() - 1), tensor.getType(), tensor.getLoc());
}

Value KernelEmitter::roundResult(Value tensor, Value value) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (rounding == Rounding::AtStores || scalar::computeType(element) == element)
    return value;
  if (auto widened = value.getDefiningOp<scalar::CastOp>(); widened && widened.getX().getType() == element)
    return value; // a view of what was rounded before
  return toComputeType(scalarBuilder->cast(value, element));
}

Value KernelEmitter::toComputeType(Value value) { return scalarBuilder->cast(value, scalar::computeType(value.getType())); }

Value KernelEmitter::load(Value tensor, ArrayRef<AffineExpr> index, Value otherwise) {
  Type elementType = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value buffer = getBuffer(tensor);
  llvm::append_range(accesses, index);
  SmallVector<Value> operands;
  AffineMap all = compact(index, operands, activeMask.expressions);
  AffineMap map = AffineMap::get(all.getNumDims(), all.getNumSymbols(), all.getResults().take_front(index.size()), getContext());
  if (activeMask.empty())
    return toComputeType(LoadOp::create(builder, scalarBuilder->getLoc(), elementType, buffer, operands, Value(), AffineMapAttr::get(map),
                                        IntegerSetAttr()));
  IntegerSet mask = IntegerSet::get(all.getNumDims(), all.getNumSymbols(), all.getResults().drop_front(index.size()), activeMask.isEquality);
  Value outside = otherwise ? scalarBuilder->cast(otherwise, elementType) : Value();
  if (!outside) {
    Value zero = scalarBuilder->intConstant(0, scalar::computeType(elementType));
    outside = scalarBuilder->cast(zero, elementType);
  }
  return toComputeType(LoadOp::create(builder, scalarBuilder->getLoc(), elementType, buffer, operands, outside, AffineMapAttr::get(map),
                                      IntegerSetAttr::get(mask)));
}

//===-- masks ------------------------------------------------------------------------===//

std::optional<Mask> KernelEmitter::simplify(const Mask &mask) const {
  Mask result;
  for (auto [expr, isEquality] : llvm::zip(mask.expressions, mask.isEquality)) {
    AffineExpr simple = simplifier.simplify(expr);
    IndexRange range = simplifier.getRange(simple);
    bool always = isEquality ? range.within(0, 0) : range.low && *range.low >= 0;
    bool never = (range.high && *range.high < 0) || (isEquality && range.low && *range.low > 0);
    if (never)
      return std::nullopt;
    if (always)
      continue;
    result.expressions.push_back(simple);
    result.isEquality.push_back(isEquality);
  }
  return result;
}

static bool isZero(Value value) {
  if (auto cast = value.getDefiningOp<scalar::CastOp>())
    value = cast.getX();
  auto constant = value.getDefiningOp<scalar::ConstantOp>();
  if (!constant)
    return false;
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return number.getValue().isPosZero();
  auto number = dyn_cast<IntegerAttr>(constant.getValue());
  return number && number.getValue().isZero();
}

LoadOp graphc::getLoad(Value value) {
  if (auto cast = value.getDefiningOp<scalar::CastOp>(); cast && scalar::computeType(cast.getX().getType()) == cast.getType())
    value = cast.getX();
  return value.getDefiningOp<LoadOp>();
}

Value KernelEmitter::maskedElement(Value tensor, ArrayRef<AffineExpr> unsimplified, const Mask &wanted, Value otherwise) {
  std::optional<Mask> mask = simplify(wanted);
  if (!mask)
    return otherwise;
  if (mask->empty())
    return element(tensor, unsimplified);
  SmallVector<AffineExpr> index = simplifier.simplify(unsimplified);
  Mask saved = activeMask;
  activeMask.expressions.append(mask->expressions);
  activeMask.isEquality.append(mask->isEquality);
  bool direct = !computes(tensor) && !inlineConstant(tensor);
  // A direct load takes `otherwise`, which may live in the current scope: no hoisting, no sharing.
  Value value = direct ? load(tensor, index, otherwise) : element(tensor, index);
  activeMask = saved;
  LoadOp loaded = getLoad(value);
  if (direct || (loaded && loaded.getMask() && isZero(loaded.getOtherwise()) && isZero(otherwise)))
    return value;
  return scalarBuilder->select(holds(*mask), value, otherwise);
}

Value KernelEmitter::holds(const Mask &wanted) {
  std::optional<Mask> mask = simplify(wanted);
  Type i1 = builder.getI1Type();
  if (!mask || mask->empty())
    return scalarBuilder->intConstant(mask ? 1 : 0, i1);
  Value all;
  for (auto [expr, isEquality] : llvm::zip(mask->expressions, mask->isEquality)) {
    Value coordinate = indexValue(expr);
    Value zero = scalarBuilder->intConstant(0, coordinate.getType());
    Value one = scalarBuilder->compare(isEquality ? scalar::Predicate::eq : scalar::Predicate::ge, coordinate, zero);
    all = all ? scalarBuilder->bitAnd(all, one) : one;
  }
  return all;
}

//===-- reductions and indices --------------------------------------------------------===//

SmallVector<Value> KernelEmitter::reduce(ArrayRef<graph::DimAttr> extents, ArrayRef<Monoid> monoids, ArrayRef<AffineExpr> free,
                                         const void *key, std::function<SmallVector<Value>(ArrayRef<AffineExpr>)> body) {
  SmallVector<AffineExpr> freeIndex = simplifier.simplify(free);
  Scope *scope = innermost(scopeOf(freeIndex), scopeOf(activeMask.expressions));
  std::vector<const void *> memoKey = makeKey(key, freeIndex);
  if (auto found = scope->memo.find(memoKey); found != scope->memo.end())
    return found->second;
  Enter enter(*this, scope);
  Location opLoc = scalarBuilder->getLoc();
  ReduceOp draft = createReduce(builder, opLoc, extents, monoids, {});
  Operation *savedOpen = std::exchange(scope->open, draft.getOperation());
  SmallVector<Value> yielded;
  {
    Scope *inner = addScope(scope, &draft.getBody().front());
    SmallVector<AffineExpr> indices;
    for (auto [argument, extent] : llvm::zip(inner->block->getArguments(), extents))
      indices.push_back(addIndex(argument, extent, inner));
    Enter enterBody(*this, inner);
    yielded = body(indices);
    YieldOp::create(builder, opLoc, yielded);
  }
  scope->open = savedOpen;
  // Now the result types are known.
  ReduceOp op = ReduceOp::create(builder, opLoc, ValueRange(yielded).getTypes(), draft.getExtents(), draft.getMonoids());
  op.getBody().takeBody(draft.getBody());
  draft->erase();
  if (scope == outermost) {
    SmallVector<bool> uses(grid.size());
    for (AffineExpr expr : freeIndex)
      expr.walk([&](AffineExpr part) {
        auto dim = dyn_cast<AffineDimExpr>(part);
        if (dim && dim.getPosition() < grid.size())
          uses[dim.getPosition()] = true;
        else if (dim) // a checked index may depend on any of them
          uses.assign(uses.size(), true);
      });
    reductions.push_back(uses);
  }
  SmallVector<Value> results(op.getResults());
  scope->memo[memoKey] = results;
  return results;
}

AffineExpr KernelEmitter::checkIndex(Value value, graph::DimAttr extent, bool wrapNegative) {
  SmallVector<AffineExpr> none;
  std::vector<const void *> key = makeKey(value.getAsOpaquePointer(), none);
  key.push_back(extent.getAsOpaquePointer());
  key.push_back(reinterpret_cast<const void *>(uintptr_t(wrapNegative)));
  Value index;
  for (Scope *scope = current; scope && !index; scope = scope->parent)
    if (auto found = scope->memo.find(key); found != scope->memo.end())
      index = found->second[0];
  if (index)
    return getAffineDimExpr(llvm::find(indexValues, index) - indexValues.begin(), getContext());
  index = CheckIndexOp::create(builder, scalarBuilder->getLoc(), builder.getIndexType(), value, extent, wrapNegative);
  current->memo[key] = {index};
  return addIndex(index, extent, current);
}

Value KernelEmitter::indexValue(AffineExpr unsimplified) {
  AffineExpr index = simplifier.simplify(unsimplified);
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return scalarBuilder->intConstant(constant.getValue(), builder.getI64Type());
  SmallVector<Value> operands;
  AffineMap map = compact({index}, operands);
  return IndexValueOp::create(builder, scalarBuilder->getLoc(), builder.getI64Type(), operands, map);
}

//===-- stages, stores, the end --------------------------------------------------------===//

SmallVector<AffineExpr> KernelEmitter::openMap(ArrayRef<graph::DimAttr> extents) {
  MapOp map = createMap(builder, loc, extents);
  current->open = map;
  current = addScope(current, &map.getBody().front());
  SmallVector<AffineExpr> indices;
  for (auto [argument, extent] : llvm::zip(current->block->getArguments(), extents))
    indices.push_back(addIndex(argument, extent, current));
  builder.setInsertionPointToEnd(current->block);
  return indices;
}

void KernelEmitter::store(Value value, unsigned number, ArrayRef<AffineExpr> index) {
  Value buffer = func.getBody().getArgument(inputs.size() + number);
  Type elementType = cast<RankedTensorType>(buffer.getType()).getElementType();
  auto widened = value.getDefiningOp<scalar::CastOp>();
  bool isWidened = widened && widened.getX().getType() == elementType && scalar::computeType(elementType) == value.getType();
  Value element = isWidened ? widened.getX() : scalarBuilder->cast(value, elementType);
  SmallVector<Value> operands;
  AffineMap map = compact(simplifier.simplify(index), operands);
  StoreOp::create(builder, loc, element, buffer, operands, map, IntegerSetAttr());
}

/// What nothing asks for any more, last first.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDead(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

FuncOp KernelEmitter::finish(StringRef name) {
  eraseDead(func.getBody().front());
  for (size_t i = inputs.size(); i-- > 0;)
    if (func.getBody().getArgument(i).use_empty()) {
      func.getBody().eraseArgument(i);
      inputs.erase(inputs.begin() + i);
    }
  func.setInputTypesAttr(builder.getTypeArrayAttr(ValueRange(inputs).getTypes()));
  SmallVector<Attribute> symbols(simplifier.getSymbols().begin(), simplifier.getSymbols().end());
  func.setSymbolsAttr(builder.getArrayAttr(symbols));
  func.setSymName(name);
  finished = true;
  return func;
}

//===-- contractions --------------------------------------------------------------------===//

std::optional<SmallVector<AffineExpr>> graphc::renumber(ArrayRef<AffineExpr> exprs, ValueRange operands, ArrayRef<Value> order) {
  MLIRContext *context = exprs.empty() ? nullptr : exprs[0].getContext();
  SmallVector<AffineExpr> replacements, results;
  for (Value operand : operands) {
    auto *found = llvm::find(order, operand);
    if (found == order.end())
      return std::nullopt;
    replacements.push_back(getAffineDimExpr(found - order.begin(), context));
  }
  for (AffineExpr expr : exprs)
    results.push_back(expr.replaceDims(replacements));
  return results;
}

KernelEmitter::Contraction KernelEmitter::openContraction(const ContractionSpec &spec) {
  MLIRContext *context = getContext();
  // The operands' elements over (m, n, k) in a draft, to see what they load.
  unsigned numM = spec.m.size(), numN = spec.n.size(), numK = spec.k.size(), numGrid = grid.size();
  SmallVector<graph::DimAttr> extents(spec.m);
  extents.append(spec.n);
  extents.append(spec.k);
  MapOp draft = createMap(builder, loc, extents);
  Scope *savedOutermost = outermost, *inner = addScope(outermost, &draft.getBody().front());
  outermost = inner; // nothing may land beside the contraction
  SmallVector<AffineExpr> indices;
  for (auto [argument, extent] : llvm::zip(inner->block->getArguments(), extents))
    indices.push_back(addIndex(argument, extent, inner));
  auto over = [&](unsigned first, unsigned count) {
    SmallVector<AffineExpr> all(grid);
    all.append(indices.begin() + first, indices.begin() + first + count);
    all.append(indices.begin() + numM + numN, indices.end());
    return all;
  };
  SmallVector<AffineExpr> lhsDims = over(0, numM), rhsDims = over(numM, numN);
  auto apply = [](ArrayRef<AffineExpr> exprs, ArrayRef<AffineExpr> dims) {
    return llvm::map_to_vector(exprs, [&](AffineExpr expr) { return expr.replaceDims(dims); });
  };
  LoadOp lhs, rhs;
  {
    Enter enter(*this, inner);
    Mask mask{apply(spec.lhsMask.expressions, lhsDims), spec.lhsMask.isEquality};
    Type lhsType = scalar::computeType(cast<RankedTensorType>(spec.lhs.getType()).getElementType());
    Value zero = scalarBuilder->intConstant(0, lhsType);
    bool saved = std::exchange(inlinesConstants, false);
    lhs = getLoad(maskedElement(spec.lhs, apply(spec.lhsMap.getResults(), lhsDims), mask, zero));
    rhs = getLoad(element(spec.rhs, apply(spec.rhsMap.getResults(), rhsDims)));
    inlinesConstants = saved;
  }
  auto valuesOf = [&](ArrayRef<AffineExpr> dims) {
    return llvm::map_to_vector(dims, [&](AffineExpr dim) { return indexValues[cast<AffineDimExpr>(dim).getPosition()]; });
  };
  std::optional<SmallVector<AffineExpr>> lhsMap, rhsMap, lhsMask;
  if (lhs && rhs && !rhs.getMask() && (!lhs.getMask() || isZero(lhs.getOtherwise()))) {
    lhsMap = renumber(lhs.getMap().getResults(), lhs.getIndices(), valuesOf(lhsDims));
    rhsMap = renumber(rhs.getMap().getResults(), rhs.getIndices(), valuesOf(rhsDims));
    if (lhs.getMask())
      lhsMask = renumber(lhs.getMask()->getConstraints(), lhs.getIndices(), valuesOf(lhsDims));
  }
  outermost = savedOutermost;
  if (!lhsMap || !rhsMap || (lhs.getMask() && !lhsMask)) {
    draft->erase();
    return {};
  }
  unsigned symbols = simplifier.getSymbols().size();
  AffineMap lhsAccess = AffineMap::get(numGrid + numM + numK, symbols, *lhsMap, context);
  AffineMap rhsAccess = AffineMap::get(numGrid + numN + numK, symbols, *rhsMap, context);
  IntegerSetAttr maskAttr;
  if (lhsMask)
    maskAttr = IntegerSetAttr::get(IntegerSet::get(numGrid + numM + numK, symbols, *lhsMask, lhs.getMask()->getEqFlags()));
  auto dims = [&](ArrayRef<graph::DimAttr> list) { return builder.getArrayAttr(SmallVector<Attribute>(list.begin(), list.end())); };
  auto op = ContractOp::create(builder, loc, lhs.getBuffer(), rhs.getBuffer(), dims(spec.m), dims(spec.n), dims(spec.k), lhsAccess,
                               rhsAccess, maskAttr);
  draft->erase();
  return openEpilogue(op, spec);
}

/// The type a contraction of `type` elements accumulates in.
static Type accumulatorType(Type type) {
  if (isa<FloatType>(type))
    return scalar::computeType(type);
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth() <= 8 ? 32 : 64);
}

KernelEmitter::Contraction KernelEmitter::openEpilogue(ContractOp op, const ContractionSpec &spec) {
  Block &block = op.getBody().emplaceBlock();
  Type element = cast<RankedTensorType>(op.getLhs().getType()).getElementType();
  Contraction result{op, block.addArgument(accumulatorType(element), loc), grid};
  current->open = op;
  outermost = current = addScope(current, &block);
  for (graph::DimAttr extent : llvm::concat<const graph::DimAttr>(spec.m, spec.n))
    result.index.push_back(addIndex(block.addArgument(builder.getIndexType(), loc), extent, current));
  builder.setInsertionPointToEnd(&block);
  return result;
}
