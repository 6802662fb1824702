// See Interpreter.h.
#include "ir/interpreter/Interpreter.h"
#include "ir/interpreter/KernelInterpreter.h"
#include "ir/interpreter/Routines.h"
#include "ir/interpreter/SingleOpKernel.h"
#include "ir/support/Check.h"
#include "ir/support/Location.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::interpreter;

static llvm::Error errorAt(Operation *op, const std::string &text) {
  return llvm::createStringError(describeLocation(op->getLoc()) + ": " + text);
}

bool graphc::interpreter::canEvaluate(Operation *op) {
  return isa<graph::ConstantOp, graph::GetOp, kernel::LaunchOp, kernel::AliasOp, kernel::JoinOp, kernel::RoutineOp>(op) || hasKernel(op);
}

/// Row-major positions of a tensor's elements in the order in which they lie in memory.
static std::vector<size_t> getMemoryOrder(ArrayRef<int64_t> sizes, ArrayRef<int64_t> order) {
  std::vector<size_t> positions{0};
  for (int64_t d : order) {
    size_t stride = 1;
    for (int64_t size : sizes.drop_front(d + 1))
      stride *= size;
    std::vector<size_t> next;
    for (size_t position : positions)
      for (int64_t i = 0; i < sizes[d]; ++i)
        next.push_back(position + i * stride);
    positions = std::move(next);
  }
  return positions;
}

static Tensor makeTensor(RankedTensorType type, const llvm::StringMap<int64_t> &symbols) {
  return Tensor(type.getElementType(), llvm::map_to_vector(graph::getDims(type), [&](graph::DimAttr dim) {
    std::optional<int64_t> size = dim.evaluate(symbols);
    GRAPHC_CHECK(size, "a view of memory has a dim without value");
    return *size;
  }));
}

static void copyElement(const Tensor &from, size_t position, Tensor &to, size_t target) {
  if (to.elements.isFloat())
    to.elements.floats[target] = from.elements.floats[position];
  else
    to.elements.ints[target] = from.elements.ints[position];
}

static Tensor evaluateAlias(kernel::AliasOp op, const Tensor &source, const llvm::StringMap<int64_t> &symbols) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Tensor result = makeTensor(type, symbols);
  std::vector<size_t> from = getMemoryOrder(source.sizes, graph::getOrder(cast<RankedTensorType>(op.getSource().getType())));
  std::vector<size_t> to = getMemoryOrder(result.sizes, graph::getOrder(type));
  GRAPHC_CHECK(to.size() + op.getOffset() <= from.size(), "an alias leaves its source");
  for (size_t i = 0; i < to.size(); ++i)
    copyElement(source, from[i + op.getOffset()], result, to[i]);
  return result;
}

static Tensor evaluateJoin(kernel::JoinOp op, ArrayRef<const Tensor *> parts, const llvm::StringMap<int64_t> &symbols) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Tensor result = makeTensor(type, symbols);
  std::vector<size_t> to = getMemoryOrder(result.sizes, graph::getOrder(type));
  size_t next = 0;
  for (auto [part, value] : llvm::zip(parts, op.getParts()))
    for (size_t position : getMemoryOrder(part->sizes, graph::getOrder(cast<RankedTensorType>(value.getType())))) {
      GRAPHC_CHECK(next < to.size(), "the parts of a join are larger than its result");
      copyElement(*part, position, result, to[next++]);
    }
  return result;
}

llvm::Expected<std::vector<Tensor>> Interpreter::evaluate(Operation *op, ArrayRef<const Tensor *> operands) {
  std::vector<Tensor> results;
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    results.push_back(fromAttribute(constant.getValue()));
    return results;
  }
  if (auto get = dyn_cast<graph::GetOp>(op)) {
    results.push_back(fromAttribute(module.lookupSymbol<graph::ParameterOp>(get.getParameter()).getValue()));
    return results;
  }
  if (auto alias = dyn_cast<kernel::AliasOp>(op))
    return std::vector<Tensor>{evaluateAlias(alias, *operands[0], symbols)};
  if (auto join = dyn_cast<kernel::JoinOp>(op))
    return std::vector<Tensor>{evaluateJoin(join, operands, symbols)};
  if (auto routine = dyn_cast<kernel::RoutineOp>(op)) {
    SmallVector<SmallVector<int64_t>> sizes;
    for (Value output : routine.getOutputs())
      sizes.push_back(makeTensor(cast<RankedTensorType>(output.getType()), symbols).sizes);
    return evaluateRoutine(routine, operands, sizes, precision);
  }
  if (auto launch = dyn_cast<kernel::LaunchOp>(op))
    return interpretKernel(module.lookupSymbol<kernel::FuncOp>(launch.getKernel()), operands, symbols, precision);
  if (!hasKernel(op))
    return errorAt(op, "the interpreter has no meaning for '" + op->getName().getStringRef().str() + "'");
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op->getLoc());
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    OpBuilder builder = OpBuilder::atBlockEnd(scratch->getBody());
    kernel::FuncOp func = buildSingleOpKernel(builder, op, i);
    llvm::Expected<std::vector<Tensor>> outputs = interpretKernel(func, operands, symbols, precision);
    if (!outputs)
      return outputs.takeError();
    results.push_back(std::move(outputs->front()));
    func.erase();
  }
  return results;
}

llvm::Error Interpreter::bindInputs(func::FuncOp func, ArrayRef<Tensor> inputs) {
  if (inputs.size() != func.getNumArguments())
    return errorAt(func, "takes " + std::to_string(func.getNumArguments()) + " inputs, found " + std::to_string(inputs.size()));
  for (auto [i, tensor] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(func.getArgument(i).getType());
    if (type.getElementType() != tensor.elementType() || type.getRank() != int64_t(tensor.sizes.size()))
      return errorAt(func, "input " + std::to_string(i) + " has another dtype or rank than the function takes");
    for (auto [d, dim] : llvm::enumerate(graph::getDims(type))) {
      if (dim.getKind() == graph::DimKind::Symbol && !symbols.count(dim.getSymbol().getValue()))
        symbols[dim.getSymbol().getValue()] = tensor.sizes[d];
      std::optional<int64_t> expected = dim.evaluate(symbols);
      if (expected && *expected != tensor.sizes[d])
        return errorAt(func, "input " + std::to_string(i) + ": dim " + std::to_string(d) + " is " + std::to_string(tensor.sizes[d]) +
                                 ", expected " + dim.str() + " = " + std::to_string(*expected));
    }
  }
  return llvm::Error::success();
}

llvm::Error Interpreter::checkGuard(graph::GuardOp guard) {
  std::optional<bool> holds = graph::evaluateGuard(guard, symbols);
  if (!holds)
    return errorAt(guard, "a guard's dims have no value");
  return *holds ? llvm::Error::success() : errorAt(guard, guard.getMessage().str());
}

/// The op after which a value isn't needed any more.
static llvm::DenseMap<Value, Operation *> findLastUsers(func::FuncOp func) {
  llvm::DenseMap<Value, Operation *> last;
  for (Operation &op : func.getBody().front())
    for (Value operand : op.getOperands())
      last[operand] = &op;
  return last;
}

llvm::Expected<std::vector<Tensor>> Interpreter::run(func::FuncOp func, std::vector<Tensor> inputs) {
  symbols.clear();
  if (llvm::Error error = bindInputs(func, inputs))
    return error;
  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Value, Operation *> lastUsers = findLastUsers(func);
  for (auto [argument, tensor] : llvm::zip(func.getArguments(), inputs))
    values[argument] = std::move(tensor);
  // Sizes of state that no input has.
  for (auto read : func.getBody().front().getOps<graph::ReadStateOp>()) {
    auto known = state.find(read.getState());
    Tensor tensor = known != state.end() ? known->second : fromAttribute(module.lookupSymbol<graph::StateOp>(read.getState()).getInitial());
    for (auto [dim, size] : llvm::zip(graph::getDims(cast<RankedTensorType>(read.getType())), tensor.sizes))
      if (dim.getKind() == graph::DimKind::Symbol)
        symbols.try_emplace(dim.getSymbol().getValue(), size);
  }
  llvm::StringMap<Tensor> written;
  std::vector<Tensor> outputs;
  for (Operation &op : func.getBody().front()) {
    SmallVector<const Tensor *> operands = llvm::map_to_vector(op.getOperands(), [&](Value v) { return static_cast<const Tensor *>(&values[v]); });
    if (auto guard = dyn_cast<graph::GuardOp>(op)) {
      if (llvm::Error error = checkGuard(guard))
        return error;
    } else if (auto read = dyn_cast<graph::ReadStateOp>(op)) {
      auto known = state.find(read.getState());
      values[read.getResult()] = known != state.end() ? known->second : fromAttribute(module.lookupSymbol<graph::StateOp>(read.getState()).getInitial());
    } else if (auto write = dyn_cast<graph::WriteStateOp>(op)) {
      written[write.getState()] = *operands[0];
    } else if (isa<func::ReturnOp>(op)) {
      for (const Tensor *tensor : operands)
        outputs.push_back(*tensor);
    } else {
      llvm::Expected<std::vector<Tensor>> results = evaluate(&op, operands);
      if (!results)
        return results.takeError();
      if (observe)
        observe(&op, *results);
      for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
        if (!value.use_empty())
          values[value] = std::move(tensor);
    }
    for (Value operand : op.getOperands())
      if (lastUsers.lookup(operand) == &op)
        values.erase(operand);
  }
  for (auto &entry : written)
    state[entry.getKey()] = std::move(entry.getValue());
  return outputs;
}
