// See Run.h: the function around the evaluation, results, guards.
#include "frontend/builder/Run.h"

#include "ir/support/Check.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using graph::DimKind;
using graph::DimPredicate;

Run::Run(Program &program, const State &initial, unsigned variant)
    : program(program), e(program.context), initial(initial), variant(variant) {
  env.resize(program.source.values.size());
}

void Run::run() {
  createFunction();
  bindInputs();
  if (!stopped())
    runBlock(program.source.body);
  if (!stopped() && program.report.empty())
    finish();
}

void Run::createFunction() {
  OpBuilder builder(program.context);
  builder.setInsertionPointToEnd(program.module->getBody());
  std::string name = program.source.method + (variant ? "$" + std::to_string(variant) : "");
  Location where = NameLoc::get(builder.getStringAttr(name), program.module->getLoc());
  func = func::FuncOp::create(builder, where, name, builder.getFunctionType({}, {}));
  mlir::Block *body = func.addEntryBlock();
  e.builder.setInsertionPointToEnd(body);
  e.loc = where;
}

void Run::returnValue(const Val &value, const std::string &name) {
  auto child = [&](const std::string &key) { return name.empty() ? key : name + "." + key; };
  if (value.is<Tensor>() || value.is<TensorScalar>() || value.isNumber() || value.isSymbolic()) {
    Tensor tensor = value.is<Tensor>()         ? value.as<Tensor>()
                    : value.is<TensorScalar>() ? value.as<TensorScalar>().tensor
                                               : knownScalar(numberType(value), value);
    results.push_back(read(tensor));
    resultNames.push_back(name.empty() ? "out" + std::to_string(resultNames.size()) : name);
    return;
  }
  if (const auto *list = value.get<List>()) {
    for (size_t i = 0; i < (*list)->elements.size(); ++i)
      returnValue((*list)->elements[i], child(i < (*list)->fieldNames.size() ? (*list)->fieldNames[i] : std::to_string(i)));
    return;
  }
  if (const auto *dict = value.get<Dict>()) {
    for (const auto &[key, element] : (*dict)->entries)
      returnValue(element, child(toText(key)));
    return;
  }
  std::string text = "the result" + (name.empty() ? "" : " '" + name + "'") + " is a " + kindOf(value);
  if (const auto *masked = value.get<Masked>())
    program.report.add(text, program.sourceLocation((*masked)->location));
  else if (!value.is<None>())
    program.notes.push_back(text + " and is left out");
}

void Run::finish() {
  e.loc = func.getLoc();
  for (const Output &output : program.source.outputs)
    returnValue(evaluate(output.value), output.name);
  checkContainers();
  writeStates();
  settleInputs();
  if (e.failed())
    return program.report.add("the results: " + e.takeReason(), {});
  if (stopped() || !program.report.empty())
    return;
  SmallVector<size_t> writtenInputs = returnMutatedInputs();
  func::ReturnOp::create(e.builder, e.loc, results);
  SmallVector<Type> types(ValueRange(results).getTypes());
  func.setType(FunctionType::get(program.context, func.getFunctionType().getInputs(), types));
  for (size_t i = 0; i < resultNames.size(); ++i)
    func.setResultAttr(i, "graph.name", e.builder.getStringAttr(resultNames[i]));
  for (auto [i, input] : llvm::enumerate(writtenInputs))
    func.setResultAttr(resultNames.size() + i, graph::writesInputAttrName, e.builder.getI64IntegerAttr(int64_t(input)));
}

/// What inputs that the program changes in place hold at the end: results behind the program's own, marked `graph.writes_input`, which
/// the plan copies into the caller's memory. The inputs' indices.
SmallVector<size_t> Run::returnMutatedInputs() {
  SmallVector<size_t> indices;
  for (const std::shared_ptr<StorageCell> &cell : inputCells) {
    if (cell->version == 0)
      continue;
    func.setArgAttr(cell->inputIndex, "graph.mutated", e.builder.getUnitAttr());
    program.notes.push_back("the program changes its input '" + cell->name + "' in place, and with it the caller's memory");
    results.push_back(cell->value);
    indices.push_back(cell->inputIndex);
  }
  return indices;
}

namespace {

/// Bounds of an expression; none where unbounded or not known.
struct Interval {
  std::optional<int64_t> min, max;
};

using Bound = std::optional<int64_t>;

Bound sum(Bound a, Bound b) {
  int64_t result;
  return a && b && !llvm::AddOverflow(*a, *b, result) ? Bound(result) : Bound();
}

Bound product(Bound a, Bound b) {
  int64_t result;
  return a && b && !llvm::MulOverflow(*a, *b, result) ? Bound(result) : Bound();
}

Interval interval(DimAttr dim, const std::map<std::string, Program::Range> &ranges);

Interval multiply(Interval a, Interval b) {
  bool positive = a.min && *a.min >= 0 && b.min && *b.min >= 0;
  if (positive)
    return {product(a.min, b.min), product(a.max, b.max)};
  for (int swapped = 0; swapped < 2; ++swapped, std::swap(a, b))
    if (b.min && b.max && *b.min == *b.max) {
      Bound low = product(a.min, b.min), high = product(a.max, b.min);
      return *b.min >= 0 ? Interval{low, high} : Interval{high, low};
    }
  return {};
}

Interval interval(DimAttr dim, const std::map<std::string, Program::Range> &ranges) {
  if (dim.isConstant())
    return {dim.getValue(), dim.getValue()};
  if (dim.getKind() == DimKind::Symbol) {
    auto found = ranges.find(dim.getSymbol().str());
    return found == ranges.end() ? Interval{0, {}} : Interval{found->second.min, found->second.max};
  }
  if (dim.getKind() == DimKind::Select)
    return {};
  Interval a = interval(dim.operand(0), ranges), b = interval(dim.operand(1), ranges);
  bool positiveDivisor = b.min && *b.min > 0;
  auto negate = [](Bound x) { return x ? Bound(-*x) : Bound(); };
  switch (dim.getKind()) {
  case DimKind::Add:
    return {sum(a.min, b.min), sum(a.max, b.max)};
  case DimKind::Sub:
    return {sum(a.min, negate(b.max)), sum(a.max, negate(b.min))};
  case DimKind::Mul:
    return multiply(a, b);
  case DimKind::FloorDiv:
    if (a.min && *a.min >= 0 && positiveDivisor)
      return {b.max ? Bound(*a.min / *b.max) : Bound(0), a.max ? Bound(*a.max / *b.min) : Bound()};
    return {};
  case DimKind::CeilDiv:
    if (a.min && *a.min >= 0 && positiveDivisor)
      return {b.max ? Bound(llvm::divideCeilSigned(*a.min, *b.max)) : Bound(*a.min > 0), a.max ? Bound(llvm::divideCeilSigned(*a.max, *b.min)) : Bound()};
    return {};
  case DimKind::Mod:
    return positiveDivisor ? Interval{0, b.max ? Bound(*b.max - 1) : Bound()} : Interval{};
  case DimKind::Max:
    return {a.min && b.min ? Bound(std::max(*a.min, *b.min)) : a.min ? a.min : b.min, a.max && b.max ? Bound(std::max(*a.max, *b.max)) : Bound()};
  case DimKind::Min:
    return {a.min && b.min ? Bound(std::min(*a.min, *b.min)) : Bound(), a.max && b.max ? Bound(std::min(*a.max, *b.max)) : a.max ? a.max : b.max};
  default:
    return {};
  }
}

std::optional<bool> prove(DimPredicate predicate, Interval difference) {
  auto below = [&](int64_t limit) { return difference.max && *difference.max < limit; };
  auto above = [&](int64_t limit) { return difference.min && *difference.min > limit; };
  bool zero = difference.min && difference.max && *difference.min == 0 && *difference.max == 0;
  switch (predicate) {
  case DimPredicate::Eq:
    return zero ? std::optional(true) : below(0) || above(0) ? std::optional(false) : std::nullopt;
  case DimPredicate::Ne:
    return zero ? std::optional(false) : below(0) || above(0) ? std::optional(true) : std::nullopt;
  case DimPredicate::Lt:
    return below(0) ? std::optional(true) : above(-1) ? std::optional(false) : std::nullopt;
  case DimPredicate::Le:
    return below(1) ? std::optional(true) : above(0) ? std::optional(false) : std::nullopt;
  case DimPredicate::Gt:
    return above(0) ? std::optional(true) : below(1) ? std::optional(false) : std::nullopt;
  case DimPredicate::Ge:
    return above(-1) ? std::optional(true) : below(0) ? std::optional(false) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::optional<bool> Run::proved(DimPredicate predicate, DimAttr lhs, DimAttr rhs) const {
  return prove(predicate, interval(lhs - rhs, program.ranges));
}

DimAttr Run::smaller(DimAttr a, DimAttr b) {
  if (std::optional<bool> known = proved(DimPredicate::Le, a, b))
    return *known ? a : b;
  return DimAttr::binary(DimKind::Min, a, b);
}

DimAttr Run::larger(DimAttr a, DimAttr b) {
  if (std::optional<bool> known = proved(DimPredicate::Ge, a, b))
    return *known ? a : b;
  return DimAttr::binary(DimKind::Max, a, b);
}

std::optional<bool> Run::decide(DimPredicate predicate, DimAttr lhs, DimAttr rhs) {
  if (std::optional<bool> known = proved(predicate, lhs, rhs))
    return known;
  if (predicate != DimPredicate::Eq && predicate != DimPredicate::Ne)
    return std::nullopt;
  // Sizes that are only sometimes equal: the program is built for unequal ones, and a guard refuses the others.
  guard(lhs, "!=", rhs, "the model was compiled for sizes where " + lhs.str() + " is not " + rhs.str());
  return predicate == DimPredicate::Ne;
}

void Run::guard(DimAttr lhs, StringRef predicate, DimAttr rhs, const std::string &message) {
  if (!guards.insert(lhs.str() + predicate.str() + rhs.str()).second)
    return;
  OpBuilder builder(program.context);
  builder.setInsertionPointToStart(&func.getBody().front());
  graph::GuardOp::create(builder, e.loc, lhs, builder.getStringAttr(predicate), rhs, builder.getStringAttr(message));
}
