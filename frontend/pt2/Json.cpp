// Implements Json.h.
#include "frontend/pt2/Json.h"

#include <limits>

using namespace graphc::frontend::pt2;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr unsigned maxDepth = 200;

/// The deepest nesting of brackets outside strings.
unsigned depthOf(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

} // namespace

Expected<json::Value> graphc::frontend::pt2::parseJson(StringRef text, StringRef what) {
  if (depthOf(text) > maxDepth)
    return createStringError(std::errc::invalid_argument, "%s is nested deeper than %u", what.str().c_str(), maxDepth);
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return createStringError(std::errc::invalid_argument, "%s isn't JSON: %s", what.str().c_str(),
                             llvm::toString(value.takeError()).c_str());
  return value;
}

std::pair<StringRef, const json::Value *> graphc::frontend::pt2::unionOf(const json::Value *value) {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return {"", nullptr};
  std::pair<StringRef, const json::Value *> found{"", nullptr};
  for (const auto &entry : *object) {
    if (object->size() > 1 && entry.second.kind() == json::Value::Null)
      continue;
    if (found.second)
      return {"", nullptr};
    found = {StringRef(entry.first), &entry.second};
  }
  return found;
}

const json::Array &graphc::frontend::pt2::arrayOf(const json::Object *object, StringRef key) {
  static const json::Array none;
  const json::Array *array = object ? object->getArray(key) : nullptr;
  return array ? *array : none;
}

const json::Object &graphc::frontend::pt2::objectOf(const json::Object *object, StringRef key) {
  static const json::Object none;
  const json::Object *inner = object ? object->getObject(key) : nullptr;
  return inner ? *inner : none;
}

StringRef graphc::frontend::pt2::stringOf(const json::Object *object, StringRef key) {
  return object ? object->getString(key).value_or("") : "";
}

llvm::Error graphc::frontend::pt2::failure(const std::string &what) {
  return createStringError(std::errc::invalid_argument, "%s", what.c_str());
}

std::optional<double> graphc::frontend::pt2::floatOf(const json::Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return number;
  std::optional<StringRef> text = value.getAsString();
  if (!text)
    return std::nullopt;
  if (*text == "Infinity")
    return std::numeric_limits<double>::infinity();
  if (*text == "-Infinity")
    return -std::numeric_limits<double>::infinity();
  if (*text == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}
