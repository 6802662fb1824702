// Implements TypeText.h.
#include "frontend/builder/TypeText.h"

#include "llvm/ADT/STLExtras.h"

using namespace graphc::frontend::builder;
using llvm::StringRef;

std::vector<StringRef> graphc::frontend::builder::splitAtCommas(StringRef text) {
  std::vector<StringRef> pieces;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth += c == '[' || c == '(' || c == '{' ? 1 : c == ']' || c == ')' || c == '}' ? -1 : 0;
    if (c != ',' || depth > 0)
      continue;
    pieces.push_back(text.slice(start, i).trim());
    start = i + 1;
  }
  if (!text.substr(start).trim().empty())
    pieces.push_back(text.substr(start).trim());
  return pieces;
}

bool TypeText::holdsTensors() const {
  return is("Tensor") || llvm::any_of(arguments, [](const TypeText &argument) { return argument.holdsTensors(); });
}

TypeText graphc::frontend::builder::parseType(StringRef text) {
  TypeText type;
  text = text.trim();
  type.text = text.str();
  size_t open = text.find('[');
  type.name = text.substr(0, open).str();
  if (open == StringRef::npos || !text.ends_with("]"))
    return type;
  for (StringRef argument : splitAtCommas(text.slice(open + 1, text.size() - 1))) {
    if (type.is("NamedTuple")) {
      auto [field, fieldType] = argument.split(':');
      type.fieldNames.push_back(field.trim().str());
      argument = fieldType;
    }
    type.arguments.push_back(parseType(argument));
  }
  return type;
}
