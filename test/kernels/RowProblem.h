// Test cases of the row and pointwise templates with functors written by hand: softmax over rows, and y = x * scale + row.
//
// Used by row_test.cpp on the templates as they are and by the planted-bug test on broken copies of them.
#pragma once

#include "test/kernels/Harness.h"

#include <algorithm>
#include <string>

namespace graphc::test {

struct RowShape {
  gc_i64 rows, columns;
  size_t offset = 0; ///< elements by which the buffers miss 16-byte alignment
};

/// pointers: x, y; dims: rows, columns.
struct SoftmaxRow {
  static constexpr int width = 4;
  gc_i64 rows, columns;
  const float *x;
  float *y;

  GC_DEVICE explicit SoftmaxRow(const gc_kernel_args &args)
      : rows(gc_dim(args, 0)), columns(gc_dim(args, 1)), x(gc_pointer<const float>(args, 0)), y(gc_pointer<float>(args, 1)) {}
  GC_DEVICE gc_i64 units() const { return rows; }
  GC_DEVICE bool wide() const { return columns % width == 0 && gc_aligned(x, 16) && gc_aligned(y, 16); }
  template <int N, class Group> GC_DEVICE void row(gc_i64 row, const Group &group) const {
    float largest = -INFINITY, sum = 0, v[N];
    for (gc_i64 c = group.lane() * N; c < columns; c += Group::size * N) {
      gc_load_elements<float, N>(v, x + row * columns + c);
      for (int i = 0; i < N; ++i)
        largest = gc_max(largest, v[i]);
    }
    largest = group.template reduce<gc_max_op>(largest);
    for (gc_i64 c = group.lane() * N; c < columns; c += Group::size * N) {
      gc_load_elements<float, N>(v, x + row * columns + c);
      for (int i = 0; i < N; ++i)
        sum += gc_exp(v[i] - largest);
    }
    sum = group.template reduce<gc_sum_op>(sum);
    for (gc_i64 c = group.lane() * N; c < columns; c += Group::size * N) {
      gc_load_elements<float, N>(v, x + row * columns + c);
      for (int i = 0; i < N; ++i)
        v[i] = gc_exp(v[i] - largest) / sum;
      gc_store_elements<float, N>(y + row * columns + c, v);
    }
  }
};

/// pointers: x, y; dims: rows, columns. y = 2 x + row.
struct ScaleElement {
  static constexpr int width = 4;
  gc_i64 rows, columns;
  const float *x;
  float *y;

  GC_DEVICE explicit ScaleElement(const gc_kernel_args &args)
      : rows(gc_dim(args, 0)), columns(gc_dim(args, 1)), x(gc_pointer<const float>(args, 0)), y(gc_pointer<float>(args, 1)) {}
  GC_DEVICE gc_i64 units() const { return rows * columns; }
  GC_DEVICE bool wide() const { return columns % width == 0 && gc_aligned(x, 16) && gc_aligned(y, 16); }
  template <int N> GC_DEVICE void run(gc_i64 unit) const {
    float v[N];
    gc_load_elements<float, N>(v, x + unit);
    for (int i = 0; i < N; ++i)
      v[i] = 2 * v[i] + float(unit / columns);
    gc_store_elements<float, N>(y + unit, v);
  }
};

inline std::vector<double> softmaxReference(const Buffer<float> &x, const RowShape &s) {
  std::vector<double> result(x.count());
  for (gc_i64 row = 0; row < s.rows; ++row) {
    double largest = -INFINITY, sum = 0;
    for (gc_i64 c = 0; c < s.columns; ++c)
      largest = std::max(largest, x.at(row * s.columns + c));
    for (gc_i64 c = 0; c < s.columns; ++c)
      sum += std::exp(x.at(row * s.columns + c) - largest);
    for (gc_i64 c = 0; c < s.columns; ++c)
      result[row * s.columns + c] = std::exp(x.at(row * s.columns + c) - largest) / sum;
  }
  return result;
}

inline std::vector<double> scaleReference(const Buffer<float> &x, const RowShape &s) {
  std::vector<double> result(x.count());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = 2 * x.at(i) + double(i / s.columns);
  return result;
}

/// The fault, or a text when the result is off by more than 1e-6, or "".
template <class Kernel, class Reference>
std::string runRowCase(const RowShape &s, simt::LaunchOptions options, Kernel kernel, Reference reference) {
  Buffer<float> x(s.rows * s.columns, s.offset), y(s.rows * s.columns, s.offset);
  x.randomize(1);
  y.randomize(2);
  const simt::LaunchReport report =
      launchKernel({x.region("x", false), y.region("y", true)}, {s.rows, s.columns}, options, kernel);
  if (!report.error.empty())
    return report.error;
  const double error = relativeError(y, reference(x, s));
  return error <= 1e-6 ? "" : "wrong result: relative error " + std::to_string(error);
}

} // namespace graphc::test
