// See SizeQuotient.h.
#include "frontend/SizeQuotient.h"

#include <cmath>

using namespace graphc::frontend;

namespace {

constexpr int64_t mostDivisor = 1024, mostSize = int64_t(1) << 14;

template <class Float> int64_t rounded(Float product, SizeRounding rounding) {
  return int64_t(rounding == SizeRounding::Floor ? std::floor(product) : std::ceil(product));
}

bool isQuotient(double factor, int64_t p, int64_t q, SizeRounding rounding, bool inF32) {
  for (int64_t size = 1; size <= mostSize; ++size) {
    int64_t expected = inF32 ? rounded(float(size) * float(factor), rounding) : rounded(double(size) * factor, rounding);
    if (expected != (size * p + (rounding == SizeRounding::Ceil ? q - 1 : 0)) / q)
      return false;
  }
  return true;
}

} // namespace

std::optional<SizeQuotient> graphc::frontend::sizeQuotient(double factor, SizeRounding rounding, bool inF32) {
  const double tolerance = inF32 ? 1e-6 : 1e-9;
  for (int64_t q = 1; q <= mostDivisor; ++q) {
    double product = factor * double(q), p = std::round(product);
    if (p < 1 || p >= 0x1p31 || std::abs(product - p) > tolerance * p)
      continue;
    if (product == p && (q & (q - 1)) == 0) // floating point computes it exactly
      return SizeQuotient{int64_t(p), q, std::nullopt};
    if (isQuotient(factor, int64_t(p), q, rounding, inF32))
      return SizeQuotient{int64_t(p), q, mostSize};
  }
  return std::nullopt;
}
