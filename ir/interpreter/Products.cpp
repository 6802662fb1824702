// See Products.h. Tiles of 4 rows by 2 columns keep the sums in registers; a block of rhs columns stays in the cache for all rows.
#include "ir/interpreter/Products.h"

#include <algorithm>
#include <cstring>

namespace graphc::interpreter {
namespace {

typedef double Vector __attribute__((vector_size(32)));
constexpr size_t width = 4, tileRows = 4, tileColumns = 2, cacheBytes = 128 << 10;

/// out[i, j] of Rows rows and Columns columns.
template <size_t Rows, size_t Columns>
[[gnu::always_inline]] inline void multiplyTile(const double *lhs, const double *rhs, size_t depth, double *out, size_t outStride) {
  Vector sums[Rows][Columns] = {};
  size_t p = 0;
  for (; p + width <= depth; p += width) {
    Vector a[Rows], b[Columns];
    for (size_t i = 0; i < Rows; ++i)
      std::memcpy(&a[i], lhs + i * depth + p, sizeof a[i]);
    for (size_t j = 0; j < Columns; ++j)
      std::memcpy(&b[j], rhs + j * depth + p, sizeof b[j]);
    for (size_t i = 0; i < Rows; ++i)
      for (size_t j = 0; j < Columns; ++j)
        sums[i][j] += a[i] * b[j];
  }
  for (size_t i = 0; i < Rows; ++i)
    for (size_t j = 0; j < Columns; ++j) {
      double sum = (sums[i][j][0] + sums[i][j][1]) + (sums[i][j][2] + sums[i][j][3]);
      for (size_t q = p; q < depth; ++q)
        sum += lhs[i * depth + q] * rhs[j * depth + q];
      out[i * outStride + j] = sum;
    }
}

[[gnu::always_inline]] inline void multiplyAll(const double *lhs, const double *rhs, size_t rows, size_t columns, size_t depth, double *out) {
  size_t block = std::max<size_t>(cacheBytes / (sizeof(double) * std::max<size_t>(depth, 1)) / tileColumns * tileColumns, tileColumns);
  for (size_t begin = 0; begin < columns; begin += block) {
    size_t end = std::min(columns, begin + block), i = 0;
    for (; i + tileRows <= rows; i += tileRows) {
      size_t j = begin;
      for (; j + tileColumns <= end; j += tileColumns)
        multiplyTile<tileRows, tileColumns>(lhs + i * depth, rhs + j * depth, depth, out + i * columns + j, columns);
      for (; j < end; ++j)
        multiplyTile<tileRows, 1>(lhs + i * depth, rhs + j * depth, depth, out + i * columns + j, columns);
    }
    for (; i < rows; ++i)
      for (size_t j = begin; j < end; ++j)
        multiplyTile<1, 1>(lhs + i * depth, rhs + j * depth, depth, out + i * columns + j, columns);
  }
}

[[gnu::target("avx2,fma")]] void multiplyAvx2(const double *lhs, const double *rhs, size_t rows, size_t columns, size_t depth, double *out) {
  multiplyAll(lhs, rhs, rows, columns, depth, out);
}

void multiplyPlain(const double *lhs, const double *rhs, size_t rows, size_t columns, size_t depth, double *out) {
  multiplyAll(lhs, rhs, rows, columns, depth, out);
}

} // namespace

void multiply(const double *lhs, const double *rhs, size_t rows, size_t columns, size_t depth, double *out) {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    multiplyAvx2(lhs, rhs, rows, columns, depth, out);
  else
    multiplyPlain(lhs, rhs, rows, columns, depth, out);
}

} // namespace graphc::interpreter
