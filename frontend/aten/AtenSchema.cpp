// Implements AtenSchema.h: binary search in the sorted table, then a parser for one line such as
//   add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
#include "frontend/aten/AtenSchema.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace graphc::frontend;

namespace {

constexpr std::string_view table =
#include "frontend/aten/AtenSchemas.inc"
    ;

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The line whose text before "(" is `key`; empty when there is none.
std::string_view findLine(std::string_view key) {
  size_t low = 0, high = table.size(); // both at starts of lines
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    size_t start = middle == 0 ? 0 : table.rfind('\n', middle - 1) + 1; // npos + 1 is 0
    size_t end = table.find('\n', middle);
    std::string_view line = table.substr(start, end - start);
    std::string_view found = line.substr(0, line.find('('));
    if (found == key)
      return line;
    if (found < key)
      low = end + 1;
    else
      high = start;
  }
  return {};
}

/// The position of the first of `characters` outside brackets and quotes, from `start` on; npos when there is none.
size_t findOutside(std::string_view text, std::string_view characters, size_t start = 0) {
  int depth = 0;
  bool inString = false;
  for (size_t i = start; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
    } else if (depth == 0 && characters.find(c) != characters.npos) {
      return i;
    } else {
      inString = c == '"';
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string_view> splitList(std::string_view text) {
  std::vector<std::string_view> items;
  if (trim(text).empty())
    return items;
  for (size_t start = 0;;) {
    size_t comma = findOutside(text, ",", start);
    items.push_back(trim(text.substr(start, comma - start)));
    if (comma == text.npos)
      return items;
    start = comma + 1;
  }
}

/// Takes "(a!)" or "(a -> *)" out of a type; what is left is the plain type.
struct AliasedType {
  std::string type, aliasSet;
  bool isWritten = false;
};
AliasedType splitAlias(std::string_view text) {
  AliasedType result;
  size_t open = text.find('('), close = text.find(')');
  if (text.substr(0, 7) != "Tensor(" || close == text.npos) {
    result.type = std::string(text);
    return result;
  }
  result.type = std::string(text.substr(0, open)) + std::string(text.substr(close + 1));
  for (char c : text.substr(open + 1, close - open - 1)) {
    result.isWritten |= c == '!';
    if (c != ' ' && c != '!')
      result.aliasSet += c;
  }
  return result;
}

std::string unquote(std::string_view text) {
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    char c = text[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'f' ? '\f' : c == 'v' ? '\v' : c;
  }
  return out;
}

const char *memoryFormatText(int64_t number) {
  static constexpr const char *names[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};
  return number >= 0 && number < 4 ? names[number] : "?";
}

/// An integer default at an argument of an enum type, in c10's numbering.
Constant enumDefault(int64_t number, std::string_view type) {
  if (type.substr(0, 12) == "MemoryFormat")
    return {EnumConstant{EnumConstant::Kind::MemoryFormat, memoryFormatText(number)}};
  if (type.substr(0, 6) == "Layout")
    return {EnumConstant{EnumConstant::Kind::Layout, number == 0 ? "strided" : "?"}};
  return {number};
}

Constant parseConstant(std::string_view text, std::string_view type);

Constant parseListConstant(std::string_view text, std::string_view type) {
  ConstantList list;
  for (std::string_view item : splitList(text.substr(1, text.size() - 2)))
    list.elements.push_back(parseConstant(item, type.substr(0, type.find('['))));
  return {std::move(list)};
}

/// `text` is None, a bool, a number, a quoted string or a list.
Constant parseConstant(std::string_view text, std::string_view type) {
  if (text == "None")
    return {};
  if (text == "True" || text == "False")
    return {text == "True"};
  if (text.front() == '"')
    return {unquote(text)};
  if (text.front() == '[')
    return parseListConstant(text, type);
  bool isFloat = type.substr(0, 5) == "float" || text.find_first_of(".enif") != text.npos;
  if (isFloat)
    return {std::strtod(std::string(text).c_str(), nullptr)};
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return enumDefault(number, type);
}

/// `int[2] stride=1` means [1, 1].
Constant parseDefault(std::string_view text, std::string_view type) {
  Constant constant = parseConstant(text, type);
  size_t open = type.find('['), count = 0;
  bool isScalar = !std::holds_alternative<ConstantList>(constant.value) &&
                  !std::holds_alternative<std::monostate>(constant.value);
  if (open == type.npos || !isScalar)
    return constant;
  std::from_chars(type.data() + open + 1, type.data() + type.size(), count);
  ConstantList list;
  list.elements.assign(std::max<size_t>(count, 1), constant);
  return {std::move(list)};
}

AtenArgument parseArgument(std::string_view text) {
  AtenArgument argument;
  size_t equals = findOutside(text, "=");
  std::string_view declaration = text.substr(0, equals);
  size_t space = declaration.rfind(' ');
  argument.name = std::string(declaration.substr(space + 1));
  AliasedType type = splitAlias(trim(declaration.substr(0, space)));
  argument.type = std::move(type.type);
  argument.aliasSet = std::move(type.aliasSet);
  argument.isWritten = type.isWritten;
  if (equals != text.npos)
    argument.defaultValue = parseDefault(text.substr(equals + 1), argument.type);
  return argument;
}

AtenReturn parseReturn(std::string_view text) {
  AtenReturn result;
  size_t space = findOutside(text, " ");
  if (space != text.npos)
    result.name = std::string(trim(text.substr(space)));
  AliasedType type = splitAlias(text.substr(0, space));
  result.type = std::move(type.type);
  result.aliasSet = std::move(type.aliasSet);
  result.isWritten = type.isWritten;
  return result;
}

} // namespace

std::optional<AtenSchema> graphc::frontend::findAtenSchema(std::string_view op, std::string_view overload) {
  constexpr std::string_view space = "aten::";
  if (op.substr(0, space.size()) != space)
    return std::nullopt;
  std::string key(op.substr(space.size()));
  if (!overload.empty())
    key += "." + std::string(overload);
  std::string_view line = findLine(key);
  if (line.empty())
    return std::nullopt;
  AtenSchema schema{std::string(op), std::string(overload), {}, {}};
  size_t open = line.find('('), close = findOutside(line, ")", open + 1), arrow = line.find("-> ", close);
  bool isKeywordOnly = false;
  for (std::string_view text : splitList(line.substr(open + 1, close - open - 1))) {
    if (text == "*") {
      isKeywordOnly = true;
      continue;
    }
    schema.arguments.push_back(parseArgument(text));
    schema.arguments.back().isKeywordOnly = isKeywordOnly;
  }
  std::string_view returns = trim(line.substr(arrow + 3));
  if (returns.front() == '(')
    returns = returns.substr(1, returns.size() - 2);
  for (std::string_view text : splitList(returns))
    schema.returns.push_back(parseReturn(text));
  return schema;
}

bool graphc::frontend::completeOperands(Node &node, const AtenSchema &schema) {
  OperandList ordered;
  size_t used = 0;
  for (const AtenArgument &argument : schema.arguments) {
    auto it = std::find_if(node.operands.begin(), node.operands.end(),
                           [&](const Operand &operand) { return operand.name == argument.name; });
    if (it != node.operands.end()) {
      ordered.push_back(*it);
      ++used;
    } else if (argument.defaultValue) {
      ordered.push_back({argument.name, *argument.defaultValue});
    } else {
      return false;
    }
  }
  if (used != node.operands.size())
    return false;
  node.operands = std::move(ordered);
  return true;
}
