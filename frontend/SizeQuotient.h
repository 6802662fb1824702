// Sizes times real numbers: floor(n * 1.7) as the integer expression (n * 17) floordiv 10.
#ifndef GRAPHC_FRONTEND_SIZEQUOTIENT_H
#define GRAPHC_FRONTEND_SIZEQUOTIENT_H

#include <cstdint>
#include <optional>

namespace graphc::frontend {

/// size * factor, rounded to a whole number, is size * numerator / denominator rounded alike, for sizes from 0 to mostSize.
struct SizeQuotient {
  int64_t numerator = 1, denominator = 1;
  std::optional<int64_t> mostSize; // none: every size
};

enum class SizeRounding { Floor, Ceil };
/// The quotient that gives what floating point does: doubles, or floats where `inF32`. nullopt where no small one does.
std::optional<SizeQuotient> sizeQuotient(double factor, SizeRounding rounding, bool inF32 = false);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_SIZEQUOTIENT_H
