// Copies between two strided layouts of the same shape, and the default strides of a shape.
#ifndef GRAPHC_RUNTIME_EXEC_STRIDEDCOPY_H
#define GRAPHC_RUNTIME_EXEC_STRIDEDCOPY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Dense strides (in elements) for a physical order of the dims, outermost first. `strides` keeps its capacity.
void denseStrides(std::span<const int64_t> dims, std::span<const uint32_t> order, std::vector<int64_t> &strides);

/// Whether two layouts of a shape put every element at the same place (dims of size 1 don't count; empty shapes always do).
bool sameLayout(std::span<const int64_t> dims, std::span<const int64_t> a, std::span<const int64_t> b);

/// Product of the dims, 0 … 2^62; false where it is larger or a dim is negative.
bool elementCount(std::span<const int64_t> dims, int64_t &count);

/// Elements from the first to the last one, inclusive; 0 for an empty shape. Strides are not negative. False on overflow.
bool elementExtent(std::span<const int64_t> dims, std::span<const int64_t> strides, int64_t &extent);

/// Copies every element; elementBytes is 1, 2, 4 or 8. The two don't overlap.
void stridedCopy(std::span<const int64_t> dims, size_t elementBytes, std::byte *to, std::span<const int64_t> toStrides,
                 const std::byte *from, std::span<const int64_t> fromStrides);

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_STRIDEDCOPY_H
