// See MatrixReader.h.
#include "ir/interpreter/MatrixReader.h"
#include "ir/support/Offsets.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace graphc::interpreter;

namespace {

bool isLinear(AffineExpr e) {
  if (e.getKind() == AffineExprKind::FloorDiv || e.getKind() == AffineExprKind::CeilDiv || e.getKind() == AffineExprKind::Mod)
    return false;
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  return !binary || (isLinear(binary.getLHS()) && isLinear(binary.getRHS()));
}

int64_t evaluate(AffineExpr e, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(e);
  int64_t a = evaluate(binary.getLHS(), dims, symbols), b = evaluate(binary.getRHS(), dims, symbols);
  return e.getKind() == AffineExprKind::Add ? a + b : a * b;
}

} // namespace

bool MatrixReader::Condition::isNeeded() const {
  return !row.empty() && (*llvm::min_element(row) + least < low || *llvm::max_element(row) + most > high);
}

MatrixReader::Condition MatrixReader::tabulate(AffineExpr expression, const MatrixDomain &domain) const {
  SmallVector<int64_t> point(domain.gridPoint);
  point.resize(point.size() + domain.rows.size() + domain.depth.size(), 0);
  int64_t base = evaluate(expression, point, domain.symbols);
  SmallVector<int64_t> coefficients;
  for (size_t d = domain.gridPoint.size(); d < point.size(); ++d) {
    point[d] = 1;
    coefficients.push_back(evaluate(expression, point, domain.symbols) - base);
    point[d] = 0;
  }
  Condition result;
  result.row = graphc::tabulateOffsets(base, domain.rows, ArrayRef(coefficients).take_front(domain.rows.size()));
  result.depth = graphc::tabulateOffsets(0, domain.depth, ArrayRef(coefficients).drop_front(domain.rows.size()));
  result.least = result.depth.empty() ? 0 : *llvm::min_element(result.depth);
  result.most = result.depth.empty() ? 0 : *llvm::max_element(result.depth);
  return result;
}

void MatrixReader::require(Condition condition) {
  if (condition.isNeeded())
    conditions.push_back(std::move(condition));
}

std::optional<MatrixReader> MatrixReader::create(AffineMap map, std::optional<IntegerSet> mask, const MatrixDomain &domain) {
  if (!llvm::all_of(map.getResults(), isLinear) || (mask && !llvm::all_of(mask->getConstraints(), isLinear)))
    return std::nullopt;
  MatrixReader reader;
  for (unsigned i = 0; mask && i < mask->getNumConstraints(); ++i) {
    Condition condition = reader.tabulate(mask->getConstraint(i), domain);
    condition.high = mask->isEq(i) ? 0 : std::numeric_limits<int64_t>::max();
    reader.require(std::move(condition));
  }
  AffineExpr position = getAffineConstantExpr(0, map.getContext());
  for (auto [d, index] : llvm::enumerate(map.getResults())) {
    position = position * domain.sizes[d] + index;
    Condition condition = reader.tabulate(index, domain);
    condition.high = domain.sizes[d] - 1;
    condition.dim = int64_t(d);
    reader.require(std::move(condition));
  }
  reader.position = reader.tabulate(position, domain);
  return reader;
}

bool MatrixReader::isMasked(int64_t r, int64_t k) const {
  return llvm::any_of(conditions, [&](const Condition &condition) { return condition.dim < 0 && !condition.holds(r, k); });
}

std::string MatrixReader::findOutside(int64_t r, int64_t k) const {
  for (const Condition &condition : conditions)
    if (!condition.holds(r, k))
      return "access map gives index " + std::to_string(condition.row[r] + condition.depth[k]) + " for dim " + std::to_string(condition.dim) + " of size " +
             std::to_string(condition.high + 1);
  return "";
}

template <class Element> std::string MatrixReader::read(const std::vector<Element> &elements, int64_t begin, int64_t count, Element *out) const {
  int64_t depth = int64_t(position.depth.size());
  for (int64_t r = begin; r < begin + count; ++r, out += depth) {
    int64_t at = position.row[r];
    if (llvm::all_of(conditions, [&](const Condition &condition) { return condition.holdsForAll(r); })) {
      for (int64_t k = 0; k < depth; ++k)
        out[k] = elements[at + position.depth[k]];
      continue;
    }
    for (int64_t k = 0; k < depth; ++k) {
      bool masked = isMasked(r, k);
      if (std::string problem = masked ? "" : findOutside(r, k); !problem.empty())
        return problem;
      out[k] = masked ? 0 : elements[at + position.depth[k]];
    }
  }
  return "";
}

template std::string MatrixReader::read(const std::vector<double> &, int64_t, int64_t, double *) const;
template std::string MatrixReader::read(const std::vector<int64_t> &, int64_t, int64_t, int64_t *) const;
