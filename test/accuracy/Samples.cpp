// See Samples.h.
#include "test/accuracy/Samples.h"
#include "ir/interpreter/Tensor.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace graphc;
using namespace graphc::accuracy;

Format Format::of(mlir::Type type) {
  const llvm::fltSemantics &semantics = llvm::cast<mlir::FloatType>(type).getFloatSemantics();
  Format format;
  format.type = type;
  format.precision = int(llvm::APFloat::semanticsPrecision(semantics));
  format.minExponent = llvm::APFloat::semanticsMinExponent(semantics);
  format.maxExponent = llvm::APFloat::semanticsMaxExponent(semantics);
  format.epsilon = std::ldexp(1.0, 1 - format.precision);
  return format;
}

double Format::ulpError(double y, long double r, bool anyZero) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (std::isnan(r) || std::isnan(y))
    return std::isnan(r) && std::isnan(y) ? 0 : never;
  if (r == 0)
    return y == 0 && (anyZero || std::signbit(y) == std::signbit(r)) ? 0 : never;
  if (std::isinf(r))
    return y == r ? 0 : never;
  if (std::signbit(y) != std::signbit(r) && y != 0)
    return never;
  // Beyond the largest number the next one is taken for infinity, which is right from half way on.
  long double infinity = std::ldexp(1.0L, maxExponent + 1), size = std::min(std::fabs(r), infinity), got = std::isinf(y) ? infinity : std::fabs((long double)y);
  int exponent = std::max(std::min(std::ilogb(size), maxExponent), minExponent);
  return double(std::fabs(got - size) / std::ldexp(1.0L, exponent - precision + 1));
}

namespace {

double rounded(double value, const Format &format) { return interpreter::roundFloat(value, format.type, interpreter::Precision::Default); }

std::vector<double> edgeValues(const Format &format) {
  double tiny = std::ldexp(1.0, format.minExponent - format.precision + 1), normal = std::ldexp(1.0, format.minExponent);
  double largest = std::ldexp(2 - format.epsilon, format.maxExponent);
  std::vector<double> positive = {0, tiny, 3 * tiny, normal - tiny, normal, format.epsilon, std::sqrt(normal), 0.25, 1.0 / 3, 0.5, M_LN2, M_SQRT1_2, M_PI_4, 1 - format.epsilon / 2,
                                  1, 1 + format.epsilon, M_SQRT2, M_PI_2, 2, M_E, 3, M_PI, 10, 88.7228, 104, 709.78, 745.2, std::sqrt(largest), largest, INFINITY};
  std::vector<double> all = {NAN};
  for (double value : positive) {
    all.push_back(rounded(value, format));
    all.push_back(-rounded(value, format));
  }
  return all;
}

/// Of any magnitude and sign, evenly over exponents.
double anyMagnitude(const Format &format, std::mt19937_64 &random) {
  double mantissa = std::uniform_real_distribution<double>(1, 2)(random);
  int exponent = std::uniform_int_distribution<int>(format.minExponent - format.precision + 1, format.maxExponent)(random);
  return rounded(std::ldexp(random() % 2 ? mantissa : -mantissa, exponent), format);
}

double near(double low, double high, const Format &format, std::mt19937_64 &random) {
  return rounded(std::uniform_real_distribution<double>(low, high)(random), format);
}

std::vector<double> everyValue16(const Format &format) {
  std::vector<std::byte> bytes(2 << 16);
  for (unsigned i = 0; i < 1 << 16; ++i) {
    uint16_t bits = uint16_t(i);
    std::memcpy(&bytes[2 * i], &bits, 2);
  }
  return interpreter::fromBytes(format.type, {1 << 16}, bytes).elements.floats;
}

} // namespace

std::vector<std::vector<double>> accuracy::unarySamples(const Format &format) {
  if (format.precision <= 11)
    return {everyValue16(format)};
  std::mt19937_64 random(2024);
  std::vector<double> values = edgeValues(format);
  size_t each = format.precision <= 24 ? 8192 : 3072;
  // All magnitudes; where functions have their zeros, poles and changes of method; where exp and its kind over- and underflow.
  for (size_t i = 0; i < each; ++i) {
    values.push_back(anyMagnitude(format, random));
    values.push_back(near(-1, 1, format, random));
    values.push_back(near(-10, 10, format, random));
    values.push_back(near(0.5, 2, format, random));
    values.push_back(near(-110, 110, format, random));
    values.push_back(near(-800, 800, format, random));
    values.push_back(rounded(std::round(near(0, 1e5, format, random)) * M_PI_2, format));
    values.push_back(rounded(std::nextafter(1.0, random() % 2 ? 2.0 : 0.0) + std::ldexp(near(-1, 1, format, random), -int(random() % 20)), format));
  }
  return {values};
}

std::vector<std::vector<double>> accuracy::binarySamples(const Format &format) {
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> lists(2);
  auto add = [&](double x, double y) {
    lists[0].push_back(x);
    lists[1].push_back(y);
  };
  for (double x : edgeValues(format))
    for (double y : edgeValues(format))
      add(x, y);
  size_t each = format.precision <= 24 ? 4096 : 2048;
  for (size_t i = 0; i < each; ++i) {
    add(anyMagnitude(format, random), anyMagnitude(format, random));
    add(near(-10, 10, format, random), near(-10, 10, format, random));
    add(near(0, 100, format, random), near(-20, 20, format, random));
    add(near(-100, 100, format, random), std::round(near(-9, 9, format, random)));
    double x = near(-2, 2, format, random);
    add(x, rounded(x * (1 + std::ldexp(near(-1, 1, format, random), -int(random() % 24))), format));
  }
  return lists;
}
