// What a graph op that only moves elements does, found by asking it for an element: no op names here.
//
//   reshape [2, 64] to [128]:  result (d0) reads source (d0 floordiv 64, d0 mod 64); the memory is the same, so it is an alias at 0
#ifndef GRAPHC_PASSES_OUTLINE_VIEWS_H
#define GRAPHC_PASSES_OUTLINE_VIEWS_H

#include "passes/outline/KernelEmitter.h"

namespace graphc {

/// Result element (d0, …) is the element of `source` at `index`; `simplifier` has the result's dims.
struct View {
  mlir::Value source;
  llvm::SmallVector<mlir::AffineExpr> index;
  std::shared_ptr<IndexSimplifier> simplifier;
};

/// The view that a one-result op is; nullopt where it computes, masks or reads several tensors.
std::optional<View> getView(mlir::Operation *op);

/// Where the result's memory lies in the source's, in elements, when it is a part of it; nullopt where elements move.
std::optional<int64_t> getAliasOffset(mlir::Operation *op, View &view);

/// The result index at which the source element `index` appears, when it appears exactly once (permute, reshape); `simplifier` knows the dims of `index`.
std::optional<llvm::SmallVector<mlir::AffineExpr>> mapForward(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> index,
                                                              IndexSimplifier &simplifier);

} // namespace graphc

#endif // GRAPHC_PASSES_OUTLINE_VIEWS_H
