// See IndexForm.h.
#include "codegen/cpu/IndexForm.h"
#include "ir/support/Check.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;
using graph::DimKind;

bool IndexAtom::operator==(const IndexAtom &other) const {
  if (kind != other.kind)
    return false;
  return kind == Index ? index == other.index : divisor == other.divisor && *inner == *other.inner;
}

bool IndexForm::operator==(const IndexForm &other) const {
  return constant == other.constant && terms.size() == other.terms.size() &&
         llvm::all_of(terms, [&](const Term &term) {
           return llvm::any_of(other.terms, [&](const Term &t) { return t.atom == term.atom && t.coefficient == term.coefficient; });
         });
}

bool IndexForm::isLinear() const {
  return llvm::all_of(terms, [](const Term &term) { return term.atom.kind == IndexAtom::Index; });
}

DimAttr IndexForm::coefficient(unsigned index) const {
  for (const Term &term : terms)
    if (term.atom.kind == IndexAtom::Index && term.atom.index == index)
      return term.coefficient;
  return {};
}

bool IndexForm::usesNonlinearly(unsigned index) const {
  return llvm::any_of(terms, [&](const Term &term) { return term.atom.kind != IndexAtom::Index && term.atom.inner->uses(index); });
}

bool IndexForm::uses(unsigned index) const { return coefficient(index) || usesNonlinearly(index); }

DimAttr graphc::cpu::extentOfIndex(Value index) {
  if (auto check = index.getDefiningOp<kernel::CheckIndexOp>())
    return check.getExtent();
  auto argument = cast<BlockArgument>(index);
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned n = argument.getArgNumber();
  if (auto func = dyn_cast<kernel::FuncOp>(parent))
    return func.getGridExtent(n - func.getNumInputs() - func.getNumOutputs());
  if (auto contract = dyn_cast<kernel::ContractOp>(parent)) {
    unsigned m = contract.getMExtents().size();
    return cast<DimAttr>(n - 1 < m ? contract.getMExtents()[n - 1] : contract.getNExtents()[n - 1 - m]);
  }
  if (auto reduce = dyn_cast<kernel::ReduceOp>(parent))
    return cast<DimAttr>(reduce.getExtents()[n]);
  return cast<DimAttr>(cast<kernel::MapOp>(parent).getExtents()[n]);
}

IndexSpace::IndexSpace(kernel::FuncOp func) : context(func.getContext()), symbols(func.getSymbols()) {}

unsigned IndexSpace::id(Value index) {
  auto [it, isNew] = idOfValue.try_emplace(index, static_cast<unsigned>(extents.size()));
  if (isNew)
    extents.push_back(extentOfIndex(index));
  return it->second;
}

unsigned IndexSpace::fresh(DimAttr extent) {
  extents.push_back(extent);
  return extents.size() - 1;
}

SmallVector<unsigned> IndexSpace::ids(ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value v) { return id(v); });
}

IndexForm IndexSpace::constant(int64_t value) const { return {DimAttr::constant(context, value), {}}; }

IndexForm IndexSpace::index(unsigned id) const {
  IndexAtom atom;
  atom.index = id;
  return {DimAttr::constant(context, 0), {{atom, DimAttr::constant(context, 1)}}};
}

/// Adds a term, joining it with an equal atom, and (x floordiv c)*(k*c) + (x mod c)*k to x*k.
void IndexSpace::addTerm(IndexForm &form, IndexForm::Term term) const {
  auto isZero = [](DimAttr dim) { return dim.isConstant() && dim.getValue() == 0; };
  for (IndexForm::Term &old : form.terms) {
    if (!(old.atom == term.atom))
      continue;
    old.coefficient = old.coefficient + term.coefficient;
    if (isZero(old.coefficient))
      form.terms.erase(&old);
    return;
  }
  if (isZero(term.coefficient))
    return;
  for (IndexForm::Term &old : form.terms) {
    bool pair = term.atom.kind != IndexAtom::Index && old.atom.kind != IndexAtom::Index && term.atom.kind != old.atom.kind &&
                term.atom.divisor == old.atom.divisor && *term.atom.inner == *old.atom.inner;
    if (!pair)
      continue;
    DimAttr quotient = (term.atom.kind == IndexAtom::FloorDiv ? term : old).coefficient;
    DimAttr rest = (term.atom.kind == IndexAtom::Mod ? term : old).coefficient;
    if (quotient != rest * term.atom.divisor)
      continue;
    IndexForm whole = scale(*term.atom.inner, rest);
    form.terms.erase(&old);
    form = add(form, whole);
    return;
  }
  form.terms.push_back(term);
}

IndexForm IndexSpace::add(const IndexForm &a, const IndexForm &b) const {
  IndexForm result = a;
  result.constant = a.constant + b.constant;
  for (const IndexForm::Term &term : b.terms)
    addTerm(result, term);
  return result;
}

IndexForm IndexSpace::scale(const IndexForm &a, DimAttr factor) const {
  IndexForm result = constant(a.constant * factor);
  for (const IndexForm::Term &term : a.terms)
    addTerm(result, {term.atom, term.coefficient * factor});
  return result;
}

std::optional<IndexRange> IndexSpace::range(const IndexForm &form) const {
  if (!form.constant.isConstant())
    return std::nullopt;
  IndexRange result{form.constant.getValue(), form.constant.getValue()};
  for (const IndexForm::Term &term : form.terms) {
    if (!term.coefficient.isConstant())
      return std::nullopt;
    std::optional<IndexRange> atom;
    if (term.atom.kind == IndexAtom::Index) {
      if (DimAttr extent = extents[term.atom.index]; extent.isConstant())
        atom = IndexRange{0, std::max<int64_t>(extent.getValue() - 1, 0)};
    } else if (term.atom.divisor.isConstant()) {
      int64_t divisor = term.atom.divisor.getValue();
      if (term.atom.kind == IndexAtom::Mod)
        atom = IndexRange{0, divisor - 1};
      else if (std::optional<IndexRange> inner = range(*term.atom.inner))
        atom = IndexRange{llvm::divideFloorSigned(inner->low, divisor), llvm::divideFloorSigned(inner->high, divisor)};
    }
    if (!atom)
      return std::nullopt;
    int64_t c = term.coefficient.getValue();
    result.low += c >= 0 ? c * atom->low : c * atom->high;
    result.high += c >= 0 ? c * atom->high : c * atom->low;
  }
  return result;
}

/// a = quotient * divisor + rest, with every term that is a multiple of the divisor moved to the quotient.
IndexSpace::Split IndexSpace::split(const IndexForm &a, DimAttr divisor) const {
  auto quotientOf = [&](DimAttr dim) -> DimAttr {
    if (dim == divisor)
      return DimAttr::constant(context, 1);
    if (dim.isConstant() && divisor.isConstant() && dim.getValue() % divisor.getValue() == 0)
      return DimAttr::constant(context, dim.getValue() / divisor.getValue());
    if (dim.getKind() == DimKind::Mul)
      for (unsigned i : {0u, 1u})
        if (dim.operand(i) == divisor)
          return dim.operand(1 - i);
    return {};
  };
  Split result{constant(0), constant(0)};
  if (a.constant.isConstant() && divisor.isConstant()) {
    int64_t q = llvm::divideFloorSigned(a.constant.getValue(), divisor.getValue());
    result.quotient.constant = DimAttr::constant(context, q);
    result.rest.constant = DimAttr::constant(context, a.constant.getValue() - q * divisor.getValue());
  } else if (DimAttr q = quotientOf(a.constant)) {
    result.quotient.constant = q;
  } else {
    result.rest.constant = a.constant;
  }
  for (const IndexForm::Term &term : a.terms) {
    if (DimAttr q = quotientOf(term.coefficient))
      addTerm(result.quotient, {term.atom, q});
    else
      addTerm(result.rest, term);
  }
  return result;
}

/// Whether 0 <= rest < divisor is known.
bool IndexSpace::isBelow(const IndexForm &rest, DimAttr divisor) const {
  if (divisor.isConstant()) {
    std::optional<IndexRange> bounds = range(rest);
    return bounds && bounds->low >= 0 && bounds->high < divisor.getValue();
  }
  auto is = [](DimAttr dim, int64_t value) { return dim.isConstant() && dim.getValue() == value; };
  if (rest.isConstant())
    return is(rest.constant, 0);
  const IndexForm::Term &term = rest.terms[0];
  return rest.terms.size() == 1 && is(rest.constant, 0) && is(term.coefficient, 1) && term.atom.kind == IndexAtom::Index &&
         extents[term.atom.index] == divisor;
}

IndexForm IndexSpace::floorDiv(const IndexForm &a, DimAttr divisor) const {
  if (a.isConstant())
    return constant(DimAttr::binary(DimKind::FloorDiv, a.constant, divisor));
  Split parts = split(a, divisor);
  if (isBelow(parts.rest, divisor))
    return parts.quotient;
  IndexAtom atom;
  atom.kind = IndexAtom::FloorDiv;
  atom.inner = std::make_shared<const IndexForm>(parts.rest);
  atom.divisor = divisor;
  addTerm(parts.quotient, {atom, DimAttr::constant(context, 1)});
  return parts.quotient;
}

IndexForm IndexSpace::mod(const IndexForm &a, DimAttr divisor) const {
  if (a.isConstant())
    return constant(DimAttr::binary(DimKind::Mod, a.constant, divisor));
  IndexForm rest = split(a, divisor).rest;
  if (isBelow(rest, divisor))
    return rest;
  IndexAtom atom;
  atom.kind = IndexAtom::Mod;
  atom.inner = std::make_shared<const IndexForm>(rest);
  atom.divisor = divisor;
  IndexForm result = constant(0);
  addTerm(result, {atom, DimAttr::constant(context, 1)});
  return result;
}

IndexForm IndexSpace::form(AffineExpr expr, ArrayRef<unsigned> dims) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constant(value.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return index(dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return constant(cast<DimAttr>(symbols[symbol.getPosition()]));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexForm a = form(binary.getLHS(), dims), b = form(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(a, b);
  case AffineExprKind::Mul:
    GRAPHC_CHECK(a.isConstant() || b.isConstant(), "an access map multiplies two indices");
    return b.isConstant() ? scale(a, b.constant) : scale(b, a.constant);
  default:
    break;
  }
  GRAPHC_CHECK(b.isConstant(), "an access map divides by an index");
  if (expr.getKind() == AffineExprKind::Mod)
    return mod(a, b.constant);
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return floorDiv(a, b.constant);
  DimAttr one = DimAttr::constant(context, 1); // ceildiv(a, b) = floordiv(a + b - 1, b)
  return floorDiv(add(a, constant(b.constant - one)), b.constant);
}

IndexForm IndexSpace::offset(Value buffer, AffineMap map, ArrayRef<unsigned> dims) {
  SmallVector<DimAttr> strides = graph::getStrides(cast<RankedTensorType>(buffer.getType()));
  IndexForm result = constant(0);
  for (auto [expr, stride] : llvm::zip(map.getResults(), strides))
    result = add(result, scale(form(expr, dims), stride));
  return result;
}

const IndexAccess &IndexSpace::access(Operation *op) {
  std::unique_ptr<IndexAccess> &result = accesses[op];
  if (result)
    return *result;
  auto made = std::make_unique<IndexAccess>();
  std::optional<IntegerSet> mask;
  SmallVector<unsigned> dims;
  if (auto load = dyn_cast<kernel::LoadOp>(op)) {
    dims = ids(load.getIndices());
    made->offset = offset(load.getBuffer(), load.getMap(), dims);
    mask = load.getMask();
  } else if (auto store = dyn_cast<kernel::StoreOp>(op)) {
    dims = ids(store.getIndices());
    made->offset = offset(store.getBuffer(), store.getMap(), dims);
    mask = store.getMask();
  } else {
    auto index = cast<kernel::IndexValueOp>(op);
    made->offset = form(index.getMap().getResult(0), ids(index.getIndices()));
    made->isValue = true;
  }
  for (unsigned i = 0; mask && i < mask->getNumConstraints(); ++i)
    made->constraints.emplace_back(form(mask->getConstraint(i), dims), mask->isEq(i));
  return *(accesses[op] = std::move(made));
}
