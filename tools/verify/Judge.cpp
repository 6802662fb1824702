// See Judge.h.
#include "tools/verify/Judge.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace graphc;
using namespace graphc::verify;

static constexpr double infinity = std::numeric_limits<double>::infinity();

static Measure measureFloats(const std::vector<double> &y, const std::vector<double> &r) {
  double squares = 0, errors = 0;
  size_t count = 0;
  for (size_t i = 0; i < r.size(); ++i) {
    if (std::isnan(y[i]) != std::isnan(r[i]) || ((std::isinf(y[i]) || std::isinf(r[i])) && y[i] != r[i]))
      return {infinity, infinity};
    if (!std::isfinite(r[i]))
      continue;
    ++count;
    squares += r[i] * r[i];
    errors += (y[i] - r[i]) * (y[i] - r[i]);
  }
  if (count == 0 || errors == 0)
    return {};
  double rms = std::sqrt(squares / double(count));
  Measure result{std::sqrt(errors / double(count)) / std::max(rms, 1e-300), 0};
  for (size_t i = 0; i < r.size(); ++i)
    if (std::isfinite(r[i]) && y[i] != r[i])
      result.largest = std::max(result.largest, std::fabs(y[i] - r[i]) / std::max(std::fabs(r[i]) + rms, 1e-300));
  return result;
}

Measure verify::measure(const Tensor &y, const Tensor &reference) {
  if (y.elements.isFloat() && reference.elements.isFloat())
    return measureFloats(y.elements.floats, reference.elements.floats);
  if (y.elements.isFloat() != reference.elements.isFloat())
    return {infinity, infinity};
  size_t unequal = 0, count = reference.elements.size();
  for (size_t i = 0; i < count; ++i)
    unequal += y.elements.ints[i] != reference.elements.ints[i];
  double share = count ? double(unequal) / double(count) : 0;
  return {share, share};
}

double verify::getFloor(mlir::Type dtype) {
  return dtype.isF64() ? 1e-14 : dtype.isF32() ? 1e-6 : dtype.isF16() ? 5e-4 : dtype.isBF16() ? 4e-3 : 0;
}

Expectation verify::expect(Tensor exact, const Tensor &eager, double slack) {
  Expectation result;
  result.dtype = eager.elementType();
  result.slack = slack;
  bool comparable = exact.sizes == eager.sizes && exact.elements.isFloat() == eager.elements.isFloat();
  if (comparable && exact.elements.isFloat()) {
    for (size_t i = 0; i < exact.elements.size(); ++i) {
      double &r = exact.elements.floats[i];
      double e = eager.elements.floats[i];
      if (std::isfinite(r) != std::isfinite(e))
        r = e;
    }
  } else {
    result.eager = eager;
  }
  result.eagerError = comparable ? measure(eager, exact) : Measure{};
  result.exact = std::move(exact);
  return result;
}

std::string verify::describeShape(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::Type type = tensor.elementType();
  if (type.isInteger(1))
    os << "bool";
  else if (type.isUnsignedInteger(8))
    os << "u8";
  else
    type.print(os);
  os << "[";
  llvm::interleave(tensor.sizes, os, ",");
  os << "]";
  return text;
}

double Verdict::ratio() const {
  if (floor == 0)
    return right ? 0 : infinity;
  return std::max(ours.rms / allowed.rms, ours.largest / allowed.largest);
}

void verify::decide(Verdict &verdict, const Measure &eager) {
  if (verdict.floor == 0)
    return;
  verdict.eager = eager;
  verdict.allowed.rms = verdict.slack * (2 * eager.rms + verdict.floor);
  verdict.allowed.largest = verdict.slack * (5 * eager.largest + 10 * verdict.floor);
  verdict.right = verdict.ours.rms <= verdict.allowed.rms && verdict.ours.largest <= verdict.allowed.largest;
}

Verdict verify::judge(const Tensor &y, const Expectation &expected) {
  Verdict verdict;
  verdict.eager = expected.eagerError;
  if (y.elementType() != expected.dtype || y.sizes != expected.exact.sizes) {
    Tensor shape;
    shape.sizes = expected.exact.sizes;
    shape.elements.type = expected.dtype;
    verdict.why = "it is " + describeShape(y) + ", expected " + describeShape(shape);
    return verdict;
  }
  verdict.ours = measure(y, expected.exact);
  if (!y.elements.isFloat()) {
    verdict.right = true;
    for (size_t i = 0; i < y.elements.size() && verdict.right; ++i)
      verdict.right = y.elements.ints[i] == expected.exact.elements.ints[i] ||
                      (expected.eager && y.elements.ints[i] == expected.eager->elements.ints[i]);
    return verdict;
  }
  verdict.floor = getFloor(y.elementType());
  verdict.slack = expected.slack;
  decide(verdict, expected.eagerError);
  return verdict;
}

static std::string number(double value) { return std::isinf(value) ? "infinite" : llvm::formatv("{0:e1}", value).str(); }

std::string verify::describe(const Measure &measure) { return "rms error " + number(measure.rms) + ", largest " + number(measure.largest); }

std::string verify::describe(const Verdict &verdict) {
  if (!verdict.why.empty())
    return verdict.why;
  if (verdict.allowed.rms == 0)
    return verdict.ours.rms == 0 ? "equal" : llvm::formatv("{0:P} of the elements differ", verdict.ours.rms).str();
  return "rms error " + number(verdict.ours.rms) + " (eager " + number(verdict.eager.rms) + ", allowed " + number(verdict.allowed.rms) + "), largest " +
         number(verdict.ours.largest) + " (eager " + number(verdict.eager.largest) + ", allowed " + number(verdict.allowed.largest) + ")";
}
