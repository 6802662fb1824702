// Tensors out of numbers: zeros, full, arange, tensor([...]), eye, triu_indices, …, and their *_like and new_* forms.
//
// A filled tensor is an expanded 0-d constant; what importing knows element by element (linspace, small tensor literals) is one
// graph.constant.
#include "frontend/builder/Expression.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static void giveFilled(Call &call, ArrayRef<DimAttr> shape, ScalarType type, const Val &number) {
  if (call.failed())
    return;
  if (shape.empty())
    return call.give(Val(call.run.knownScalar(type, number)));
  call.give(call.e.expand(call.e.constant(type, number), shape));
}

static std::vector<DimAttr> shapeOf(Call &call) { return call.dims(call.find("size") ? "size" : "shape"); }

static void convertZeros(Call &call) { giveFilled(call, shapeOf(call), call.dtype("dtype", ScalarType::F32), Val(0.0)); }
/// Zeros for what holds anything; the layout must name each dim once.
static void convertEmptyPermuted(Call &call) {
  std::vector<int64_t> layout = call.integers("physical_layout");
  std::vector<bool> seen(call.dims("size").size());
  bool valid = layout.size() == seen.size();
  for (int64_t d : layout) {
    valid = valid && d >= 0 && d < int64_t(seen.size()) && !seen[d];
    if (valid)
      seen[d] = true;
  }
  if (!valid)
    return call.fail("empty_permuted with a physical_layout that isn't a permutation of the dims");
  convertZeros(call);
}
static void convertOnes(Call &call) { giveFilled(call, shapeOf(call), call.dtype("dtype", ScalarType::F32), Val(1.0)); }

/// A fill value: a number, or a 0-d tensor.
static void giveFilledBy(Call &call, ArrayRef<DimAttr> shape, std::optional<ScalarType> wanted, StringRef name) {
  const Val *found = call.find(name);
  PromotedOperand fill = promotedOperand(call, name);
  ScalarType natural = fill.dtype == ScalarType::F64 && fill.isNumber ? ScalarType::F32 : fill.dtype;
  ScalarType type = wanted.value_or(natural);
  if (call.failed())
    return;
  if (found->isNumber())
    return giveFilled(call, shape, type, *found);
  call.give(call.e.expand(promoted(call, fill, type), shape));
}
static void convertFull(Call &call) { giveFilledBy(call, shapeOf(call), call.dtype("dtype"), "fill_value"); }

static ScalarType likeType(Call &call, const Tensor &x) { return call.dtype("dtype", scalarType(x->type.getElementType())); }

static void fillLike(Call &call, double number) {
  Tensor x = call.tensor("self");
  SmallVector<DimAttr> shape = call.find("size") ? llvm::to_vector(call.dims("size")) : graph::getDims(x->type);
  giveFilled(call, shape, likeType(call, x), Val(number));
}
static void convertZerosLike(Call &call) { fillLike(call, 0); }
static void convertOnesLike(Call &call) { fillLike(call, 1); }
static void convertFullLike(Call &call) {
  Tensor x = call.tensor("self");
  SmallVector<DimAttr> shape = call.find("size") ? llvm::to_vector(call.dims("size")) : graph::getDims(x->type);
  giveFilledBy(call, shape, likeType(call, x), "fill_value");
}

/// A functional fill: x's shape and dtype with one value.
static void convertFill(Call &call) {
  Tensor x = call.tensor("self");
  giveFilledBy(call, graph::getDims(x->type), scalarType(x->type.getElementType()), "value");
}
static void convertZero(Call &call) { fillLike(call, 0); }

static std::optional<Val> numberArgument(Call &call, StringRef name, const Val &fallback) {
  if (!call.given(name))
    return fallback;
  const Val &value = *call.find(name);
  if (const auto *tensor = value.get<Tensor>(); tensor && (*tensor)->knownNumber())
    return *(*tensor)->knownNumber();
  if (value.isNumber() || value.isSymbolic())
    return value;
  call.fail("argument '" + name + "' depends on tensor data, expected a number");
  return std::nullopt;
}

static void giveIntegerRange(Call &call, DimAttr start, DimAttr end, DimAttr step, ScalarType type) {
  DimAttr zero = call.e.dim(int64_t(0));
  bool rises = call.run.proved(graph::DimPredicate::Gt, step, zero) == true;
  if (!rises && call.run.proved(graph::DimPredicate::Lt, step, zero) != true)
    return call.fail("arange with step " + step.str() + (step.isConstant() ? "" : ", whose sign isn't known; give its dims a range, as in --input 'x=f32[B:1..]', or numbers"));
  DimAttr distance = rises ? end - start : start - end, stride = rises ? step : zero - step;
  if (call.run.proved(graph::DimPredicate::Lt, distance, zero) == true)
    return call.fail("arange with bounds on the wrong side (eager refuses it too)");
  DimAttr size = graph::isConstant(stride, 1) ? distance : DimAttr::binary(graph::DimKind::CeilDiv, distance, stride);
  ScalarType inner = isFloat(type) ? ScalarType::I64 : type;
  Value range = call.e.create<graph::IotaOp>(mlir::Attribute(start), mlir::Attribute(step), size, elementType(call.e.context(), inner));
  call.give(call.e.cast(range, type));
}

/// The number as a size expression, where it is a whole number: 2, 2.0, n, float(n).
static DimAttr wholeNumber(Call &call, const Val &number) {
  if (const auto *fraction = number.get<DimFraction>())
    return fraction->denominator == 1 && fraction->factor == 1 ? fraction->numerator : DimAttr();
  if (const auto *real = number.get<double>())
    return std::trunc(*real) == *real && std::abs(*real) < 0x1p53 ? call.e.dim(int64_t(*real)) : DimAttr();
  return toDim(number, call.e.context());
}

static void convertArange(Call &call) {
  std::optional<Val> start = numberArgument(call, "start", Val(int64_t(0))), end = numberArgument(call, "end", Val(int64_t(0)));
  std::optional<Val> step = numberArgument(call, "step", Val(int64_t(1)));
  if (!start || !end || !step)
    return;
  bool floats = llvm::any_of(ArrayRef{*start, *end, *step}, [](const Val &number) { return numberType(number) == ScalarType::F64; });
  ScalarType type = call.dtype("dtype", floats ? ScalarType::F32 : ScalarType::I64);
  if (call.failed())
    return;
  DimAttr first = wholeNumber(call, *start), last = wholeNumber(call, *end), each = wholeNumber(call, *step);
  if (first && last && each)
    return giveIntegerRange(call, first, last, each, type);
  if (start->isSymbolic() || end->isSymbolic() || step->isSymbolic() || toDouble(*step) == 0)
    return call.fail("arange of floats with a symbolic bound, or with step 0");
  double from = toDouble(*start), by = toDouble(*step), count = std::ceil((toDouble(*end) - from) / by);
  if (!(count >= 0) || count > 1e9)
    return call.fail("arange with bounds on the wrong side, or too long");
  auto attribute = [&](double number) { return isFloat(type) ? mlir::Attribute(call.e.builder.getF64FloatAttr(number)) : mlir::Attribute(call.e.dim(int64_t(number))); };
  call.give(call.e.create<graph::IotaOp>(attribute(from), attribute(by), call.e.dim(int64_t(count)), elementType(call.e.context(), type))); // integers: as eager truncates
}

/// A bound of linspace: a number or a 0-d tensor, in the dtype that the points are computed in.
static Expr bound(Call &call, StringRef name, ScalarType type) {
  PromotedOperand operand = promotedOperand(call, name);
  return {call, call.failed() ? Value() : promoted(call, operand, type)};
}

/// start + step * i from both ends, as eager computes it: in the dtype's own precision, or in f64 for integers, whose bounds (unless there is a single step) and
/// points are truncated. `logspace`: powers of a base of that.
static void convertLinspace(Call &call) {
  bool isLog = call.op() == "aten::logspace";
  int64_t steps = call.integer("steps", 100);
  ScalarType type = call.dtype("dtype", ScalarType::F32), compute = type == ScalarType::F64 || !isFloat(type) ? ScalarType::F64 : ScalarType::F32;
  Expr start = bound(call, "start", compute), end = bound(call, "end", compute);
  if (call.failed() || steps < 0 || start.rank() != 0 || end.rank() != 0)
    return call.fail("linspace needs bounds that are numbers or 0-d tensors, and a number of steps");
  if (!isFloat(type) && steps != 1) {
    start = start.cast(type).cast(compute);
    end = end.cast(type).cast(compute);
  }
  Expr i = positions(call, call.e.dim(steps), 0, 1).cast(compute), points = start.expand({call.e.dim(steps)});
  if (steps > 1) {
    Expr step = (end - start) / double(steps - 1);
    points = where(i < double(steps / 2), start + step * i, end - step * (double(steps - 1) - i));
  }
  if (isLog)
    points = pow(points.like(call.number("base", 10)), points);
  call.give(points.cast(type));
}

static void convertEye(Call &call) {
  DimAttr rows = call.dim("n"), columns = call.given("m") ? call.dim("m") : rows, zero = call.e.dim(int64_t(0)), one = call.e.dim(int64_t(1));
  ScalarType type = call.dtype("dtype", ScalarType::F32);
  for (DimAttr size : {rows, columns})
    if (size && size.isConstant() && size.getValue() < 0)
      call.fail("eye of " + Twine(size.getValue()) + " rows or columns; expected 0 or more");
  if (call.failed())
    return;
  Type integer = elementType(call.e.context(), ScalarType::I64);
  Value i = call.e.create<graph::IotaOp>(mlir::Attribute(zero), mlir::Attribute(one), rows, integer);
  Value j = call.e.create<graph::IotaOp>(mlir::Attribute(zero), mlir::Attribute(one), columns, integer);
  call.give(call.e.cast(call.e.create<graph::EqOp>(call.e.reshape(i, {rows, one}), j), type));
}

static void giveTriangleIndices(Call &call, bool upper) {
  int64_t rows = call.integer("row"), columns = call.integer("col"), offset = call.integer("offset", 0);
  ScalarType type = call.dtype("dtype", ScalarType::I64);
  if (call.failed() || rows < 0 || columns < 0 || rows > 1 << 22 || columns > 1 << 22 || rows * columns > 1 << 22)
    return call.fail("triangle indices of more than four million elements");
  std::vector<Val> first, second;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (upper ? j - i >= offset : j - i <= offset) {
        first.push_back(i);
        second.push_back(j);
      }
  int64_t count = int64_t(first.size());
  llvm::append_range(first, second);
  call.give(call.e.constant({2, count}, type, first));
}
static void convertTriuIndices(Call &call) { giveTriangleIndices(call, true); }
static void convertTrilIndices(Call &call) { giveTriangleIndices(call, false); }

namespace {
/// A nested list of numbers, read in row-major order.
struct Literal {
  std::vector<int64_t> shape;
  std::vector<Val> elements;
  bool hasFloat = false, hasInt = false, hasTensor = false, ragged = false;
};
} // namespace

static void readLiteral(const Val &value, size_t depth, Literal &out) {
  if (const auto *list = value.get<List>()) {
    int64_t size = int64_t((*list)->elements.size());
    if (depth == out.shape.size())
      out.shape.push_back(size);
    out.ragged |= out.shape[depth] != size;
    for (const Val &element : (*list)->elements)
      readLiteral(element, depth + 1, out);
    return;
  }
  out.ragged |= depth != out.shape.size();
  out.hasFloat |= value.is<double>() || value.is<DimFraction>() || (value.is<TensorScalar>() && value.as<TensorScalar>().kind == TensorScalar::Kind::Float);
  out.hasInt |= value.is<int64_t>() || value.is<DimAttr>() || (value.is<TensorScalar>() && value.as<TensorScalar>().kind == TensorScalar::Kind::Int);
  out.hasTensor |= value.is<TensorScalar>() || value.isSymbolic();
  out.elements.push_back(value);
}

/// Elements that are computed: each becomes a row, all are joined.
static Value joinElements(Call &call, const Literal &literal, ScalarType type) {
  std::vector<Value> parts;
  SmallVector<DimAttr> shape;
  for (const Val &element : literal.elements) {
    Value part;
    if (const auto *scalar = element.get<TensorScalar>())
      part = call.e.cast(call.run.read(scalar->tensor), type);
    else
      part = call.e.scalarTensor(element, type);
    parts.push_back(call.e.reshape(part, {call.e.dim(int64_t(1))}));
  }
  for (int64_t size : literal.shape)
    shape.push_back(call.e.dim(size));
  return call.e.reshape(call.e.concat(parts, 0), shape);
}

/// torch.tensor(data), torch.as_tensor(data).
static void convertTensor(Call &call) {
  const Val &data = call.argument(0);
  if (const auto *tensor = data.get<Tensor>()) {
    Value value = call.e.cast(call.run.read(*tensor), call.dtype("dtype", scalarType((*tensor)->type.getElementType())));
    return call.give(value);
  }
  Literal literal;
  readLiteral(data, 0, literal);
  if (literal.ragged || llvm::any_of(literal.elements, [](const Val &v) { return !v.isNumber() && !v.isSymbolic() && !v.is<TensorScalar>(); }))
    return call.fail("a tensor of a " + kindOf(data) + " that isn't a regular nesting of numbers");
  bool empty = literal.elements.empty();
  ScalarType natural = literal.hasFloat || empty ? ScalarType::F32 : literal.hasInt ? ScalarType::I64 : ScalarType::Bool;
  ScalarType type = call.dtype("dtype", natural);
  if (call.failed())
    return;
  if (literal.shape.empty() && !literal.elements[0].is<TensorScalar>())
    return call.give(Val(call.run.knownScalar(type, literal.elements[0])));
  call.give(literal.hasTensor ? joinElements(call, literal, type) : call.e.constant(literal.shape, type, literal.elements));
}

void builder::addFactories(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"zeros", convertZeros},
                                                      {"empty", convertZeros},
                                                      {"empty_strided", convertZeros},
                                                      {"empty_permuted", convertEmptyPermuted},
                                                      {"ones", convertOnes},
                                                      {"full", convertFull},
                                                      {"zeros_like", convertZerosLike},
                                                      {"empty_like", convertZerosLike},
                                                      {"ones_like", convertOnesLike},
                                                      {"full_like", convertFullLike},
                                                      {"new_zeros", convertZerosLike},
                                                      {"new_empty", convertZerosLike},
                                                      {"new_empty_strided", convertZerosLike},
                                                      {"new_ones", convertOnesLike},
                                                      {"new_full", convertFullLike},
                                                      {"fill", convertFill},
                                                      {"zero", convertZero},
                                                      {"arange", convertArange},
                                                      {"linspace", convertLinspace},
                                                      {"logspace", convertLinspace},
                                                      {"eye", convertEye},
                                                      {"triu_indices", convertTriuIndices},
                                                      {"tril_indices", convertTrilIndices},
                                                      {"tensor", convertTensor},
                                                      {"as_tensor", convertTensor}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
