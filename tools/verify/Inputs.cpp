// See Inputs.h.
#include "tools/verify/Inputs.h"
#include "frontend/builder/Value.h"
#include "ir/graph/Graph.h"
#include "tools/driver/Failure.h"
#include "tools/npz/Npz.h"

#include <random>

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;
using frontend::torchscript::EagerArgument;
using frontend::torchscript::EagerTensor;

static RankedTensorType typeOf(func::FuncOp function, unsigned i) { return cast<RankedTensorType>(function.getArgumentTypes()[i]); }

static std::string nameOf(func::FuncOp function, unsigned i) {
  auto name = function.getArgAttrOfType<StringAttr>(i, "graph.name");
  return name ? name.str() : "in" + std::to_string(i);
}

//===-- from files --------------------------------------------------------------------===//

static llvm::Error checkShape(func::FuncOp function, unsigned i, const npz::Array &array) {
  SmallVector<graph::DimAttr> dims = graph::getDims(typeOf(function, i));
  bool fits = dims.size() == array.shape.size();
  std::string expected;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    fits = fits && (!dim.isConstant() || dim.getValue() == array.shape[d]);
    expected += (d ? "," : "") + dim.str();
  }
  if (fits)
    return llvm::Error::success();
  return driver::failure(driver::ExitStatus::Model, "the array for " + nameOf(function, i) + " is " + npz::describeType(array.dtype, array.shape) +
                                                        ", expected dims [" + expected + "]");
}

llvm::Expected<InputSet> verify::takeInputs(func::FuncOp function, const std::string &name, const std::vector<npz::NamedArray> &arrays,
                                            unsigned calls) {
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string wanted = nameOf(function, i), position = "in" + std::to_string(i);
    auto find = [&](const std::string &key) { return llvm::find_if(arrays, [&](const npz::NamedArray &entry) { return entry.name == key; }); };
    auto found = find(wanted) != arrays.end() ? find(wanted) : find(position);
    if (found == arrays.end())
      return driver::failure(driver::ExitStatus::Model, "'" + name + "' has no array for the input " + wanted + ": name it '" + wanted + "' or '" + position + "'");
    Type element = typeOf(function, i).getElementType();
    llvm::Expected<npz::Array> array = npz::convert(found->array, frontend::builder::scalarType(element), "the array '" + found->name + "'");
    if (!array)
      return array.takeError();
    if (llvm::Error error = checkShape(function, i, *array))
      return error;
    inputs.push_back(interpreter::fromBytes(element, array->shape, array->data));
  }
  return InputSet{name, std::vector<std::vector<Tensor>>(calls, inputs)};
}

//===-- made up -----------------------------------------------------------------------===//

static bool guardsHold(func::FuncOp function, const llvm::StringMap<int64_t> &symbols) {
  return llvm::none_of(function.getOps<graph::GuardOp>(), [&](graph::GuardOp guard) { return graph::evaluateGuard(guard, symbols) == false; });
}

static llvm::StringMap<int64_t> chooseSymbols(ModuleOp module, func::FuncOp function, unsigned seed) {
  constexpr int64_t more[] = {0, 1, 6, 16};
  llvm::StringMap<int64_t> least, chosen;
  for (auto symbol : module.getOps<graph::SymbolOp>()) {
    int64_t low = std::max<int64_t>(symbol.getMin(), 1), high = symbol.getMax() ? int64_t(*symbol.getMax()) : std::numeric_limits<int64_t>::max();
    least[symbol.getSymName()] = low;
    chosen[symbol.getSymName()] = std::min(low + more[std::min<unsigned>(seed - 1, 3)], high);
  }
  return guardsHold(function, chosen) ? chosen : least;
}

InputSet verify::makeInputs(ModuleOp module, func::FuncOp function, unsigned seed, unsigned calls) {
  llvm::StringMap<int64_t> symbols = chooseSymbols(module, function, seed);
  std::mt19937_64 engine(seed);
  InputSet set{"seed " + std::to_string(seed), {}};
  for (unsigned call = 0; call < calls; ++call) {
    std::vector<Tensor> inputs;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      RankedTensorType type = typeOf(function, i);
      Tensor tensor(type.getElementType(), llvm::map_to_vector(graph::getDims(type), [&](graph::DimAttr dim) { return dim.evaluate(symbols).value_or(1); }));
      std::normal_distribution<double> normal;
      std::uniform_int_distribution<int64_t> integer(0, type.getElementType().isInteger(1) ? 1 : 7);
      for (double &value : tensor.elements.floats)
        value = interpreter::roundFloat(normal(engine), type.getElementType(), interpreter::Precision::Default);
      for (int64_t &value : tensor.elements.ints)
        value = integer(engine);
      inputs.push_back(std::move(tensor));
    }
    set.calls.push_back(std::move(inputs));
  }
  return set;
}

llvm::StringMap<int64_t> verify::getSymbols(func::FuncOp function, ArrayRef<Tensor> inputs) {
  llvm::StringMap<int64_t> symbols;
  for (auto [i, tensor] : llvm::enumerate(inputs))
    for (auto [d, dim] : llvm::enumerate(graph::getDims(typeOf(function, i))))
      if (dim.getKind() == graph::DimKind::Symbol && d < tensor.sizes.size())
        symbols.try_emplace(dim.getSymbol().getValue(), tensor.sizes[d]);
  return symbols;
}

//===-- for LibTorch -------------------------------------------------------------------===//

static EagerTensor toEager(const Tensor &tensor) {
  return {frontend::builder::scalarType(tensor.elementType()), {tensor.sizes.begin(), tensor.sizes.end()}, interpreter::toBytes(tensor)};
}

/// A 0-d tensor that stands for a Python number, as its text.
static std::string numberText(const Tensor &tensor) {
  if (!tensor.elements.isFloat())
    return std::to_string(tensor.elements.ints[0]);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", tensor.elements.floats[0]);
  return text;
}

std::vector<EagerArgument> verify::toEagerArguments(const frontend::SourceGraph &source, func::FuncOp function, ArrayRef<Tensor> inputs,
                                                    const std::vector<driver::BindSpec> &binds) {
  std::vector<EagerArgument> arguments;
  for (const frontend::Input &input : source.inputs) {
    EagerArgument argument;
    std::vector<EagerTensor> several;
    for (const driver::BindSpec &bind : binds)
      if (bind.name == input.name)
        argument = bind.text;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      std::string name = nameOf(function, i);
      bool isNumber = input.type == "int" || input.type == "float" || input.type == "bool";
      if (name == input.name && isNumber)
        argument = numberText(inputs[i]);
      else if (name == input.name)
        argument = toEager(inputs[i]);
      else if (StringRef(name).starts_with(input.name + "."))
        several.push_back(toEager(inputs[i]));
    }
    if (!several.empty())
      argument = std::move(several);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

Tensor verify::fromEager(MLIRContext *context, const EagerTensor &tensor) {
  return interpreter::fromBytes(frontend::builder::elementType(context, tensor.dtype), tensor.sizes, tensor.data);
}
