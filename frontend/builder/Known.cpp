// Evaluates nodes on known values: scalar arithmetic, strings, lists, tuples, dicts, type tests.
//
// `aten::append(list, x)`, `aten::format("{} of {}", 1, 2)`, `aten::__getitem__(sizes, -1)`, `prim::isinstance`. Tensors inside
// lists are carried, never looked into.
#include "frontend/builder/Call.h"

#include <cmath>

using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using llvm::StringRef;

namespace {

/// Position i of a list of n, from the end where negative; failure recorded where there is none.
std::optional<size_t> position(Call &call, const Val &index, size_t n) {
  if (!index.is<int64_t>()) {
    call.fail("a list index that is a " + kindOf(index));
    return std::nullopt;
  }
  int64_t i = index.as<int64_t>();
  i += i < 0 ? int64_t(n) : 0;
  if (i < 0 || i >= int64_t(n)) {
    call.fail("list index " + toText(index) + " is out of range for " + llvm::Twine(n) + " elements");
    return std::nullopt;
  }
  return size_t(i);
}

/// Python's ==; sizes that are only sometimes equal are decided as Run::decide does. False where nothing tells.
bool isEqual(Call &call, const Val &a, const Val &b) {
  if (std::optional<bool> same = equal(a, b))
    return *same;
  if (a.isInteger() && b.isInteger())
    return call.run.decide(graph::DimPredicate::Eq, toDim(a, call.e.context()), toDim(b, call.e.context())).value_or(false);
  if (a.is<TensorScalar>() || b.is<TensorScalar>())
    call.fail("a comparison of a list's elements that depends on tensor data");
  const List *x = a.get<List>(), *y = b.get<List>();
  return x && y && (*x)->elements.size() == (*y)->elements.size() &&
         llvm::all_of(llvm::zip((*x)->elements, (*y)->elements), [&](auto pair) { return isEqual(call, std::get<0>(pair), std::get<1>(pair)); });
}

std::optional<size_t> findEntry(const DictValue &dict, const Val &key) {
  for (size_t i = 0; i < dict.entries.size(); ++i)
    if (equal(dict.entries[i].first, key).value_or(false))
      return i;
  return std::nullopt;
}

List newList(std::vector<Val> elements) {
  auto list = std::make_shared<ListValue>();
  list->elements = std::move(elements);
  return list;
}

/// list[start:end:step] by Python's clamping rules.
Val sliceList(Call &call, const ListValue &list) {
  int64_t n = int64_t(list.elements.size()), step = call.integer("step", 1);
  if (step <= 0) {
    call.fail("a list slice with step " + llvm::Twine(step));
    return Poison();
  }
  auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  int64_t start = clamp(call.integer("start", 0)), end = clamp(call.integer("end", n));
  std::vector<Val> elements;
  for (int64_t i = start; i < end; i += step)
    elements.push_back(list.elements[i]);
  return newList(std::move(elements));
}

bool evaluateListQuery(Call &call, StringRef op, const List &list) {
  std::vector<Val> &elements = list->elements;
  if (op == "len")
    return call.give(Val(int64_t(elements.size()))), true;
  if (op == "__getitem__") {
    if (auto i = position(call, call.argument(1), elements.size()))
      call.give(elements[*i]);
    return true;
  }
  if (op == "__contains__" || op == "index" || op == "count") {
    int64_t count = 0, first = -1;
    for (size_t i = 0; i < elements.size(); ++i)
      if (isEqual(call, elements[i], call.argument(1)) && ++count == 1)
        first = int64_t(i);
    if (op == "index" && first < 0)
      call.fail("the list has no such element");
    return call.give(op == "__contains__" ? Val(count > 0) : op == "count" ? Val(count) : Val(first)), true;
  }
  if (op == "slice")
    return call.give(sliceList(call, *list)), true;
  if (op == "list" || op == "copy")
    return call.give(Val(newList(elements))), true;
  if (op == "sum" || op == "max" || op == "min") {
    Val total = elements.empty() ? Val(int64_t(0)) : elements[0];
    for (size_t i = 1; i < elements.size(); ++i)
      total = evaluateBinary(call, op == "sum" ? "add" : op, total, elements[i]).value_or(Val(Poison()));
    return call.give(total), true;
  }
  if ((op == "any" || op == "all") && llvm::all_of(elements, [](const Val &x) { return x.isNumber(); })) {
    bool any = llvm::any_of(elements, [](const Val &x) { return toDouble(x) != 0; });
    bool all = llvm::all_of(elements, [](const Val &x) { return toDouble(x) != 0; });
    return call.give(Val(op == "any" ? any : all)), true;
  }
  return false;
}

void sortList(Call &call, std::vector<Val> &elements) {
  bool numbers = llvm::all_of(elements, [](const Val &x) { return x.isNumber(); });
  bool strings = llvm::all_of(elements, [](const Val &x) { return x.is<std::string>(); });
  if (!numbers && !strings)
    return call.fail("sorting a list of other things than numbers or strings");
  auto less = [&](const Val &a, const Val &b) {
    return numbers ? toDouble(a) < toDouble(b) : a.as<std::string>() < b.as<std::string>();
  };
  std::stable_sort(elements.begin(), elements.end(), less);
  if (call.boolean("reverse", false))
    std::reverse(elements.begin(), elements.end());
}

bool evaluateListChange(Call &call, StringRef op, const List &list) {
  std::vector<Val> &elements = list->elements;
  Val self = list;
  if (op == "append")
    return elements.push_back(call.argument(1)), call.give(self), true;
  if (op == "extend" || op == "add_") {
    const List *other = call.argument(1).get<List>();
    std::vector<Val> more = other ? (*other)->elements : std::vector<Val>();
    elements.insert(elements.end(), more.begin(), more.end());
    return call.give(self), true;
  }
  if (op == "insert") {
    int64_t n = int64_t(elements.size()), i = call.integer("idx");
    elements.insert(elements.begin() + std::clamp<int64_t>(i < 0 ? i + n : i, 0, n), call.argument(2));
    return true;
  }
  if (op == "_set_item") {
    if (auto i = position(call, call.argument(1), elements.size()))
      elements[*i] = call.argument(2);
    return call.give(self), true;
  }
  if (op == "pop" || op == "Delete") {
    Val index = call.size() > 1 ? call.argument(1) : Val(int64_t(-1));
    if (auto i = position(call, index, elements.size())) {
      call.give(elements[*i]);
      elements.erase(elements.begin() + *i);
    }
    return true;
  }
  if (op == "remove") {
    auto found = llvm::find_if(elements, [&](const Val &x) { return isEqual(call, x, call.argument(1)); });
    if (found == elements.end())
      return call.fail("the list has no such element"), true;
    return elements.erase(found), true;
  }
  if (op == "clear")
    return elements.clear(), true;
  if (op == "reverse")
    return std::reverse(elements.begin(), elements.end()), true;
  if (op == "sort")
    return sortList(call, elements), true;
  if (op == "sorted") {
    std::vector<Val> copy = elements;
    sortList(call, copy);
    return call.give(Val(newList(std::move(copy)))), true;
  }
  return false;
}

bool evaluateDict(Call &call, StringRef op, const Dict &dict) {
  auto &entries = dict->entries;
  auto each = [&](auto pick) {
    std::vector<Val> elements;
    for (const auto &entry : entries)
      elements.push_back(pick(entry));
    call.give(Val(newList(std::move(elements))));
    return true;
  };
  size_t at = entries.size();
  if (call.size() > 1)
    at = findEntry(*dict, call.argument(1)).value_or(at);
  bool isThere = at < entries.size();
  if (op == "len")
    return call.give(Val(int64_t(entries.size()))), true;
  if (op == "__contains__")
    return call.give(Val(isThere)), true;
  if (op == "__getitem__" || op == "pop" || op == "Delete") {
    if (!isThere && !(op == "pop" && call.size() > 2))
      return call.fail("the dict has no key " + toText(call.argument(1))), true;
    call.give(isThere ? entries[at].second : call.argument(2));
    if (isThere && op != "__getitem__")
      entries.erase(entries.begin() + at);
    return true;
  }
  if (op == "get" || op == "setdefault") {
    if (!isThere && op == "setdefault")
      entries.emplace_back(call.argument(1), call.argument(2));
    return call.give(isThere ? entries[at].second : call.argument(2)), true;
  }
  if (op == "_set_item") {
    if (isThere)
      entries[at].second = call.argument(2);
    else
      entries.emplace_back(call.argument(1), call.argument(2));
    return true;
  }
  if (op == "keys" || op == "list")
    return each([](const auto &entry) { return entry.first; });
  if (op == "values")
    return each([](const auto &entry) { return entry.second; });
  if (op == "items")
    return each([](const auto &entry) {
      List pair = newList({entry.first, entry.second});
      pair->kind = ConstantList::Kind::Tuple;
      return Val(pair);
    });
  if (op == "copy" || op == "dict")
    return call.give(Val(std::make_shared<DictValue>(*dict))), true;
  if (op == "clear")
    return entries.clear(), true;
  if (op == "update" && call.argument(1).is<Dict>()) {
    for (const auto &[key, value] : call.argument(1).as<Dict>()->entries) {
      if (auto i = findEntry(*dict, key))
        entries[*i].second = value;
      else
        entries.emplace_back(key, value);
    }
    return true;
  }
  return false;
}

/// The same of a symbolic float.
bool evaluateFraction(Call &call, StringRef op, const DimFraction &x) {
  if (op == "floor" || op == "ceil" || op == "Int" || op == "trunc") {
    std::optional<DimAttr> rounded = roundFraction(call.run, op == "Int" ? "trunc" : op, x);
    if (rounded)
      call.give(dimValue(*rounded));
    return rounded.has_value();
  }
  if (op == "neg") {
    std::optional<Val> negated = evaluateBinary(call, "sub", Val(int64_t(0)), x);
    if (negated)
      call.give(*negated);
    return negated.has_value();
  }
  bool isSame = op == "Float" || op == "FloatImplicit" || op == "ScalarImplicit";
  if (isSame)
    call.give(x);
  return isSame;
}

/// Conversions and functions of one number.
bool evaluateUnary(Call &call, StringRef op, const Val &x) {
  if (const auto *fraction = x.get<DimFraction>())
    return evaluateFraction(call, op, *fraction);
  double real = toDouble(x);
  if (op == "Int" || op == "floor" || op == "ceil" || op == "round") {
    if (x.is<DimAttr>())
      return call.give(x), true;
    if (!std::isfinite(real) || std::abs(real) >= 0x1p63)
      return call.fail("no integer can hold " + toText(x)), true;
    if (x.is<int64_t>() || x.is<bool>())
      return call.give(Val(x.is<bool>() ? int64_t(x.as<bool>()) : x.as<int64_t>())), true;
    if (op == "round")
      return call.give(Val(std::nearbyint(real))), true;
    return call.give(Val(int64_t(op == "floor" ? std::floor(real) : op == "ceil" ? std::ceil(real) : std::trunc(real)))), true;
  }
  if (op == "Bool" || op == "__not__") {
    bool truth = real != 0;
    if (x.is<DimAttr>())
      truth = call.run.decide(graph::DimPredicate::Ne, x.as<DimAttr>(), call.e.dim(int64_t(0))).value_or(true);
    return call.give(Val(op == "Bool" ? truth : !truth)), true;
  }
  if (op == "ScalarImplicit" || op == "IntImplicit" || op == "FloatImplicit")
    return call.give(x), true;
  if (x.is<DimAttr>() && op == "Float")
    return call.give(DimFraction{x.as<DimAttr>(), 1}), true;
  if (x.is<DimAttr>()) {
    if (op != "neg")
      return false;
    return call.give(evaluateBinary(call, "sub", Val(int64_t(0)), x).value()), true;
  }
  if (op == "Float")
    return call.give(Val(real)), true;
  if (op == "neg" || op == "abs") {
    bool flip = op == "neg" || real < 0;
    if (x.is<double>())
      return call.give(Val(op == "neg" ? -real : std::abs(real))), true;
    return call.give(evaluateBinary(call, flip ? "sub" : "add", Val(int64_t(0)), x).value()), true;
  }
  using Function = double (*)(double);
  Function function = llvm::StringSwitch<Function>(op)
                          .Case("sqrt", std::sqrt)
                          .Case("exp", std::exp)
                          .Case("log", std::log)
                          .Case("log2", std::log2)
                          .Case("log10", std::log10)
                          .Case("log1p", std::log1p)
                          .Case("sin", std::sin)
                          .Case("cos", std::cos)
                          .Case("tan", std::tan)
                          .Case("tanh", std::tanh)
                          .Case("atan", std::atan)
                          .Default(nullptr);
  if (function)
    return call.give(Val(function(real))), true;
  if (op == "isinf" || op == "isnan" || op == "isfinite")
    return call.give(Val(op == "isinf" ? std::isinf(real) : op == "isnan" ? std::isnan(real) : std::isfinite(real))), true;
  return false;
}

/// Whether the value is of the type; nullopt for types that nothing here is known of.
std::optional<bool> isType(const Val &value, const TypeText &type) {
  auto all = [](const std::vector<Val> &values, auto typeOf) -> std::optional<bool> {
    for (size_t i = 0; i < values.size(); ++i)
      if (std::optional<bool> is = isType(values[i], typeOf(i)); !is || !*is)
        return is;
    return true;
  };
  const List *list = value.get<List>();
  bool isList = list && (*list)->kind == ConstantList::Kind::List, isTuple = list && !isList;
  if (type.is("Optional") && type.arguments.size() == 1)
    return value.is<None>() ? std::optional(true) : isType(value, type.arguments[0]);
  if (type.is("List") && type.arguments.size() == 1)
    return isList ? all((*list)->elements, [&](size_t) { return type.arguments[0]; }) : std::optional(false);
  if (type.is("Tuple"))
    return isTuple && (*list)->elements.size() == type.arguments.size() ? all((*list)->elements, [&](size_t i) { return type.arguments[i]; })
                                                                        : std::optional(false);
  if (type.is("Dict"))
    return value.is<Dict>();
  auto isNumber = [&](TensorScalar::Kind kind) { return value.is<TensorScalar>() && value.as<TensorScalar>().kind == kind; };
  return llvm::StringSwitch<std::optional<bool>>(type.name)
      .Case("Any", true)
      .Case("Tensor", value.is<Tensor>() || value.is<Masked>())
      .Case("int", value.is<int64_t>() || value.is<DimAttr>() || isNumber(TensorScalar::Kind::Int))
      .Case("float", value.is<double>() || value.is<DimFraction>() || isNumber(TensorScalar::Kind::Float))
      .Case("bool", value.is<bool>() || isNumber(TensorScalar::Kind::Bool))
      .Case("str", value.is<std::string>())
      .Case("NoneType", value.is<None>())
      .Case("Device", value.is<DeviceValue>())
      .Cases({"list", "AnyListType"}, isList)
      .Cases({"tuple", "AnyTupleType"}, isTuple)
      .Cases({"complex", "Generator", "Storage", "Stream"}, false)
      .Default(std::nullopt);
}

void isInstance(Call &call) {
  auto types = call.node.attributes.find("types");
  const auto *list = types == call.node.attributes.end() ? nullptr : std::get_if<ConstantList>(&types->second.value);
  if (!list)
    return call.fail("no types to test for");
  bool any = false;
  std::string unknown;
  for (const Constant &type : list->elements) {
    const auto *name = std::get_if<std::string>(&type.value);
    std::optional<bool> is = name ? isType(call.argument(0), parseType(*name)) : std::nullopt;
    any |= is.value_or(false);
    if (!is)
      unknown = name ? *name : "something";
  }
  if (!any && !unknown.empty())
    return call.fail("whether a " + kindOf(call.argument(0)) + " is a " + unknown);
  call.give(Val(any));
}

/// Operations that look at kinds and identity only, so tensors may be among the arguments.
bool evaluateIdentity(Call &call, StringRef op) {
  const Val &a = call.argument(0), &b = call.argument(1);
  if (op == "__is__" || op == "__isnot__") {
    bool same = a.v.index() == b.v.index() && (a.is<None>() || equal(a, b).value_or(false));
    return call.give(Val(op == "__is__" ? same : !same)), true;
  }
  if (op == "isinstance")
    return isInstance(call), true;
  if (op == "_unwrap_optional") {
    if (a.is<None>())
      return call.fail("the program unwraps an Optional that is None for these inputs"), true;
    return call.give(a), true;
  }
  return false;
}

bool evaluateMixed(Call &call, StringRef op, const Val &a, const Val &b) {
  if ((op == "eq" || op == "ne") && a.is<List>() && b.is<List>())
    return call.give(Val(isEqual(call, a, b) == (op == "eq"))), true;
  if (op == "eq" || op == "ne") {
    if (std::optional<bool> same = equal(a, b); same && !(a.isNumber() && b.isNumber()))
      return call.give(Val(op == "eq" ? *same : !*same)), true;
  }
  if (a.is<List>() && b.is<List>() && op == "add") {
    std::vector<Val> elements = a.as<List>()->elements;
    llvm::append_range(elements, b.as<List>()->elements);
    List list = newList(std::move(elements));
    list->kind = a.as<List>()->kind;
    return call.give(Val(list)), true;
  }
  if (op == "mul" && (a.is<List>() || b.is<List>())) {
    const List &list = a.is<List>() ? a.as<List>() : b.as<List>();
    const Val &count = a.is<List>() ? b : a;
    if (!count.is<int64_t>())
      return call.fail("repeats a list " + toText(count) + " times; expected a constant"), true;
    std::vector<Val> elements;
    for (int64_t i = 0; i < count.as<int64_t>() && elements.size() < 1000000; ++i)
      llvm::append_range(elements, list->elements);
    return call.give(Val(newList(std::move(elements)))), true;
  }
  return false;
}

/// How many steps range(lo, hi, step) has; the value at step i.
bool evaluateRange(Call &call, StringRef op) {
  if (op != "__range_length" && op != "__derive_index")
    return false;
  if (op == "__derive_index") { // index, start, step
    std::optional<Val> scaled = evaluateBinary(call, "mul", call.argument(0), call.argument(2));
    return call.give(evaluateBinary(call, "add", call.argument(1), scaled.value_or(Val(int64_t(0)))).value_or(Val(Poison()))), true;
  }
  const Val &lo = call.argument(0), &hi = call.argument(1), &step = call.argument(2);
  if (!lo.is<int64_t>() || !hi.is<int64_t>() || !step.is<int64_t>() || step.as<int64_t>() == 0)
    return call.fail("range(" + toText(lo) + ", " + toText(hi) + ", " + toText(step) + "); expected constants and a step other than 0"), true;
  int64_t s = step.as<int64_t>(), distance = s > 0 ? hi.as<int64_t>() - lo.as<int64_t>() : lo.as<int64_t>() - hi.as<int64_t>();
  int64_t length = distance <= 0 ? 0 : (distance + std::abs(s) - 1) / std::abs(s);
  return call.give(Val(length)), true;
}

} // namespace

bool builder::evaluateKnown(Call &call) {
  StringRef op = call.op();
  op = op.substr(op.rfind(':') + 1);
  if (evaluateIdentity(call, op))
    return true;
  const Val &a = call.argument(0);
  bool tensors = false;
  for (size_t i = 0; i < call.size(); ++i)
    tensors |= call.argument(i).is<TensorScalar>() || call.argument(i).is<Tensor>();
  if (const auto *list = a.get<List>())
    if (evaluateListChange(call, op, *list) || evaluateListQuery(call, op, *list))
      return true;
  if (const auto *dict = a.get<Dict>())
    return evaluateDict(call, op, *dict);
  if (call.size() == 0 && op == "dict")
    return call.give(Val(std::make_shared<DictValue>())), true;
  if (tensors)
    return op == "format" || op == "percentFormat" ? evaluateString(call, op, toText(a)) : false;
  if (evaluateRange(call, op))
    return true;
  if (const auto *text = a.get<std::string>())
    if (evaluateString(call, op, *text))
      return true;
  if (op == "str")
    return call.give(Val(toText(a))), true;
  if (call.size() >= 2 && evaluateMixed(call, op, a, call.argument(1)))
    return true;
  if (call.size() == 2)
    if (std::optional<Val> result = evaluateBinary(call, op, a, call.argument(1)))
      return call.give(*result), true;
  if (call.size() >= 1 && (a.isNumber() || a.isSymbolic()))
    return evaluateUnary(call, op, a);
  return false;
}
