// Recursion over the dims, a plain loop over the last one (memcpy where both sides are contiguous there).
#include "runtime/exec/StridedCopy.h"

#include <cstring>

namespace graphc::runtime {
namespace {

template <typename T>
void copyRow(int64_t count, std::byte *to, int64_t toStride, const std::byte *from, int64_t fromStride) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, sizeof(T)); // caller's memory may be unaligned
}

void copyLast(int64_t count, size_t size, std::byte *to, int64_t toStride, const std::byte *from, int64_t fromStride) {
  const auto bytes = static_cast<int64_t>(size);
  if (toStride == bytes && fromStride == bytes) {
    std::memcpy(to, from, static_cast<size_t>(count) * size);
    return;
  }
  switch (size) {
  case 1: return copyRow<uint8_t>(count, to, toStride, from, fromStride);
  case 2: return copyRow<uint16_t>(count, to, toStride, from, fromStride);
  case 4: return copyRow<uint32_t>(count, to, toStride, from, fromStride);
  default: return copyRow<uint64_t>(count, to, toStride, from, fromStride);
  }
}

} // namespace

void denseStrides(std::span<const int64_t> dims, std::span<const uint32_t> order, std::vector<int64_t> &strides) {
  strides.resize(dims.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= dims[order[i]] > 0 ? dims[order[i]] : 1;
  }
}

bool sameLayout(std::span<const int64_t> dims, std::span<const int64_t> a, std::span<const int64_t> b) {
  bool same = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0)
      return true;
    same &= dims[i] == 1 || a[i] == b[i];
  }
  return same;
}

bool elementCount(std::span<const int64_t> dims, int64_t &count) {
  count = 1;
  bool fits = true, empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return false;
    empty |= dim == 0;
    fits &= !__builtin_mul_overflow(count, dim == 0 ? 1 : dim, &count) && count <= int64_t(1) << 62;
    if (!fits)
      count = 1;
  }
  count = empty ? 0 : count;
  return fits;
}

bool elementExtent(std::span<const int64_t> dims, std::span<const int64_t> strides, int64_t &extent) {
  extent = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t reach;
    if (dims[i] == 0) {
      extent = 0;
      return true;
    }
    if (strides[i] < 0 || __builtin_mul_overflow(dims[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(extent, reach, &extent))
      return false;
  }
  return true;
}

void stridedCopy(std::span<const int64_t> dims, size_t elementBytes, std::byte *to, std::span<const int64_t> toStrides,
                 const std::byte *from, std::span<const int64_t> fromStrides) {
  const auto size = static_cast<int64_t>(elementBytes);
  if (dims.empty()) {
    std::memcpy(to, from, elementBytes);
    return;
  }
  if (dims.size() == 1) {
    if (dims[0] > 0)
      copyLast(dims[0], elementBytes, to, toStrides[0] * size, from, fromStrides[0] * size);
    return;
  }
  for (int64_t i = 0; i < dims[0]; ++i)
    stridedCopy(dims.subspan(1), elementBytes, to + i * toStrides[0] * size, toStrides.subspan(1),
                from + i * fromStrides[0] * size, fromStrides.subspan(1));
}

} // namespace graphc::runtime
