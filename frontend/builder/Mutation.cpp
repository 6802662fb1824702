// In-place operators: the pure operator, then a write into the tensor.
//
// Any `aten::add_` that has no conversion of its own uses `aten::add`'s; see convertInPlace. copy_, fill_ and zero_ are here.
#include "frontend/builder/FoldNumbers.h"
#include "frontend/builder/Promotion.h"
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// Writes `value` into `self` with PyTorch's rules: cast to its dtype where the kinds allow it, broadcast to its shape.
void builder::writeInPlace(Call &call, const Tensor &self, Value value, bool anyKind) {
  if (call.failed() || !value)
    return;
  for (size_t i = 0; i < call.size(); ++i)
    if (const auto *operand = call.peek(i).get<Tensor>(); operand && call.run.overlapsPartly(self, *operand))
      return call.fail("writes to elements that it also reads through another view, where the order decides (eager PyTorch refuses it where it can tell); clone() the operand first");
  ScalarType from = call.e.dtype(value), to = scalarType(self->type.getElementType());
  if (!anyKind && !canCast(from, to))
    return call.fail("result type " + llvm::Twine(scalarTypeName(from)) + " can't be cast to the tensor's own " + scalarTypeName(to));
  Value cast = call.e.cast(value, to);
  if (cast && call.e.dims(cast) != SmallVector<DimAttr>(graph::getDims(self->type))) {
    if (!anyKind && call.e.rank(cast) > self->type.getRank())
      return call.fail("the result's shape doesn't fit the tensor that it is written to");
    cast = call.e.expand(cast, graph::getDims(self->type));
  }
  if (!cast || call.failed())
    return;
  call.run.write(self, cast);
  if (!call.failed())
    call.give(Val(self));
}

/// x.add_(y): the conversion of aten::add, then the write.
static bool convertPure(Call &call, StringRef pureName, Value &result, std::optional<Val> *known = nullptr) {
  Conversion pure = call.run.program.table.find(pureName, call.node.overload);
  if (!pure)
    return false;
  pure(call);
  if (!call.failed() && call.results.size() == 1 && call.results[0].is<Tensor>()) {
    result = call.run.read(call.results[0].as<Tensor>());
    if (const Val *number = call.results[0].as<Tensor>()->knownNumber(); number && known)
      *known = *number;
  }
  call.results.clear();
  return true;
}

void builder::convertInPlace(Call &call) {
  Tensor self = call.tensor("self");
  if (!call.find("self"))
    self = call.tensor("input");
  Value result;
  std::optional<Val> known;
  if (!convertPure(call, call.op().drop_back(), result, &known))
    return call.fail("the in-place operator has no pure form that is supported");
  writeInPlace(call, self, result, false);
  // A traced `n *= 2` of a size: the tensor holds a known number still.
  if (known && !call.failed() && self->type.getRank() == 0 && self->steps.empty()) {
    self->known = convertNumber(call.run, *known, scalarType(self->type.getElementType()));
    self->knownVersion = self->storage->version;
  }
}

/// x.unsqueeze_(0): the tensor object itself becomes the view; every name of it sees that, views made before don't.
static void convertShapeInPlace(Call &call) {
  Tensor self = call.tensor("self");
  Conversion pure = call.run.program.table.find(call.op().drop_back(), call.node.overload);
  if (!pure || call.failed())
    return call.fail("the in-place operator has no form that gives a view");
  pure(call);
  if (call.failed() || call.results.size() != 1 || !call.results[0].is<Tensor>())
    return;
  bool requiresGrad = self->requiresGrad;
  *self = *call.results[0].as<Tensor>();
  self->requiresGrad = requiresGrad;
  call.results = {Val(self)};
}

/// a &= b, a <<= b: TorchScript's names for them.
static void convertOperatorInPlace(Call &call) {
  Value result;
  std::string pure = "aten::__" + call.op().substr(strlen("aten::__i")).str();
  if (!convertPure(call, pure, result))
    return call.fail("the in-place operator has no pure form that is supported");
  writeInPlace(call, call.tensor("self"), result, false);
}

/// The elements of the main diagonal of a matrix; wrapping past the end of tall ones is refused.
static void convertFillDiagonal(Call &call) {
  Tensor self = call.tensor("self");
  if (call.failed() || self->type.getRank() != 2 || call.boolean("wrap", false))
    return call.fail("fill_diagonal_ of other than a matrix, or with wrap");
  Tensor diagonal = diagonalView(call, self, 0, 0, 1);
  Value value = call.value("fill_value");
  if (call.failed() || !value)
    return;
  ScalarType type = scalarType(self->type.getElementType());
  call.run.write(diagonal, call.e.expand(call.e.cast(value, type), graph::getDims(diagonal->type)));
  call.give(Val(self));
}

/// aten::copy, the pure form that decomposed programs have: src with self's shape and dtype.
static void convertPureCopy(Call &call) {
  Tensor self = call.tensor("self");
  Value src = call.value("src");
  if (src && !call.failed())
    givePointwise(call, call.e.expand(call.e.cast(src, scalarType(self->type.getElementType())), graph::getDims(self->type)));
}

static void convertCopy(Call &call) { writeInPlace(call, call.tensor("self"), call.value("src"), true); }

static void convertFill(Call &call) {
  Tensor self = call.tensor("self");
  writeInPlace(call, self, call.value("value"), true);
}

static void convertZero(Call &call) {
  Tensor self = call.tensor("self");
  writeInPlace(call, self, call.e.constant(scalarType(self->type.getElementType()), 0.0), true);
}

/// detach_, requires_grad_: the tensor itself.
static void keepSelf(Call &call) { call.give(call.argument(0)); }

void builder::addMutation(ConversionTable &table) {
  for (const char *name : {"unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_", "swapdims_", "as_strided_"})
    table.add(std::string("aten::") + name, convertShapeInPlace);
  for (const char *name : {"and", "or", "xor", "lshift", "rshift"})
    table.add("aten::__i" + std::string(name) + "__", convertOperatorInPlace);
  table.add("aten::fill_diagonal_", convertFillDiagonal);
  table.add("aten::copy", convertPureCopy);
  table.add("aten::copy_", convertCopy);
  table.add("aten::fill_", convertFill);
  table.add("aten::zero_", convertZero);
  table.add("aten::detach_", keepSelf);
  table.add("aten::requires_grad_", keepSelf);
}
