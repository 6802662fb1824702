// Result types of graph ops, shared by their inferReturnTypes. `operands` are tensors; errors go to `loc` where it is given and name what was found.
#ifndef GRAPHC_IR_GRAPH_INFER_H
#define GRAPHC_IR_GRAPH_INFER_H

#include "ir/graph/Dim.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"

namespace graphc::graph {

using OptionalLoc = std::optional<mlir::Location>;

inline mlir::RankedTensorType tensorType(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
/// "[2, B, 5]", for messages.
std::string dimsText(llvm::ArrayRef<DimAttr> dims);

/// PyTorch's broadcast of two dims; null where they can't agree. Two unproved symbolic dims that differ give null too: importing guards them first.
DimAttr broadcastDim(DimAttr a, DimAttr b);
/// The shapes' common shape by PyTorch's rule: trailing dims align, size 1 stretches.
mlir::FailureOr<llvm::SmallVector<DimAttr>> broadcastShapes(OptionalLoc loc, llvm::ArrayRef<llvm::SmallVector<DimAttr>> shapes);
/// Whether `shape` broadcasts to `target` without changing it.
bool broadcastsTo(llvm::ArrayRef<DimAttr> shape, llvm::ArrayRef<DimAttr> target);
/// The broadcast shape of all operands with `resultElement`, or where that is null with the element type that they share (a leading condition of
/// bool apart from two or more others may differ).
llvm::LogicalResult inferPointwise(OptionalLoc loc, mlir::ValueRange operands, mlir::Type resultElement,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Fails with a message unless 0 <= dim < rank.
llvm::LogicalResult checkDim(OptionalLoc loc, int64_t dim, int64_t rank);
/// The same for each of dims, which must also be distinct and, where `sorted`, ascending.
llvm::LogicalResult checkDims(OptionalLoc loc, llvm::ArrayRef<int64_t> dims, int64_t rank, bool sorted);
/// `type` with `dims` removed, or of size 1 with keepdim; `element` null keeps the element type.
mlir::RankedTensorType reducedType(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims, bool keepdim, mlir::Type element = {});
/// Same shape, symbolic dims and element type; physical orders may differ.
bool equalButForOrder(mlir::TypeRange a, mlir::TypeRange b);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_INFER_H
