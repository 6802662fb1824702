// Special functions: lgamma, erfinv, Bessel functions, the normal distribution's, ….
//
// All compute in f64, whatever the dtype, and round once: these are rare, and their formulas cancel. Errors are below 1e-14 of the result (lgamma near its
// zeros 1 and 2: absolute). For example `aten::special_ndtr(x)` is erfc(-x / sqrt(2)) / 2.
#include "frontend/builder/Expression.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

using Function = Expr (*)(const Expr &);

/// One function of the first argument, in f64.
template <Function function> static void special(Call &call) {
  Expr x = floatArgument(call, call.first());
  if (Value(x))
    giveFormula(call, function(x.cast(ScalarType::F64)), x.dtype());
}

static Expr notANumber(const Expr &x) { return x.like(std::nan("")); }

//===-- gamma -----------------------------------------------------------------------------===//

/// log Gamma(x) for x >= 0.5, by Lanczos' formula with g = 7 and 9 terms (Godfrey's coefficients).
static Expr lgammaPositive(const Expr &x) {
  static constexpr double c[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                                 12.507343278686905,    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Expr y = x - 1.0, series = x.like(0.99999999999980993);
  for (int i = 0; i < 8; ++i)
    series = series + c[i] / (y + double(i + 1));
  Expr t = y + 7.5;
  Expr large = (y + 0.5) * log(t) - t + 0.91893853320467274178 + log(series);
  return where(isInf(x), x, large);
}

static Expr lgamma(const Expr &x) {
  Expr positive = lgammaPositive(where(x < 0.5, 1.0 - x, x));
  // Reflection: log(pi / |sin(pi x)|) - lgamma(1 - x), with the fraction of x for the sine.
  Expr fraction = x - round(x), sine = abs(sin(fraction * M_PI));
  Expr reflected = where(fraction == 0.0, HUGE_VAL, std::log(M_PI) - log(sine) - positive);
  return where(x < 0.5, where(isInf(x), HUGE_VAL, reflected), positive);
}

//===-- error function -----------------------------------------------------------------------===//

/// y >= 0 with erf(y) = a and erfc(y) = q, where a + q = 1: an approximation (M. Giles, "Approximating the erfinv function", 2010), then Halley steps.
static Expr inverseError(const Expr &a, const Expr &q) {
  static constexpr double central[] = {1.50140941,     0.246640727,     -0.00417768164, -0.00125372503, 0.00021858087,
                                       -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08};
  static constexpr double tail[] = {2.83297682,    1.00167406,    0.00943887047,  -0.0076224613, 0.00573950773,
                                    -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257};
  Expr w = -log(q * (1.0 + a));
  Expr first = where(w < 5.0, polynomial(w - 2.5, central), polynomial(sqrt(w) - 3.0, tail));
  // Farther out than the approximation was made for: erfc(y) ~ exp(-y^2) / (y sqrt(pi)).
  Expr y = where(w > 16.0, sqrt(w - log(sqrt(w)) + (M_LN2 - 0.5723649429247001)), first * a);
  for (int step = 0; step < 3; ++step) {
    Expr error = where(a < 0.5, erf(y) - a, q - erfc(y));
    Expr newton = error * exp(y * y) * (1 / M_2_SQRTPI);
    y = y - newton / (1.0 + y * newton);
  }
  return where(a == 0.0, 0.0, where(q == 0.0, HUGE_VAL, y));
}

static Expr erfinv(const Expr &x) {
  Expr size = abs(x), y = inverseError(size, 1.0 - size);
  return where(size > 1.0 || isNan(x), notANumber(x), where(x < 0.0, -y, y));
}

/// exp(x^2) erfc(x); the asymptotic series where exp would overflow.
static Expr erfcx(const Expr &x) {
  Expr size = abs(x), isFar = size > 12.0, near = where(isFar, 1.0, size), square = near * near;
  Expr direct = exp(square) * erfc(near);
  Expr u = 0.5 / (where(isFar, size, size.like(13)) * where(isFar, size, size.like(13))), series = x.like(1);
  for (int n = 10; n >= 1; --n)
    series = 1.0 - series * u * double(2 * n - 1);
  Expr positive = where(isFar, series / size * (0.5 * M_2_SQRTPI), direct);
  return where(x < 0.0, 2.0 * exp(x * x) - positive, positive);
}

//===-- the normal distribution -----------------------------------------------------------------===//

static Expr ndtr(const Expr &x) { return 0.5 * erfc(x * -M_SQRT1_2); }
/// Of f64 by eager's formula, which loses digits where the result is small.
static void convertNdtr(Call &call) {
  Expr x = floatArgument(call, call.first());
  if (!Value(x) || x.dtype() != ScalarType::F64)
    return special<ndtr>(call);
  givePointwise(call, 0.5 * (1.0 + erf(x * M_SQRT1_2)));
}

static Expr ndtri(const Expr &p) {
  Expr isLow = p <= 0.5, q = 2.0 * where(isLow, p, 1.0 - p), y = inverseError(1.0 - q, q) * M_SQRT2;
  Expr inside = where(isLow, -y, y);
  return where(p < 0.0 || p > 1.0 || isNan(p), notANumber(p), where(p == 0.0, -HUGE_VAL, where(p == 1.0, HUGE_VAL, inside)));
}

static Expr logNdtr(const Expr &x) {
  Expr t = x * M_SQRT1_2, low = where(x < -1.0, t, t.like(-1));
  return where(x < -1.0, log(erfcx(-low) * 0.5) - low * low, log1p(-0.5 * erfc(t)));
}

//===-- Bessel functions --------------------------------------------------------------------------===//

// Chebyshev coefficients by fit_bessel.py, which says of what.
// clang-format off
constexpr double i0Small[] = {0.33839763720473803, -0.3046826723431984, 0.17162090152220877, -0.09490109704804764, 0.04930528423967071,
    -0.02373741480589947, 0.010546460394594998, -0.004324309995050576, 0.0016394756169413357, -0.0005763755745385824, 0.00018850288509584165,
    -5.754195010082104e-05, 1.6448448070728896e-05, -4.4167383584587505e-06, 1.1173875391201037e-06, -2.670793853940612e-07, 6.046995022541919e-08,
    -1.300025009986248e-08, 2.6598237246823866e-09, -5.189795601635263e-10, 9.675809035373237e-11, -1.726826291441556e-11, 2.95505266312964e-12,
    -4.856446783111929e-13, 7.676185498604936e-14, -1.1685332877993451e-14, 1.715391285555133e-15, -2.431279846547955e-16, 3.3307945188222384e-17,
    -4.4153416464793395e-18, 5.669178006921496e-19};
constexpr double i0Large[] = {0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06, 2.0489185894690638e-07,
    2.266668990498178e-08, 3.3962320257083865e-09, 4.94060238822497e-10, 1.1889147107846439e-11, -3.1499165279632416e-11, -1.3215811840447713e-11,
    -1.7941785315068062e-12, 7.180124451383666e-13, 3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14, -9.554846698828307e-15,
    3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16, -2.8276239805165836e-16, 3.461222867697461e-17, 4.46562142029676e-17,
    -4.830504485944182e-18, -7.233180487874754e-18, 9.921475412173699e-19, 1.193650890845982e-18};
constexpr double i1Small[] = {0.12629359322181682, -0.17641651835783406, 0.1026436586898471, -0.05294598120809499, 0.024726449030626516,
    -0.010564084894626197, 0.004156422944312888, -0.0015135724506312532, 0.0005122859561685758, -0.00016176081582589674, 4.781565107550054e-05,
    -1.3273163656039436e-05, 3.4702513081376785e-06, -8.568720264695455e-07, 2.0032947535521353e-07, -4.445059128796328e-08, 9.381537386495773e-09,
    -1.8872497517228294e-09, 3.625590281552117e-10, -6.663489723502027e-11, 1.1736186298890901e-11, -1.9839743977649436e-12, 3.223793365945575e-13,
    -5.042185504727912e-14, 7.600684294735408e-15, -1.1055969477353862e-15, 1.5536319577362005e-16, -2.111421214358166e-17, 2.7779141127610464e-18,
    -3.541581772542136e-19};
constexpr double i1Large[] = {0.38928811750914005, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06, -2.512236237870209e-07,
    -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10, -1.8974958123505413e-11, 3.2526035830154884e-11, 1.4125807436613782e-11,
    2.0356285441470896e-12, -7.198551776245908e-13, -4.0835511110921974e-13, -2.1015418427726643e-14, 4.272440016711951e-14, 1.0420276984128802e-14,
    -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16, 2.96262899764595e-16, -3.209525921993424e-17, -4.6503053684893586e-17,
    4.414348323071708e-18, 7.517296310842105e-18, -9.314178867326884e-19, -1.242193275194891e-18};
// clang-format on

/// sum c_k T_k(t) by Clenshaw's recurrence.
static Expr chebyshev(const Expr &t, ArrayRef<double> c) {
  Expr ahead = t.like(0), second = ahead, twice = t * 2.0;
  for (double coefficient : llvm::reverse(c.drop_front())) {
    Expr next = twice * ahead - second + coefficient;
    second = ahead;
    ahead = next;
  }
  return t * ahead - second + c.front();
}

static Expr i0e(const Expr &x) {
  Expr size = abs(x), isSmall = size <= 8.0, far = where(isSmall, 8.0, size);
  Expr large = chebyshev(16.0 / far - 1.0, i0Large) / sqrt(far), small = chebyshev(where(isSmall, size, 8.0) * 0.25 - 1.0, i0Small);
  return where(isNan(x), x, where(isSmall, small, large));
}
static Expr i1e(const Expr &x) {
  Expr size = abs(x), isSmall = size <= 8.0, far = where(isSmall, 8.0, size);
  Expr large = chebyshev(16.0 / far - 1.0, i1Large) / sqrt(far), small = chebyshev(where(isSmall, size, 8.0) * 0.25 - 1.0, i1Small) * size;
  Expr positive = where(isSmall, small, large);
  return where(isNan(x), x, where(x < 0.0, -positive, positive));
}
static Expr i0(const Expr &x) { return i0e(x) * exp(abs(x)); }
static Expr i1(const Expr &x) { return i1e(x) * exp(abs(x)); }

//===-- others --------------------------------------------------------------------------------------===//

static Expr sinc(const Expr &x) {
  Expr scaled = x * M_PI;
  return where(x == 0.0, 1.0, sin(scaled) / scaled);
}
/// Of integers as eager has it, which is not 0 but what rounding pi to f32 leaves.
static void convertSinc(Call &call) {
  Expr x(call, call.value(call.first()));
  if (!Value(x) || isFloat(x.dtype()))
    return special<sinc>(call);
  call.give(sinc(x.cast(ScalarType::F32)));
}

/// -x log(x), 0 at 0, -inf below.
static Expr entr(const Expr &x) { return where(isNan(x), x, where(x > 0.0, -x * log(x), where(x == 0.0, x.like(0), x.like(-HUGE_VAL)))); }

static void convertLogit(Call &call) {
  Expr given = floatArgument(call, call.first());
  if (!Value(given))
    return;
  Expr x = given.cast(ScalarType::F64);
  if (call.given("eps")) {
    double eps = call.number("eps");
    x = where(x < eps, eps, where(x > 1 - eps, 1 - eps, x));
  }
  giveFormula(call, log(x / (1.0 - x)), given.dtype());
}

static void convertXlog1py(Call &call) {
  PromotedOperand lhs = promotedOperand(call, "self"), rhs = promotedOperand(call, "other");
  ScalarType type = resultType({lhs, rhs});
  type = floatDtype(type);
  Expr x(call, promoted(call, lhs, wide(type))), y(call, promoted(call, rhs, wide(type)));
  giveFormula(call, where(isNan(y), y, where(x == 0.0, 0.0, x * log1p(y))), type);
}

void builder::addSpecialFunctions(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"lgamma", special<lgamma>},        {"special_gammaln", special<lgamma>}, {"erfinv", special<erfinv>},     {"special_erfinv", special<erfinv>},
      {"special_erfcx", special<erfcx>},  {"special_ndtr", convertNdtr},        {"special_ndtri", special<ndtri>}, {"special_log_ndtr", special<logNdtr>},
      {"i0", special<i0>},                {"special_i0", special<i0>},          {"special_i0e", special<i0e>},   {"special_i1", special<i1>},
      {"special_i1e", special<i1e>},      {"sinc", convertSinc},               {"special_sinc", convertSinc},   {"special_entr", special<entr>},
      {"logit", convertLogit},            {"special_logit", convertLogit},      {"special_xlog1py", convertXlog1py}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
