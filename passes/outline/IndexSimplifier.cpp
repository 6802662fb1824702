// See IndexSimplifier.h. Every expression is brought to a sum of atoms; floordiv and mod split the sum into what the divisor divides and the rest.
#include "passes/outline/IndexSimplifier.h"
#include "ir/support/Check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace graphc;

namespace {

int64_t floorDiv(int64_t a, int64_t b) { return llvm::divideFloorSigned(a, b); }
int64_t modulo(int64_t a, int64_t b) { return a - floorDiv(a, b) * b; }

/// A total order on expressions that doesn't depend on addresses.
int compare(AffineExpr a, AffineExpr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return int(a.getKind()) > int(b.getKind()) ? -1 : 1; // dims first
  if (auto dim = dyn_cast<AffineDimExpr>(a))
    return dim.getPosition() < cast<AffineDimExpr>(b).getPosition() ? -1 : 1;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(a))
    return symbol.getPosition() < cast<AffineSymbolExpr>(b).getPosition() ? -1 : 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(a))
    return constant.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  auto x = cast<AffineBinaryOpExpr>(a), y = cast<AffineBinaryOpExpr>(b);
  int order = compare(x.getLHS(), y.getLHS());
  return order != 0 ? order : compare(x.getRHS(), y.getRHS());
}

std::optional<int64_t> addBounds(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t sum;
  return a && b && !llvm::AddOverflow(*a, *b, sum) ? std::optional(sum) : std::nullopt;
}

std::optional<int64_t> scaleBound(std::optional<int64_t> bound, int64_t scale) {
  int64_t product;
  return bound && !llvm::MulOverflow(*bound, scale, product) ? std::optional(product) : std::nullopt;
}

bool isDivisible(int64_t a, int64_t b) { return a % b == 0; }

} // namespace

bool graphc::usesDim(AffineExpr expr, unsigned dim) { return expr.isFunctionOfDim(dim); }

unsigned IndexSimplifier::addDim(graph::DimAttr extent) {
  extents.push_back(extent);
  return extents.size() - 1;
}

AffineExpr IndexSimplifier::getSymbol(graph::DimAttr dim) {
  auto *found = llvm::find(symbols, dim);
  unsigned position = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(dim);
  return getAffineSymbolExpr(position, context);
}

AffineExpr IndexSimplifier::getExpr(graph::DimAttr dim) {
  switch (dim.getKind()) {
  case graph::DimKind::Constant: return getAffineConstantExpr(dim.getValue(), context);
  case graph::DimKind::Add: return getExpr(dim.operand(0)) + getExpr(dim.operand(1));
  case graph::DimKind::Sub: return getExpr(dim.operand(0)) - getExpr(dim.operand(1));
  case graph::DimKind::Mul: return getExpr(dim.operand(0)) * getExpr(dim.operand(1));
  default: return getSymbol(dim);
  }
}

//===-- sums --------------------------------------------------------------------===//

void IndexSimplifier::addAtom(Sum &sum, AffineExpr atom, int64_t scale) const {
  for (auto &term : sum.terms)
    if (term.first == atom) {
      term.second += scale;
      return;
    }
  sum.terms.emplace_back(atom, scale);
}

void IndexSimplifier::add(Sum &sum, AffineExpr expr, int64_t scale) const {
  if (scale == 0)
    return;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant += constant.getValue() * scale;
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    graph::DimAttr extent = dim.getPosition() < extents.size() ? extents[dim.getPosition()] : graph::DimAttr();
    if (!extent || !extent.isConstant() || extent.getValue() != 1) // the only index of an extent of 1 is 0
      addAtom(sum, expr, scale);
    return;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    addAtom(sum, expr, scale);
    return;
  }
  AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  if (expr.getKind() == AffineExprKind::Add) {
    add(sum, lhs, scale);
    add(sum, rhs, scale);
    return;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    addProduct(sum, lhs, rhs, scale);
    return;
  }
  auto divisor = dyn_cast<AffineConstantExpr>(simplify(rhs));
  bool positive = divisor && divisor.getValue() > 0;
  if (expr.getKind() == AffineExprKind::FloorDiv && positive)
    addDivision(sum, lhs, divisor.getValue(), scale);
  else if (expr.getKind() == AffineExprKind::Mod && positive)
    addRemainder(sum, lhs, divisor.getValue(), scale);
  else if (expr.getKind() == AffineExprKind::CeilDiv && positive) // ceildiv(a, c) = floordiv(a + c - 1, c)
    addDivision(sum, lhs + (divisor.getValue() - 1), divisor.getValue(), scale);
  else
    addSymbolic(sum, expr.getKind(), lhs, rhs, scale);
}

IndexSimplifier::Sum IndexSimplifier::toSum(AffineExpr expr) const {
  Sum sum;
  add(sum, expr, 1);
  llvm::erase_if(sum.terms, [](auto &term) { return term.second == 0; });
  joinQuotients(sum);
  return sum;
}

/// (x floordiv c) * c * k + (x mod c) * k is x * k.
void IndexSimplifier::joinQuotients(Sum &sum) const {
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    auto [atom, scale] = sum.terms[i];
    auto mod = dyn_cast<AffineBinaryOpExpr>(atom);
    if (!mod || atom.getKind() != AffineExprKind::Mod)
      continue;
    auto divisor = dyn_cast<AffineConstantExpr>(mod.getRHS());
    if (!divisor)
      continue;
    AffineExpr quotient = simplify(mod.getLHS().floorDiv(divisor.getValue()));
    int64_t wanted = scale * divisor.getValue();
    auto *found = llvm::find_if(sum.terms, [&, wanted](auto &term) { return term.first == quotient && term.second == wanted; });
    if (found == sum.terms.end())
      continue;
    AffineExpr whole = mod.getLHS();
    int64_t wholeScale = scale;
    found->second = 0;
    sum.terms[i].second = 0;
    add(sum, whole, wholeScale);
    llvm::erase_if(sum.terms, [](auto &term) { return term.second == 0; });
    i = size_t(-1); // the sum changed: look again
  }
}

AffineExpr IndexSimplifier::build(Sum sum) const {
  llvm::sort(sum.terms, [](auto &a, auto &b) { return compare(a.first, b.first) < 0; });
  AffineExpr result = getAffineConstantExpr(0, context);
  for (auto [atom, scale] : sum.terms)
    result = result + atom * scale;
  return result + sum.constant;
}

AffineExpr IndexSimplifier::simplify(AffineExpr expr) const { return build(toSum(expr)); }

SmallVector<AffineExpr> IndexSimplifier::simplify(ArrayRef<AffineExpr> exprs) const {
  return llvm::map_to_vector(exprs, [&](AffineExpr expr) { return simplify(expr); });
}

//===-- products, quotients, remainders ---------------------------------------------===//

void IndexSimplifier::addProduct(Sum &sum, AffineExpr lhs, AffineExpr rhs, int64_t scale) const {
  Sum left = toSum(lhs), right = toSum(rhs);
  left.terms.emplace_back(AffineExpr(), left.constant);
  right.terms.emplace_back(AffineExpr(), right.constant);
  for (auto [x, xScale] : left.terms)
    for (auto [y, yScale] : right.terms) {
      int64_t factor = xScale * yScale * scale;
      if (factor == 0)
        continue;
      if (!x && !y)
        sum.constant += factor;
      else if (!x || !y)
        addAtom(sum, x ? x : y, factor);
      else
        addAtom(sum, compare(x, y) <= 0 ? x * y : y * x, factor);
    }
}

/// What of `sum` a divisor of c splits off for certain: with g dividing every other coefficient and c, a part that stays in [0, g) never carries.
static int64_t findGranule(ArrayRef<std::pair<AffineExpr, int64_t>> terms, int64_t c, llvm::function_ref<bool(int64_t)> restStaysBelow) {
  SmallVector<int64_t> candidates;
  for (auto &term : terms)
    candidates.push_back(std::gcd(std::abs(term.second), c));
  llvm::sort(candidates, std::greater<>());
  for (int64_t g : candidates)
    if (g > 1 && restStaysBelow(g))
      return g;
  return 1;
}

void IndexSimplifier::addDivision(Sum &sum, AffineExpr lhs, int64_t c, int64_t scale) const {
  Sum value = toSum(lhs), rest;
  rest.constant = modulo(value.constant, c);
  sum.constant += floorDiv(value.constant, c) * scale;
  for (auto [atom, factor] : value.terms) {
    if (isDivisible(factor, c))
      addAtom(sum, atom, factor / c * scale);
    else
      rest.terms.emplace_back(atom, factor);
  }
  if (getRange(rest).within(0, c - 1))
    return;
  // Drop what never carries past the granule g, then divide all by g.
  auto below = [&](int64_t g) {
    Sum small;
    small.constant = modulo(rest.constant, g);
    llvm::copy_if(rest.terms, std::back_inserter(small.terms), [&](auto &term) { return !isDivisible(term.second, g); });
    return getRange(small).within(0, g - 1);
  };
  if (int64_t g = findGranule(rest.terms, c, below); g > 1) {
    llvm::erase_if(rest.terms, [&](auto &term) { return !isDivisible(term.second, g); });
    for (auto &term : rest.terms)
      term.second /= g;
    rest.constant = floorDiv(rest.constant, g);
    add(sum, build(rest).floorDiv(c / g), scale);
    return;
  }
  if (c == 1) {
    add(sum, build(rest), scale);
    return;
  }
  AffineExpr numerator = build(rest);
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(numerator)) {
    auto inner = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (inner && inner.getValue() > 0 && numerator.getKind() == AffineExprKind::FloorDiv) // (x / a) / c
      return add(sum, binary.getLHS().floorDiv(inner.getValue() * c), scale);
    if (inner && numerator.getKind() == AffineExprKind::Mod && isDivisible(inner.getValue(), c)) // (x mod ac) / c = (x / c) mod a
      return add(sum, binary.getLHS().floorDiv(c) % (inner.getValue() / c), scale);
  }
  AffineExpr quotient = numerator.floorDiv(c);
  quotient.getKind() == AffineExprKind::FloorDiv ? addAtom(sum, quotient, scale) : add(sum, quotient, scale);
}

void IndexSimplifier::addRemainder(Sum &sum, AffineExpr lhs, int64_t c, int64_t scale) const {
  Sum value = toSum(lhs), rest;
  rest.constant = modulo(value.constant, c);
  llvm::copy_if(value.terms, std::back_inserter(rest.terms), [&](auto &term) { return !isDivisible(term.second, c); });
  if (getRange(rest).within(0, c - 1))
    return add(sum, build(rest), scale);
  auto split = [&](int64_t g) {
    Sum small;
    small.constant = modulo(rest.constant, g);
    llvm::copy_if(rest.terms, std::back_inserter(small.terms), [&](auto &term) { return !isDivisible(term.second, g); });
    return small;
  };
  // (g * q + r) mod c = g * (q mod c/g) + r, with r in [0, g).
  if (int64_t g = findGranule(rest.terms, c, [&](int64_t g) { return getRange(split(g)).within(0, g - 1); }); g > 1 && g < c) {
    add(sum, build(split(g)), scale);
    llvm::erase_if(rest.terms, [&](auto &term) { return !isDivisible(term.second, g); });
    for (auto &term : rest.terms)
      term.second /= g;
    rest.constant = floorDiv(rest.constant, g);
    add(sum, build(rest) % (c / g), scale * g);
    return;
  }
  AffineExpr numerator = build(rest);
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(numerator); binary && numerator.getKind() == AffineExprKind::Mod) {
    auto inner = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (inner && isDivisible(inner.getValue(), c)) // (x mod ac) mod c
      return add(sum, binary.getLHS() % c, scale);
  }
  AffineExpr remainder = numerator % c;
  remainder.getKind() == AffineExprKind::Mod ? addAtom(sum, remainder, scale) : add(sum, remainder, scale);
}

/// Division by a symbolic extent s: s * q + d with d in [0, s) splits as with constants.
void IndexSimplifier::addSymbolic(Sum &sum, AffineExprKind kind, AffineExpr lhs, AffineExpr rhs, int64_t scale) const {
  AffineExpr divisor = simplify(rhs);
  Sum value = toSum(lhs), quotient, rest;
  rest.constant = value.constant;
  for (auto [atom, factor] : value.terms) {
    auto product = dyn_cast<AffineBinaryOpExpr>(atom);
    bool isProduct = product && atom.getKind() == AffineExprKind::Mul;
    if (atom == divisor)
      quotient.constant += factor;
    else if (isProduct && (product.getRHS() == divisor || product.getLHS() == divisor))
      addAtom(quotient, product.getRHS() == divisor ? product.getLHS() : product.getRHS(), factor);
    else
      rest.terms.emplace_back(atom, factor);
  }
  bool restIsBelow = rest.terms.empty() && rest.constant == 0;
  if (rest.terms.size() == 1 && rest.constant == 0 && rest.terms[0].second == 1)
    if (auto dim = dyn_cast<AffineDimExpr>(rest.terms[0].first); dim && isa<AffineSymbolExpr>(divisor))
      restIsBelow = extents[dim.getPosition()] == symbols[cast<AffineSymbolExpr>(divisor).getPosition()]; // d in [0, s)
  if (restIsBelow && kind == AffineExprKind::FloorDiv)
    return add(sum, build(quotient), scale);
  if (restIsBelow && kind == AffineExprKind::Mod)
    return add(sum, build(rest), scale);
  AffineExpr atom = getAffineBinaryOpExpr(kind, simplify(lhs), divisor);
  atom.getKind() == kind ? addAtom(sum, atom, scale) : add(sum, atom, scale);
}

//===-- ranges --------------------------------------------------------------------===//

IndexRange IndexSimplifier::getRange(const Sum &sum) const {
  IndexRange total{sum.constant, sum.constant};
  for (auto [atom, scale] : sum.terms) {
    IndexRange range = getRange(atom);
    std::optional<int64_t> a = scaleBound(range.low, scale), b = scaleBound(range.high, scale);
    if (scale < 0)
      std::swap(a, b);
    total = {addBounds(total.low, a), addBounds(total.high, b)};
  }
  return total;
}

IndexRange IndexSimplifier::getRange(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    graph::DimAttr extent = extents[dim.getPosition()];
    return {0, extent.isConstant() ? std::optional(std::max<int64_t>(extent.getValue() - 1, 0)) : std::nullopt};
  }
  if (isa<AffineSymbolExpr>(expr))
    return {0, std::nullopt};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add || expr.getKind() == AffineExprKind::Mul) {
    Sum sum;
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()); factor && expr.getKind() == AffineExprKind::Mul)
      sum.terms.emplace_back(binary.getLHS(), factor.getValue());
    else if (expr.getKind() == AffineExprKind::Add)
      sum.terms = {{binary.getLHS(), 1}, {binary.getRHS(), 1}};
    else { // a product of two expressions that are never negative is not negative
      IndexRange a = getRange(binary.getLHS()), b = getRange(binary.getRHS());
      bool nonNegative = a.low && b.low && *a.low >= 0 && *b.low >= 0;
      return {nonNegative ? std::optional<int64_t>(0) : std::nullopt, std::nullopt};
    }
    return getRange(sum);
  }
  IndexRange lhs = getRange(binary.getLHS());
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mod)
    return {0, divisor ? std::optional(divisor.getValue() - 1) : std::nullopt};
  if (!divisor || divisor.getValue() <= 0)
    return {lhs.low && *lhs.low >= 0 ? std::optional<int64_t>(0) : std::nullopt, std::nullopt};
  auto divide = [&](std::optional<int64_t> bound) {
    bool ceil = expr.getKind() == AffineExprKind::CeilDiv;
    return bound ? std::optional(ceil ? -floorDiv(-*bound, divisor.getValue()) : floorDiv(*bound, divisor.getValue())) : std::nullopt;
  };
  return {divide(lhs.low), divide(lhs.high)};
}
