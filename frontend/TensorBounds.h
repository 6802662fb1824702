// How far into its storage a strided view reaches, with checked arithmetic: sizes and strides come from files.
//
// Input: TensorData. Output: bytes. Every reader compares the result with the storage's size before it hands a tensor out.
#ifndef GRAPHC_FRONTEND_TENSORBOUNDS_H
#define GRAPHC_FRONTEND_TENSORBOUNDS_H

#include "frontend/SourceGraph.h"

namespace graphc::frontend {

/// Bytes from the start of the storage to the end of the last element; 0 for a tensor without elements. nullopt for negative
/// sizes, strides or offsets, for a rank mismatch, and where a number overflows.
std::optional<int64_t> bytesReached(const TensorData &tensor);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_TENSORBOUNDS_H
