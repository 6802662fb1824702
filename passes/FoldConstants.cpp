// Evaluates what depends on constants alone, once, at compile time.
//
// Input: graph ops over graph.constant, graph.get and sources (ranges). An op whose operands are all known, and whose result and operands stay under the
// bounds, is run by the interpreter. Results of up to 16 elements become graph.constant, larger ones a graph.parameter of their own; parameters that nobody reads
// any more are removed.
//
//   %w = graph.get @w                      %0 = graph.get @w$folded
//   %0 = graph.mul %w, %scale        ->
//
// Views of parameters that only move elements are left to the kernels and to PackWeights, which read through them. Refused folds say why (category "folding").
#include "ir/interpreter/Interpreter.h"
#include "ir/support/Check.h"
#include "passes/Parameters.h"
#include "passes/Passes.h"
#include "passes/outline/Groups.h"
#include "passes/outline/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace graphc {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using interpreter::Tensor;

namespace {

class Folder {
public:
  Folder(ModuleOp module, int64_t maxElements, int64_t maxGrowth)
      : module(module), symbols(module), interpreter(module), maxElements(maxElements), maxGrowth(maxGrowth) {}
  void run(func::FuncOp function);

private:
  bool isKnown(Value value) const { return known.contains(value); }
  bool canFold(Operation *op);
  bool isLazy(Operation *op);
  const Tensor *evaluate(Value value);
  void materialize(Operation *op);
  Value createConstant(OpBuilder &builder, Operation *op, Value result, const Tensor &tensor);
  void miss(Operation *op, const std::string &reason) {
    remark::missed(op->getLoc(), remark::RemarkOpts::name("FoldConstants").category("folding"))
        << remark::reason("{0} of constants is computed at run time: {1}", op->getName().getStringRef().str(), reason);
  }

  ModuleOp module;
  SymbolTable symbols;
  interpreter::Interpreter interpreter;
  int64_t maxElements, maxGrowth;
  llvm::DenseSet<Value> known;            // constants, and results of ops that will be folded
  llvm::DenseMap<Value, Tensor> tensors;  // evaluated so far
  llvm::DenseSet<Operation *> failed, lazy; // lazy: evaluated for others only
};

int64_t numElements(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements() : std::numeric_limits<int64_t>::max();
}

/// Whether kernels take the op in by themselves: a source, or what only moves the elements of a parameter.
bool Folder::isLazy(Operation *op) {
  if (isSource(op))
    return true;
  std::optional<View> view = getView(op);
  if (!view || numElements(view->source) <= 16)
    return false;
  Operation *producer = view->source.getDefiningOp();
  return producer && (isa<graph::GetOp>(producer) || lazy.contains(producer));
}

bool Folder::canFold(Operation *op) {
  if (op->getNumResults() == 0 || !isMemoryEffectFree(op) || !llvm::all_of(op->getOperands(), [&](Value v) { return isKnown(v); }))
    return false;
  if ((!isComputation(op) && !isSource(op)) || !interpreter::canEvaluate(op) || isa<graph::GetOp, graph::ConstantOp>(op))
    return false;
  int64_t in = 0, out = 0;
  for (Value operand : op->getOperands())
    in = std::max(in, numElements(operand));
  for (Value result : op->getResults())
    out = std::max(out, numElements(result));
  if (isSource(op) ? out > maxElements : std::max(in, out) > maxElements || out > in + maxGrowth) {
    if (out != std::numeric_limits<int64_t>::max())
      miss(op, std::to_string(std::max(in, out)) + " elements are too many");
    return false;
  }
  return true;
}

const Tensor *Folder::evaluate(Value value) {
  auto found = tensors.find(value);
  if (found != tensors.end())
    return &found->second;
  Operation *op = value.getDefiningOp();
  if (!op || failed.contains(op))
    return nullptr;
  for (Value operand : op->getOperands())
    if (!evaluate(operand)) {
      failed.insert(op);
      return nullptr;
    }
  SmallVector<const Tensor *> operands = llvm::map_to_vector(op->getOperands(), [&](Value v) { return (const Tensor *)&tensors.find(v)->second; });
  llvm::Expected<std::vector<Tensor>> results = interpreter.evaluate(op, operands);
  if (!results) {
    miss(op, llvm::toString(results.takeError()));
    failed.insert(op);
    return nullptr;
  }
  for (auto [result, tensor] : llvm::zip(op->getResults(), *results))
    tensors[result] = std::move(tensor);
  return &tensors.find(value)->second;
}

/// The name of the parameter that an op's value comes from, for reports.
std::string getOriginName(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (auto get = dyn_cast_or_null<graph::GetOp>(producer))
      return get.getParameter().str();
    if (std::string name = producer ? getOriginName(producer) : std::string(); !name.empty())
      return name;
  }
  return "";
}

Value Folder::createConstant(OpBuilder &builder, Operation *op, Value result, const Tensor &tensor) {
  auto type = cast<RankedTensorType>(result.getType());
  std::vector<std::byte> bytes = interpreter::toBytes(tensor);
  if (tensor.numElements() <= 16) {
    ElementsAttr value;
    if (type.getElementType().isInteger(1)) {
      SmallVector<bool> bools = llvm::map_to_vector(tensor.elements.ints, [](int64_t i) { return i != 0; });
      value = DenseElementsAttr::get(type, bools);
    } else {
      value = DenseElementsAttr::getFromRawBuffer(type, ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
    }
    return graph::ConstantOp::create(builder, op->getLoc(), type, value);
  }
  std::string origin = getOriginName(op);
  std::string name = (origin.empty() ? "constant" : origin) + "$folded";
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()), 64);
  OpBuilder atModule = OpBuilder::atBlockBegin(module.getBody());
  auto parameter = graph::ParameterOp::create(atModule, op->getLoc(), name, DenseResourceElementsAttr::get(type, name, std::move(blob)), false);
  symbols.insert(parameter);
  return graph::GetOp::create(builder, op->getLoc(), type, parameter.getSymName());
}

/// Replaces the results that something at run time needs.
void Folder::materialize(Operation *op) {
  OpBuilder builder(op);
  for (Value result : op->getResults()) {
    bool isNeeded = llvm::any_of(result.getUsers(), [&](Operation *user) {
      return user->getNumResults() == 0 || !isKnown(user->getResult(0)) || failed.contains(user);
    });
    if (!isNeeded)
      continue;
    const Tensor *tensor = evaluate(result);
    if (!tensor)
      return;
    Value constant = createConstant(builder, op, result, *tensor);
    tensors.try_emplace(constant, Tensor(*tensor)); // a copy first: the map may move its values
    known.insert(constant);
    result.replaceAllUsesWith(constant);
  }
}

void Folder::run(func::FuncOp function) {
  SmallVector<Operation *> folded;
  for (Operation &op : function.getBody().front()) {
    if (isa<graph::GetOp, graph::ConstantOp>(op)) {
      known.insert(op.getResult(0));
    } else if (canFold(&op)) {
      known.insert(op.result_begin(), op.result_end());
      if (isLazy(&op))
        lazy.insert(&op);
      else
        folded.push_back(&op);
    }
  }
  // From the users to the producers, so that only what is needed at the end is made.
  for (Operation *op : llvm::reverse(folded))
    materialize(op);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  known.clear();
  tensors.clear();
  failed.clear();
  lazy.clear();
}

struct FoldConstants : graphc::impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Folder folder(module, maxElements, maxGrowth);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        folder.run(function);
    eraseUnusedParameters(module);
  }
};

} // namespace
