// libm's f64 functions, digamma and erfinv (which libm lacks), block copies and the failure report.
#include "runtime/exec/Services.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace graphc::runtime {
namespace {

double lgammaReentrant(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// Reflection for x < 0, recurrence up to x >= 10, then the asymptotic series with Bernoulli numbers (Abramowitz & Stegun
// 6.3.18). Edge values are PyTorch's.
double digamma(double x) {
  if (x == 0)
    return std::copysign(std::numeric_limits<double>::infinity(), -x);
  double result = 0;
  if (x < 0) {
    if (x == std::trunc(x))
      return std::numeric_limits<double>::quiet_NaN();
    double whole;
    const double fraction = std::modf(x, &whole); // tan has period pi, and the fraction is exact
    result = -M_PI / std::tan(M_PI * fraction);
    x = 1 - x;
  }
  for (; x < 10; x += 1)
    result -= 1 / x;
  const double inverse = 1 / x, z = inverse * inverse;
  const double series =
      z * (1.0 / 12 -
           z * (1.0 / 120 -
                z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z * (1.0 / 12)))))));
  return result + std::log(x) - 0.5 * inverse - series;
}

// A start that is good to about 1e-3 (Winitzki's formula), then Halley steps on erf(y) - x, with erfc in the tail.
double erfinv(double x) {
  if (std::isnan(x) || std::fabs(x) > 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(x) == 1)
    return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (x == 0)
    return x;
  const double a = 0.147, magnitude = std::fabs(x);
  const double rest = 1 - magnitude; // exact for magnitude >= 0.5
  const double logTerm = std::log(rest * (1 + magnitude)), b = 2 / (M_PI * a) + logTerm / 2;
  double y = std::sqrt(std::sqrt(b * b - logTerm / a) - b);
  for (int i = 0; i < 3; ++i) {
    const double error = magnitude < 0.5 ? std::erf(y) - magnitude : rest - std::erfc(y);
    const double step = error / (2 / std::sqrt(M_PI) * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

void copyBlock(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, static_cast<size_t>(bytes));
}

void copy2d(void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes, int64_t rows) {
  auto *target = static_cast<std::byte *>(to);
  const auto *source = static_cast<const std::byte *>(from);
  for (int64_t row = 0; row < rows; ++row)
    copyBlock(target + row * toPitch, source + row * fromPitch, rowBytes);
}

template <typename T> void fillWith(void *to, uint64_t bits, int64_t count) {
  const T value = static_cast<T>(bits);
  auto *target = static_cast<T *>(to);
  for (int64_t i = 0; i < count; ++i)
    target[i] = value;
}

void fill(void *to, uint64_t bits, int64_t elementBytes, int64_t count) {
  switch (elementBytes) {
  case 1: return fillWith<uint8_t>(to, bits, count);
  case 2: return fillWith<uint16_t>(to, bits, count);
  case 4: return fillWith<uint32_t>(to, bits, count);
  case 8: return fillWith<uint64_t>(to, bits, count);
  default: return;
  }
}

void report(graphc_status_slot *slot, int64_t step, int64_t code, int64_t value, int64_t extent) {
  int64_t none = -1;
  if (!std::atomic_ref<int64_t>(slot->step).compare_exchange_strong(none, step, std::memory_order_relaxed))
    return;
  slot->code = code;
  slot->value = value;
  slot->extent = extent;
}

constexpr graphc_services table = {
    GRAPHC_KERNEL_ABI_VERSION,
    GRAPHC_SERVICE_COUNT,
    ::exp,   ::exp2,  ::expm1,         ::log,    ::log2,  ::log10, ::log1p, ::sin,  ::cos,   ::tan,   ::asin,
    ::acos,  ::atan,  ::sinh,          ::cosh,   ::tanh,  ::asinh, ::acosh, ::atanh, ::erf,  ::erfc,  erfinv,
    lgammaReentrant,  ::tgamma,        digamma,  ::pow,   ::atan2, ::fmod,  ::hypot, copyBlock, copy2d, fill, report,
};

} // namespace

const graphc_services &services() { return table; }

} // namespace graphc::runtime
