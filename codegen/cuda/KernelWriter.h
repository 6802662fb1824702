// Writes one kernel.func as a functor over a template: the state that all forms share, and a method per form. Private to the
// emitter: CudaEmitter.cpp chooses the form and writes pointwise kernels, RowWriter.cpp stages over a group of threads,
// ContractWriter.cpp contractions.
#pragma once

#include "codegen/cuda/CudaEmitter.h"
#include "codegen/cuda/GemmForm.h"
#include "codegen/cuda/RegionEmitter.h"

namespace graphc::cuda {

/// The product of constant dims.
std::optional<int64_t> constantProduct(llvm::ArrayRef<graph::DimAttr> dims);
inline bool isStage(mlir::Operation &op) { return llvm::isa<kernel::ReduceOp, kernel::MapOp>(op); }
llvm::SmallVector<graph::DimAttr> stageExtents(mlir::Operation &op);

class KernelWriter {
public:
  KernelWriter(kernel::FuncOp func, const EmitOptions &options)
      : func(func), text(func, options), region(text, body), functor(func.getSymName().str() + "_body") {}

  llvm::FailureOr<CudaKernel> write();

private:
  void writePointwise();

  void writeRows(bool block);
  int64_t rowWidth(llvm::ArrayRef<mlir::Operation *> stages);
  /// Loads that several stages of equal extents repeat: they are read once, into registers.
  struct RowCache {
    llvm::SmallVector<llvm::SmallVector<kernel::LoadOp>> loads; ///< equal ones together
    llvm::SmallVector<graph::DimAttr> extents;                  ///< of their stages; empty: nothing is cached
  };
  RowCache findRowCache(llvm::ArrayRef<mlir::Operation *> stages, int64_t threadsPerRow);
  void writeRowCache(const RowCache &cache, int64_t width, llvm::DenseMap<mlir::Operation *, std::string> &cached);
  void openItems(llvm::ArrayRef<graph::DimAttr> extents, mlir::ValueRange indices, bool cached);
  void writeCooperativeStage(mlir::Operation &op, const LanePlan &plan, bool cached);

  void writeGemm(kernel::ContractOp op, const GemmForm &form);
  void writeEpilogue(kernel::ContractOp op, const LanePlan &plan);
  void writeDirect(kernel::ContractOp op, const std::string &why);
  std::string directElement(mlir::Value buffer, mlir::AffineMap map, llvm::ArrayRef<std::string> indices,
                            std::optional<mlir::IntegerSet> mask, const std::string &type);

  /// `width` and `wide()`.
  void writeWide(const LanePlan &plan);
  /// Empty where the stages deserve a warp or block per grid point, else why not.
  std::string wantsRows();
  std::string product(llvm::ArrayRef<graph::DimAttr> extents);
  void finish(const std::string &templateFile, const std::string &instantiation, unsigned blocksPerMultiprocessor);
  llvm::SmallVector<graph::DimAttr> grid() { return dimsOf(func.getGrid()); }
  mlir::ValueRange gridIndices() {
    return func.getBody().getArguments().drop_front(func.getNumInputs() + func.getNumOutputs());
  }

  kernel::FuncOp func;
  AccessText text;
  CodeWriter body{1};
  RegionEmitter region;
  std::string functor;
  std::string indexAlias; ///< type of the functor's indices where it isn't the kernel's
  CudaKernel result;
};

} // namespace graphc::cuda
