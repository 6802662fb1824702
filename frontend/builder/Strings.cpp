// Python's strings: methods, formatting, comparisons of known values.
//
// `"{} of {}".format(1, 2)` is "1 of 2"; a tensor formats as "Tensor", for messages that nothing else depends on.
#include "frontend/builder/Call.h"

#include <cstdio>

using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using llvm::StringRef;

/// "{} of {}".format(a, b).
static Val format(Call &call) {
  std::string pattern = toText(call.argument(0)), text;
  size_t next = 1;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.compare(i, 2, "{}") == 0) {
      text += toText(call.argument(next++));
      ++i;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

/// One % conversion of Python's old formatting: "%d", "%.3f", "%5s".
static std::string percentItem(Call &call, const std::string &spec, const Val &value) {
  char kind = spec.back();
  if (kind == 's' && spec.size() == 2)
    return toText(value);
  if (!value.isNumber() || !StringRef("diufFeEgGxX").contains(kind) || spec.size() > 12) {
    call.fail("the format " + spec + " of a " + kindOf(value));
    return "";
  }
  char buffer[512];
  bool isInteger = StringRef("diuxX").contains(kind);
  std::string sized = spec.substr(0, spec.size() - 1) + (isInteger ? "ll" : "") + (kind == 'u' || kind == 'i' ? 'd' : kind);
  int length = isInteger ? std::snprintf(buffer, sizeof buffer, sized.c_str(), static_cast<long long>(toDouble(value)))
                         : std::snprintf(buffer, sizeof buffer, sized.c_str(), toDouble(value));
  return std::string(buffer, std::min<size_t>(std::max(length, 0), sizeof buffer - 1));
}

/// "%d of %s" % (a, b)
static Val percentFormat(Call &call) {
  std::string pattern = toText(call.argument(0)), text;
  std::vector<Val> values;
  for (size_t i = 1; i < call.size(); ++i)
    if (const List *tuple = call.argument(i).get<List>(); tuple && (*tuple)->kind != ConstantList::Kind::List)
      llvm::append_range(values, (*tuple)->elements);
    else
      values.push_back(call.argument(i));
  size_t next = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    size_t end = pattern[i] == '%' ? pattern.find_first_not_of("0123456789.+- #", i + 1) : i;
    if (pattern[i] != '%' || end == std::string::npos) {
      text += pattern[i];
    } else if (pattern[end] == '%') {
      text += '%';
      i = end;
    } else {
      if (next >= values.size())
        call.fail("a format with more places than values");
      text += percentItem(call, pattern.substr(i, end - i + 1), next < values.size() ? values[next++] : Val(int64_t(0)));
      i = end;
    }
  }
  return text;
}

bool builder::evaluateString(Call &call, StringRef op, StringRef text) {
  if (op == "percentFormat")
    return call.give(percentFormat(call)), true;
  auto argument = [&](size_t i) { return call.argument(i).is<std::string>() ? StringRef(call.argument(i).as<std::string>()) : StringRef(); };
  if (op == "len")
    return call.give(Val(int64_t(text.size()))), true;
  if (op == "format")
    return call.give(format(call)), true;
  if (op == "add" && call.argument(1).is<std::string>())
    return call.give(Val((text + argument(1)).str())), true;
  if (op == "startswith" || op == "endswith")
    return call.give(Val(op == "startswith" ? text.starts_with(argument(1)) : text.ends_with(argument(1)))), true;
  if (op == "__contains__")
    return call.give(Val(text.contains(argument(1)))), true;
  if (op == "upper" || op == "lower")
    return call.give(Val(op == "upper" ? text.upper() : text.lower())), true;
  if (op == "strip")
    return call.give(Val(text.trim(argument(1).empty() ? " \n\t\r\v\f" : argument(1)).str())), true;
  if (op == "find") {
    size_t at = text.find(argument(1));
    return call.give(Val(at == StringRef::npos ? int64_t(-1) : int64_t(at))), true;
  }
  if (op == "replace") {
    std::string out;
    StringRef rest = text, from = argument(1);
    for (size_t at; !from.empty() && (at = rest.find(from)) != StringRef::npos; rest = rest.substr(at + from.size()))
      out += (rest.substr(0, at) + argument(2)).str();
    return call.give(Val(out + rest.str())), true;
  }
  if (op == "split") {
    llvm::SmallVector<StringRef> parts;
    text.split(parts, argument(1).empty() ? " " : argument(1), -1, !argument(1).empty());
    std::vector<Val> elements;
    for (StringRef part : parts)
      elements.push_back(part.str());
    auto list = std::make_shared<ListValue>();
    list->elements = std::move(elements);
    return call.give(Val(list)), true;
  }
  if (op == "join" && call.argument(1).is<List>()) {
    std::string out;
    const std::vector<Val> &elements = call.argument(1).as<List>()->elements;
    for (size_t i = 0; i < elements.size(); ++i)
      out += (i ? text.str() : "") + toText(elements[i]);
    return call.give(Val(out)), true;
  }
  auto bound = [&](StringRef name, int64_t fallback) {
    int64_t i = call.integer(name, fallback), n = int64_t(text.size());
    return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n);
  };
  if (op == "__getitem__") {
    int64_t i = call.argument(1).is<int64_t>() ? call.argument(1).as<int64_t>() : INT64_MAX, n = int64_t(text.size());
    i += i < 0 ? n : 0;
    if (i < 0 || i >= n)
      return call.fail("string index " + toText(call.argument(1)) + " is out of range for " + llvm::Twine(n) + " characters"), true;
    return call.give(Val(std::string(1, text[i]))), true;
  }
  if (op == "slice" && call.integer("step", 1) == 1) {
    int64_t start = bound("start", 0), end = bound("end", int64_t(text.size()));
    return call.give(Val(text.substr(start, std::max<int64_t>(end - start, 0)).str())), true;
  }
  if (op == "lt" || op == "le" || op == "gt" || op == "ge") {
    int order = text.compare(argument(1));
    return call.give(Val(op == "lt" ? order < 0 : op == "le" ? order <= 0 : op == "gt" ? order > 0 : order >= 0)), true;
  }
  int64_t integer;
  double real;
  if (op == "Int" && !text.trim().getAsInteger(10, integer))
    return call.give(Val(integer)), true;
  if (op == "Float" && !text.trim().getAsDouble(real))
    return call.give(Val(real)), true;
  if (op == "ord" && text.size() == 1)
    return call.give(Val(int64_t(static_cast<unsigned char>(text[0])))), true;
  return false;
}
