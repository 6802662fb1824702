// See Eager.h. The inlined method gets a `graphc::tap` node behind every value to be looked at and is run by LibTorch's plain
// interpreter (jit::Code), which executes what is there: no profiling, no fusion, no rewriting.
#include "frontend/torchscript/Eager.h"

#include "frontend/torchscript/ConvertFile.h"
#include "frontend/torchscript/ConvertValues.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <charconv>
#include <set>

using namespace graphc::frontend;
using namespace graphc::frontend::torchscript;
namespace jit = torch::jit;

namespace {

bool isNarrow(c10::ScalarType type) { return type == at::kFloat || type == at::kHalf || type == at::kBFloat16; }

using TapTable = std::map<ValueId, std::vector<EagerTensor>>;
thread_local TapTable *taps = nullptr; // of the call that runs on this thread

EagerTensor toEager(const at::Tensor &tensor) {
  at::Tensor dense = tensor.detach().resolve_neg().contiguous();
  std::optional<ScalarType> dtype = scalarTypeFromInteger(static_cast<int64_t>(dense.scalar_type()));
  if (!dtype)
    throw ReadError(std::string("eager computes a tensor of dtype ") + c10::toString(dense.scalar_type()));
  const auto *begin = static_cast<const std::byte *>(dense.const_data_ptr());
  return {*dtype, dense.sizes().vec(), std::vector<std::byte>(begin, begin + dense.nbytes())};
}

at::Tensor fromEager(const EagerTensor &tensor, bool widen) {
  constexpr c10::ScalarType types[] = {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kBool};
  at::Tensor result = at::empty(tensor.sizes, types[static_cast<size_t>(tensor.dtype)]);
  if (!tensor.data.empty())
    std::memcpy(result.mutable_data_ptr(), tensor.data.data(), tensor.data.size());
  return widen && isNarrow(result.scalar_type()) ? result.to(at::kDouble) : result;
}

void registerTap() {
  static const jit::RegisterOperators registered({jit::Operator(
      "graphc::tap(Tensor value, int id) -> ()",
      [](jit::Stack &stack) {
        int64_t id = jit::pop(stack).toInt();
        at::Tensor value = jit::pop(stack).toTensor();
        if (taps && value.defined())
          (*taps)[static_cast<ValueId>(id)].push_back(toEager(value));
      },
      c10::AliasAnalysisKind::CONSERVATIVE)});
}

void insertTaps(jit::Block *block, const std::unordered_map<const jit::Value *, ValueId> &ids, const std::set<ValueId> &wanted) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    jit::Node *node = *it;
    ++it;
    for (jit::Block *inner : node->blocks())
      insertTaps(inner, ids, wanted);
    for (jit::Value *output : node->outputs()) {
      auto id = ids.find(output);
      if (id == ids.end() || !wanted.count(id->second) || !output->type()->isSubtypeOf(*c10::TensorType::get()))
        continue;
      jit::Graph *graph = node->owningGraph();
      jit::Node *tap = graph->create(c10::Symbol::fromQualString("graphc::tap"), {output}, 0);
      tap->insertAfter(node);
      jit::WithInsertPoint at(tap);
      tap->addInput(graph->insertConstant(static_cast<int64_t>(id->second)));
    }
  }
}

//===-- widening ---------------------------------------------------------------------===//

c10::IValue widened(const c10::IValue &value) {
  if (value.isTensor() && value.toTensor().defined() && isNarrow(value.toTensor().scalar_type()))
    return value.toTensor().to(at::kDouble);
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor &tensor : value.toTensorVector())
      list.push_back(widened(tensor).toTensor());
    return list;
  }
  return value;
}

void widenAttributes(const c10::intrusive_ptr<c10::ivalue::Object> &object, std::set<const c10::ivalue::Object *> &seen) {
  if (!seen.insert(object.get()).second)
    return;
  for (size_t slot = 0; slot < object->type()->numAttributes(); ++slot) {
    const c10::IValue &value = object->getSlot(slot);
    if (value.isObject() && !value.isCustomClass())
      widenAttributes(value.toObject(), seen);
    else
      object->setSlot(slot, widened(value));
  }
}

bool isDtypeArgument(const c10::TypePtr &type) {
  if (auto optional = type->cast<c10::OptionalType>())
    return isDtypeArgument(optional->getElementType());
  return type->kind() == c10::TypeKind::ScalarTypeType;
}

/// Constants become f64, and so does a dtype wherever an operator is told one.
void widenConstants(jit::Block *block) {
  for (jit::Node *node : block->nodes()) {
    for (jit::Block *inner : node->blocks())
      widenConstants(inner);
    const c10::FunctionSchema *schema = node->maybeSchema();
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      jit::Value *input = node->inputs()[i];
      std::optional<c10::IValue> constant = jit::toIValue(input);
      if (!constant)
        continue;
      bool isDtype = schema && i < schema->arguments().size() && isDtypeArgument(schema->arguments()[i].real_type());
      std::optional<c10::IValue> replacement;
      if (isDtype && constant->isInt() && isNarrow(static_cast<c10::ScalarType>(constant->toInt())))
        replacement = static_cast<int64_t>(at::kDouble);
      else if (constant->isTensor() || constant->isTensorList())
        replacement = widened(*constant);
      if (!replacement)
        continue;
      jit::WithInsertPoint before(node);
      node->replaceInput(i, node->owningGraph()->insertConstant(*replacement));
    }
  }
}

//===-- arguments and results ---------------------------------------------------------===//

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

c10::IValue parse(std::string text, const c10::TypePtr &type, const std::string &name) {
  text = trimmed(std::move(text));
  if (text == "None" && (type->cast<c10::OptionalType>() || type->kind() == c10::TypeKind::NoneType || type->kind() == c10::TypeKind::TensorType))
    return {};
  if (auto optional = type->cast<c10::OptionalType>())
    return parse(text, optional->getElementType(), name);
  if (auto list = type->cast<c10::ListType>()) {
    c10::impl::GenericList values(list->getElementType());
    if (!text.empty() && text.front() == '[')
      text = text.substr(1, text.size() - (text.back() == ']' ? 2 : 1));
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find(',', begin), text.size());
      values.push_back(parse(text.substr(begin, end - begin), list->getElementType(), name));
      begin = end + 1;
    }
    return values;
  }
  int64_t integer = 0;
  double real = 0;
  const char *begin = text.data(), *end = begin + text.size();
  switch (type->kind()) {
  case c10::TypeKind::IntType:
    if (std::from_chars(begin, end, integer).ptr == end)
      return integer;
    break;
  case c10::TypeKind::FloatType:
    if (std::from_chars(begin, end, real).ptr == end)
      return real;
    break;
  case c10::TypeKind::BoolType: return text == "true" || text == "True" || text == "1";
  case c10::TypeKind::StringType: return text;
  default: break;
  }
  throw ReadError("the argument " + name + " is a " + type->annotation_str() + ", which '" + text + "' is not");
}

/// A nested argument out of its tensors, the next of which is the last; numbers are 0-d ones.
c10::IValue take(std::vector<EagerTensor> &rest, const c10::TypePtr &type, const std::string &name, bool widen) {
  if (auto tuple = type->cast<c10::TupleType>()) {
    std::vector<c10::IValue> elements;
    for (const c10::TypePtr &element : tuple->elements())
      elements.push_back(take(rest, element, name, widen));
    return tuple->schema() ? c10::ivalue::Tuple::createNamed(std::move(elements), tuple) : c10::ivalue::Tuple::create(std::move(elements));
  }
  if (auto list = type->cast<c10::ListType>()) {
    c10::impl::GenericList values(list->getElementType());
    while (!rest.empty())
      values.push_back(take(rest, list->getElementType(), name, widen));
    return values;
  }
  if (auto optional = type->cast<c10::OptionalType>())
    return take(rest, optional->getElementType(), name, widen);
  if (rest.empty())
    throw ReadError("the argument " + name + " is a " + type->annotation_str() + ", for which there are too few arrays");
  at::Tensor next = fromEager(rest.back(), widen && type->kind() == c10::TypeKind::TensorType);
  rest.pop_back();
  switch (type->kind()) {
  case c10::TypeKind::IntType: return next.item<int64_t>();
  case c10::TypeKind::FloatType: return next.item<double>();
  case c10::TypeKind::BoolType: return next.item<bool>();
  case c10::TypeKind::TensorType: return next;
  default: throw ReadError("the argument " + name + " has a " + type->annotation_str() + " in it");
  }
}

c10::IValue argumentOf(const EagerArgument &given, const c10::Argument &argument, bool widen) {
  if (const auto *tensor = std::get_if<EagerTensor>(&given))
    return fromEager(*tensor, widen);
  if (const auto *text = std::get_if<std::string>(&given))
    return parse(*text, argument.type(), argument.name());
  if (const auto *several = std::get_if<std::vector<EagerTensor>>(&given)) {
    std::vector<EagerTensor> rest(several->rbegin(), several->rend());
    return take(rest, argument.type(), argument.name(), widen);
  }
  return argument.default_value().value_or(c10::IValue());
}

void flatten(const c10::IValue &value, std::vector<EagerTensor> &out) {
  if (value.isTensor())
    return out.push_back(toEager(value.toTensor()));
  if (value.isInt() || value.isDouble() || value.isBool())
    return out.push_back(toEager(at::scalar_tensor(value.toScalar(), value.isInt() ? at::kLong : value.isBool() ? at::kBool : at::kDouble)));
  if (value.isTuple()) {
    for (const c10::IValue &element : value.toTupleRef().elements())
      flatten(element, out);
  } else if (value.isGenericDict()) {
    for (const auto &entry : value.toGenericDict())
      flatten(entry.value(), out);
  } else if (value.isList()) {
    for (const c10::IValue &element : value.toListRef())
      flatten(element, out);
  } else if (!value.isNone()) {
    throw ReadError("eager returns a " + value.tagKind() + ", expected tensors, numbers, lists, tuples or dicts of them");
  }
}

bool hasNarrow(const EagerCall &call) {
  auto is = [](const EagerTensor &tensor) {
    return tensor.dtype == ScalarType::F32 || tensor.dtype == ScalarType::F16 || tensor.dtype == ScalarType::BF16;
  };
  for (const auto &[id, values] : call.values)
    if (std::any_of(values.begin(), values.end(), is))
      return true;
  return std::any_of(call.outputs.begin(), call.outputs.end(), is);
}

void run(const EagerRequest &request, EagerResult &result) {
  registerTap();
  ConvertedFile file = convertFile(request.path, request.method);
  const c10::FunctionSchema schema = file.module.get_method(request.method).function().getSchema();
  if (request.widen) {
    std::set<const c10::ivalue::Object *> seen;
    widenAttributes(file.module._ivalue(), seen);
    widenConstants(file.inlined->block());
  }
  insertTaps(file.inlined->block(), file.ids, {request.taps.begin(), request.taps.end()});
  at::NoGradGuard noGrad;
  jit::Code code(file.inlined, "graphc_verify");
  for (const std::vector<EagerArgument> &arguments : request.calls) {
    jit::Stack stack{file.module._ivalue()};
    for (size_t i = 0; i + 1 < schema.arguments().size(); ++i)
      stack.push_back(argumentOf(arguments.at(i), schema.arguments()[i + 1], request.widen));
    EagerCall call;
    taps = &call.values;
    jit::InterpreterState(code).run(stack);
    taps = nullptr;
    for (const c10::IValue &value : stack)
      flatten(value, call.outputs);
    result.keptNarrow |= request.widen && hasNarrow(call);
    result.calls.push_back(std::move(call));
  }
}

} // namespace

extern "C" __attribute__((visibility("default"))) void graphcRunTorchScript(const EagerRequest &request, EagerResult &result) {
  result.error = textOfThrown([&] { run(request, result); });
  taps = nullptr;
}
