// Implements TensorBounds.h.
#include "frontend/TensorBounds.h"

using namespace graphc::frontend;

std::optional<int64_t> graphc::frontend::bytesReached(const TensorData &tensor) {
  int64_t last = tensor.offset;
  bool isEmpty = false;
  if (tensor.offset < 0 || tensor.sizes.size() != tensor.strides.size())
    return std::nullopt;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    int64_t reach;
    if (tensor.sizes[d] < 0 || tensor.strides[d] < 0)
      return std::nullopt;
    isEmpty |= tensor.sizes[d] == 0;
    if (__builtin_mul_overflow(tensor.sizes[d] == 0 ? 0 : tensor.sizes[d] - 1, tensor.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  int64_t bytes;
  if (isEmpty)
    return 0;
  if (__builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, int64_t(scalarTypeSize(tensor.dtype)), &bytes))
    return std::nullopt;
  return bytes;
}
