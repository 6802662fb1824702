// Running sums, products, log-sums and extremes along a dim; see Routines.h.
//
// As PyTorch's CPU kernels: floats accumulate in double, 16-bit floats in float, integers wrap.
#include "runtime/exec/RoutineElements.h"
#include "runtime/exec/Routines.h"

#include <algorithm>
#include <limits>

namespace graphc::runtime {
namespace {

template <typename T> struct Accumulated {
  using Type = uint64_t; // wraps
};
template <> struct Accumulated<float> {
  using Type = double;
};
template <> struct Accumulated<double> {
  using Type = double;
};
template <> struct Accumulated<Half> {
  using Type = float;
};
template <> struct Accumulated<BFloat16> {
  using Type = float;
};

struct Sum {
  template <typename A> static A start() { return A(0); }
  template <typename A> static A add(A a, A b) { return static_cast<A>(a + b); }
};
struct Product {
  template <typename A> static A start() { return A(1); }
  template <typename A> static A add(A a, A b) { return static_cast<A>(a * b); }
};
struct LogSum {
  template <typename A> static A start() { return -std::numeric_limits<A>::infinity(); }
  template <typename A> static A add(A a, A b) {
    if (a != a || b != b)
      return a + b;
    const A low = std::min(a, b), high = std::max(a, b);
    return low == high && std::isinf(low) ? high : high + std::log1p(std::exp(low - high));
  }
};

/// The first element of row `unit`: rows are numbered (outer, inner).
int64_t rowStart(const RoutineCall &call, int64_t unit, int64_t extent) { return unit / call.inner * extent * call.inner + unit % call.inner; }

template <typename T, typename Fold> void scan(const graphc_kernel_args *args, int64_t begin, int64_t end) {
  using A = typename Accumulated<T>::Type;
  const RoutineCall &call = callOf(args);
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t start = rowStart(call, unit, call.extent);
    const T *x = static_cast<const T *>(args->pointers[1]) + start;
    T *y = static_cast<T *>(args->pointers[2]) + start;
    A total = Fold::template start<A>();
    for (int64_t i = 0; i < call.extent; ++i) {
      total = Fold::template add<A>(total, static_cast<A>(x[i * call.inner]));
      y[i * call.inner] = T(total);
    }
  }
}

template <typename T, bool largest> void extremeScan(const graphc_kernel_args *args, int64_t begin, int64_t end) {
  const RoutineCall &call = callOf(args);
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t start = rowStart(call, unit, call.extent);
    const T *x = static_cast<const T *>(args->pointers[1]) + start;
    T *values = static_cast<T *>(args->pointers[2]) + start;
    int64_t *positions = static_cast<int64_t *>(args->pointers[3]) + start;
    int64_t best = 0;
    for (int64_t i = 0; i < call.extent; ++i) {
      const ComputeType<T> current = x[i * call.inner], old = x[best * call.inner];
      const bool wins = largest ? current >= old : current <= old;
      if (isNan(current) || (!isNan(old) && wins))
        best = i;
      values[i * call.inner] = x[best * call.inner];
      positions[i * call.inner] = best;
    }
  }
}

} // namespace

graphc_kernel scanKernel(std::string_view function, plan::DType dtype) {
  return dispatch(dtype, [&]<typename T>() -> graphc_kernel {
    if (function == "cummax")
      return extremeScan<T, true>;
    if (function == "cummin")
      return extremeScan<T, false>;
    if constexpr (!std::is_same_v<T, bool>) {
      if (function == "cumsum")
        return scan<T, Sum>;
      if (function == "cumprod")
        return scan<T, Product>;
    }
    if constexpr (!std::is_integral_v<T>)
      if (function == "logcumsumexp")
        return scan<T, LogSum>;
    return nullptr;
  });
}

} // namespace graphc::runtime
