// A GEMM test case: operands in either layout, a linear+bias+GELU epilogue, and its double reference.
//
// Used by gemm_test.cpp on the templates as they are and by the mutation test on broken copies of them.
#pragma once

#include "test/kernels/Harness.h"
#include "test/kernels/bias_gelu.cuh"

#include <functional>
#include <string>

namespace graphc::test {

struct GemmShape {
  gc_i64 batches, m, n, k;
  size_t offset = 0; ///< elements by which the operands miss 16-byte alignment
};

inline double gelu(double x) { return 0.5 * x * (1 + std::erf(x * 0.70710678118654752440)); }

/// Launches `kernel` on the case and returns the fault, a text with the error when it exceeds `tolerance`, or "".
template <class T, bool KMajorA, bool KMajorB, class Kernel>
std::string runGemmCase(const GemmShape &s, double tolerance, simt::LaunchOptions options, Kernel kernel,
                        simt::LaunchReport *keep = nullptr) {
  Buffer<T> a(s.batches * s.m * s.k, s.offset), b(s.batches * s.n * s.k, s.offset), d(s.batches * s.m * s.n);
  Buffer<float> bias(s.n);
  a.randomize(1);
  b.randomize(2, 1 / std::sqrt(double(s.k) + 1));
  bias.randomize(3);
  d.randomize(4);
  std::vector<double> expected(d.count());
  for (gc_i64 i = 0; i < s.batches; ++i)
    for (gc_i64 m = 0; m < s.m; ++m)
      for (gc_i64 n = 0; n < s.n; ++n) {
        double sum = bias.at(n);
        for (gc_i64 k = 0; k < s.k; ++k)
          sum += a.at(i * s.m * s.k + (KMajorA ? m * s.k + k : k * s.m + m)) *
                 b.at(i * s.n * s.k + (KMajorB ? n * s.k + k : k * s.n + n));
        expected[(i * s.m + m) * s.n + n] = gelu(sum);
      }
  const simt::LaunchReport report =
      launchKernel({a.region("a", false), b.region("b", false), bias.region("bias", false), d.region("d", true)},
                   {s.batches, s.m, s.n, s.k}, options, kernel);
  if (keep)
    *keep = report;
  if (!report.error.empty())
    return report.error;
  const double error = relativeError(d, expected);
  return error <= tolerance ? "" : "wrong result: relative error " + std::to_string(error);
}

} // namespace graphc::test
