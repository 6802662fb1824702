// See Program.h.
#include "frontend/builder/Program.h"

#include "frontend/builder/Call.h"
#include "frontend/builder/Refusals.h"
#include "frontend/builder/Shapes.h"
#include "ir/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

ConversionTable::ConversionTable() {
  addPointwise(*this);
  addViews(*this);
  addReductions(*this);
  addContractions(*this);
  addWindows(*this);
  addResizes(*this);
  addGather(*this);
  addFactories(*this);
  addFormulas(*this);
  addSpecialFunctions(*this);
  addNorms(*this);
  addLosses(*this);
  addOrders(*this);
  addBatchNorms(*this);
  addCopies(*this);
  addDiagonals(*this);
  addPatches(*this);
  addGrids(*this);
  addSelections(*this);
  addStatistics(*this);
  addMatrices(*this);
  addRecurrent(*this);
  addMutation(*this);
  addQueries(*this);
  addRefusals(*this);
}

Conversion ConversionTable::find(StringRef op, StringRef overload) const {
  if (auto found = conversions.find((op + "." + overload).str()); found != conversions.end())
    return found->second;
  auto found = conversions.find(op);
  return found == conversions.end() ? nullptr : found->second;
}

std::vector<std::string> ConversionTable::names() const {
  std::vector<std::string> result;
  for (StringRef name : conversions.keys())
    if (!refused.contains(name))
      result.push_back(name.str());
  llvm::sort(result);
  return result;
}

std::vector<std::string> graphc::frontend::supportedOperators() { return ConversionTable().names(); }

static std::string lineText(const SourceLocation &where) {
  if (where.file.empty() || !where.line)
    return "";
  std::string text = where.file + ":" + std::to_string(where.line);
  if (!where.text.empty())
    text += ": " + StringRef(where.text).trim().str();
  return text;
}

void Report::add(const std::string &what, const SourceLocation &where) {
  auto entry = llvm::find_if(entries, [&](const Entry &e) { return e.what == what; });
  if (entry == entries.end())
    entry = entries.insert(entries.end(), {what, 0, {}});
  ++entry->count;
  std::string line = lineText(where);
  if (!line.empty() && !llvm::is_contained(entry->lines, line))
    entry->lines.push_back(line);
}

std::string Report::text() const {
  std::string text;
  for (const Entry &entry : entries) {
    text += "\n  " + entry.what + (entry.count > 1 ? " (" + std::to_string(entry.count) + " times)" : "");
    for (size_t i = 0; i < entry.lines.size() && i < 5; ++i)
      text += "\n    " + entry.lines[i];
    if (entry.lines.size() > 5)
      text += "\n    and " + std::to_string(entry.lines.size() - 5) + " more lines";
  }
  return text;
}

Program::Program(MLIRContext *context, const SourceGraph &source, const BuildOptions &options, ElementsCache &elements)
    : context(context), source(source), options(options),
      module(ModuleOp::create(FileLineColLoc::get(context, source.fileName, 1, 1))), elements(elements) {
  context->loadDialect<graph::GraphDialect, func::FuncDialect>();
}

const SourceLocation &Program::sourceLocation(LocationId id) const {
  static const SourceLocation unknown;
  return id < source.locations.size() ? source.locations[id] : unknown;
}

Location Program::location(LocationId id) const {
  const SourceLocation &where = sourceLocation(id);
  std::string file = where.file.empty() ? source.fileName : where.file;
  Location line = FileLineColLoc::get(context, file, where.line, where.column);
  if (where.modulePath.empty())
    return line;
  return NameLoc::get(StringAttr::get(context, where.modulePath), line);
}

std::string Program::describe(LocationId id) const {
  const SourceLocation &where = sourceLocation(id);
  std::string text = lineText(where);
  if (text.empty())
    text = source.fileName;
  return where.modulePath.empty() ? text : text + " (in " + where.modulePath + ")";
}

std::string Program::uniqueSymbol(const std::string &name) {
  std::string candidate = name.empty() ? "constant" : name;
  for (int i = 1; !symbolNames.insert(candidate).second; ++i)
    candidate = name + "$" + std::to_string(i);
  return candidate;
}

/// Row-major bytes of a strided view.
static std::vector<char> packed(const TensorData &data) {
  size_t size = scalarTypeSize(data.dtype), count = 1;
  for (int64_t n : data.sizes)
    count *= static_cast<size_t>(n);
  std::vector<char> bytes(count * size);
  std::vector<int64_t> index(data.sizes.size(), 0);
  const std::byte *base = data.storage ? data.storage->data : nullptr;
  for (size_t i = 0; i < count; ++i) {
    int64_t at = data.offset;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * data.strides[d];
    std::memcpy(bytes.data() + i * size, base + at * static_cast<int64_t>(size), size);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == data.sizes[d];)
      index[d] = 0;
  }
  return bytes;
}

static bool isContiguous(const TensorData &data) {
  int64_t expected = 1;
  for (size_t d = data.sizes.size(); d-- > 0;) {
    if (data.sizes[d] != 1 && data.strides[d] != expected)
      return false;
    expected *= data.sizes[d];
  }
  return true;
}

ElementsAttr builder::elementsOf(MLIRContext *context, const TensorData &data, const std::string &name) {
  auto type = RankedTensorType::get(data.sizes, elementType(context, data.dtype));
  size_t size = scalarTypeSize(data.dtype), bytes = size * static_cast<size_t>(type.getNumElements());
  if (type.getNumElements() <= 64) {
    std::vector<char> raw = packed(data);
    // DenseElementsAttr packs bools as bits; its raw form takes them as bytes only through values.
    if (data.dtype == ScalarType::Bool)
      return DenseElementsAttr::get(type, SmallVector<bool>(raw.begin(), raw.end()));
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  }
  if (!isContiguous(data))
    return DenseResourceElementsAttr::get(type, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(packed(data), 64));
  const auto *begin = reinterpret_cast<const char *>(data.storage->data) + data.offset * static_cast<int64_t>(size);
  // The blob owns a share of the mapped file: it stays mapped as long as the context knows the blob.
  std::shared_ptr<const Storage> keep = data.storage;
  AsmResourceBlob blob(
      ArrayRef<char>(begin, bytes), size, [keep](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

static Program::ElementsKey keyOf(const TensorData &data) {
  return {data.storage ? data.storage->data : nullptr, static_cast<int>(data.dtype), data.offset, data.sizes, data.strides};
}

ElementsAttr Program::elementsFor(const TensorData &data, const std::string &name) {
  ElementsAttr &attribute = elements[keyOf(data)];
  if (!attribute)
    attribute = elementsOf(context, data, name);
  return attribute;
}

FlatSymbolRefAttr Program::parameter(const TensorData &data, const std::string &name, bool requiresGrad) {
  auto [it, inserted] = parameters.try_emplace(keyOf(data));
  if (inserted) {
    it->second = uniqueSymbol(name);
    OpBuilder builder(context);
    builder.setInsertionPoint(module->getBody(), llvm::find_if(*module->getBody(), [](Operation &op) { return isa<func::FuncOp>(op); }));
    auto loc = NameLoc::get(StringAttr::get(context, name), module->getLoc());
    graph::ParameterOp::create(builder, loc, it->second, elementsFor(data, it->second), requiresGrad);
  }
  return FlatSymbolRefAttr::get(context, it->second);
}

/// A number as a 0-d tensor of the dtype PyTorch gives it.
static ElementsAttr numberElements(MLIRContext *context, const Constant &number) {
  Builder builder(context);
  if (const auto *flag = std::get_if<bool>(&number.value))
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()), *flag);
  if (const auto *integer = std::get_if<int64_t>(&number.value))
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), *integer);
  const auto *real = std::get_if<double>(&number.value);
  return DenseElementsAttr::get(RankedTensorType::get({}, builder.getF64Type()), real ? *real : 0.0);
}

FlatSymbolRefAttr Program::stateSymbol(const AttributeKey &key, const Constant &initial, Type element) {
  auto [it, inserted] = states.try_emplace(key);
  if (inserted) {
    std::string path = attributePath(key);
    it->second = uniqueSymbol(path);
    OpBuilder builder(context);
    builder.setInsertionPointToStart(module->getBody());
    const auto *data = std::get_if<TensorData>(&initial.value);
    bool isNone = std::holds_alternative<std::monostate>(initial.value);
    ElementsAttr value = data     ? elementsFor(*data, it->second)
                         : isNone ? ElementsAttr(DenseElementsAttr::get(RankedTensorType::get({0}, element), ArrayRef<mlir::Attribute>()))
                                  : numberElements(context, initial);
    if (value.getElementType() != element)
      stop("attribute '" + path + "' holds tensors of another dtype in a later run than at first, which is not supported");
    auto loc = NameLoc::get(StringAttr::get(context, path), module->getLoc());
    graph::StateOp::create(builder, loc, it->second, value, path);
  }
  return FlatSymbolRefAttr::get(context, it->second);
}

std::string Program::attributePath(const AttributeKey &key) const {
  std::string path = key.object < source.objects.size() ? source.objects[key.object].path : "";
  return path.empty() ? key.name : path + "." + key.name;
}

const frontend::Attribute *Program::findAttribute(const AttributeKey &key) const {
  if (key.object >= source.objects.size())
    return nullptr;
  for (const frontend::Attribute &attribute : source.objects[key.object].attributes)
    if (attribute.name == key.name)
      return &attribute;
  return nullptr;
}

/// The first byte of a tensor and the one behind its last; none where it has no elements.
static std::optional<std::pair<const std::byte *, const std::byte *>> bytesOf(const TensorData &data) {
  int64_t last = data.offset;
  for (size_t d = 0; d < data.sizes.size(); ++d) {
    if (data.sizes[d] == 0)
      return std::nullopt;
    last += (data.sizes[d] - 1) * data.strides[d];
  }
  auto size = int64_t(scalarTypeSize(data.dtype));
  if (!data.storage || !data.storage->data)
    return std::nullopt;
  return std::pair(data.storage->data + data.offset * size, data.storage->data + (last + 1) * size);
}

static const TensorData *tensorOf(const frontend::Attribute *attribute) {
  return attribute ? std::get_if<TensorData>(&attribute->value.value) : nullptr;
}

std::vector<AttributeKey> Program::sameBytes(const AttributeKey &key) const {
  std::vector<AttributeKey> result;
  const TensorData *data = tensorOf(findAttribute(key));
  for (ObjectId id = 0; data && bytesOf(*data) && id < source.objects.size(); ++id)
    for (const frontend::Attribute &other : source.objects[id].attributes)
      if (const TensorData *view = tensorOf(&other); view && keyOf(*view) == keyOf(*data))
        result.push_back({id, other.name});
  return result;
}

std::optional<AttributeKey> Program::overlapping(const AttributeKey &key) const {
  const TensorData *data = tensorOf(findAttribute(key));
  auto bytes = data ? bytesOf(*data) : std::nullopt;
  for (ObjectId id = 0; bytes && id < source.objects.size(); ++id)
    for (const frontend::Attribute &other : source.objects[id].attributes) {
      const TensorData *view = tensorOf(&other);
      auto others = view ? bytesOf(*view) : std::nullopt;
      if (others && keyOf(*view) != keyOf(*data) && others->first < bytes->second && bytes->first < others->second)
        return AttributeKey{id, other.name};
    }
  return std::nullopt;
}

/// factor * symbol + summand, with a positive factor; nullopt for other expressions.
static std::optional<Program::DerivedDim> linear(DimAttr dim) {
  Program::DerivedDim result;
  if ((dim.getKind() == graph::DimKind::Add || dim.getKind() == graph::DimKind::Sub) && dim.operand(1).isConstant()) {
    result.summand = dim.getKind() == graph::DimKind::Add ? dim.operand(1).getValue() : -dim.operand(1).getValue();
    dim = dim.operand(0);
  } else if (dim.getKind() == graph::DimKind::Add && dim.operand(0).isConstant()) {
    result.summand = dim.operand(0).getValue();
    dim = dim.operand(1);
  }
  if (dim.getKind() == graph::DimKind::Mul)
    for (unsigned i : {0u, 1u})
      if (dim.operand(i).isConstant() && dim.operand(1 - i).getKind() == graph::DimKind::Symbol) {
        result.factor = dim.operand(i).getValue();
        dim = dim.operand(1 - i);
        break;
      }
  if (dim.getKind() != graph::DimKind::Symbol || result.factor < 1)
    return std::nullopt;
  result.symbol = dim.getSymbol().str();
  return result;
}

/// An exported `Dim("half") * 2` leaves "2*s0" as an input's dim and s0 nowhere alone: the dim gets a name of its own, and s0 becomes
/// name floordiv 2.
void Program::findDerivedDims() {
  std::set<std::string> alone;
  std::vector<std::string> expressions;
  for (const Input &input : source.inputs)
    if (const auto &meta = source.values[input.value].tensor)
      for (const auto &size : meta->sizes)
        if (const auto *text = std::get_if<std::string>(&size)) {
          bool isSymbol = llvm::any_of(source.symbols, [&](const Symbol &symbol) { return symbol.name == *text; });
          if (isSymbol)
            alone.insert(*text);
          else
            expressions.push_back(*text);
        }
  for (const std::string &text : expressions) {
    std::string error;
    DimAttr dim = DimAttr::parseInfix(context, text, error);
    std::optional<DerivedDim> derived = dim ? linear(dim) : std::nullopt;
    if (!derived || !alone.insert(derived->symbol).second)
      continue;
    derived->name = derived->symbol + "_dim";
    DimAttr name = DimAttr::symbol(context, derived->name);
    DimAttr base = derived->summand ? name - derived->summand : name;
    equalities.try_emplace(derived->symbol, derived->factor == 1 ? base : graph::floorDiv(base, derived->factor));
    derivedDims[text] = *derived;
  }
}

void Program::declareSymbols() {
  findDerivedDims();
  OpBuilder builder(context);
  builder.setInsertionPointToStart(module->getBody());
  auto declare = [&](const std::string &name, int64_t min, std::optional<int64_t> max, const std::string &origin) {
    if (equalities.count(name) || !ranges.try_emplace(name, Range{min, max}).second)
      return;
    IntegerAttr limit = max ? builder.getI64IntegerAttr(*max) : IntegerAttr();
    graph::SymbolOp::create(builder, module->getLoc(), builder.getStringAttr(name), builder.getI64IntegerAttr(min), limit, builder.getStringAttr(origin));
  };
  for (const Symbol &symbol : source.symbols) {
    declare(symbol.name, symbol.min, symbol.max, symbol.origin);
    for (const auto &[text, derived] : derivedDims)
      if (derived.symbol == symbol.name)
        declare(derived.name, derived.factor * symbol.min + derived.summand,
                symbol.max ? std::optional(derived.factor * *symbol.max + derived.summand) : std::nullopt, "a dim that the file states as " + text);
  }
  for (const InputSpec &spec : options.inputs)
    for (size_t i = 0; i < spec.dims.size(); ++i)
      if (spec.dims[i].isSymbol() && source.symbols.empty())
        declare(spec.dims[i].symbol, spec.dims[i].min, spec.dims[i].max, "input " + spec.name + ", dim " + std::to_string(i));
}
