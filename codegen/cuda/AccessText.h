// Access maps as C++: names of buffers and dims of one kernel, element offsets, and how an access moves with an index.
//
// Input: a kernel.func and the slots of its dims. Output: text such as `in0 + (i0 * 512 + i1)`, the functor's fields and
// constructor, and for each access whether neighbouring values of one index are neighbours in memory.
//
//   affine_map<(d0, d1) -> (d0, d1 floordiv 2)> on tensor<8x64xf32>   ->   "i0 * 64 + gc_floor_divide(i1, 2)"
#pragma once

#include "codegen/cuda/CudaEmitter.h"

#include "llvm/ADT/MapVector.h"

#include <functional>
#include <string>

namespace graphc::cuda {

using IndexName = std::function<std::string(mlir::Value)>;

/// A load or a store.
struct Access {
  mlir::Value buffer;
  mlir::ValueRange indices;
  mlir::AffineMap map;
  std::optional<mlir::IntegerSet> mask;

  static Access of(kernel::LoadOp op);
  static Access of(kernel::StoreOp op);
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(buffer.getType()); }
};

enum class Movement { Fixed, Contiguous, Other };

class AccessText {
public:
  AccessText(kernel::FuncOp func, const EmitOptions &options);

  /// `in0`, `out1`.
  std::string bufferName(mlir::Value buffer) const;
  /// A constant, or the functor's field that holds the dim.
  std::string dimName(graph::DimAttr dim);
  std::string affine(mlir::AffineExpr expr, mlir::ValueRange indices, const IndexName &name);
  std::string affine(mlir::AffineExpr expr, llvm::ArrayRef<std::string> indices);
  /// Element offset into the buffer.
  std::string offset(const Access &access, const IndexName &name);
  /// The mask as a condition.
  std::string condition(const Access &access, const IndexName &name);

  /// The same for indices that are no values: by their names, in the map's order. Loads without a mask.
  std::string loadByNames(mlir::Value buffer, mlir::AffineMap map, llvm::ArrayRef<std::string> indices);
  std::string conditionByNames(mlir::IntegerSet mask, llvm::ArrayRef<std::string> indices);

  /// How the offset changes when `index` grows by one.
  Movement movement(const Access &access, mlir::Value index);
  /// Conditions under which offsets are multiples of `width` whenever `index` is, all other indices being any. Nullopt: they
  /// are not. Only for contiguous accesses.
  std::optional<llvm::SmallVector<std::string>> alignment(const Access &access, mlir::Value index, int64_t width);

  /// `gc_i32` where every offset and count of the kernel provably fits, else `gc_i64`.
  std::string indexType() const { return wideIndex ? "gc_i64" : "gc_i32"; }
  /// Fields of the functor and its constructor; complete once all text of the kernel has been asked for.
  std::string fieldsAndConstructor(const std::string &functor) const;

private:
  std::string offset(mlir::RankedTensorType type, mlir::AffineMap map, llvm::ArrayRef<std::string> indices);
  mutable kernel::FuncOp func; // MLIR accessors are not const
  const EmitOptions &options;
  llvm::MapVector<graph::DimAttr, std::string> dims;
  bool wideIndex = false;
};

/// Element type in memory ("gc_bfloat") and the type in which generated code holds its values ("float").
std::string storageType(mlir::Type type);
std::string valueType(mlir::Type type);
unsigned elementBytes(mlir::Type type);

} // namespace graphc::cuda
