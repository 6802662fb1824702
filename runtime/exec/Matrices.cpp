// Elimination and factorization of matrices in f64; see Routines.h.
//
// Elimination works on a copy in the worker's scratch.
#include "runtime/exec/Routines.h"
#include "runtime/exec/Services.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graphc::runtime {
namespace {

/// Rows of `width` elements.
struct Matrix {
  double *elements;
  int64_t rows, width;
  double *row(int64_t i) const { return elements + i * width; }
};

/// The row at or below `k` whose element in column k is largest; a NaN is larger than anything.
int64_t findPivot(const Matrix &m, int64_t k) {
  int64_t best = k;
  for (int64_t i = k; i < m.rows; ++i) {
    const double value = std::abs(m.row(i)[k]);
    if (std::isnan(value))
      return i;
    if (value > std::abs(m.row(best)[k]))
      best = i;
  }
  return best;
}

struct Facts {
  double determinant = 1, logSize = 0, sign = 1, firstZero = 0;
};

Facts eliminate(const Matrix &m, bool pivots) {
  Facts facts;
  for (int64_t k = 0; k < m.rows; ++k) {
    if (const int64_t best = pivots ? findPivot(m, k) : k; best != k) {
      std::swap_ranges(m.row(k), m.row(k) + m.width, m.row(best));
      facts.determinant = -facts.determinant;
      facts.sign = -facts.sign;
    }
    double *row = m.row(k);
    const double pivot = row[k];
    facts.determinant *= pivot;
    facts.logSize += std::log(std::abs(pivot));
    facts.sign = pivot < 0 ? -facts.sign : pivot == 0 ? 0 : facts.sign;
    if (pivot == 0 && facts.firstZero == 0)
      facts.firstZero = static_cast<double>(k + 1);
    const double divisor = pivots && pivot == 0 ? 1 : pivot;
    for (int64_t j = k; j < m.width; ++j)
      row[j] /= divisor;
    for (int64_t i = pivots ? 0 : k + 1; i < m.rows; ++i) {
      double *other = m.row(i);
      const double factor = other[k];
      for (int64_t j = k; i != k && j < m.width; ++j)
        other[j] -= factor * row[j];
    }
  }
  return facts;
}

void eliminateMatrices(const graphc_kernel_args *args, int64_t begin, int64_t end) {
  const RoutineCall &call = callOf(args);
  const int64_t n = call.extent, width = call.inner, columns = width - n;
  for (int64_t unit = begin; unit < end; ++unit) {
    const double *x = static_cast<const double *>(args->pointers[1]) + unit * n * width;
    double *solution = static_cast<double *>(args->pointers[2]) + unit * n * columns, *facts = static_cast<double *>(args->pointers[3]) + unit * 4;
    const Matrix m{static_cast<double *>(args->scratch), n, width};
    std::copy_n(x, n * width, m.elements);
    const Facts found = eliminate(m, call.pivot);
    for (int64_t i = 0; i < n; ++i)
      std::copy_n(m.row(i) + n, columns, solution + i * columns);
    facts[0] = found.determinant, facts[1] = found.logSize, facts[2] = found.sign, facts[3] = found.firstZero;
    if (call.flag && found.firstZero != 0)
      args->services->report(args->status, args->step, GRAPHC_STATUS_SINGULAR_MATRIX, static_cast<int64_t>(found.firstZero), n);
  }
}

/// The order of the first leading minor that is not positive, 0 where there is none.
int64_t factorize(const double *x, const Matrix &l) {
  std::fill_n(l.elements, l.rows * l.width, 0.0);
  int64_t firstBad = 0;
  const auto dot = [&](int64_t i, int64_t k) {
    double sum = 0;
    for (int64_t j = 0; j < k; ++j)
      sum += l.row(i)[j] * l.row(k)[j];
    return sum;
  };
  for (int64_t k = 0; k < l.rows; ++k) {
    const double pivot = x[k * l.width + k] - dot(k, k);
    if (!(pivot > 0) && firstBad == 0)
      firstBad = k + 1;
    const double root = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<double>::quiet_NaN();
    l.row(k)[k] = root;
    for (int64_t i = k + 1; i < l.rows; ++i)
      l.row(i)[k] = (x[i * l.width + k] - dot(i, k)) / root;
  }
  return firstBad;
}

void factorizeMatrices(const graphc_kernel_args *args, int64_t begin, int64_t end) {
  const RoutineCall &call = callOf(args);
  const int64_t n = call.extent;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t firstBad = factorize(static_cast<const double *>(args->pointers[1]) + unit * n * n, {static_cast<double *>(args->pointers[2]) + unit * n * n, n, n});
    static_cast<double *>(args->pointers[3])[unit] = static_cast<double>(firstBad);
    if (call.flag && firstBad != 0)
      args->services->report(args->status, args->step, GRAPHC_STATUS_NOT_POSITIVE_DEFINITE, firstBad, n);
  }
}

} // namespace

graphc_kernel matrixKernel(std::string_view function, plan::DType dtype) {
  if (dtype != plan::DType::F64)
    return nullptr;
  return function == "eliminate" ? eliminateMatrices : factorizeMatrices;
}

} // namespace graphc::runtime
