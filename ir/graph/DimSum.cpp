// See DimSum.h.
#include "ir/graph/DimSum.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace graphc::graph;

namespace {

DimAttr make(DimKind kind, DimAttr lhs, DimAttr rhs) {
  MLIRContext *context = lhs.getContext();
  return DimAttr::get(context, kind, 0, StringAttr::get(context, ""), {lhs, rhs});
}

/// constant + sum of coefficient * product of factors; terms are ordered by their text, so that equal sums are built alike.
class Sum {
public:
  struct Term {
    SmallVector<DimAttr> factors; // sorted by text, none constant
    int64_t coefficient = 0;
  };

  explicit Sum(MLIRContext *context) : context(context) {}

  /// Adds scale * dim.
  void add(DimAttr dim, int64_t scale) {
    switch (dim.getKind()) {
    case DimKind::Constant: return addTo(constant, times(dim.getValue(), scale));
    case DimKind::Add: add(dim.operand(0), scale); return add(dim.operand(1), scale);
    case DimKind::Sub: add(dim.operand(0), scale); return add(dim.operand(1), times(scale, -1));
    case DimKind::Mul: return addProduct(dim, scale);
    default: return addTerm({dim}, scale);
    }
  }

  DimAttr build() const {
    SmallVector<const Term *> positive, negative;
    for (const auto &[text, term] : terms)
      if (term.coefficient != 0)
        (term.coefficient > 0 ? positive : negative).push_back(&term);
    DimAttr result;
    for (const Term *term : positive)
      result = result ? make(DimKind::Add, result, build(*term, term->coefficient)) : build(*term, term->coefficient);
    if (!result) // nothing positive to start from but the constant
      result = negative.empty() || constant != 0 ? DimAttr::constant(context, constant) : DimAttr();
    else if (constant > 0)
      result = make(DimKind::Add, result, DimAttr::constant(context, constant));
    for (const Term *term : negative)
      result = result ? make(DimKind::Sub, result, build(*term, -term->coefficient)) : build(*term, term->coefficient);
    if (constant < 0 && !positive.empty())
      result = make(DimKind::Sub, result, DimAttr::constant(context, -constant));
    return result;
  }

  /// Whether divisor divides every coefficient (and the constant, where `withConstant`).
  bool isMultipleOf(int64_t divisor, bool withConstant) const {
    for (const auto &[text, term] : terms)
      if (term.coefficient % divisor != 0)
        return false;
    return !withConstant || constant % divisor == 0;
  }
  void divide(int64_t divisor) {
    for (auto &[text, term] : terms)
      term.coefficient /= divisor;
    constant /= divisor;
  }
  /// The only term where the sum is one product with a positive coefficient, else null.
  const Term *getSingleTerm() const {
    const Term *single = nullptr;
    for (const auto &[text, term] : terms) {
      if (term.coefficient == 0)
        continue;
      if (single || term.coefficient < 0)
        return nullptr;
      single = &term;
    }
    return constant == 0 ? single : nullptr;
  }
  /// Divides every term by `divisor`; false, with the sum in an unspecified state, where one is no multiple of it. The divisor's factors are
  /// sizes: where one is 0 the division had no value to begin with.
  bool divideBy(const Term &divisor) {
    std::map<std::string, Term> old = std::move(terms);
    terms.clear();
    for (auto &[text, term] : old) {
      for (DimAttr factor : divisor.factors) {
        auto *found = llvm::find(term.factors, factor);
        if (found == term.factors.end())
          return false;
        term.factors.erase(found);
      }
      if (term.coefficient % divisor.coefficient != 0)
        return false;
      if (term.factors.empty())
        addTo(constant, term.coefficient / divisor.coefficient);
      else
        addTerm(std::move(term.factors), term.coefficient / divisor.coefficient);
    }
    return true;
  }
  void keepConstant() { terms.clear(); }
  int64_t constant = 0;
  bool overflowed = false;

private:
  int64_t times(int64_t a, int64_t b) {
    int64_t result = 0;
    overflowed |= llvm::MulOverflow(a, b, result) || result == INT64_MIN;
    return result;
  }
  void addTo(int64_t &target, int64_t value) { overflowed |= llvm::AddOverflow(target, value, target) || target == INT64_MIN; }

  void addTerm(SmallVector<DimAttr> factors, int64_t coefficient) {
    llvm::sort(factors, [](DimAttr a, DimAttr b) { return a.str() < b.str(); });
    std::string text;
    for (DimAttr factor : factors)
      text += factor.str() + "*";
    Term &term = terms[text];
    term.factors = std::move(factors);
    addTo(term.coefficient, coefficient);
  }

  /// A product: constants multiply; one that is a sum times constants is distributed, products of sums stay as they are.
  void addProduct(DimAttr dim, int64_t scale) {
    SmallVector<DimAttr> factors;
    int64_t coefficient = scale;
    collectFactors(dim, factors, coefficient);
    bool isSum = factors.size() == 1 && (factors[0].getKind() == DimKind::Add || factors[0].getKind() == DimKind::Sub);
    if (isSum)
      return add(factors[0], coefficient);
    if (factors.empty())
      return addTo(constant, coefficient);
    addTerm(std::move(factors), coefficient);
  }
  void collectFactors(DimAttr dim, SmallVectorImpl<DimAttr> &factors, int64_t &coefficient) {
    if (dim.isConstant()) {
      coefficient = times(coefficient, dim.getValue());
    } else if (dim.getKind() == DimKind::Mul) {
      collectFactors(dim.operand(0), factors, coefficient);
      collectFactors(dim.operand(1), factors, coefficient);
    } else {
      factors.push_back(dim);
    }
  }

  DimAttr build(const Term &term, int64_t coefficient) const {
    DimAttr product = term.factors[0];
    for (DimAttr factor : llvm::drop_begin(term.factors))
      product = make(DimKind::Mul, product, factor);
    return coefficient == 1 ? product : make(DimKind::Mul, DimAttr::constant(context, coefficient), product);
  }

  MLIRContext *context;
  std::map<std::string, Term> terms;
};

} // namespace

/// lhs / rhs where rhs is a product that divides lhs: `(384 * (B * S)) floordiv (32 * (B * S))` is 12.
static DimAttr divideByProduct(DimAttr lhs, DimAttr rhs) {
  Sum numerator(lhs.getContext()), denominator(lhs.getContext());
  numerator.add(lhs, 1);
  denominator.add(rhs, 1);
  const auto *divisor = denominator.getSingleTerm();
  if (!divisor || numerator.constant != 0 || !numerator.divideBy(*divisor) || numerator.overflowed || denominator.overflowed)
    return DimAttr();
  return numerator.build();
}

DimAttr graphc::graph::simplifySum(DimKind kind, DimAttr lhs, DimAttr rhs) {
  Sum sum(lhs.getContext());
  switch (kind) {
  case DimKind::Add:
  case DimKind::Sub:
    sum.add(lhs, 1);
    sum.add(rhs, kind == DimKind::Add ? 1 : -1);
    break;
  case DimKind::Mul:
    sum.add(make(DimKind::Mul, lhs, rhs), 1);
    break;
  case DimKind::FloorDiv:
  case DimKind::CeilDiv:
  case DimKind::Mod: {
    if (!rhs.isConstant())
      return kind == DimKind::Mod ? DimAttr() : divideByProduct(lhs, rhs);
    if (rhs.getValue() <= 0)
      return DimAttr();
    int64_t divisor = rhs.getValue();
    sum.add(lhs, 1);
    if (sum.overflowed || !sum.isMultipleOf(divisor, /*withConstant=*/kind != DimKind::Mod))
      return DimAttr();
    if (kind != DimKind::Mod) {
      sum.divide(divisor);
      break;
    }
    sum.keepConstant();
    sum.constant = ((sum.constant % divisor) + divisor) % divisor;
    break;
  }
  default: return DimAttr();
  }
  return sum.overflowed ? DimAttr() : sum.build();
}
