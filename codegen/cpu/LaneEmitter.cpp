// See LaneEmitter.h.
#include "codegen/cpu/LaneEmitter.h"
#include "ir/scalar/Scalar.h"
#include "ir/support/Check.h"

#include "llvm/IR/Intrinsics.h"

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

llvm::Type *graphc::cpu::memoryType(llvm::LLVMContext &context, mlir::Type type) {
  if (type.isInteger(1))
    return llvm::Type::getInt8Ty(context);
  return registerType(context, type);
}

llvm::Type *graphc::cpu::registerType(llvm::LLVMContext &context, mlir::Type type) {
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  if (type.isIndex())
    return llvm::Type::getInt64Ty(context);
  return llvm::Type::getIntNTy(context, type.getIntOrFloatBitWidth());
}

unsigned graphc::cpu::elementBytes(mlir::Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

Value *LaneEmitter::value(mlir::Value v) {
  auto it = values.find(v);
  if (it != values.end())
    return it->second;
  GRAPHC_CHECK(v.getType().isIndex(), "a kernel value is used before it is emitted");
  return materialize(indices[space.id(v)]);
}

void LaneEmitter::emitOp(mlir::Operation *op) {
  if (auto load = llvm::dyn_cast<kernel::LoadOp>(op)) {
    const IndexAccess &access = space.access(op);
    Value *otherwise = load.getOtherwise() ? value(load.getOtherwise()) : nullptr;
    Value *condition = holds(access.constraints);
    setValue(load, this->load(load.getType(), bufferOf(load.getBuffer()), evaluate(access.offset), condition, otherwise));
  } else if (auto store = llvm::dyn_cast<kernel::StoreOp>(op)) {
    const IndexAccess &access = space.access(op);
    Value *condition = holds(access.constraints);
    this->store(store.getValue().getType(), value(store.getValue()), bufferOf(store.getBuffer()), evaluate(access.offset), condition);
  } else if (auto index = llvm::dyn_cast<kernel::IndexValueOp>(op)) {
    Value *lanes = materialize(evaluate(space.access(op).offset));
    setValue(index, b.CreateSExt(lanes, lanes->getType()->getWithNewType(b.getInt64Ty())));
  } else if (auto check = llvm::dyn_cast<kernel::CheckIndexOp>(op)) {
    emitCheckIndex(check);
  } else {
    llvm::SmallVector<Value *> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(value(operand));
    setValue(op->getResult(0), emitScalarOp(f, op, operands, mask));
  }
}

Value *LaneEmitter::bufferOf(mlir::Value buffer) { return f.buffer(llvm::cast<mlir::BlockArgument>(buffer).getArgNumber()); }

Value *LaneEmitter::andMask(Value *a, Value *c) {
  if (!a || !c)
    return a ? a : c;
  if (a->getType()->isVectorTy() || c->getType()->isVectorTy())
    a = f.splat(a, width), c = f.splat(c, width);
  return b.CreateAnd(a, c);
}

void LaneEmitter::vectorLoop(Value *low, Value *high, unsigned lanesPerStep, bool isWhole, llvm::function_ref<void(IndexLanes)> body) {
  unsigned oldWidth = std::exchange(width, lanesPerStep);
  Value *oldMask = std::exchange(mask, nullptr);
  Value *length = b.CreateSub(high, low);
  Value *end = isWhole ? high : b.CreateAdd(low, b.CreateAnd(length, f.i64(-int64_t(lanesPerStep))));
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(length);
  if (!known || known->getSExtValue() >= lanesPerStep)
    f.forLoop(f.opaque(low), end, f.i64(lanesPerStep), [&](Value *i) { body(IndexLanes::consecutive(i, f.i64(1))); });
  Value *rest = b.CreateSub(high, end);
  f.ifThen(isWhole ? b.getFalse() : b.CreateICmpSGT(rest, f.i64(0)), [&] {
    mask = f.firstLanes(rest, width);
    body(IndexLanes::consecutive(f.opaque(end), f.i64(1)));
  });
  width = oldWidth;
  mask = oldMask;
}

//===-- indices ------------------------------------------------------------------===//

Value *LaneEmitter::materialize(const IndexLanes &lanes) {
  if (lanes.lanes)
    return lanes.lanes;
  if (!lanes.step)
    return lanes.base;
  Value *steps = b.CreateMul(f.iota(width, 64), f.splat(lanes.step, width));
  return b.CreateAdd(f.splat(lanes.base, width), steps);
}

IndexLanes LaneEmitter::evaluate(const IndexForm &form) {
  Value *base = f.dim(form.constant), *step = nullptr, *lanes = nullptr;
  for (const IndexForm::Term &term : form.terms) {
    IndexLanes atom = evaluateAtom(term.atom);
    Value *c = f.dim(term.coefficient);
    if (atom.lanes) {
      Value *wide = b.CreateSExt(atom.lanes, llvm::VectorType::get(b.getInt64Ty(), width, false));
      wide = b.CreateMul(wide, f.splat(c, width));
      lanes = lanes ? b.CreateAdd(lanes, wide) : wide;
      continue;
    }
    base = b.CreateAdd(base, b.CreateMul(atom.base, c));
    if (!atom.step)
      continue;
    Value *scaled = b.CreateMul(atom.step, c);
    step = step ? b.CreateAdd(step, scaled) : scaled;
  }
  if (!lanes)
    return {base, step, nullptr};
  lanes = b.CreateAdd(lanes, materialize({f.splat(base, width), nullptr, nullptr}));
  if (step)
    lanes = b.CreateAdd(lanes, b.CreateMul(f.iota(width, 64), f.splat(step, width)));
  std::optional<IndexRange> range = space.range(form);
  if (range && range->low > INT32_MIN && range->high < INT32_MAX)
    lanes = b.CreateTrunc(lanes, llvm::VectorType::get(b.getInt32Ty(), width, false));
  return {nullptr, nullptr, lanes};
}

IndexLanes LaneEmitter::evaluateAtom(const IndexAtom &atom) {
  if (atom.kind == IndexAtom::Index) {
    auto it = indices.find(atom.index);
    GRAPHC_CHECK(it != indices.end(), "an index of a kernel is used outside its loop");
    return it->second;
  }
  IndexLanes inner = evaluate(*atom.inner);
  Value *divisor = f.dim(atom.divisor), *x = inner.isUniform() ? inner.base : materialize(inner);
  std::optional<IndexRange> range = space.range(*atom.inner);
  bool isNatural = range && range->low >= 0;
  if (!inner.isUniform()) {
    if (isNatural && range->high < INT32_MAX && atom.divisor.isConstant()) // 32-bit lanes divide by a constant quickly
      x = b.CreateTrunc(x, llvm::VectorType::get(b.getInt32Ty(), width, false));
    divisor = f.splat(b.CreateTrunc(divisor, x->getType()->getScalarType()), width);
  }
  bool isDiv = atom.kind == IndexAtom::FloorDiv;
  Value *result;
  if (isNatural) {
    result = isDiv ? b.CreateUDiv(x, divisor) : b.CreateURem(x, divisor);
  } else {
    Value *quotient = b.CreateSDiv(x, divisor), *rest = b.CreateSub(x, b.CreateMul(quotient, divisor));
    Value *isNegative = b.CreateICmpSLT(rest, llvm::Constant::getNullValue(rest->getType()));
    result = isDiv ? b.CreateSub(quotient, b.CreateZExt(isNegative, quotient->getType()))
                   : b.CreateAdd(rest, b.CreateSelect(isNegative, divisor, llvm::Constant::getNullValue(rest->getType())));
  }
  return inner.isUniform() ? IndexLanes::uniform(result) : IndexLanes{nullptr, nullptr, result};
}

Value *LaneEmitter::holds(llvm::ArrayRef<std::pair<IndexForm, bool>> constraints) {
  Value *result = nullptr;
  for (auto &[form, isEquality] : constraints) {
    std::optional<IndexRange> range = space.range(form);
    if (range && range->low >= 0 && !isEquality)
      continue; // holds for every index
    Value *lanes = materialize(evaluate(form));
    if (range && range->low > INT32_MIN && range->high < INT32_MAX && lanes->getType()->isVectorTy()) // half the registers
      lanes = b.CreateTrunc(lanes, lanes->getType()->getWithNewType(b.getInt32Ty()));
    Value *zero = llvm::Constant::getNullValue(lanes->getType());
    result = andMask(result, isEquality ? b.CreateICmpEQ(lanes, zero) : b.CreateICmpSGE(lanes, zero));
  }
  return result;
}

//===-- memory --------------------------------------------------------------------===//

Value *LaneEmitter::pointers(llvm::Type *type, Value *base, const IndexLanes &offset) {
  return b.CreateGEP(type, base, offset.isUniform() ? offset.base : materialize(offset));
}

/// Reads one element; where the condition does not hold, a stack slot of no interest.
Value *LaneEmitter::loadScalar(llvm::Type *type, Value *pointer, Value *condition) {
  if (condition) {
    llvm::AllocaInst *nothing = f.slot(type);
    b.CreateStore(llvm::Constant::getNullValue(type), nothing);
    pointer = b.CreateSelect(condition, pointer, nothing);
  }
  return b.CreateAlignedLoad(type, pointer, llvm::Align(type->getScalarSizeInBits() / 8));
}

/// `pointer` where any lane is on, else a stack slot: an access with all lanes off is right anywhere, but takes the processor hundreds of cycles where
/// no page is mapped.
Value *LaneEmitter::orNothing(Value *pointer, llvm::Type *type, Value *on) {
  Value *any = f.intrinsic(llvm::Intrinsic::vector_reduce_or, {on->getType()}, {on});
  return b.CreateSelect(any, pointer, f.slot(type));
}

Value *LaneEmitter::load(mlir::Type type, Value *base, const IndexLanes &offset, Value *condition, Value *otherwise) {
  llvm::Type *element = memoryType(b.getContext(), type);
  bool isBool = type.isInteger(1);
  if (otherwise && isBool)
    otherwise = b.CreateZExt(otherwise, otherwise->getType()->getWithNewType(element));
  Value *result;
  bool isVaryingCondition = condition && condition->getType()->isVectorTy();
  if (offset.isUniform()) {
    Value *any = isVaryingCondition ? f.intrinsic(llvm::Intrinsic::vector_reduce_or, {condition->getType()}, {andMask(condition, mask)}) : condition;
    result = loadScalar(element, pointers(element, base, offset), any);
    if (condition && (isVaryingCondition || otherwise->getType()->isVectorTy()))
      result = b.CreateSelect(f.splat(condition, width), f.splat(result, width), f.splat(otherwise, width));
    else if (condition)
      result = b.CreateSelect(condition, result, otherwise);
  } else {
    result = loadLanes(element, base, offset, condition, otherwise ? f.splat(otherwise, width) : nullptr);
  }
  return isBool ? b.CreateICmpNE(result, llvm::Constant::getNullValue(result->getType())) : result;
}

Value *LaneEmitter::loadLanes(llvm::Type *element, Value *base, const IndexLanes &offset, Value *condition, Value *otherwise) {
  auto *type = llvm::VectorType::get(element, width, false);
  Value *on = andMask(mask, condition);
  if (on)
    on = f.splat(on, width);
  if (!otherwise)
    otherwise = llvm::Constant::getNullValue(type);
  auto *step = llvm::dyn_cast_or_null<llvm::ConstantInt>(offset.step);
  llvm::Align align(element->getScalarSizeInBits() / 8);
  if (!step || !step->isOne())
    return gather(type, pointers(element, base, offset), on, otherwise);
  Value *pointer = b.CreateGEP(element, base, offset.base);
  if (condition)
    pointer = orNothing(pointer, type, on);
  if (on)
    return b.CreateMaskedLoad(type, pointer, align, on, otherwise);
  return b.CreateAlignedLoad(type, pointer, align);
}

Value *LaneEmitter::gather(llvm::Type *type, Value *pointers, Value *on, Value *otherwise) {
  llvm::Type *element = type->getScalarType();
  llvm::Align align(element->getScalarSizeInBits() / 8);
  bool isNative = element->getScalarSizeInBits() >= 32;
  if (!on || isNative)
    return b.CreateMaskedGather(type, pointers, align, on, otherwise);
  // No instruction gathers these: all lanes read, the ones that are off from a slot of no interest, so that no branches are needed.
  llvm::AllocaInst *nothing = f.slot(element);
  b.CreateStore(llvm::Constant::getNullValue(element), nothing);
  Value *safe = b.CreateSelect(on, pointers, f.splat(nothing, width));
  return b.CreateSelect(on, b.CreateMaskedGather(type, safe, align), otherwise);
}

void LaneEmitter::store(mlir::Type type, Value *value, Value *base, const IndexLanes &offset, Value *condition) {
  llvm::Type *element = memoryType(b.getContext(), type);
  if (type.isInteger(1))
    value = b.CreateZExt(value, value->getType()->getWithNewType(element));
  llvm::Align align(element->getScalarSizeInBits() / 8);
  if (offset.isUniform()) {
    // Only where the vectorised index has extent 1: its element is lane 0's, if that is on.
    condition = andMask(mask, condition);
    if (value->getType()->isVectorTy())
      value = b.CreateExtractElement(value, uint64_t(0));
    if (condition && condition->getType()->isVectorTy())
      condition = b.CreateExtractElement(condition, uint64_t(0));
    f.ifThen(condition ? condition : b.getTrue(), [&] { b.CreateAlignedStore(value, pointers(element, base, offset), align); });
    return;
  }
  value = f.splat(value, width);
  Value *on = andMask(mask, condition);
  if (on)
    on = f.splat(on, width);
  auto *step = llvm::dyn_cast_or_null<llvm::ConstantInt>(offset.step);
  if (!step || !step->isOne()) {
    b.CreateMaskedScatter(value, pointers(element, base, offset), align, on);
    return;
  }
  Value *pointer = b.CreateGEP(element, base, offset.base);
  if (condition)
    pointer = orNothing(pointer, value->getType(), on);
  if (on)
    b.CreateMaskedStore(value, pointer, align, on);
  else
    b.CreateAlignedStore(value, pointer, align);
}

//===-- checked indices -------------------------------------------------------------===//

void graphc::cpu::reportLanes(FunctionBuilder &f, Value *bad, graphc_status_code code, Value *value, Value *extent) {
  llvm::IRBuilder<> &b = f.b;
  if (!bad->getType()->isVectorTy()) {
    f.ifThen(bad, [&] { f.report(code, value, extent); }, /*rare=*/true);
    return;
  }
  unsigned width = llvm::cast<llvm::FixedVectorType>(bad->getType())->getNumElements();
  Value *any = f.intrinsic(llvm::Intrinsic::vector_reduce_or, {bad->getType()}, {bad});
  f.ifThen(any, [&] {
    Value *bits = b.CreateBitCast(bad, b.getIntNTy(width));
    Value *first = f.intrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, b.getTrue()});
    first = b.CreateZExtOrTrunc(first, b.getInt64Ty());
    f.report(code, value->getType()->isVectorTy() ? b.CreateExtractElement(value, first) : value, extent);
  }, /*rare=*/true);
}

void LaneEmitter::emitCheckIndex(kernel::CheckIndexOp op) {
  Value *index = value(op.getValue()), *extent = f.dim(op.getExtent());
  mlir::Type type = op.getValue().getType();
  llvm::Type *wide = index->getType()->getWithNewType(b.getInt64Ty());
  index = type.isUnsignedInteger() ? b.CreateZExt(index, wide) : b.CreateSExt(index, wide);
  bool isVarying = wide->isVectorTy();
  Value *limit = isVarying ? f.splat(extent, width) : extent, *zero = llvm::Constant::getNullValue(wide);
  Value *wrapped = index;
  if (op.getWrap())
    wrapped = b.CreateSelect(b.CreateICmpSLT(index, zero), b.CreateAdd(index, limit), index);
  Value *bad = b.CreateICmpUGE(wrapped, limit);
  Value *counted = isVarying && mask ? b.CreateAnd(bad, mask) : bad;
  reportLanes(f, counted, GRAPHC_STATUS_INDEX_OUT_OF_RANGE, index, extent);
  if (!op.getExtent().isConstant() || op.getExtent().getValue() == 0) // nothing to clamp to in an empty dim: the run has failed
    f.returnIf(b.CreateICmpEQ(extent, f.i64(0)));
  Value *clamped = b.CreateSelect(b.CreateICmpSLT(wrapped, zero), zero, b.CreateSub(limit, llvm::ConstantInt::get(wide, 1)));
  Value *safe = b.CreateSelect(bad, clamped, wrapped);
  unsigned id = space.id(op.getResult());
  if (!isVarying) {
    setIndex(id, IndexLanes::uniform(safe));
    return;
  }
  if (op.getExtent().isConstant() && op.getExtent().getValue() < INT32_MAX)
    safe = b.CreateTrunc(safe, llvm::VectorType::get(b.getInt32Ty(), width, false));
  setIndex(id, {nullptr, nullptr, safe});
}
