// The method's arguments: tensors become function arguments, everything else is bound to a value.
//
// Input: Input records of the SourceGraph, --input and --bind of the user. A tensor argument named "x" takes the spec "x", or
// "in0" by its position among the plan's inputs; what is nested has its path as name: "xs.0", "d.key", "pair.first". Numbers that are
// not bound are inputs too, 0-d ones; whatever needs their value while compiling says so (Program::neededBinds).
#include "frontend/builder/Run.h"

#include <charconv>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// The expression with symbols replaced.
static DimAttr substitute(DimAttr dim, const std::map<std::string, DimAttr> &replacements) {
  if (dim.getKind() == graph::DimKind::Symbol) {
    auto found = replacements.find(dim.getSymbol().str());
    return found == replacements.end() ? dim : substitute(found->second, replacements);
  }
  if (dim.isConstant() || dim.getKind() == graph::DimKind::Select || replacements.empty())
    return dim;
  return DimAttr::binary(dim.getKind(), substitute(dim.operand(0), replacements), substitute(dim.operand(1), replacements));
}

DimAttr Program::resolve(DimAttr dim) const { return substitute(dim, equalities); }

DimAttr Program::parseDim(const std::string &text) {
  std::string error;
  DimAttr dim = DimAttr::parseInfix(context, text, error);
  if (!dim)
    stop("can't read the symbolic size '" + text + "': " + error);
  return dim ? resolve(dim) : DimAttr::constant(context, 1);
}

const InputSpec *Program::findSpec(const std::string &name, size_t position) const {
  std::string byPosition = "in" + std::to_string(position);
  for (const InputSpec &spec : options.inputs)
    if (spec.name == name)
      return &spec;
  for (const InputSpec &spec : options.inputs)
    if (spec.name == byPosition)
      return &spec;
  return nullptr;
}

static std::string signatureText(const SourceGraph &source) {
  std::string text;
  for (const Input &input : source.inputs)
    text += (text.empty() ? "" : ", ") + input.name + ": " + input.type;
  return source.method + "(" + text + ")";
}

/// The type of a tensor argument from what the user said.
static RankedTensorType typeFromSpec(Program &program, const InputSpec &spec) {
  SmallVector<DimAttr> dims;
  for (const DimSpec &dim : spec.dims)
    dims.push_back(dim.isSymbol() ? program.resolve(DimAttr::symbol(program.context, dim.symbol)) : DimAttr::constant(program.context, dim.value));
  return graph::getTensorType(dims, elementType(program.context, spec.dtype));
}

/// The type that a .pt2 records; the user's spec, where there is one, must fit it and may give symbolic dims numbers.
static RankedTensorType typeFromFile(Program &program, const std::string &name, const ValueInfo::TensorMeta &meta, const InputSpec *spec) {
  SmallVector<DimAttr> dims;
  if (spec && (spec->dtype != meta.dtype || spec->dims.size() != meta.sizes.size()))
    program.stop("--input " + name + ": " + scalarTypeName(spec->dtype) + " of rank " + std::to_string(spec->dims.size()) + "; the file says " +
                 scalarTypeName(meta.dtype) + " of rank " + std::to_string(meta.sizes.size()));
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    const auto *number = std::get_if<int64_t>(&meta.sizes[i]);
    auto derived = number ? program.derivedDims.end() : program.derivedDims.find(std::get<std::string>(meta.sizes[i]));
    DimAttr dim = number                               ? DimAttr::constant(program.context, *number)
                  : derived != program.derivedDims.end() ? program.resolve(DimAttr::symbol(program.context, derived->second.name))
                                                         : program.parseDim(std::get<std::string>(meta.sizes[i]));
    if (spec && i < spec->dims.size() && !spec->dims[i].isSymbol()) {
      int64_t wanted = spec->dims[i].value;
      if (dim.getKind() == graph::DimKind::Symbol) {
        program.equalities[dim.getSymbol().str()] = DimAttr::constant(program.context, wanted);
        dim = DimAttr::constant(program.context, wanted);
      } else if (dim.isConstant() && dim.getValue() != wanted) {
        program.stop("--input " + name + ": dim " + std::to_string(i) + " is " + std::to_string(wanted) + "; the file says " + dim.str());
      }
    }
    dims.push_back(dim);
  }
  return graph::getTensorType(dims, elementType(program.context, meta.dtype));
}

/// A bound value's text as the type; nullopt where it isn't one.
static std::optional<Val> parseBound(StringRef text, const TypeText &type) {
  text = text.trim();
  if (type.is("Optional") && type.arguments.size() == 1)
    return text == "None" ? std::optional<Val>(Val(None())) : parseBound(text, type.arguments[0]);
  if (type.is("List") || type.is("Tuple") || type.is("NamedTuple")) {
    bool isList = type.is("List");
    if (text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
      text = text.slice(1, text.size() - 1);
    std::vector<StringRef> parts = splitAtCommas(text);
    auto list = std::make_shared<ListValue>();
    list->kind = isList ? ConstantList::Kind::List : type.is("Tuple") ? ConstantList::Kind::Tuple : ConstantList::Kind::NamedTuple;
    list->fieldNames = type.fieldNames;
    if (type.arguments.empty() || (!isList && parts.size() != type.arguments.size()))
      return std::nullopt;
    for (size_t i = 0; i < parts.size(); ++i) {
      std::optional<Val> element = parseBound(parts[i], type.arguments[isList ? 0 : i]);
      if (!element)
        return std::nullopt;
      list->elements.push_back(*element);
    }
    return Val(list);
  }
  int64_t integer;
  double real;
  if (type.is("int") && !text.getAsInteger(10, integer))
    return Val(integer);
  if (type.is("float") && !text.getAsDouble(real))
    return Val(real);
  if (type.is("bool") && (text.equals_insensitive("true") || text == "1"))
    return Val(true);
  if (type.is("bool") && (text.equals_insensitive("false") || text == "0"))
    return Val(false);
  if (type.is("str")) {
    bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.front() == text.back();
    return Val((quoted ? text.slice(1, text.size() - 1) : text).str());
  }
  if (type.is("NoneType") && text == "None")
    return Val(None());
  return std::nullopt;
}

/// Constants that the program compares an int or str argument with, in its order.
static void collectCandidates(const frontend::Block &block, ValueId argument, std::vector<std::string> &found) {
  for (const Node &node : block.nodes) {
    bool compares = node.op == "aten::eq" || node.op == "aten::ne" || node.op == "aten::lt" || node.op == "aten::gt";
    for (size_t i = 0; compares && node.operands.size() == 2 && i < 2; ++i) {
      const auto *id = std::get_if<ValueId>(&node.operands[i].value);
      const auto *constant = std::get_if<Constant>(&node.operands[1 - i].value);
      if (!id || *id != argument || !constant)
        continue;
      std::string text;
      if (const auto *number = std::get_if<int64_t>(&constant->value))
        text = std::to_string(*number);
      else if (const auto *string = std::get_if<std::string>(&constant->value))
        text = *string;
      if (!text.empty() && !llvm::is_contained(found, text))
        found.push_back(text);
    }
    for (const frontend::Block &inner : node.blocks)
      collectCandidates(inner, argument, found);
  }
}

Tensor Run::addTensorInput(RankedTensorType type, const std::string &name) {
  unsigned index = func.getNumArguments();
  auto attributes = DictionaryAttr::get(program.context, {e.builder.getNamedAttr("graph.name", e.builder.getStringAttr(name)),
                                                          e.builder.getNamedAttr("graph.index", e.builder.getI64IntegerAttr(index))});
  Location where = NameLoc::get(e.builder.getStringAttr("input " + name), func.getLoc());
  if (failed(func.insertArgument(index, type, attributes, where)))
    program.stop("argument " + name + " can't be added");
  Tensor tensor = fresh(func.getArgument(index));
  tensor->storage->origin = StorageCell::Origin::Input;
  tensor->storage->name = name;
  tensor->storage->inputIndex = index;
  inputCells.push_back(tensor->storage);
  return tensor;
}

/// int, float or bool as a 0-d input of the plan.
Val Run::addScalarInput(const std::string &name, const TypeText &type) {
  auto [dtype, kind] = type.is("int")     ? std::pair(ScalarType::I64, TensorScalar::Kind::Int)
                       : type.is("float") ? std::pair(ScalarType::F64, TensorScalar::Kind::Float)
                                          : std::pair(ScalarType::Bool, TensorScalar::Kind::Bool);
  Tensor tensor = addTensorInput(RankedTensorType::get({}, elementType(program.context, dtype)), name);
  func.setArgAttr(tensor->storage->inputIndex, "graph.scalar", e.builder.getUnitAttr());
  return TensorScalar{tensor, kind};
}

const InputSpec *Run::takeSpec(const std::string &name) {
  const InputSpec *spec = program.findSpec(name, func.getNumArguments());
  if (spec)
    usedSpecs.insert(spec->name);
  return spec;
}

const BindSpec *Run::takeBind(const std::string &name) {
  auto bind = llvm::find_if(program.options.binds, [&](const BindSpec &b) { return b.name == name; });
  if (bind == program.options.binds.end())
    return nullptr;
  usedBinds.insert(name);
  return &*bind;
}

/// Whether the user describes the argument or something inside it.
bool Run::isDescribed(const std::string &name) const {
  auto matches = [&](StringRef other) { return other == name || other.starts_with(name + "."); };
  return llvm::any_of(program.options.inputs, [&](const InputSpec &spec) { return matches(spec.name); }) ||
         llvm::any_of(program.options.binds, [&](const BindSpec &bind) { return matches(bind.name); });
}

/// The elements of a list or dict argument that holds tensors: as many as the user describes, by name ("xs.0", "xs.1"; "d.key") or, of
/// a list, by position.
Val Run::bindElements(const std::string &name, const TypeText &type) {
  if (type.is("Dict") && type.arguments.size() == 2) {
    auto dict = std::make_shared<DictValue>();
    std::vector<std::string> keys;
    for (const InputSpec &spec : program.options.inputs)
      if (StringRef rest = spec.name; rest.consume_front(name + "."))
        if (std::string key = rest.split('.').first.str(); !llvm::is_contained(keys, key))
          keys.push_back(key);
    for (const std::string &key : keys) {
      std::optional<Val> keyValue = parseBound(key, type.arguments[0]);
      if (!keyValue)
        program.stop("--input " + name + "." + key + ": the key is a " + type.arguments[0].text);
      dict->entries.emplace_back(keyValue.value_or(Val(None())), bindTyped(name + "." + key, type.arguments[1]));
    }
    return dict;
  }
  auto list = std::make_shared<ListValue>();
  bool byName = isDescribed(name + ".0");
  for (size_t i = 0; !stopped(); ++i) {
    std::string element = name + "." + std::to_string(i);
    if (byName ? !isDescribed(element) : !program.findSpec("", func.getNumArguments()))
      break;
    list->elements.push_back(bindTyped(element, type.arguments[0]));
  }
  return list;
}

Val Run::bindTuple(const std::string &name, const TypeText &type) {
  auto tuple = std::make_shared<ListValue>();
  tuple->kind = type.is("Tuple") ? ConstantList::Kind::Tuple : ConstantList::Kind::NamedTuple;
  tuple->fieldNames = type.fieldNames;
  for (size_t i = 0; i < type.arguments.size() && !stopped(); ++i)
    tuple->elements.push_back(bindTyped(name + "." + (i < type.fieldNames.size() ? type.fieldNames[i] : std::to_string(i)), type.arguments[i]));
  return tuple;
}

Val Run::bindTensor(const std::string &name) {
  if (const InputSpec *spec = takeSpec(name)) {
    Tensor input = addTensorInput(typeFromSpec(program, *spec), name);
    if (!spec->dims.empty())
      input->storage->stridesFrom = stridesFromInput(input->storage->inputIndex);
    return input;
  }
  program.stop("the dtype and dims of argument '" + name + "' are needed: --input '" + name + "=f32[…]'; the method is " +
               signatureText(program.source));
  return Poison();
}

/// A number that nothing binds: an input of the plan. A spec for it may only say what it is.
Val Run::bindNumber(const std::string &name, const TypeText &type) {
  if (const InputSpec *spec = takeSpec(name)) {
    const char *expected = type.is("int") ? "i64" : type.is("float") ? "f64" : "bool";
    if (!spec->dims.empty() || expected != StringRef(scalarTypeName(spec->dtype)))
      program.stop("--input " + spec->name + ": argument '" + name + "' is a " + type.text + "; as an input it is " + name + "=" + expected + "[]");
  }
  return addScalarInput(name, type);
}

Val Run::bindTyped(const std::string &name, const TypeText &type) {
  if (const BindSpec *bind = takeBind(name)) {
    bool none = bind->text == "None" && type.is("Optional");
    if (std::optional<Val> value = none ? std::optional<Val>(Val(None())) : parseBound(bind->text, type))
      return *value;
    program.stop("--bind " + bind->name + "=" + bind->text + ": the argument is a " + type.text);
    return Poison();
  }
  if (type.is("Optional") && type.arguments.size() == 1)
    return isDescribed(name) || (type.arguments[0].is("Tensor") && program.findSpec(name, func.getNumArguments()))
               ? bindTyped(name, type.arguments[0])
               : Val(None());
  if (type.is("Tensor"))
    return bindTensor(name);
  if (type.is("int") || type.is("float") || type.is("bool"))
    return bindNumber(name, type);
  if (type.is("Tuple") || type.is("NamedTuple"))
    return bindTuple(name, type);
  if (type.holdsTensors() && (type.is("List") || type.is("Dict")))
    return bindElements(name, type);
  program.needBind(name);
  program.stop(program.missingBinds());
  return Poison();
}

/// A .pt2 records the types of its tensor arguments; a TorchScript file only says which are tensors.
Val Run::bindInput(const Input &input) {
  const ValueInfo *info = input.value < program.source.values.size() ? &program.source.values[input.value] : nullptr;
  if (info && info->tensor)
    return addTensorInput(typeFromFile(program, input.name, *info->tensor, takeSpec(input.name)), input.name);
  if (!input.symbol.empty())
    return bindSymbol(input);
  TypeText type = parseType(input.type);
  bool byPosition = type.is("Optional") && type.holdsTensors() && program.findSpec("", func.getNumArguments());
  if (input.defaultValue && !isDescribed(input.name) && !byPosition)
    return convert(*input.defaultValue, input.name);
  return bindTyped(input.name, type);
}

std::string Program::missingBinds() const {
  std::string text;
  for (const std::string &name : neededBinds) {
    auto input = llvm::find_if(source.inputs, [&](const Input &i) { return i.name == name; });
    std::vector<std::string> candidates;
    if (input != source.inputs.end())
      collectCandidates(source.body, input->value, candidates);
    text += (text.empty() ? "" : "\n  ") + ("the value of argument '" + name + "'" + (input == source.inputs.end() ? "" : " (" + input->type + ")")) +
            " is needed: --bind " + name + "=" + (candidates.empty() ? "VALUE" : candidates.front()) +
            (candidates.empty() ? "" : "; the program compares it with " + llvm::join(candidates, ", "));
  }
  return text;
}

/// An int of a .pt2 that sizes or guards use: bound, or the size of a tensor's dim. Others are numbers of the plan.
Val Run::bindSymbol(const Input &input) {
  DimAttr dim = program.parseDim(input.symbol);
  if (takeBind(input.name))
    return bindTyped(input.name, parseType(input.type));
  auto isDim = [&](const Input &other) {
    const auto &tensor = program.source.values[other.value].tensor;
    return tensor && llvm::is_contained(tensor->sizes, std::variant<int64_t, std::string>(input.symbol));
  };
  auto holder = llvm::find_if(program.source.inputs, isDim);
  if (holder == program.source.inputs.end())
    return bindTyped(input.name, parseType(input.type));
  program.notes.push_back("argument '" + input.name + "' is left out of the inputs: it is the size " + dim.str() + " of '" + holder->name + "'");
  return dimValue(dim);
}

/// Values that --bind gives to ints replace their symbols everywhere.
void Run::bindSymbols() {
  for (const Input &input : program.source.inputs) {
    auto bind = llvm::find_if(program.options.binds, [&](const BindSpec &b) { return b.name == input.name; });
    int64_t number;
    if (input.symbol.empty() || bind == program.options.binds.end() || StringRef(bind->text).getAsInteger(10, number))
      continue;
    DimAttr dim = program.parseDim(input.symbol), value = e.dim(number);
    if (dim.getKind() == graph::DimKind::Symbol)
      program.equalities[dim.getSymbol().str()] = value;
    else if (dim != value)
      program.stop("--bind " + bind->name + "=" + bind->text + ": the file says that it is " + input.symbol + " = " + dim.str());
  }
}

/// The ints among the arguments that are inputs of the plan, in whose symbol `text` says something.
static const Input *findRunTimeSymbol(Run &run, DimAttr dim) {
  for (const Input &input : run.program.source.inputs)
    if (!input.symbol.empty() && run.value(input.value).is<TensorScalar>() && containsSymbol(dim, run.program.parseDim(input.symbol)))
      return &input;
  return nullptr;
}

/// What the file says of the sizes for which its program is valid.
void Run::checkFileGuards() {
  for (const DimGuard &file : program.source.guards) {
    DimAttr lhs = program.parseDim(file.lhs), rhs = program.parseDim(file.rhs);
    std::optional<bool> known = proved(*graph::parsePredicate(file.comparison), lhs, rhs);
    std::string text = "the model was exported for sizes where " + file.text;
    if (known == true)
      continue;
    if (known == false)
      return program.stop(text + ", which these sizes don't fulfil: " + lhs.str() + " " + file.comparison + " " + rhs.str());
    for (DimAttr side : {lhs, rhs})
      if (const Input *input = findRunTimeSymbol(*this, side)) {
        program.needBind(input->name);
        return program.stop(program.missingBinds() + ", because " + text);
      }
    guard(lhs, file.comparison, rhs, text);
  }
}

void Run::bindInputs() {
  if (program.source.self)
    set(*program.source.self, ObjectRef{0});
  bindSymbols();
  for (const auto &[text, derived] : program.derivedDims)
    if (derived.factor > 1) {
      DimAttr dim = program.resolve(DimAttr::symbol(program.context, derived.name)) - derived.summand;
      guard(DimAttr::binary(graph::DimKind::Mod, dim, e.dim(derived.factor)), "==", e.dim(int64_t(0)),
            "the model was exported for a dim of the form " + text);
    }
  for (const Input &input : program.source.inputs) {
    set(input.value, bindInput(input));
    if (stopped())
      return;
  }
  checkFileGuards();
  for (const InputSpec &spec : program.options.inputs)
    if (!usedSpecs.count(spec.name))
      return program.stop("--input " + spec.name + ": the method has no such tensor argument; it is " + signatureText(program.source));
  for (const BindSpec &bind : program.options.binds)
    if (!usedBinds.count(bind.name))
      return program.stop("--bind " + bind.name + ": the method has no such argument; it is " + signatureText(program.source));
}
