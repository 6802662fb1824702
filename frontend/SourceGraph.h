// The program as a model file states it, before any meaning is given to its operators.
//
// Both readers (frontend/torchscript, frontend/pt2) produce a SourceGraph and frontend/GraphBuilder consumes it; neither
// reader knows MLIR and the builder knows neither file format. Names, nesting and order are the file's. A value keeps its
// id from here to the kernels' outputs, and every node knows the Python line it came from.
//
// TorchScript keeps its prim:: nodes (If, Loop, GetAttr, SetAttr, ListConstruct, …) as they are. A .pt2 file is stated in
// the same words: parameters and buffers become prim::GetAttr of the root object, symbolic arithmetic becomes aten:: scalar
// nodes, and mutations that only the signature tells become prim::SetAttr at the end.
#ifndef GRAPHC_FRONTEND_SOURCEGRAPH_H
#define GRAPHC_FRONTEND_SOURCEGRAPH_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace graphc::frontend {

enum class ScalarType : uint8_t { U8, I8, I16, I32, I64, F16, BF16, F32, F64, Bool };

/// Bytes per element.
size_t scalarTypeSize(ScalarType type);
/// "f32", "i64", "bool", … as the command line and messages spell them.
const char *scalarTypeName(ScalarType type);

/// Bytes of one storage; aliased tensors share it. `keepAlive` owns the memory (a mapped file, a LibTorch tensor, a buffer).
struct Storage {
  const std::byte *data = nullptr;
  size_t size = 0;
  std::shared_ptr<const void> keepAlive;
};

/// A strided view of a storage. Readers have checked that every element lies inside the storage.
struct TensorData {
  ScalarType dtype = ScalarType::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides; // in elements
  int64_t offset = 0;           // in elements
  std::shared_ptr<const Storage> storage;
};

using ValueId = uint32_t;
using LocationId = uint32_t;
using ObjectId = uint32_t;

struct Constant;
struct ConstantList {
  enum class Kind { List, Tuple, NamedTuple, Dict } kind = Kind::List; // Dict: key, value, key, value, …
  std::vector<Constant> elements;
  std::vector<std::string> fieldNames; // of a named tuple
};
struct ObjectRef {
  ObjectId id = 0;
};
/// dtype, device, layout, memory_format: `kind` names which, `text` is "float32", "cpu", "strided", "channels_last".
/// TorchScript passes dtypes, layouts and memory formats as integers in c10's numbering; readers turn the ones that are
/// constants at an argument the schema types so into this, the others stay int64_t (scalarTypeFromInteger reads them).
struct EnumConstant {
  enum class Kind { ScalarType, Device, Layout, MemoryFormat, Other } kind = Kind::Other;
  std::string text;
};
/// A symbolic integer expression in the infix form of SymbolicDims, over SourceGraph::symbols ("2*s0 + 1").
struct SymbolicInt {
  std::string expression;
};

/// A value known from the file. monostate is None.
struct Constant {
  std::variant<std::monostate, bool, int64_t, double, std::string, EnumConstant, SymbolicInt, TensorData, ConstantList,
               ObjectRef>
      value;
};

/// A Python frame outside torch's own files where there is one, and the module path ("encoder.layer.0.attention").
/// Lines and columns count from 1; 0 is unknown. A node whose own frames are unknown has its user's or producer's.
struct SourceLocation {
  std::string file;
  uint32_t line = 0, column = 0;
  std::string modulePath;
  std::string text; // the source line, when the file carries it
};

struct Operand;
using OperandList = std::vector<Operand>;
/// An argument of a node: a value, a constant, or a list that mixes them (.pt2; TorchScript builds lists with nodes).
struct Operand {
  std::string name; // the schema's argument name; empty for positional-only prim:: operands
  std::variant<ValueId, Constant, OperandList> value;
};

struct Node;
/// The body of a prim::If branch or of a prim::Loop (its inputs: iteration number, then what is carried).
struct Block {
  std::vector<ValueId> inputs;
  std::vector<Node> nodes;
  std::vector<Operand> outputs;
};

struct Node {
  std::string op;       // "aten::conv1d", "prim::If", "prim::GetAttr"
  std::string overload; // "Tensor", "Scalar", "default" is written ""
  std::vector<Operand> operands;
  std::vector<ValueId> results;
  std::vector<Block> blocks;
  std::map<std::string, Constant> attributes; // prim::GetAttr/SetAttr: "name"
  LocationId location = 0;
};

/// What the file says of a value; types are spelled as TorchScript does: "Tensor", "int", "List[Tensor]", "Optional[int]".
struct ValueInfo {
  std::string name; // debug name in the file
  std::string type;
  struct TensorMeta {
    ScalarType dtype;
    std::vector<std::variant<int64_t, std::string>> sizes, strides; // string: a symbolic expression
    bool requiresGrad = false;
  };
  std::optional<TensorMeta> tensor; // where the file records it (.pt2)
};

struct Attribute {
  std::string name;
  std::string type;
  Constant value; // ObjectRef for a submodule
  enum class Role { Plain, Parameter, Buffer } role = Role::Plain;
  bool persistent = true;
  bool requiresGrad = false;
};
/// A module (or the root of a .pt2, whose attribute names are full paths such as "encoder.weight").
struct Object {
  std::string className, path;
  std::vector<Attribute> attributes;
  bool training = false;
};

/// An argument of the entry method, after `self`.
struct Input {
  std::string name;
  ValueId value = 0;
  std::string type;
  std::optional<Constant> defaultValue;
  std::string symbol; // of a .pt2's int: the symbolic expression that it is in sizes and guards
};
struct Output {
  std::string name; // path in the nested result, such as "logits" or "0.hidden"; empty where the model has none
  Operand value;
};

/// A symbolic dim of a .pt2 with its range.
struct Symbol {
  std::string name;
  int64_t min = 0;
  std::optional<int64_t> max;
  std::string origin; // "input ids, dim 1"
};

/// A condition on input dims under which the file's program is valid (.pt2: guards_code); both sides are infix
/// expressions over SourceGraph::symbols. It must be checked at the start of a run.
struct DimGuard {
  std::string lhs, comparison, rhs; // comparison: "==", "!=", "<", "<=", ">", ">="
  std::string text;                 // as the file states it
};

struct SourceGraph {
  std::string fileName, method = "forward", producer; // producer: "TorchScript archive version 10", "torch.export 2.15"
  std::vector<Object> objects;                        // [0] is the root module
  std::vector<SourceLocation> locations;              // [0] is unknown
  std::vector<ValueInfo> values;                      // by ValueId
  std::vector<Symbol> symbols;
  std::vector<DimGuard> guards;
  std::vector<Input> inputs;
  std::optional<ValueId> self; // the value that stands for objects[0]
  Block body;
  /// Flattened as far as the file shows it (tuples, lists and dicts that are built right where they are returned); a
  /// value whose type is still nested is one output. body.outputs keeps the nested form of TorchScript.
  std::vector<Output> outputs;
};

/// The text that tests and `graphc-read` print: one line per node with op, overload, operands, results, attributes and
/// location. Stable: equal graphs give equal text.
std::string print(const SourceGraph &graph);

/// The dtype behind c10's number ("float32" is 6), as TorchScript stores it; nullopt for complex, quantized, … ones.
std::optional<ScalarType> scalarTypeFromInteger(int64_t c10Number);
/// The dtype behind "float32", "bfloat16", "bool", …; nullopt for others.
std::optional<ScalarType> scalarTypeFromText(const std::string &text);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_SOURCEGRAPH_H
