// See FunctionBuilder.h.
#include "codegen/cpu/FunctionBuilder.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

using namespace graphc;
using namespace graphc::cpu;

std::optional<Level> graphc::cpu::findLevel(llvm::StringRef name) {
  if (name == "x86-64-v3")
    return Level{"x86-64-v3", 256, 12, 6};
  if (name == "x86-64-v4")
    return Level{"x86-64-v4", 512, 28, 14};
  return std::nullopt;
}

FunctionBuilder::FunctionBuilder(llvm::Module &module, const Level &level, codegen::DimsTable &dims, llvm::StringRef name)
    : b(module.getContext()), level(level), dims(dims), entryBuilder(module.getContext()) {
  llvm::LLVMContext &context = module.getContext();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->addFnAttr("target-cpu", level.name);
  function->addFnAttr("prefer-vector-width", std::to_string(level.vectorBits));
  function->addFnAttr("min-legal-vector-width", std::to_string(level.vectorBits));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no-builtins");
  entry = llvm::BasicBlock::Create(context, "entry", function);
  start = llvm::BasicBlock::Create(context, "start", function);
  entryBuilder.SetInsertPoint(entry);
  b.SetInsertPoint(start);
}

llvm::Value *FunctionBuilder::entryLoad(llvm::Type *type, llvm::Value *base, uint64_t byteOffset) {
  llvm::Value *pointer = entryBuilder.CreateConstInBoundsGEP1_64(entryBuilder.getInt8Ty(), base, byteOffset);
  llvm::LoadInst *load = entryBuilder.CreateAlignedLoad(type, pointer, llvm::Align(type->isIntegerTy(32) ? 4 : 8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

llvm::Value *FunctionBuilder::argsField(unsigned offset, llvm::Type *type) {
  llvm::Value *&value = fields[offset];
  if (!value)
    value = entryLoad(type, function->getArg(0), offset);
  return value;
}

llvm::Value *FunctionBuilder::dim(graph::DimAttr dim) {
  if (dim.isConstant())
    return i64(dim.getValue());
  unsigned index = dims.getIndex(dim);
  llvm::Value *table = argsField(offsetof(graphc_kernel_args, dims), b.getPtrTy());
  llvm::Value *&value = dimValues[index];
  if (!value)
    value = entryLoad(b.getInt64Ty(), table, uint64_t(index) * 8);
  return value;
}

llvm::Value *FunctionBuilder::buffer(unsigned i) {
  llvm::Value *table = argsField(offsetof(graphc_kernel_args, pointers), b.getPtrTy());
  llvm::Value *&value = buffers[i];
  if (!value)
    value = entryLoad(b.getPtrTy(), table, uint64_t(i) * 8);
  return value;
}

llvm::Value *FunctionBuilder::scratch() { return argsField(offsetof(graphc_kernel_args, scratch), b.getPtrTy()); }

llvm::AllocaInst *FunctionBuilder::slot(llvm::Type *type, uint64_t count, uint64_t align) {
  llvm::IRBuilder<> first(entry, entry->begin());
  llvm::AllocaInst *alloca = first.CreateAlloca(type, count == 1 ? nullptr : i64(count));
  alloca->setAlignment(llvm::Align(align));
  return alloca;
}

llvm::Value *FunctionBuilder::callService(unsigned index, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments) {
  servicesUsed = std::max(servicesUsed, index + 1);
  llvm::Value *services = argsField(offsetof(graphc_kernel_args, services), b.getPtrTy());
  llvm::Value *&callee = fields[4096 + index]; // past every field of the arguments
  if (!callee)
    callee = entryLoad(b.getPtrTy(), services, 8 + uint64_t(index) * 8);
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  return b.CreateCall(llvm::FunctionType::get(result, types, false), callee, arguments);
}

void FunctionBuilder::report(graphc_status_code code, llvm::Value *value, llvm::Value *extent) {
  llvm::Value *status = argsField(offsetof(graphc_kernel_args, status), b.getPtrTy());
  llvm::Value *step = argsField(offsetof(graphc_kernel_args, step), b.getInt32Ty());
  constexpr unsigned reportEntry = (offsetof(graphc_services, report) - 8) / 8;
  callService(reportEntry, b.getVoidTy(), {status, b.CreateSExt(step, b.getInt64Ty()), i64(code), value, extent});
}

void FunctionBuilder::forLoop(llvm::Value *low, llvm::Value *high, llvm::Value *step, Body body) {
  llvm::LLVMContext &context = b.getContext();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(context, "loop", function), *done = llvm::BasicBlock::Create(context, "done", function);
  b.CreateCondBr(b.CreateICmpSLT(low, high), loop, done);
  b.SetInsertPoint(loop);
  llvm::PHINode *iv = b.CreatePHI(low->getType(), 2, "i");
  iv->addIncoming(low, before);
  body(iv);
  llvm::Value *next = b.CreateNSWAdd(iv, step);
  iv->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, high), loop, done);
  b.SetInsertPoint(done);
}

void FunctionBuilder::ifThen(llvm::Value *condition, llvm::function_ref<void()> body, bool rare) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    if (constant->isOne())
      body();
    return;
  }
  llvm::LLVMContext &context = b.getContext();
  auto *then = llvm::BasicBlock::Create(context, "then", function), *done = llvm::BasicBlock::Create(context, "done", function);
  llvm::MDNode *weights = rare ? llvm::MDBuilder(context).createUnlikelyBranchWeights() : nullptr;
  b.CreateCondBr(condition, then, done, weights);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void FunctionBuilder::returnIf(llvm::Value *condition) {
  if (!exit)
    exit = llvm::BasicBlock::Create(b.getContext(), "exit", function);
  auto *next = llvm::BasicBlock::Create(b.getContext(), "next", function);
  b.CreateCondBr(condition, exit, next);
  b.SetInsertPoint(next);
}

/// `value` plus a 0 that the optimiser doesn't know.
llvm::Value *FunctionBuilder::hidden(llvm::Value *value) {
  if (!opaqueZero) { // no fact about a volatile load is known, not even which bits are 0
    llvm::AllocaInst *zero = slot(b.getInt64Ty(), 1, 8);
    entryBuilder.CreateStore(i64(0), zero, /*isVolatile=*/true);
    opaqueZero = entryBuilder.CreateLoad(b.getInt64Ty(), zero, /*isVolatile=*/true);
  }
  return b.CreateAdd(value, opaqueZero);
}

llvm::Value *FunctionBuilder::opaque(llvm::Value *value) { return llvm::isa<llvm::Constant>(value) ? hidden(value) : value; }

llvm::Value *FunctionBuilder::firstLanes(llvm::Value *count, unsigned width) {
  return b.CreateICmpSLT(iota(width, 32), splat(b.CreateTrunc(hidden(count), b.getInt32Ty()), width));
}

llvm::Value *FunctionBuilder::splat(llvm::Value *value, unsigned width) {
  if (width == 0 || value->getType()->isVectorTy())
    return value;
  return b.CreateVectorSplat(width, value);
}

llvm::Constant *FunctionBuilder::iota(unsigned width, unsigned bits) {
  llvm::SmallVector<llvm::Constant *> lanes;
  for (unsigned i = 0; i < width; ++i)
    lanes.push_back(llvm::ConstantInt::get(b.getIntNTy(bits), i));
  return llvm::ConstantVector::get(lanes);
}

llvm::Value *FunctionBuilder::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type *> types,
                                        llvm::ArrayRef<llvm::Value *> arguments) {
  return b.CreateIntrinsic(id, types, arguments);
}

void FunctionBuilder::finish() {
  if (exit) {
    b.CreateBr(exit);
    b.SetInsertPoint(exit);
  }
  b.CreateRetVoid();
  entryBuilder.CreateBr(start);
}
