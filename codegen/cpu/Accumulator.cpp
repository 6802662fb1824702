// See Accumulator.h.
#include "codegen/cpu/Accumulator.h"
#include "ir/support/Check.h"

#include "llvm/IR/Intrinsics.h"

using namespace graphc;
using namespace graphc::cpu;
using kernel::Monoid;
using llvm::Value;

Accumulator::Accumulator(FunctionBuilder &f, kernel::ReduceOp op, unsigned width) : f(f), b(f.b), width(width) {
  unsigned result = 0;
  for (Monoid monoid : kernel::getMonoids(op)) {
    Part part{monoid, {}};
    for (unsigned k = 0; k < kernel::getArity(monoid); ++k) {
      mlir::Type type = op.getResultTypes()[result++];
      part.types.push_back(type);
      llvm::Type *element = registerType(b.getContext(), type);
      llvm::Constant *start;
      if (k == 1) { // beyond every index, so that the first element wins
        start = llvm::ConstantInt::get(element, llvm::APInt::getSignedMaxValue(element->getIntegerBitWidth()));
      } else {
        mlir::TypedAttr neutral = kernel::getNeutralElement(monoid, type);
        if (auto value = llvm::dyn_cast<mlir::FloatAttr>(neutral))
          start = llvm::ConstantFP::get(element, value.getValue());
        else
          start = llvm::ConstantInt::get(element, llvm::cast<mlir::IntegerAttr>(neutral).getValue());
      }
      Value *lanes = f.splat(start, width);
      slots.push_back(f.slot(lanes->getType()));
      b.CreateStore(lanes, slots.back());
    }
    parts.push_back(part);
  }
}

Value *Accumulator::combineValue(Monoid monoid, mlir::Type type, Value *a, Value *x) {
  bool isFloat = llvm::isa<mlir::FloatType>(type), isBool = type.isInteger(1), isUnsigned = isBool || type.isUnsignedInteger();
  switch (monoid) {
  case Monoid::sum: return isFloat ? b.CreateFAdd(a, x) : isBool ? b.CreateOr(a, x) : b.CreateAdd(a, x);
  case Monoid::prod: return isFloat ? b.CreateFMul(a, x) : isBool ? b.CreateAnd(a, x) : b.CreateMul(a, x);
  case Monoid::any: return b.CreateOr(a, x);
  case Monoid::all: return b.CreateAnd(a, x);
  default: break;
  }
  bool isMax = monoid == Monoid::max;
  if (!isFloat) {
    auto id = isMax ? (isUnsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax) : isUnsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin;
    return b.CreateBinaryIntrinsic(id, a, x);
  }
  Value *other = b.CreateSelect(isMax ? b.CreateFCmpOGT(a, x) : b.CreateFCmpOLT(a, x), a, x); // x where either is NaN
  return b.CreateSelect(b.CreateFCmpUNO(a, a), a, other);
}

/// Whether the pair x replaces the pair a: more extreme, or as extreme and earlier; NaN is the extreme.
Value *Accumulator::isBetter(const Part &part, llvm::ArrayRef<Value *> a, llvm::ArrayRef<Value *> x) {
  bool isMax = part.monoid == Monoid::argmax;
  Value *isEarlier = b.CreateICmpSLT(x[1], a[1]);
  if (!llvm::isa<mlir::FloatType>(part.types[0])) {
    bool isUnsigned = part.types[0].isUnsignedInteger() || part.types[0].isInteger(1);
    auto predicate = isMax ? (isUnsigned ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_SGT)
                           : (isUnsigned ? llvm::CmpInst::ICMP_ULT : llvm::CmpInst::ICMP_SLT);
    return b.CreateOr(b.CreateICmp(predicate, x[0], a[0]), b.CreateAnd(b.CreateICmpEQ(x[0], a[0]), isEarlier));
  }
  Value *aNan = b.CreateFCmpUNO(a[0], a[0]), *xNan = b.CreateFCmpUNO(x[0], x[0]);
  Value *beyond = isMax ? b.CreateFCmpOGT(x[0], a[0]) : b.CreateFCmpOLT(x[0], a[0]);
  beyond = b.CreateOr(beyond, b.CreateAnd(xNan, b.CreateNot(aNan)));
  Value *equal = b.CreateOr(b.CreateFCmpOEQ(x[0], a[0]), b.CreateAnd(xNan, aNan));
  return b.CreateOr(beyond, b.CreateAnd(equal, isEarlier));
}

llvm::SmallVector<Value *, 2> Accumulator::combine(const Part &part, llvm::ArrayRef<Value *> a, llvm::ArrayRef<Value *> x) {
  if (part.types.size() == 1)
    return {combineValue(part.monoid, part.types[0], a[0], x[0])};
  Value *better = isBetter(part, a, x);
  return {b.CreateSelect(better, x[0], a[0]), b.CreateSelect(better, x[1], a[1])};
}

void Accumulator::add(llvm::ArrayRef<Value *> yielded, Value *mask) {
  unsigned first = 0;
  for (const Part &part : parts) {
    llvm::SmallVector<Value *, 2> old, next;
    for (unsigned k = 0; k < part.types.size(); ++k) {
      old.push_back(b.CreateLoad(slots[first + k]->getAllocatedType(), slots[first + k]));
      next.push_back(f.splat(yielded[first + k], width));
    }
    next = combine(part, old, next);
    for (unsigned k = 0; k < part.types.size(); ++k)
      b.CreateStore(mask && width ? b.CreateSelect(mask, next[k], old[k]) : next[k], slots[first + k]);
    first += part.types.size();
  }
}

bool Accumulator::wantsBlocks() const {
  return llvm::any_of(parts, [](const Part &part) { return part.isFloatSum(); });
}

void Accumulator::startBlocks() {
  totals.assign(slots.size(), nullptr);
  unsigned first = 0;
  for (const Part &part : parts) {
    if (part.isFloatSum()) {
      llvm::Type *type = slots[first]->getAllocatedType();
      totals[first] = f.slot(type);
      b.CreateStore(b.CreateLoad(type, slots[first]), totals[first]);
    }
    first += part.types.size();
  }
}

void Accumulator::endBlock() {
  for (auto [slot, total] : llvm::zip_equal(slots, totals)) {
    if (!total)
      continue;
    llvm::Type *type = slot->getAllocatedType();
    b.CreateStore(b.CreateFAdd(b.CreateLoad(type, total), b.CreateLoad(type, slot)), total);
    b.CreateStore(llvm::Constant::getNullValue(type), slot);
  }
}

llvm::SmallVector<Value *> Accumulator::finish(bool foldLanes) {
  llvm::SmallVector<Value *> results;
  unsigned first = 0;
  for (const Part &part : parts) {
    llvm::SmallVector<Value *, 2> lanes;
    for (unsigned k = 0; k < part.types.size(); ++k) {
      llvm::AllocaInst *slot = totals.empty() || !totals[first + k] ? slots[first + k] : totals[first + k];
      lanes.push_back(b.CreateLoad(slot->getAllocatedType(), slot));
    }
    first += part.types.size();
    for (unsigned n = width; foldLanes && n > 1; n /= 2) {
      llvm::SmallVector<Value *, 2> low, high;
      for (Value *v : lanes) {
        llvm::SmallVector<int> lowMask, highMask;
        for (unsigned i = 0; i < n / 2; ++i)
          lowMask.push_back(i), highMask.push_back(n / 2 + i);
        low.push_back(b.CreateShuffleVector(v, lowMask));
        high.push_back(b.CreateShuffleVector(v, highMask));
      }
      lanes = combine(part, low, high);
    }
    for (Value *v : lanes)
      results.push_back(foldLanes && width ? b.CreateExtractElement(v, uint64_t(0)) : v);
  }
  return results;
}
