// Converts the JSON of an exported program into a SourceGraph. Private to this folder.
//
// Input: the parsed JSON and the archive with the weights. Output: SourceGraph::body and everything beside it. The work is split
// by what is converted: ConvertProgram.cpp (signature, inputs, outputs, symbols, guards), ConvertNodes.cpp (nodes and their
// arguments), ConvertTargets.cpp (names of operators), Autocast.cpp (casts of autocast regions).
#ifndef GRAPHC_FRONTEND_PT2_CONVERTPROGRAM_H
#define GRAPHC_FRONTEND_PT2_CONVERTPROGRAM_H

#include "frontend/pt2/Pt2Archive.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace graphc::frontend::pt2 {

/// An operator under its SourceGraph name; `isAlias` for those that return their operand as it is.
struct Target {
  std::string op, overload;
  bool isAlias = false;
};
/// "torch.ops.aten.add.Tensor" is aten::add.Tensor; "_operator.mul" of an int and a float is aten::mul.int_float.
/// \p operandTypes and \p resultType are "int", "float", "bool" or "Tensor".
Target convertTarget(llvm::StringRef target, llvm::ArrayRef<std::string> operandTypes, llvm::StringRef resultType);

class ProgramConverter {
public:
  ProgramConverter(SourceGraph &graph, Pt2Archive &archive) : graph(graph), archive(archive) {}
  llvm::Error run(const llvm::json::Value &program);

private:
  using Object = llvm::json::Object;
  using Value = llvm::json::Value;
  using Array = llvm::json::Array;
  /// What a name means inside one (sub)graph.
  struct Scope {
    const Object *graph = nullptr; // for tensor_values
    llvm::StringMap<Operand> names;
    std::optional<ScalarType> autocast; // the dtype of the autocast region it is in
  };

  // ConvertProgram.cpp
  llvm::Error checkVersion(const Object &program);
  llvm::Error convertInputs(const Object &module);
  llvm::Error convertInput(const Value &spec, llvm::StringRef path);
  llvm::Error addParameter(const Object &spec, llvm::StringRef nameKey, Attribute::Role role);
  llvm::Error convertUserInput(const Value &argument, llvm::StringRef path);
  llvm::Error convertOutputs(const Object &module);
  llvm::Error convertOutput(llvm::StringRef kind, const Object &payload, std::vector<std::string> &paths,
                            size_t &nextPath);
  llvm::Error convertGuards(const Object &program);
  /// Unless it always holds, or is there already.
  void addGuard(DimGuard guard);
  void addSymbols(const Object &program);
  std::vector<std::string> pathsOf(const Object &module, bool ofInputs) const;
  void fillLocations();

  // ConvertNodes.cpp
  llvm::Error convertNodes(const Object &graphObject, Scope &scope);
  llvm::Error convertNode(const Object &node, Scope &scope);
  llvm::Error convertOperation(const Object &node, Scope &scope);
  llvm::Error inlineSubgraph(const Object &node, Scope &scope, std::optional<ScalarType> autocast);
  llvm::Error inlineAutocast(const Object &node, Scope &scope);
  llvm::Error bindResults(const Object &node, Node &out, Scope &scope);
  llvm::Error bindList(const Array &names, Node &out, Scope &scope, std::vector<std::pair<ValueId, std::vector<ValueId>>> &);
  Node selectNode(Node &&out);
  llvm::Expected<Operand> convertArgument(const Value &argument, Scope &scope);
  llvm::Expected<Operand> convertList(llvm::StringRef kind, const Value &payload, Scope &scope);
  llvm::Expected<Operand> convertScalar(llvm::StringRef kind, const Value &payload, Scope &scope);
  llvm::Expected<Operand> lookUp(llvm::StringRef name, const Scope &scope) const;
  std::string typeOf(const Operand &operand) const;
  ValueId addValue(llvm::StringRef name, llvm::StringRef type);
  llvm::Expected<ValueId> addTensorValue(llvm::StringRef name, const Scope &scope);
  llvm::Expected<ValueInfo::TensorMeta> tensorMeta(const Object &meta, ScalarType dtype);
  llvm::Expected<std::variant<int64_t, std::string>> symbolicSize(const Value &size);
  LocationId addLocation(const Object &node);

  // Autocast.cpp
  llvm::Error applyAutocast(Node &node, ScalarType low);
  ValueId castTo(ValueId value, ScalarType type, LocationId location);

  SourceGraph &graph;
  Pt2Archive &archive;
  Scope top;
  std::vector<std::string> inputPaths; // of all leaves, also of those that exporting has built in
  std::map<std::string, bool> symbolsSeen; // name to whether it can't be negative
  std::vector<Node> mutations;             // at the end of the body
  unsigned depth = 0;                      // of inlined subgraphs
};

} // namespace graphc::frontend::pt2

#endif // GRAPHC_FRONTEND_PT2_CONVERTPROGRAM_H
