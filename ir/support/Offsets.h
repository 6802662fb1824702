// Places of the elements of a strided box.
//
//   tabulateOffsets(10, {2, 3}, {100, 1})      // 10, 11, 12, 110, 111, 112
#ifndef GRAPHC_IR_SUPPORT_OFFSETS_H
#define GRAPHC_IR_SUPPORT_OFFSETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace graphc {

/// base plus the sum of index times stride, for all points in row-major order.
inline std::vector<int64_t> tabulateOffsets(int64_t base, llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> strides) {
  std::vector<int64_t> offsets{base};
  for (auto [extent, stride] : llvm::zip_equal(extents, strides)) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * extent);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < extent; ++i)
        next.push_back(offset + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

} // namespace graphc

#endif // GRAPHC_IR_SUPPORT_OFFSETS_H
