// See CheckGraph.h.
#include "frontend/torchscript/CheckGraph.h"

#include "frontend/TensorBounds.h"

#include <algorithm>

using namespace graphc::frontend;

namespace {

class Checker {
public:
  explicit Checker(const SourceGraph &graph) : graph(graph) {}

  bool run() const {
    return !graph.objects.empty() && !graph.locations.empty() && all(graph.values, [&](const ValueInfo &v) { return check(v); }) &&
           all(graph.objects, [&](const Object &v) { return check(v); }) && all(graph.inputs, [&](const Input &v) { return check(v); }) &&
           (!graph.self || isValue(*graph.self)) && check(graph.body) && all(graph.outputs, [&](const Output &v) { return check(v.value); });
  }

private:
  template <typename List, typename Check> static bool all(const List &list, Check check) { return std::all_of(list.begin(), list.end(), check); }

  bool isValue(ValueId id) const { return id < graph.values.size(); }
  static bool isType(ScalarType type) { return type <= ScalarType::Bool; }

  static bool check(const TensorData &tensor) {
    if (!isType(tensor.dtype) || !tensor.storage)
      return false;
    std::optional<int64_t> bytes = bytesReached(tensor);
    return bytes && uint64_t(*bytes) <= tensor.storage->size;
  }

  bool check(const Constant &constant) const {
    if (const auto *tensor = std::get_if<TensorData>(&constant.value))
      return check(*tensor);
    if (const auto *object = std::get_if<ObjectRef>(&constant.value))
      return object->id < graph.objects.size();
    if (const auto *value = std::get_if<EnumConstant>(&constant.value))
      return value->kind <= EnumConstant::Kind::Other;
    if (const auto *list = std::get_if<ConstantList>(&constant.value))
      return list->kind <= ConstantList::Kind::Dict && (list->kind != ConstantList::Kind::Dict || list->elements.size() % 2 == 0) &&
             all(list->elements, [&](const Constant &v) { return check(v); });
    return true;
  }

  bool check(const ValueInfo &value) const { return !value.tensor || isType(value.tensor->dtype); }

  bool check(const Object &object) const {
    return all(object.attributes, [&](const Attribute &v) { return v.role <= Attribute::Role::Buffer && check(v.value); });
  }

  bool check(const Input &input) const { return isValue(input.value) && (!input.defaultValue || check(*input.defaultValue)); }

  bool check(const Operand &operand) const {
    if (const auto *id = std::get_if<ValueId>(&operand.value))
      return isValue(*id);
    if (const auto *constant = std::get_if<Constant>(&operand.value))
      return check(*constant);
    return all(std::get<OperandList>(operand.value), [&](const Operand &v) { return check(v); });
  }

  bool check(const Node &node) const {
    return node.location < graph.locations.size() && all(node.operands, [&](const Operand &v) { return check(v); }) &&
           all(node.results, [&](ValueId v) { return isValue(v); }) && all(node.blocks, [&](const Block &v) { return check(v); }) &&
           all(node.attributes, [&](const auto &v) { return check(v.second); });
  }

  bool check(const Block &block) const {
    return all(block.inputs, [&](ValueId v) { return isValue(v); }) && all(block.nodes, [&](const Node &v) { return check(v); }) &&
           all(block.outputs, [&](const Operand &v) { return check(v); });
  }

  const SourceGraph &graph;
};

} // namespace

bool graphc::frontend::torchscript::isConsistent(const SourceGraph &graph) { return Checker(graph).run(); }
