// Implements PyTree.h over llvm/Support/JSON.
#include "frontend/pt2/PyTree.h"

#include "frontend/pt2/Json.h"

using namespace graphc::frontend::pt2;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

Error malformed() { return createStringError(std::errc::invalid_argument, "malformed pytree spec"); }

/// The names of a node's children, from its context: a JSON list of keys (dicts, dataclasses), [factory, keys] (defaultdict),
/// or the name of a named tuple's type; positions where that doesn't give one name per child.
std::vector<std::string> childNames(const json::Object &node, size_t count, const NamedTupleFields &namedTuples) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(std::to_string(i));
  std::optional<StringRef> context = node.getString("context");
  if (!context)
    return names;
  auto fields = namedTuples.find(*context);
  if (fields != namedTuples.end() && fields->second.size() == count)
    return fields->second;
  Expected<json::Value> value = parseJson(*context, "pytree context");
  if (!value) {
    llvm::consumeError(value.takeError());
    return names;
  }
  const json::Array *keys = value->getAsArray();
  if (keys && keys->size() == 2 && keys->back().getAsArray() && keys->back().getAsArray()->size() == count)
    keys = keys->back().getAsArray();
  if (!keys || keys->size() != count)
    return names;
  for (size_t i = 0; i < count; ++i) {
    if (std::optional<StringRef> key = (*keys)[i].getAsString())
      names[i] = key->str();
    else if (std::optional<int64_t> number = (*keys)[i].getAsInteger())
      names[i] = std::to_string(*number);
  }
  return names;
}

std::string join(const std::string &path, const std::string &name) { return path.empty() ? name : path + "." + name; }

class Walker {
public:
  explicit Walker(const NamedTupleFields &namedTuples) : namedTuples(namedTuples) {}

  Error walk(const json::Value &value, const std::string &path) {
    const json::Object *node = value.getAsObject();
    const json::Array *children = node ? node->getArray("children_spec") : nullptr;
    if (!children)
      return malformed();
    const json::Value *type = node->get("type");
    if (!type || type->kind() == json::Value::Null) {
      paths.push_back(path);
      return Error::success();
    }
    std::vector<std::string> names = childNames(*node, children->size(), namedTuples);
    for (size_t i = 0; i < children->size(); ++i)
      if (Error error = walk((*children)[i], join(path, names[i])))
        return error;
    return Error::success();
  }

  /// Children that are arguments: `names` first, then positions.
  Error walkArguments(const json::Value &value, const std::vector<std::string> &names) {
    const json::Object *node = value.getAsObject();
    const json::Array *children = node ? node->getArray("children_spec") : nullptr;
    if (!children)
      return malformed();
    std::vector<std::string> fallback = childNames(*node, children->size(), namedTuples);
    for (size_t i = 0; i < children->size(); ++i)
      if (Error error = walk((*children)[i], i < names.size() ? names[i] : fallback[i]))
        return error;
    return Error::success();
  }

  std::vector<std::string> paths;

private:
  const NamedTupleFields &namedTuples;
};

/// The root node of "[1, {…}]"; the number is the spec's protocol.
Expected<const json::Value *> rootOf(const json::Value &spec) {
  const json::Array *pair = spec.getAsArray();
  if (!pair || pair->size() != 2 || (*pair)[0].getAsInteger() != 1)
    return createStringError(std::errc::invalid_argument, "a pytree spec of an unknown protocol");
  return &pair->back();
}

} // namespace

Expected<std::vector<std::string>> graphc::frontend::pt2::leafPaths(StringRef spec,
                                                                    const NamedTupleFields &namedTuples) {
  Expected<json::Value> value = parseJson(spec, "pytree spec");
  if (!value)
    return value.takeError();
  Expected<const json::Value *> root = rootOf(*value);
  if (!root)
    return root.takeError();
  Walker walker(namedTuples);
  if (Error error = walker.walk(**root, ""))
    return error;
  return std::move(walker.paths);
}

Expected<std::vector<std::string>>
graphc::frontend::pt2::inputLeafPaths(StringRef spec, const std::vector<std::string> &argumentNames,
                                      const NamedTupleFields &namedTuples) {
  Expected<json::Value> value = parseJson(spec, "pytree spec");
  if (!value)
    return value.takeError();
  Expected<const json::Value *> root = rootOf(*value);
  if (!root)
    return root.takeError();
  const json::Object *node = (*root)->getAsObject();
  const json::Array *parts = node ? node->getArray("children_spec") : nullptr;
  if (!parts || parts->size() != 2)
    return malformed();
  Walker walker(namedTuples);
  if (Error error = walker.walkArguments((*parts)[0], argumentNames))
    return error;
  if (Error error = walker.walk((*parts)[1], ""))
    return error;
  return std::move(walker.paths);
}
