// Views and shapes that several families of conversions make.
#ifndef GRAPHC_FRONTEND_BUILDER_SHAPES_H
#define GRAPHC_FRONTEND_BUILDER_SHAPES_H

#include "frontend/builder/Promotion.h"

namespace graphc::frontend::builder {

/// Elements start + i * stride, i < size, of dim d, as a view.
Tensor sliceView(Call &call, const Tensor &x, int64_t d, DimAttr start, DimAttr size, int64_t stride);
/// Element `index` of dim d, as a view without that dim.
Tensor selectView(Call &call, const Tensor &x, int64_t d, DimAttr index);
/// The diagonal of dims a and b as a last dim.
Tensor diagonalView(Call &call, const Tensor &x, int64_t offset, int64_t a, int64_t b);
/// The same bytes as numbers of another dtype (Bits.cpp).
Tensor viewAs(Call &call, const Tensor &x, ScalarType to);
/// `wanted` with -1 resolved for the elements of x.
std::optional<llvm::SmallVector<DimAttr>> resolveShape(Call &call, const Tensor &x, llvm::ArrayRef<DimAttr> wanted);

/// The argument output_size for the last n dims of x [n, c, spatial…], with None for "as the input"; n sizes also where the call fails.
llvm::SmallVector<DimAttr> outputSize(Call &call, Value x, size_t n);

/// Views of the parts of a tensor: split, chunk, unbind.
void addPieces(ConversionTable &table);
/// Operators that move elements into new memory: cat, stack, repeat, pad, flip, roll, …
void addShapes(ConversionTable &table);
/// Images of other sizes: upsample, interpolate.
void addResizes(ConversionTable &table);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_SHAPES_H
