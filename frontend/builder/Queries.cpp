// Questions about a tensor that importing answers: sizes, dtype, strides, device; and what turns tensors into numbers.
//
// `aten::size(x, 0)` is a number or a symbol; `aten::item` of a tensor whose number is known folds.
#include "frontend/builder/Call.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// The tensor that a query is about, without reading its elements.
static Tensor subject(Call &call) {
  const Val &value = call.argument(0);
  if (const auto *tensor = value.get<Tensor>())
    return *tensor;
  if (const auto *scalar = value.get<TensorScalar>())
    return scalar->tensor;
  call.fail("expected a tensor, found a " + kindOf(value));
  return call.run.fresh({});
}

static void giveList(Call &call, ArrayRef<DimAttr> dims) {
  auto list = std::make_shared<ListValue>();
  for (DimAttr dim : dims)
    list->elements.push_back(dimValue(dim));
  call.give(Val(list));
}

static void convertSize(Call &call) {
  SmallVector<DimAttr> dims = graph::getDims(subject(call)->type);
  if (!call.given("dim"))
    return giveList(call, dims);
  int64_t dim = call.dimIndex("dim", int64_t(dims.size()));
  if (call.failed() || dims.empty())
    return call.fail("the size of a dim of a 0-d tensor");
  call.give(dimValue(dims[dim]));
}

static void convertStride(Call &call) {
  Tensor x = subject(call);
  call.run.requireOrder(*x->storage);
  if (!call.given("dim"))
    return giveList(call, x->strides);
  int64_t dim = call.dimIndex("dim", int64_t(x->strides.size()));
  if (!call.failed() && !x->strides.empty())
    call.give(dimValue(x->strides[dim]));
}

static void convertLen(Call &call) {
  Tensor x = subject(call);
  if (x->type.getRank() == 0)
    return call.fail("len() of a 0-d tensor");
  call.give(dimValue(graph::getDim(x->type, 0)));
}

static void convertDim(Call &call) { call.give(Val(subject(call)->type.getRank())); }
static void convertNumel(Call &call) { call.give(dimValue(graph::getNumElements(subject(call)->type))); }
static void convertDtype(Call &call) { call.give(Val(numberOf(scalarType(subject(call)->type.getElementType())))); }
static void convertOffset(Call &call) { call.give(dimValue(subject(call)->offset)); }
static void convertDevice(Call &call) { call.give(Val(DeviceValue{"cpu"})); }
static void deviceType(Call &call) { call.give(Val(std::string("cpu"))); }
static void giveFalse(Call &call) { call.give(Val(false)); }
static void giveTrue(Call &call) { call.give(Val(true)); }
static void giveZero(Call &call) { call.give(Val(int64_t(0))); }
static void giveMinusOne(Call &call) { call.give(Val(int64_t(-1))); }
static void giveNothing(Call &call) { call.give(Val(None())); }
/// A condition that the program asserts: known ones hold or end the import, symbolic ones become guards, others are left out with a note.
static void assertCondition(Call &call) {
  const Val &condition = call.argument(0);
  call.give(Val(None()));
  std::string message = call.argument(1).is<std::string>() ? call.argument(1).as<std::string>() : "an assertion of the model";
  if (condition.isNumber() && toDouble(condition) == 0)
    call.run.program.stop("the model's assertion fails for these inputs: " + message + "\n    " + call.run.program.describe(call.node.location));
  if (condition.is<TensorScalar>() || condition.is<Tensor>())
    call.run.program.notes.push_back("an assertion on data is left out: " + call.run.program.describe(call.node.location));
}

/// A size that lies between two numbers.
static void constrainRange(Call &call) {
  const Val &size = call.argument(0);
  call.give(Val(None()));
  if (size.is<TensorScalar>())
    return call.run.program.notes.push_back("a range of a number computed from data is not checked: " + call.run.program.describe(call.node.location));
  DimAttr dim = toDim(size, call.e.context());
  for (auto [name, predicate, text] : {std::tuple("min", graph::DimPredicate::Ge, ">="), std::tuple("max", graph::DimPredicate::Le, "<=")}) {
    if (!dim || !call.given(name))
      continue;
    DimAttr bound = call.dim(name);
    if (!call.run.proved(predicate, dim, bound).value_or(false))
      call.run.guard(dim, text, bound, "the model needs " + dim.str() + " " + text + " " + bound.str());
  }
}

static void requiresGrad(Call &call) { call.give(Val(subject(call)->requiresGrad)); }

static void isFloatingPoint(Call &call) { call.give(Val(isFloat(scalarType(subject(call)->type.getElementType())))); }
static void isSigned(Call &call) {
  ScalarType type = scalarType(subject(call)->type.getElementType());
  call.give(Val(type != ScalarType::U8 && type != ScalarType::Bool));
}

static void isContiguous(Call &call) { call.give(Val(isRowMajor(*subject(call)))); }

/// A known number as the Python number that `kind` makes of it; int() truncates. nullopt where no size expression says it.
static std::optional<Val> asKind(Run &run, const Val &number, TensorScalar::Kind kind) {
  if (number.is<DimAttr>())
    return kind == TensorScalar::Kind::Float ? Val(DimFraction{number.as<DimAttr>(), 1}) : number;
  if (const auto *fraction = number.get<DimFraction>()) {
    std::optional<DimAttr> whole = kind == TensorScalar::Kind::Int ? roundFraction(run, "trunc", *fraction) : std::nullopt;
    return whole ? std::optional(dimValue(*whole)) : kind == TensorScalar::Kind::Float ? std::optional(number) : std::nullopt;
  }
  if (kind == TensorScalar::Kind::Float)
    return Val(toDouble(number));
  if (kind == TensorScalar::Kind::Bool)
    return Val(toDouble(number) != 0);
  if (number.is<int64_t>())
    return number;
  return std::abs(toDouble(number)) < 0x1p63 ? std::optional<Val>(int64_t(toDouble(number))) : std::nullopt;
}

/// What a one-element tensor holds, where that is known.
static std::optional<Val> knownElement(Call &call, const Tensor &x) {
  if (const Val *known = x->knownNumber())
    return *known;
  if (x->storage->load && !x->storage->value && x->storage->origin == StorageCell::Origin::Attribute)
    return std::nullopt; // state or a parameter: not looked into
  auto elements = call.e.constantElements(call.run.read(x), 1);
  return elements && elements->size() == 1 ? std::optional<Val>((*elements)[0]) : std::nullopt;
}

static void toNumber(Call &call, TensorScalar::Kind kind) {
  Tensor x = subject(call);
  if (call.failed())
    return;
  if (!(x->type.hasStaticShape() && x->type.getNumElements() == 1))
    return call.fail("a Python number of a tensor that has other than 1 element");
  if (std::optional<Val> known = knownElement(call, x))
    if (std::optional<Val> number = asKind(call.run, *known, kind))
      return call.give(*number);
  ScalarType type = kind == TensorScalar::Kind::Float ? ScalarType::F64 : kind == TensorScalar::Kind::Bool ? ScalarType::Bool : ScalarType::I64;
  Value scalar = call.e.cast(call.e.reshape(call.run.read(x), {}), type);
  if (scalar)
    call.give(Val(TensorScalar{call.run.fresh(scalar), kind}));
}

static void convertInt(Call &call) { toNumber(call, TensorScalar::Kind::Int); }
static void convertFloat(Call &call) { toNumber(call, TensorScalar::Kind::Float); }
static void convertBool(Call &call) { toNumber(call, TensorScalar::Kind::Bool); }

static void convertItem(Call &call) {
  ScalarType type = scalarType(subject(call)->type.getElementType());
  toNumber(call, type == ScalarType::Bool ? TensorScalar::Kind::Bool : isFloat(type) ? TensorScalar::Kind::Float : TensorScalar::Kind::Int);
}

/// prim::NumToTensor, aten::scalar_tensor: a number as a 0-d tensor.
static void numberToTensor(Call &call) {
  const Val &value = call.argument(0);
  if (const auto *scalar = value.get<TensorScalar>())
    return call.give(Val(scalar->tensor));
  ScalarType type = call.op() == "aten::scalar_tensor" ? call.dtype("dtype", ScalarType::F32) : numberType(value);
  call.give(Val(call.run.knownScalar(type, value)));
}

/// The shape as a tensor of ints.
static void shapeAsTensor(Call &call) {
  std::vector<Val> sizes;
  for (DimAttr dim : graph::getDims(subject(call)->type))
    sizes.push_back(dimValue(dim));
  if (llvm::any_of(sizes, [](const Val &size) { return size.is<DimAttr>(); }))
    return call.fail("the symbolic shape as a tensor");
  call.give(call.e.constant({int64_t(sizes.size())}, ScalarType::I64, sizes));
}

void builder::addQueries(ConversionTable &table) {
  for (const char *name : {"aten::size", "aten::sym_size"})
    table.add(name, convertSize);
  for (const char *name : {"aten::stride", "aten::sym_stride"})
    table.add(name, convertStride);
  table.add("aten::len", convertLen);
  table.add("aten::dim", convertDim);
  table.add("aten::ndimension", convertDim);
  for (const char *name : {"aten::numel", "aten::sym_numel"})
    table.add(name, convertNumel);
  for (const char *name : {"aten::storage_offset", "aten::sym_storage_offset"})
    table.add(name, convertOffset);
  table.add("prim::dtype", convertDtype);
  table.add("prim::device", convertDevice);
  table.add("aten::device", convertDevice);
  table.add("prim::type", deviceType);
  table.add("prim::layout", giveZero);
  table.add("aten::get_device", giveMinusOne);
  table.add("prim::requires_grad", requiresGrad);
  for (const char *name : {"prim::is_cuda", "prim::is_quantized", "prim::is_sparse", "prim::is_mkldnn", "prim::is_mps", "prim::is_xpu", "prim::is_meta",
                           "prim::is_nested", "aten::is_complex", "aten::is_autocast_enabled", "aten::is_scripting"})
    table.add(name, giveFalse);
  for (const char *name : {"prim::is_cpu", "aten::is_inference"})
    table.add(name, giveTrue);
  table.add("aten::is_grad_enabled", giveTrue); // as when the file is loaded and called; what gradients need is dropped later
  table.add("aten::is_floating_point", isFloatingPoint);
  table.add("aten::is_signed", isSigned);
  table.add("aten::is_contiguous", isContiguous);
  table.add("aten::Int", convertInt);
  table.add("aten::IntImplicit", convertInt);
  table.add("aten::Float", convertFloat);
  table.add("aten::FloatImplicit", convertFloat);
  table.add("aten::Bool", convertBool);
  table.add("aten::item", convertItem);
  table.add("aten::ScalarImplicit", convertItem);
  table.add("aten::_local_scalar_dense", convertItem);
  table.add("prim::NumToTensor", numberToTensor);
  table.add("aten::scalar_tensor", numberToTensor);
  table.add("aten::_shape_as_tensor", shapeAsTensor);
  // Checks that torch.export leaves: shapes and dtypes are checked here anyway.
  table.add("aten::_assert_tensor_metadata", giveNothing);
  for (const char *name : {"aten::_assert_scalar", "aten::_assert_async"})
    table.add(name, assertCondition);
  for (const char *name : {"aten::sym_constrain_range", "aten::sym_constrain_range_for_size"})
    table.add(name, constrainRange);
}
