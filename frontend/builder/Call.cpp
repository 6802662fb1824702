// See Call.h.
#include "frontend/builder/Call.h"
#include "ir/support/Location.h"

#include <cmath>

using namespace graphc::frontend;
using namespace graphc::frontend::builder;

Call::Call(Run &run, const Node &node, std::vector<Val> arguments)
    : run(run), e(run.e), node(node), arguments(std::move(arguments)), wasRead(this->arguments.size(), false) {}

std::string Call::name() const { return node.overload.empty() ? node.op : node.op + "." + node.overload; }

const Val &Call::argument(size_t i) const {
  static const Val absent = None();
  if (i >= arguments.size())
    return absent;
  wasRead[i] = true;
  return arguments[i];
}

const Val *Call::find(llvm::StringRef name) const {
  for (size_t i = 0; i < node.operands.size(); ++i)
    if (node.operands[i].name == name)
      return &argument(i);
  // Arithmetic on Python numbers names its operands a and b: it runs here where one was computed from a tensor.
  if (name == "self" && !node.operands.empty() && node.operands[0].name == "a")
    return &argument(0);
  if ((name == "other" || name == "exponent") && node.operands.size() > 1 && node.operands[1].name == "b")
    return &argument(1);
  return nullptr;
}

std::string Call::unreadTensor() const {
  for (size_t i = 1; i < arguments.size(); ++i) { // the first is what a question is about, which need not read it
    const List *list = arguments[i].get<List>();
    bool holdsTensor = arguments[i].is<Tensor>() || arguments[i].is<TensorScalar>() ||
                       (list && llvm::any_of((*list)->elements, [](const Val &element) { return element.is<Tensor>(); }));
    if (holdsTensor && !wasRead[i])
      return node.operands[i].name.empty() ? std::to_string(i) : node.operands[i].name;
  }
  return "";
}

bool Call::given(llvm::StringRef name) const {
  const Val *value = find(name);
  return value && !value->is<None>();
}

const Val *Call::required(llvm::StringRef name) {
  const Val *value = find(name);
  if (!value)
    fail("argument '" + name + "' is missing");
  return value;
}

Tensor Call::tensor(llvm::StringRef name) {
  const Val *value = required(name);
  if (!value)
    return run.fresh({});
  if (const auto *tensor = value->get<Tensor>())
    return *tensor;
  if (const auto *scalar = value->get<TensorScalar>())
    return scalar->tensor;
  if (value->isNumber() || value->isSymbolic())
    return run.knownScalar(numberType(*value), *value);
  fail("argument '" + name + "' is a " + kindOf(*value) + ", expected a tensor");
  return run.fresh({});
}

Value Call::value(llvm::StringRef name) {
  Tensor found = tensor(name);
  return failed() ? Value() : run.read(found);
}

OptionalOperand Call::optionalValue(llvm::StringRef name) {
  return {given(name) ? value(name) : Value()};
}

std::vector<Tensor> Call::tensors(llvm::StringRef name) {
  std::vector<Tensor> result;
  const Val *value = required(name);
  const List *list = value ? value->get<List>() : nullptr;
  if (value && !list)
    fail("argument '" + name + "' is a " + kindOf(*value) + ", expected a list of tensors");
  if (!list)
    return result;
  for (const Val &element : (*list)->elements) {
    if (const auto *tensor = element.get<Tensor>())
      result.push_back(*tensor);
    else
      fail("argument '" + name + "' has a " + kindOf(element) + " in it, expected tensors");
  }
  return result;
}

std::vector<Value> Call::values(llvm::StringRef name) {
  std::vector<Value> result;
  for (const Tensor &tensor : tensors(name))
    result.push_back(run.read(tensor));
  return result;
}

/// The op and line that compute a number of nothing but sizes and constants ("pow at model.py:12"); empty where data is in it.
static std::string findSizeComputation(const Val &value) {
  Tensor tensor = value.is<TensorScalar>() ? value.as<TensorScalar>().tensor : value.is<Tensor>() ? value.as<Tensor>() : nullptr;
  std::string text;
  llvm::SmallVector<Value> open{tensor ? tensor->cached : Value()};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    mlir::Operation *op = next ? next.getDefiningOp() : nullptr;
    if (!op || llvm::isa<graphc::graph::GetOp, graphc::graph::ReadStateOp>(op))
      return "";
    if (!seen.insert(next).second)
      continue;
    llvm::append_range(open, op->getOperands());
    bool isFrame = llvm::isa<graphc::graph::IotaOp, graphc::graph::ConstantOp, graphc::graph::ReshapeOp, graphc::graph::CastOp>(op);
    if (!isFrame && text.empty())
      text = op->getName().stripDialect().str() + " at " + graphc::describeLocation(op->getLoc());
  }
  return text;
}

/// Why a value can't be a constant of kind `expected`.
static std::string notConstant(llvm::StringRef name, const Val &value, llvm::StringRef expected) {
  if (value.isSymbolic())
    return ("argument '" + name + "' is the symbolic size " + toText(value) + ", expected a constant " + expected).str();
  if (std::string computation = findSizeComputation(value); !computation.empty())
    return ("argument '" + name + "' is computed from sizes by " + computation +
            ", which isn't arithmetic on whole numbers; expected a constant " + expected + "; give the dims numbers with --input")
        .str();
  if (value.is<TensorScalar>())
    return ("argument '" + name + "' depends on tensor data, expected a constant " + expected).str();
  return ("argument '" + name + "' is a " + kindOf(value) + ", expected a constant " + expected).str();
}

/// A number out of a value or out of a 0-d tensor whose number is known.
static const Val &throughTensor(const Val &value) {
  if (const auto *tensor = value.get<Tensor>(); tensor && (*tensor)->knownNumber())
    return *(*tensor)->knownNumber();
  if (const auto *scalar = value.get<TensorScalar>(); scalar && scalar->tensor->knownNumber())
    return *scalar->tensor->knownNumber();
  return value;
}

/// What `read` makes of an argument; null: the fallback, or T(). The call fails where `read` refuses it (nullopt).
template <typename T, typename Read>
static T constantArgument(Call &call, llvm::StringRef name, const Val *found, llvm::StringRef kind, const std::optional<T> &fallback, Read read) {
  if (!found)
    return fallback.value_or(T());
  const Val &value = throughTensor(*found);
  std::optional<T> result = read(value);
  if (!result)
    call.fail(notConstant(name, value, kind));
  return result.value_or(T());
}

int64_t Call::integer(llvm::StringRef name, std::optional<int64_t> fallback) {
  return constantArgument(*this, name, given(name) || !fallback ? required(name) : nullptr, "int", fallback, [](const Val &value) -> std::optional<int64_t> {
    if (const auto *number = value.get<int64_t>())
      return *number;
    if (const auto *flag = value.get<bool>())
      return *flag;
    const auto *real = value.get<double>();
    bool isWhole = real && std::abs(*real) < 0x1p63 && *real == std::trunc(*real);
    return isWhole ? std::optional<int64_t>(static_cast<int64_t>(*real)) : std::nullopt;
  });
}

double Call::number(llvm::StringRef name, std::optional<double> fallback) {
  return constantArgument(*this, name, given(name) || !fallback ? required(name) : nullptr, "number", fallback,
                          [](const Val &value) { return value.isNumber() ? std::optional<double>(toDouble(value)) : std::nullopt; });
}

bool Call::boolean(llvm::StringRef name, std::optional<bool> fallback) {
  return constantArgument(*this, name, given(name) || !fallback ? required(name) : nullptr, "bool", fallback,
                          [](const Val &value) { return value.isNumber() ? std::optional<bool>(toDouble(value) != 0) : std::nullopt; });
}

std::string Call::text(llvm::StringRef name, std::optional<std::string> fallback) {
  return constantArgument(*this, name, given(name) || !fallback ? required(name) : nullptr, "str", fallback, [](const Val &value) {
    return value.is<std::string>() ? std::optional<std::string>(value.as<std::string>()) : std::nullopt;
  });
}

DimAttr Call::dim(llvm::StringRef name) {
  const Val *found = required(name);
  DimAttr dim = found ? toDim(throughTensor(*found), e.context()) : DimAttr();
  if (found && !dim)
    fail(notConstant(name, *found, "or symbolic int"));
  return dim ? dim : e.dim(int64_t(1));
}

std::vector<DimAttr> Call::dims(llvm::StringRef name) {
  std::vector<DimAttr> result;
  const Val *found = required(name);
  const List *list = found ? found->get<List>() : nullptr;
  if (found && !list)
    return {dim(name)};
  if (!list)
    return result;
  for (const Val &element : (*list)->elements) {
    DimAttr dim = toDim(throughTensor(element), e.context());
    if (!dim)
      fail(notConstant(name, throughTensor(element), "or symbolic int in every place"));
    result.push_back(dim ? dim : e.dim(int64_t(1)));
  }
  return result;
}

std::vector<int64_t> Call::integers(llvm::StringRef name, size_t count) {
  std::vector<int64_t> result;
  const Val *found = required(name);
  for (DimAttr dim : found ? dims(name) : std::vector<DimAttr>()) {
    if (!dim.isConstant())
      fail(notConstant(name, Val(dim), "int"));
    result.push_back(dim.isConstant() ? dim.getValue() : 0);
  }
  if (count && result.size() == 1)
    result.resize(count, result[0]);
  if (count && result.size() != count) {
    fail("argument '" + name + "' has " + llvm::Twine(result.size()) + " numbers, expected " + llvm::Twine(count));
    result.resize(count, 1);
  }
  return result;
}

std::vector<double> Call::numbers(llvm::StringRef name) {
  std::vector<double> result;
  const Val *found = required(name);
  const List *list = found ? found->get<List>() : nullptr;
  if (found && !list)
    return {number(name)};
  for (const Val &element : list ? (*list)->elements : std::vector<Val>()) {
    if (!throughTensor(element).isNumber())
      fail(notConstant(name, element, "number in every place"));
    result.push_back(toDouble(throughTensor(element)));
  }
  return result;
}

std::optional<ScalarType> Call::dtype(llvm::StringRef name) {
  if (!given(name))
    return std::nullopt;
  const Val *value = find(name);
  std::optional<ScalarType> type =
      value->is<int64_t>() ? scalarTypeFromInteger(value->as<int64_t>()) : std::optional<ScalarType>();
  if (!type)
    fail("dtype " + toText(*value) + " is not supported");
  return type;
}

ScalarType Call::dtype(llvm::StringRef name, ScalarType fallback) { return dtype(name).value_or(fallback); }

int64_t Call::normalizeDim(int64_t dim, int64_t rank) {
  int64_t count = std::max<int64_t>(rank, 1);
  if (dim < -count || dim >= count) {
    fail("dim " + llvm::Twine(dim) + " is out of range for a tensor of rank " + llvm::Twine(rank));
    return 0;
  }
  return dim < 0 ? dim + count : dim;
}

int64_t Call::dimIndex(llvm::StringRef name, int64_t rank, std::optional<int64_t> fallback) {
  return normalizeDim(integer(name, fallback), rank);
}

std::vector<int64_t> Call::dimIndices(llvm::StringRef name, int64_t rank) {
  std::vector<int64_t> result = given(name) ? integers(name) : std::vector<int64_t>();
  if (result.empty())
    for (int64_t d = 0; d < rank; ++d)
      result.push_back(d);
  for (int64_t &dim : result)
    dim = normalizeDim(dim, rank);
  if (rank == 0)
    result.clear();
  return result;
}

std::vector<int64_t> Call::sortedDims(llvm::StringRef name, int64_t rank) {
  std::vector<int64_t> dims = dimIndices(name, rank);
  llvm::sort(dims);
  if (auto end = std::unique(dims.begin(), dims.end()); end != dims.end()) {
    fail("a dim occurs twice");
    dims.erase(end, dims.end());
  }
  return dims;
}

void Call::give(Value value) {
  if (value)
    results.push_back(run.fresh(value));
  else
    results.push_back(Poison());
}
