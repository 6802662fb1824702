// A SourceGraph as bytes, between the process that reads TorchScript files and the one that compiles.
//
// Writing and reading share one description of each structure (`transfer` below), so they can't drift apart. The reading side
// trusts nothing: LibTorch has run on the model file in the process that wrote the bytes. Counts are checked against what is left,
// nesting is limited, tensors must lie inside their storages. Storages themselves are not in the bytes: the two sides number them.
//
//   WireWriter writer(numberOf);  transfer(writer, graph);                numberOf: Storage → its number
//   WireReader reader(data, size, storages);  transfer(reader, graph);  reader.isGood()
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_WIRE_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_WIRE_H

#include "frontend/SourceGraph.h"

#include <cstring>
#include <functional>
#include <type_traits>

namespace graphc::frontend::torchscript {

using StorageList = std::vector<std::shared_ptr<const Storage>>;

class WireWriter {
public:
  static constexpr bool writes = true;
  explicit WireWriter(std::function<uint32_t(const Storage &)> numberOf) : numberOf(std::move(numberOf)) {}

  template <typename T> void raw(T &value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof value); }
  uint64_t count(uint64_t size) {
    raw(size);
    return size;
  }
  void text(std::string &value) {
    count(value.size());
    bytes += value;
  }
  void storage(std::shared_ptr<const Storage> &value) {
    uint32_t number = numberOf(*value);
    raw(number);
  }
  bool enter() { return true; }
  void leave() {}
  void fail() {}
  bool isGood() const { return true; }

  std::string bytes;

private:
  std::function<uint32_t(const Storage &)> numberOf;
};

class WireReader {
public:
  static constexpr bool writes = false;
  WireReader(const char *data, size_t size, const StorageList &storages) : next(data), left(size), storages(storages) {}

  template <typename T> void raw(T &value) {
    if (left < sizeof value)
      return fail();
    if constexpr (std::is_same_v<T, bool>) {
      value = *next != 0;
    } else {
      std::memcpy(&value, next, sizeof value);
    }
    next += sizeof value, left -= sizeof value;
  }
  /// A count of things of at least one byte each.
  uint64_t count(uint64_t) {
    uint64_t size = 0;
    raw(size);
    if (size > left)
      fail();
    return good ? size : 0;
  }
  void text(std::string &value) {
    uint64_t size = count(0);
    value.assign(next, size);
    next += size, left -= size;
  }
  void storage(std::shared_ptr<const Storage> &value) {
    uint32_t number = 0;
    raw(number);
    if (number < storages.size())
      value = storages[number];
    else
      fail();
  }
  bool enter() {
    if (++depth > maxDepth)
      fail();
    return good;
  }
  void leave() { --depth; }
  void fail() { good = false, left = 0; }
  bool isGood() const { return good; }

private:
  static constexpr int maxDepth = 1000; // of blocks and constants in each other
  const char *next;
  size_t left;
  const StorageList &storages;
  int depth = 0;
  bool good = true;
};

// Scalars, texts and containers. `A` is WireWriter or WireReader; a reader's containers start empty.
template <typename A, typename T> void transfer(A &a, T &value);

template <typename A, typename T> void transfer(A &a, std::vector<T> &list) {
  uint64_t size = a.count(list.size());
  if (!a.enter())
    return;
  for (uint64_t i = 0; i < size && a.isGood(); ++i) {
    if constexpr (!A::writes)
      list.emplace_back();
    transfer(a, list[i]);
  }
  a.leave();
}

template <typename A, typename V> void transfer(A &a, std::map<std::string, V> &map) {
  uint64_t size = a.count(map.size());
  auto at = map.begin();
  for (uint64_t i = 0; i < size && a.isGood(); ++i) {
    std::string key = A::writes ? at->first : std::string();
    a.text(key);
    transfer(a, A::writes ? (at++)->second : map[key]);
  }
}

template <typename A, typename T> void transfer(A &a, std::optional<T> &value) {
  uint8_t has = value.has_value();
  a.raw(has);
  if (!has)
    return;
  if constexpr (!A::writes)
    value.emplace();
  transfer(a, *value);
}

template <size_t I = 0, typename A, typename... Ts> void transferAlternative(A &a, std::variant<Ts...> &value, size_t index) {
  if constexpr (I < sizeof...(Ts)) {
    if (index != I)
      return transferAlternative<I + 1>(a, value, index);
    if constexpr (!A::writes)
      value.template emplace<I>();
    transfer(a, std::get<I>(value));
  } else {
    a.fail();
  }
}

template <typename A, typename... Ts> void transfer(A &a, std::variant<Ts...> &value) {
  uint8_t index = uint8_t(value.index());
  a.raw(index);
  if (a.enter())
    transferAlternative(a, value, index);
  a.leave();
}

/// Field by field.
template <typename A, typename... Fields> void fields(A &a, Fields &...field) { (transfer(a, field), ...); }

template <typename A> void transfer(A &a, std::monostate &) {}
template <typename A> void transfer(A &a, std::string &value) { a.text(value); }
template <typename A> void transfer(A &a, TensorData &t) {
  fields(a, t.dtype, t.sizes, t.strides, t.offset);
  a.storage(t.storage);
}
template <typename A> void transfer(A &a, ConstantList &v) { fields(a, v.kind, v.elements, v.fieldNames); }
template <typename A> void transfer(A &a, ObjectRef &v) { fields(a, v.id); }
template <typename A> void transfer(A &a, EnumConstant &v) { fields(a, v.kind, v.text); }
template <typename A> void transfer(A &a, SymbolicInt &v) { fields(a, v.expression); }
template <typename A> void transfer(A &a, Constant &v) { fields(a, v.value); }
template <typename A> void transfer(A &a, SourceLocation &v) { fields(a, v.file, v.line, v.column, v.modulePath, v.text); }
template <typename A> void transfer(A &a, Operand &v) { fields(a, v.name, v.value); }
template <typename A> void transfer(A &a, Block &v) { fields(a, v.inputs, v.nodes, v.outputs); }
template <typename A> void transfer(A &a, Node &v) {
  fields(a, v.op, v.overload, v.operands, v.results, v.blocks, v.attributes, v.location);
}
template <typename A> void transfer(A &a, ValueInfo::TensorMeta &v) { fields(a, v.dtype, v.sizes, v.strides, v.requiresGrad); }
template <typename A> void transfer(A &a, ValueInfo &v) { fields(a, v.name, v.type, v.tensor); }
template <typename A> void transfer(A &a, Attribute &v) {
  fields(a, v.name, v.type, v.value, v.role, v.persistent, v.requiresGrad);
}
template <typename A> void transfer(A &a, Object &v) { fields(a, v.className, v.path, v.attributes, v.training); }
template <typename A> void transfer(A &a, Input &v) { fields(a, v.name, v.value, v.type, v.defaultValue); }
template <typename A> void transfer(A &a, Output &v) { fields(a, v.name, v.value); }
template <typename A> void transfer(A &a, Symbol &v) { fields(a, v.name, v.min, v.max, v.origin); }
template <typename A> void transfer(A &a, DimGuard &v) { fields(a, v.lhs, v.comparison, v.rhs, v.text); }
template <typename A> void transfer(A &a, SourceGraph &v) {
  fields(a, v.fileName, v.method, v.producer, v.objects, v.locations, v.values, v.symbols, v.guards, v.inputs, v.self, v.body, v.outputs);
}
template <typename A, typename T> void transfer(A &a, T &value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "a structure without a transfer of its own");
  a.raw(value);
}

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_WIRE_H
