// The stable text form of a SourceGraph that tests, `graphc-read` and bug reports use.
//
// Input: a SourceGraph. Output: objects with their attributes, symbols, inputs, one line per node, outputs. For example
//   %3 : Tensor = aten::add.Tensor(self=%1, other=%2, alpha=1)  loc(model.py:7:15 in encoder.layer.0)
// Nothing in the text depends on addresses or on the order of hashing; storages are numbered as they are first met.
#include "frontend/SourceGraph.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

using namespace graphc::frontend;

size_t graphc::frontend::scalarTypeSize(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
  case ScalarType::I8:
  case ScalarType::Bool:
    return 1;
  case ScalarType::I16:
  case ScalarType::F16:
  case ScalarType::BF16:
    return 2;
  case ScalarType::I32:
  case ScalarType::F32:
    return 4;
  case ScalarType::I64:
  case ScalarType::F64:
    return 8;
  }
  return 0;
}

const char *graphc::frontend::scalarTypeName(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
    return "u8";
  case ScalarType::I8:
    return "i8";
  case ScalarType::I16:
    return "i16";
  case ScalarType::I32:
    return "i32";
  case ScalarType::I64:
    return "i64";
  case ScalarType::F16:
    return "f16";
  case ScalarType::BF16:
    return "bf16";
  case ScalarType::F32:
    return "f32";
  case ScalarType::F64:
    return "f64";
  case ScalarType::Bool:
    return "bool";
  }
  return "?";
}

std::optional<ScalarType> graphc::frontend::scalarTypeFromInteger(int64_t c10Number) {
  switch (c10Number) {
  case 0:
    return ScalarType::U8;
  case 1:
    return ScalarType::I8;
  case 2:
    return ScalarType::I16;
  case 3:
    return ScalarType::I32;
  case 4:
    return ScalarType::I64;
  case 5:
    return ScalarType::F16;
  case 6:
    return ScalarType::F32;
  case 7:
    return ScalarType::F64;
  case 11:
    return ScalarType::Bool;
  case 15:
    return ScalarType::BF16;
  default:
    return std::nullopt;
  }
}

std::optional<ScalarType> graphc::frontend::scalarTypeFromText(const std::string &text) {
  static constexpr std::pair<const char *, ScalarType> names[] = {
      {"uint8", ScalarType::U8},        {"int8", ScalarType::I8},       {"int16", ScalarType::I16},
      {"int32", ScalarType::I32},       {"int64", ScalarType::I64},     {"float16", ScalarType::F16},
      {"bfloat16", ScalarType::BF16},   {"float32", ScalarType::F32},   {"float64", ScalarType::F64},
      {"bool", ScalarType::Bool}};
  for (const auto &[name, type] : names)
    if (text == name)
      return type;
  return std::nullopt;
}

namespace {

constexpr int64_t maxPrintedElements = 8;

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20 || c == 0x7f) {
      char buffer[8];
      snprintf(buffer, sizeof buffer, "\\x%02x", c);
      out += buffer;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[40];
  snprintf(buffer, sizeof buffer, "%.17g", value);
  std::string shortest(buffer);
  for (int digits = 1; digits < 17; ++digits) {
    snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (strtod(buffer, nullptr) == value) {
      shortest = buffer;
      break;
    }
  }
  return shortest.find_first_of(".en") == std::string::npos ? shortest + ".0" : shortest;
}

template <typename T> T load(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

/// One element as text; 16-bit floats as their bits, for they are only there to tell constants apart.
std::string elementText(ScalarType type, const std::byte *data) {
  char bits[16];
  switch (type) {
  case ScalarType::U8:
    return std::to_string(load<uint8_t>(data));
  case ScalarType::I8:
    return std::to_string(load<int8_t>(data));
  case ScalarType::I16:
    return std::to_string(load<int16_t>(data));
  case ScalarType::I32:
    return std::to_string(load<int32_t>(data));
  case ScalarType::I64:
    return std::to_string(load<int64_t>(data));
  case ScalarType::F16:
  case ScalarType::BF16:
    snprintf(bits, sizeof bits, "0x%04x", load<uint16_t>(data));
    return bits;
  case ScalarType::F32: {
    snprintf(bits, sizeof bits, "%.9g", load<float>(data));
    return bits;
  }
  case ScalarType::F64:
    return floatText(load<double>(data));
  case ScalarType::Bool:
    return load<uint8_t>(data) ? "True" : "False";
  }
  return "?";
}

class Printer {
public:
  explicit Printer(const SourceGraph &graph) : graph(graph) {}

  std::string run() {
    std::string base = graph.fileName.substr(graph.fileName.find_last_of('/') + 1);
    out << "source_graph " << quoted(base) << " method " << quoted(graph.method) << " producer "
        << quoted(graph.producer) << "\n";
    for (size_t id = 0; id < graph.objects.size(); ++id)
      printObject(id, graph.objects[id]);
    for (const Symbol &symbol : graph.symbols) {
      out << "symbol " << symbol.name << " >= " << symbol.min;
      if (symbol.max)
        out << ", <= " << *symbol.max;
      out << " origin " << quoted(symbol.origin) << "\n";
    }
    for (const DimGuard &guard : graph.guards)
      out << "guard " << guard.lhs << " " << guard.comparison << " " << guard.rhs << "\n";
    if (graph.self)
      out << "self " << valueText(*graph.self) << "\n";
    for (const Input &input : graph.inputs) {
      out << "input " << quoted(input.name) << " " << typedValue(input.value);
      if (input.defaultValue)
        out << " = " << constantText(*input.defaultValue);
      out << "\n";
    }
    printNodes(graph.body, 0);
    out << "return " << operandsText(graph.body.outputs) << "\n";
    for (const Output &output : graph.outputs)
      out << "output " << quoted(output.name) << " = " << operandText(output.value) << "\n";
    return out.str();
  }

private:
  void printObject(size_t id, const Object &object) {
    out << "object #" << id << " " << quoted(object.path) << " : " << object.className
        << (object.training ? " training" : "") << "\n";
    for (const Attribute &attribute : object.attributes) {
      const char *role = attribute.role == Attribute::Role::Parameter ? " parameter"
                         : attribute.role == Attribute::Role::Buffer  ? " buffer"
                                                                      : "";
      out << "  " << attribute.name << " : " << attribute.type << role
          << (attribute.persistent ? "" : " not_persistent") << " = " << constantText(attribute.value) << "\n";
    }
  }

  void printNodes(const Block &block, unsigned depth) {
    std::string indent(2 * depth, ' ');
    for (const Node &node : block.nodes) {
      out << indent;
      for (size_t i = 0; i < node.results.size(); ++i)
        out << (i ? ", " : "") << typedValue(node.results[i]);
      out << (node.results.empty() ? "" : " = ") << node.op << (node.overload.empty() ? "" : "." + node.overload)
          << "(" << operandsText(node.operands) << ")";
      printAttributes(node);
      out << locationText(node.location) << "\n";
      for (size_t i = 0; i < node.blocks.size(); ++i)
        printBlock(node.blocks[i], i, depth + 1);
    }
  }

  void printAttributes(const Node &node) {
    if (node.attributes.empty())
      return;
    out << " {";
    const char *separator = "";
    for (const auto &[name, value] : node.attributes) {
      out << separator << name << " = " << constantText(value);
      separator = ", ";
    }
    out << "}";
  }

  void printBlock(const Block &block, size_t index, unsigned depth) {
    std::string indent(2 * depth, ' ');
    out << indent << "block" << index << "(";
    for (size_t i = 0; i < block.inputs.size(); ++i)
      out << (i ? ", " : "") << typedValue(block.inputs[i]);
    out << "):\n";
    printNodes(block, depth + 1);
    out << indent << "  -> (" << operandsText(block.outputs) << ")\n";
  }

  std::string valueText(ValueId id) const { return "%" + std::to_string(id); }

  /// "%3 : Tensor", and what the file says of the tensor: "%3 : Tensor f32[s0,4]".
  std::string typedValue(ValueId id) const {
    std::string text = valueText(id);
    if (id >= graph.values.size())
      return text + " : <no such value>";
    const ValueInfo &info = graph.values[id];
    text += " : " + info.type;
    if (!info.tensor)
      return text;
    text += std::string(" ") + scalarTypeName(info.tensor->dtype) + "[";
    const char *separator = "";
    for (const auto &dim : info.tensor->sizes) {
      text += separator;
      text += std::holds_alternative<int64_t>(dim) ? std::to_string(std::get<int64_t>(dim)) : std::get<std::string>(dim);
      separator = ", ";
    }
    return text + "]";
  }

  std::string operandsText(const OperandList &operands) {
    std::string text;
    for (const Operand &operand : operands)
      text += (text.empty() ? "" : ", ") + (operand.name.empty() ? "" : operand.name + "=") + operandText(operand);
    return text;
  }

  std::string operandText(const Operand &operand) {
    if (const auto *id = std::get_if<ValueId>(&operand.value))
      return valueText(*id);
    if (const auto *constant = std::get_if<Constant>(&operand.value))
      return constantText(*constant);
    return "[" + operandsText(std::get<OperandList>(operand.value)) + "]";
  }

  std::string constantText(const Constant &constant) {
    struct Visitor {
      Printer &printer;
      std::string operator()(std::monostate) { return "None"; }
      std::string operator()(bool value) { return value ? "True" : "False"; }
      std::string operator()(int64_t value) { return std::to_string(value); }
      std::string operator()(double value) { return floatText(value); }
      std::string operator()(const std::string &value) { return quoted(value); }
      std::string operator()(const EnumConstant &value) { return printer.enumText(value); }
      std::string operator()(const SymbolicInt &value) { return "sym(" + value.expression + ")"; }
      std::string operator()(const TensorData &value) { return printer.tensorText(value); }
      std::string operator()(const ConstantList &value) { return printer.listText(value); }
      std::string operator()(const ObjectRef &value) { return "#" + std::to_string(value.id); }
    };
    return std::visit(Visitor{*this}, constant.value);
  }

  static std::string enumText(const EnumConstant &value) {
    switch (value.kind) {
    case EnumConstant::Kind::ScalarType:
      return "dtype." + value.text;
    case EnumConstant::Kind::Device:
      return "device." + value.text;
    case EnumConstant::Kind::Layout:
      return "layout." + value.text;
    case EnumConstant::Kind::MemoryFormat:
      return "memory_format." + value.text;
    case EnumConstant::Kind::Other:
      return "enum." + value.text;
    }
    return "?";
  }

  std::string listText(const ConstantList &list) {
    using Kind = ConstantList::Kind;
    std::string text = list.kind == Kind::List ? "[" : list.kind == Kind::Dict ? "{" : "(";
    for (size_t i = 0; i < list.elements.size(); ++i) {
      bool isDictValue = list.kind == Kind::Dict && i % 2 == 1;
      text += i == 0 ? "" : isDictValue ? ": " : ", ";
      if (list.kind == Kind::NamedTuple && i < list.fieldNames.size())
        text += list.fieldNames[i] + "=";
      text += constantText(list.elements[i]);
    }
    return text + (list.kind == Kind::List ? "]" : list.kind == Kind::Dict ? "}" : ")");
  }

  /// "tensor f32[2,3] strides [3,1] storage 4 offset 0", and the elements where they are few.
  std::string tensorText(const TensorData &tensor) {
    std::string text = std::string("tensor ") + scalarTypeName(tensor.dtype) + "[" + join(tensor.sizes) +
                       "] strides [" + join(tensor.strides) + "] storage " + storageNumber(tensor.storage.get());
    if (tensor.offset)
      text += " offset " + std::to_string(tensor.offset);
    int64_t count = 1;
    for (int64_t size : tensor.sizes)
      count = count == 0 || size == 0 ? 0 : (count > maxPrintedElements ? count : count * size);
    if (count > maxPrintedElements)
      return text;
    text += " {";
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + element(tensor, i);
    return text + "}";
  }

  static std::string element(const TensorData &tensor, int64_t linear) {
    int64_t position = tensor.offset;
    for (size_t d = tensor.sizes.size(); d-- > 0;) {
      position += linear % tensor.sizes[d] * tensor.strides[d];
      linear /= tensor.sizes[d];
    }
    return elementText(tensor.dtype, tensor.storage->data + position * scalarTypeSize(tensor.dtype));
  }

  static std::string join(const std::vector<int64_t> &numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
  }

  std::string storageNumber(const Storage *storage) {
    auto [it, inserted] = storages.try_emplace(storage, storages.size());
    return std::to_string(it->second);
  }

  std::string locationText(LocationId id) const {
    if (id >= graph.locations.size())
      return "  loc(no such location)";
    const SourceLocation &location = graph.locations[id];
    if (location.file.empty() && location.modulePath.empty())
      return "  loc(unknown)";
    std::string text = "  loc(" + (location.file.empty() ? "?" : location.file) + ":" + std::to_string(location.line);
    if (location.column)
      text += ":" + std::to_string(location.column);
    return text + (location.modulePath.empty() ? "" : " in " + location.modulePath) + ")";
  }

  const SourceGraph &graph;
  std::ostringstream out;
  std::map<const Storage *, size_t> storages;
};

} // namespace

std::string graphc::frontend::print(const SourceGraph &graph) { return Printer(graph).run(); }
