// Float formats, errors in units in the last place, and the inputs on which the scalar op table is measured.
#ifndef GRAPHC_TEST_ACCURACY_SAMPLES_H
#define GRAPHC_TEST_ACCURACY_SAMPLES_H

#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace graphc::accuracy {

/// f16, bf16, f32 or f64.
struct Format {
  mlir::Type type;
  int precision = 0;   // bits of the significand, the leading one included
  int minExponent = 0; // of the smallest normal number: 2^minExponent
  int maxExponent = 0; // of the largest number: below 2^(maxExponent + 1)
  double epsilon = 0;  // of 1 to the next number

  static Format of(mlir::Type type);

  /// |y - r| in units in the last place of r, as if exponents were unbounded above; infinity where one is NaN or infinite and the other is not, or where r is a
  /// zero and y another zero or number (`anyZero`: of either sign).
  double ulpError(double y, long double r, bool anyZero) const;
};

/// One list: every value of a 16-bit type; else edge values, all magnitudes and dense samples, seeded.
std::vector<std::vector<double>> unarySamples(const Format &format);
/// Two lists of one length: all pairs of edge values, and seeded pairs near to and far from each other.
std::vector<std::vector<double>> binarySamples(const Format &format);

} // namespace graphc::accuracy

#endif // GRAPHC_TEST_ACCURACY_SAMPLES_H
