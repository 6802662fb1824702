// Result types of graph ops, shared by their inferReturnTypes. `operands` are tensors; errors go to `loc` where it is given and name what was found.
#ifndef GRAPHC_IR_GRAPH_INFER_H
#define GRAPHC_IR_GRAPH_INFER_H

#include "ir/graph/Dim.h"
#include "mlir/IR/ValueRange.h"

namespace graphc::graph {

/// PyTorch's broadcast of two dims; null where they can't agree. Two unproved symbolic dims that differ give null too: importing guards them first.
DimAttr broadcastDim(DimAttr a, DimAttr b);
/// The broadcast shape of all operands, their (equal) element type or i1 where `resultElement` is "bool".
llvm::LogicalResult inferPointwise(std::optional<mlir::Location> loc, mlir::ValueRange operands, llvm::StringRef resultElement,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_INFER_H
