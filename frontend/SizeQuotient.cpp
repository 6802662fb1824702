// See SizeQuotient.h.
#include "frontend/SizeQuotient.h"

#include <cmath>

using namespace graphc::frontend;

namespace {

constexpr int64_t mostDivisor = 1024, mostSizeInF32 = int64_t(1) << 14, mostSizeInF64 = int64_t(1) << 22;

template <class Float> int64_t rounded(Float product, SizeRounding rounding) {
  return int64_t(rounding == SizeRounding::Floor ? std::floor(product) : std::ceil(product));
}

bool isQuotientInF32(double factor, int64_t p, int64_t q, SizeRounding rounding) {
  for (int64_t size = 1; size <= mostSizeInF32; ++size)
    if (rounded(float(size) * float(factor), rounding) != (size * p + (rounding == SizeRounding::Ceil ? q - 1 : 0)) / q)
      return false;
  return true;
}

/// Of p / q in lowest terms and a factor next to it: products with other sizes than multiples of q are 1 / q or more from a whole number.
bool isQuotientInF64(double factor, int64_t p, int64_t q, SizeRounding rounding) {
  for (int64_t size = q; size <= mostSizeInF64; size += q)
    if (rounded(double(size) * factor, rounding) != size / q * p)
      return false;
  return true;
}

} // namespace

std::optional<SizeQuotient> graphc::frontend::sizeQuotient(double factor, SizeRounding rounding, bool inF32) {
  const double tolerance = inF32 ? 1e-6 : 1e-12;
  for (int64_t q = 1; q <= mostDivisor; ++q) {
    double product = factor * double(q), p = std::round(product);
    if (!(p >= 1 && p < 0x1p31 && std::abs(product - p) <= tolerance * p))
      continue;
    bool isExact = product == p && (q & (q - 1)) == 0; // doubles compute it exactly, floats where their 24 bits hold it
    if (isExact && (!inF32 || p < 0x1p10))
      return SizeQuotient{int64_t(p), q, std::nullopt};
    bool isQuotient = inF32 ? isQuotientInF32(factor, int64_t(p), q, rounding) : isQuotientInF64(factor, int64_t(p), q, rounding);
    if (isQuotient)
      return SizeQuotient{int64_t(p), q, inF32 ? mostSizeInF32 : mostSizeInF64};
  }
  return std::nullopt;
}
