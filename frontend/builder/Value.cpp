// See Value.h.
#include "frontend/builder/Value.h"

#include "ir/support/Check.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace graphc::frontend;
using namespace graphc::frontend::builder;

Val builder::dimValue(DimAttr dim) {
  if (dim.isConstant())
    return dim.getValue();
  return dim;
}

DimAttr builder::toDim(const Val &value, mlir::MLIRContext *context) {
  if (const auto *dim = value.get<DimAttr>())
    return *dim;
  if (const auto *number = value.get<int64_t>())
    return DimAttr::constant(context, *number);
  if (const auto *flag = value.get<bool>())
    return DimAttr::constant(context, *flag);
  return {};
}

bool builder::containsSymbol(DimAttr dim, DimAttr symbol) {
  if (dim.isConstant() || dim.getKind() == graph::DimKind::Symbol)
    return dim == symbol;
  return dim.getKind() == graph::DimKind::Select || containsSymbol(dim.operand(0), symbol) || containsSymbol(dim.operand(1), symbol);
}

ScalarType builder::numberType(const Val &number) {
  bool isFloating = number.is<double>() || number.is<DimFraction>();
  return isFloating ? ScalarType::F64 : number.is<bool>() ? ScalarType::Bool : ScalarType::I64;
}

double builder::toDouble(const Val &value) {
  if (const auto *number = value.get<double>())
    return *number;
  if (const auto *number = value.get<int64_t>())
    return static_cast<double>(*number);
  if (const auto *flag = value.get<bool>())
    return *flag ? 1 : 0;
  return 0;
}

bool builder::isPoisoned(const Val &value) {
  if (value.is<Poison>())
    return true;
  if (const auto *list = value.get<List>())
    return llvm::any_of((*list)->elements, isPoisoned);
  if (const auto *dict = value.get<Dict>())
    return llvm::any_of((*dict)->entries, [](const auto &e) { return isPoisoned(e.first) || isPoisoned(e.second); });
  return false;
}

/// A float as Python's repr prints it: the shortest text that reads back, with ".0" where it has no fraction.
static std::string floatText(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  std::string text(buffer, error == std::errc() ? end : buffer);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

static std::string listText(const ListValue &list) {
  bool tuple = list.kind != ConstantList::Kind::List;
  std::string text = tuple ? "(" : "[";
  for (size_t i = 0; i < list.elements.size(); ++i)
    text += (i ? ", " : "") + toText(list.elements[i]);
  if (tuple && list.elements.size() == 1)
    text += ",";
  return text + (tuple ? ")" : "]");
}

std::string builder::toText(const Val &value) {
  if (const auto *text = value.get<std::string>())
    return *text;
  if (const auto *flag = value.get<bool>())
    return *flag ? "True" : "False";
  if (const auto *number = value.get<int64_t>())
    return std::to_string(*number);
  if (const auto *number = value.get<double>())
    return floatText(*number);
  if (const auto *dim = value.get<DimAttr>()) {
    DimAttr copy = *dim;
    return copy.str();
  }
  if (const auto *fraction = value.get<DimFraction>()) {
    DimAttr numerator = fraction->numerator;
    return "(" + numerator.str() + ") " + (fraction->factor != 1 ? "* " + floatText(fraction->factor) : "/ " + std::to_string(fraction->denominator));
  }
  if (const auto *device = value.get<DeviceValue>())
    return device->text;
  if (const auto *entry = value.get<EnumValue>())
    return entry->text;
  if (const auto *list = value.get<List>())
    return listText(**list);
  if (const auto *dict = value.get<Dict>()) {
    std::string text = "{";
    for (const auto &[key, element] : (*dict)->entries)
      text += (text.size() > 1 ? ", " : "") + toText(key) + ": " + toText(element);
    return text + "}";
  }
  return value.is<None>() ? "None" : kindOf(value);
}

std::string builder::kindOf(const Val &value) {
  static constexpr const char *names[] = {"unsupported value", "None",   "bool", "int",  "float",  "str",         "symbolic int",
                                          "device",            "enum",   "module", "list", "dict", "Tensor", "number computed from a tensor", "tensor selected by a mask, whose size depends on data", "symbolic float"};
  static_assert(std::size(names) == std::variant_size_v<Val::Variant>);
  if (const auto *list = value.get<List>())
    return (*list)->kind == ConstantList::Kind::List ? "list" : "tuple";
  return names[value.v.index()];
}

static std::optional<bool> equalLists(const ListValue &a, const ListValue &b) {
  if (a.elements.size() != b.elements.size())
    return false;
  bool unknown = false;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    std::optional<bool> same = equal(a.elements[i], b.elements[i]);
    if (same && !*same)
      return false;
    unknown |= !same;
  }
  return unknown ? std::nullopt : std::optional<bool>(true);
}

std::optional<bool> builder::equal(const Val &a, const Val &b) {
  auto integer = [](const Val &x) { return x.is<bool>() ? int64_t(x.as<bool>()) : x.as<int64_t>(); };
  if (a.isNumber() && b.isNumber()) {
    if (a.is<double>() || b.is<double>())
      return toDouble(a) == toDouble(b);
    return integer(a) == integer(b);
  }
  if (a.is<DimAttr>() && b.is<DimAttr>() && a.as<DimAttr>() == b.as<DimAttr>())
    return true;
  if (a.isSymbolic() || b.isSymbolic() || a.is<TensorScalar>() || b.is<TensorScalar>())
    return std::nullopt;
  if (a.v.index() != b.v.index())
    return false;
  if (const auto *text = a.get<std::string>())
    return *text == b.as<std::string>();
  if (const auto *device = a.get<DeviceValue>())
    return device->text == b.as<DeviceValue>().text;
  if (const auto *entry = a.get<EnumValue>())
    return entry->text == b.as<EnumValue>().text;
  if (const auto *object = a.get<ObjectRef>())
    return object->id == b.as<ObjectRef>().id;
  if (const auto *list = a.get<List>())
    return equalLists(**list, *b.as<List>());
  if (const auto *tensor = a.get<Tensor>())
    return *tensor == b.as<Tensor>() ? std::optional<bool>(true) : std::nullopt;
  if (a.is<None>())
    return true;
  return std::nullopt;
}

int64_t builder::numberOf(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
    return 0;
  case ScalarType::I8:
    return 1;
  case ScalarType::I16:
    return 2;
  case ScalarType::I32:
    return 3;
  case ScalarType::I64:
    return 4;
  case ScalarType::F16:
    return 5;
  case ScalarType::F32:
    return 6;
  case ScalarType::F64:
    return 7;
  case ScalarType::Bool:
    return 11;
  case ScalarType::BF16:
    return 15;
  }
  return -1;
}

mlir::Type builder::elementType(mlir::MLIRContext *context, ScalarType type) {
  switch (type) {
  case ScalarType::U8:
    return mlir::IntegerType::get(context, 8, mlir::IntegerType::Unsigned);
  case ScalarType::I8:
    return mlir::IntegerType::get(context, 8);
  case ScalarType::I16:
    return mlir::IntegerType::get(context, 16);
  case ScalarType::I32:
    return mlir::IntegerType::get(context, 32);
  case ScalarType::I64:
    return mlir::IntegerType::get(context, 64);
  case ScalarType::F16:
    return mlir::Float16Type::get(context);
  case ScalarType::BF16:
    return mlir::BFloat16Type::get(context);
  case ScalarType::F32:
    return mlir::Float32Type::get(context);
  case ScalarType::F64:
    return mlir::Float64Type::get(context);
  case ScalarType::Bool:
    return mlir::IntegerType::get(context, 1);
  }
  return {};
}

ScalarType builder::scalarType(mlir::Type type) {
  if (type.isUnsignedInteger(8))
    return ScalarType::U8;
  if (type.isInteger(1))
    return ScalarType::Bool;
  if (type.isInteger(8))
    return ScalarType::I8;
  if (type.isInteger(16))
    return ScalarType::I16;
  if (type.isInteger(32))
    return ScalarType::I32;
  if (type.isInteger(64))
    return ScalarType::I64;
  if (type.isF16())
    return ScalarType::F16;
  if (type.isBF16())
    return ScalarType::BF16;
  if (type.isF64())
    return ScalarType::F64;
  GRAPHC_CHECK(type.isF32(), "a tensor of an element type that importing doesn't make");
  return ScalarType::F32;
}
