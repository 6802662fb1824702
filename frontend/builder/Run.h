// One evaluation of the method from one state: every node runs once, known values are computed, tensors become graph ops.
//
// Input: the state at the start. Output: one function in the program's module, and the state at the end. Aliases and in-place
// writes are resolved here: see Tensors.cpp.
#ifndef GRAPHC_FRONTEND_BUILDER_RUN_H
#define GRAPHC_FRONTEND_BUILDER_RUN_H

#include "frontend/builder/Emitter.h"
#include "frontend/builder/Program.h"
#include "frontend/builder/TypeText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc::frontend::builder {

/// What an attribute holds between runs: a tensor of a type, or a known value.
struct StateValue {
  mlir::RankedTensorType tensor; // null: a known value, or a number kept as a tensor
  Val known;
  bool dynamic = false; // a number whose value only the context knows
  /// The attribute that is the same tensor object, or shares memory with this one in another way (sharesMemory). Only told apart where the
  /// program changes one of the two in place.
  std::optional<AttributeKey> aliasOf;
  bool sharesMemory = false;

  std::string text() const;
};
using State = std::map<AttributeKey, StateValue>;
std::string stateText(const State &state);
class Run;
/// What an attribute's value is between runs. Stops the import where it can't be kept.
StateValue abstractValue(Run &run, const AttributeKey &key, const Val &value);

class Run {
public:
  Run(Program &program, const State &initial, unsigned variant);

  /// Builds the function. Afterwards program.stopped(), program.restart and program.report say whether it is of use.
  void run();
  mlir::func::FuncOp function() const { return func; }
  /// The state at the end; valid after run().
  State finalState();

  // Tensors and aliases (Tensors.cpp).
  Value read(const Tensor &tensor);
  /// A new tensor with a storage of its own; `strides` empty: contiguous.
  Tensor fresh(Value value, llvm::ArrayRef<DimAttr> strides = {});
  /// A view of `base`: value and effect of writing in `step`, eager strides and offset in storage elements.
  Tensor view(const Tensor &base, ViewStep step, llvm::ArrayRef<DimAttr> strides, DimAttr offset);
  /// The type of the tensor that covers the storage of `tensor`.
  mlir::RankedTensorType storageType(const Tensor &tensor);
  /// A view of the whole storage of `base`, whose elements lie in row-major order.
  Tensor storageView(const Tensor &base, ViewStep step, llvm::ArrayRef<DimAttr> strides, DimAttr offset);
  /// Another Python object for the same elements.
  Tensor alias(const Tensor &tensor);
  /// Whether two tensors share memory without being the same view of it; where symbolic sizes leave that open, only as far as it is likely.
  bool overlapsPartly(const Tensor &a, const Tensor &b) const;
  /// In-place write: `value` has the tensor's shape and dtype. All aliases see it.
  void write(const Tensor &tensor, Value value);
  /// False where an operator chose the memory order of x, which importing doesn't follow.
  bool knowsStrides(const Tensor &x) const;
  /// Notes that x's strides decided whether `result` is a view of x or a copy (MemoryOrder.cpp).
  void noteSharing(const Tensor &x, const Tensor &result);
  /// What the program computes depends on the storage's strides: the inputs that decide them must be in row-major order.
  void requireOrder(const StorageCell &cell);
  /// A 0-d tensor whose number is known; it becomes a constant op only when it is read.
  Tensor knownScalar(ScalarType type, const Val &number);
  Tensor programConstant(const TensorData &data, const std::string &name);
  Tensor constantTensor(const TensorData &data, const std::string &name);
  void loadAsConstant(const Tensor &tensor, const TensorData &data, const std::string &name);

  Val convert(const Constant &constant, const std::string &name);
  Val evaluate(const Operand &operand);
  const Val &value(ValueId id) const { return env[id]; }
  void set(ValueId id, Val value) { env[id] = std::move(value); }

  /// Records that `node` can't be converted and poisons its results.
  void unsupported(const Node &node, const std::string &why);
  bool stopped() const { return program.stopped() || program.restart; }

  /// Whether a comparison of dims holds for every run. Undecidable ones are decided for the common case and guarded.
  std::optional<bool> decide(graph::DimPredicate predicate, DimAttr lhs, DimAttr rhs);
  /// The smaller and the larger of two sizes, one of them where that is proved.
  DimAttr smaller(DimAttr a, DimAttr b);
  DimAttr larger(DimAttr a, DimAttr b);
  std::optional<bool> proved(graph::DimPredicate predicate, DimAttr lhs, DimAttr rhs) const;
  /// A check at the start of the function; each is made once.
  void guard(DimAttr lhs, llvm::StringRef predicate, DimAttr rhs, const std::string &message);

  Program &program;
  Emitter e;

private:
  LocationId current = 0; // of the node that is converted
  Value scatterStrided(const Tensor &tensor, Value value);
  // MemoryOrder.cpp
  void followOrder(llvm::StringRef op, llvm::ArrayRef<Val> arguments, llvm::ArrayRef<Val> results);
  void noteSharedWrite(const TensorState &tensor);
  void noteSharedRead(const TensorState &tensor);
  void settleInputs();
  void createFunction();
  void bindInputs(); // Inputs.cpp
  Val bindInput(const Input &input);
  Val bindSymbol(const Input &input);
  void bindSymbols();
  void checkFileGuards();
  Val bindTyped(const std::string &name, const TypeText &type);
  Val bindTensor(const std::string &name);
  Val bindNumber(const std::string &name, const TypeText &type);
  Val bindTuple(const std::string &name, const TypeText &type);
  Val bindElements(const std::string &name, const TypeText &type);
  Tensor addTensorInput(mlir::RankedTensorType type, const std::string &name);
  Val addScalarInput(const std::string &name, const TypeText &type);
  const InputSpec *takeSpec(const std::string &name);
  const BindSpec *takeBind(const std::string &name);
  bool isDescribed(const std::string &name) const;
  void noteNeeded(const Val &value);
  void finish();
  llvm::SmallVector<size_t> returnMutatedInputs();
  void returnValue(const Val &value, const std::string &name);
  void writeStates();

  // Control.cpp
  void runBlock(const frontend::Block &block);
  void runNode(const Node &node);
  void runIf(const Node &node);
  void runLoop(const Node &node);
  void stopUnrolling(const Node &node);
  void enterContext(const Node &node);
  std::optional<bool> condition(const Node &node, const Val &value);
  void poison(const Node &node);
  bool runPrim(const Node &node);
  void getAttribute(const Node &node);
  void setAttribute(const Node &node);
  void raise(const Node &node);
  std::string describeArguments() const;
  void unpack(const Node &node);
  void convertNode(const Node &node);
  void convertMasked(const Node &node, std::vector<Val> arguments);
  Conversion findConversion(const Node &node) const;
  std::string findContradiction(ValueId id, const Val &value) const;
  void nameValue(ValueId id, const Val &value);

  // Attributes.cpp
  Val attribute(const AttributeKey &key);
  Val loadState(const AttributeKey &key, const frontend::Attribute &attribute, const StateValue &initial);
  Tensor attributeTensor(const AttributeKey &key, const frontend::Attribute &attribute, const TensorData &data);
  void noteState(const AttributeKey &key);
  void noteWrite(const StorageCell &cell);
  Tensor stateTensor(const AttributeKey &key, const frontend::Attribute &attribute, const StateValue &start);
  void findAliases(State &state);
  void checkContainers();

  const State initial;
  unsigned variant;
  mlir::func::FuncOp func;
  std::vector<Val> env;
  std::vector<std::pair<LocationId, int64_t>> loops; // being unrolled, outermost first, with their iterations
  size_t createdObjects = 0;                         // of script classes
  std::map<AttributeKey, Val> attributes;
  std::map<AttributeKey, Val> containersAtStart; // copies of list and dict attributes as the file has them
  std::map<AttributeKey, Tensor> stateAtStart;
  std::map<std::string, std::weak_ptr<StorageCell>> parameterCells;
  std::vector<std::shared_ptr<StorageCell>> inputCells; // of tensor arguments, in their order
  llvm::SmallVector<Value> results;
  llvm::SmallVector<std::string> resultNames;
  std::set<std::string> guards;    // already emitted
  std::set<std::string> usedSpecs, usedBinds; // names of options.inputs and options.binds that an argument took
};

/// StorageCell::stridesFrom of an input.
uint64_t stridesFromInput(size_t index);
/// A new tensor with the strides of a memory format that the program asks for.
Tensor inFormat(Run &run, Value value, llvm::ArrayRef<DimAttr> strides);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_RUN_H
