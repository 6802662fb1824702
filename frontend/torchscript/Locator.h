// Finds the Python line and the module path of each TorchScript node.
//
// Input: nodes of an inlined graph. Output: SourceLocations: the innermost frame outside torch's own files among the node's
// range and its inlined call stack (both mapped from code/__torch__/… to the Python that it came from; traced nodes carry
// their frames as text), else the same of a user or producer of the node, else torch's own line.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_LOCATOR_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_LOCATOR_H

#include "frontend/torchscript/ConvertValues.h"

#include <torch/csrc/jit/ir/ir.h>

#include <unordered_set>

namespace graphc::frontend::torchscript {

class Locator {
public:
  /// \p fileName stands in where nothing at all is known of a node's origin.
  Locator(const ValueConverter &values, const c10::ivalue::Object *root, std::string fileName)
      : values(values), root(root), fileName(std::move(fileName)) {}

  /// To be called in the order of execution: module paths of repeated list elements are told apart by the GetAttr nodes
  /// that precede them.
  SourceLocation locate(torch::jit::Node *node);

private:
  static std::vector<SourceLocation> framesOf(torch::jit::Node *node);
  const std::optional<SourceLocation> &userFrameOf(torch::jit::Node *node);
  std::optional<SourceLocation> lineOfUsers(torch::jit::Node *node, std::vector<torch::jit::Node *> &passed);
  std::optional<SourceLocation> lineOfProducers(const std::vector<torch::jit::Node *> &passed);
  std::optional<SourceLocation> lineBeside(torch::jit::Node *node);
  void noteModuleValue(torch::jit::Node *node);
  const c10::ivalue::Object *objectOf(torch::jit::Value *value) const;
  std::string modulePathOf(torch::jit::Node *node) const;
  const c10::ivalue::Object *step(const c10::ivalue::Object *from, const std::string &name,
                                  const c10::ClassTypePtr &type) const;

  const ValueConverter &values;
  const c10::ivalue::Object *root;
  std::string fileName;
  std::unordered_map<torch::jit::Node *, std::optional<SourceLocation>> userFrames;
  std::unordered_map<const torch::jit::Value *, const c10::ivalue::Object *> objectOfValue;
  std::map<std::pair<std::string, const c10::ClassType *>, const c10::ivalue::Object *> lastNamed;
};

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_LOCATOR_H
