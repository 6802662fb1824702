// Turns LibTorch's values (IValue) and module objects into SourceGraph constants and objects.
//
// Input: a loaded torch::jit::Module. Output: SourceGraph::objects ([0] is the root) and Constants. Storages that tensors
// share stay shared; the same submodule under two names is one object. Private to this folder: includes torch's headers.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_CONVERTVALUES_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_CONVERTVALUES_H

#include "frontend/SourceGraph.h"

#include <torch/csrc/jit/api/module.h>

#include <set>
#include <stdexcept>
#include <unordered_map>

namespace graphc::frontend::torchscript {

/// What is at fault in the file, in the words the user sees.
struct ReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ValueConverter {
public:
  /// `attributesRead`: names that the method's GetAttr and SetAttr nodes use; attributes of other names that have no
  /// SourceGraph form (custom C++ objects, quantized tensors) are left out instead of being refused.
  ValueConverter(SourceGraph &graph, std::set<std::string> attributesRead)
      : graph(graph), attributesRead(std::move(attributesRead)) {}

  /// Appends the object and, below it, its submodules to SourceGraph::objects.
  /// \throws ReadError naming the attribute that can't be represented.
  ObjectId addObject(const c10::intrusive_ptr<c10::ivalue::Object> &object, const std::string &path);

  /// \p what names the value in errors ("the attribute encoder.scale").
  /// \throws ReadError for values that have no SourceGraph form.
  Constant convert(const c10::IValue &value, const std::string &what);

  /// A child module by attribute name; nullptr when it isn't one. The pointer lives as long as the module.
  const c10::ivalue::Object *findChild(const c10::ivalue::Object *object, const std::string &name) const;
  /// "encoder.layer.0" for an object of the tree, by which it was first reached.
  const std::string &pathOf(const c10::ivalue::Object *object) const { return graph.objects[ids.at(object)].path; }

private:
  TensorData convertTensor(const at::Tensor &tensor, const std::string &what);
  ConstantList convertList(const c10::IValue &value, const std::string &what);
  void addAttribute(ObjectId id, const c10::ivalue::Object &object, size_t slot, const std::string &path);

  SourceGraph &graph;
  std::set<std::string> attributesRead;
  std::unordered_map<const c10::ivalue::Object *, ObjectId> ids;
  std::unordered_map<const c10::StorageImpl *, std::shared_ptr<const Storage>> storages;
};

/// The EnumConstant of an integer that stands for a dtype, layout or memory format where `type` (a schema argument's
/// real type) says so; nullopt where it doesn't.
std::optional<EnumConstant> enumOfInteger(int64_t number, const c10::TypePtr &type);

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_CONVERTVALUES_H
