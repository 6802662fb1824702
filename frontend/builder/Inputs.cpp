// The method's arguments: tensors become function arguments, everything else is bound to a value.
//
// Input: Input records of the SourceGraph, --input and --bind of the user. A tensor argument named "x" takes the spec "x", or
// "in0" by its position among the tensor arguments; a list or tuple of tensors takes "xs.0", "xs.1", ….
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
    return found == replacements.end() ? dim : found->second;
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
    DimAttr dim = number ? DimAttr::constant(program.context, *number) : program.parseDim(std::get<std::string>(meta.sizes[i]));
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

/// One element of a bound list, or a whole bound value, as the type `type`.
static std::optional<Val> parseBound(StringRef text, StringRef type) {
  text = text.trim();
  if (type.consume_front("Optional["))
    return text == "None" ? std::optional<Val>(Val(None())) : parseBound(text, type.drop_back());
  if (type.consume_front("List[")) {
    text.consume_front("[");
    text.consume_back("]");
    auto list = std::make_shared<ListValue>();
    SmallVector<StringRef> parts;
    text.split(parts, ',', -1, false);
    for (StringRef part : parts) {
      std::optional<Val> element = parseBound(part, type.drop_back());
      if (!element)
        return std::nullopt;
      list->elements.push_back(*element);
    }
    return Val(list);
  }
  int64_t integer;
  double real;
  if (type == "int" && !text.getAsInteger(10, integer))
    return Val(integer);
  if (type == "float" && !text.getAsDouble(real))
    return Val(real);
  if (type == "bool" && (text.equals_insensitive("true") || text == "1"))
    return Val(true);
  if (type == "bool" && (text.equals_insensitive("false") || text == "0"))
    return Val(false);
  if (type == "str")
    return Val(text.str());
  if (type == "NoneType" && text == "None")
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
  return tensor;
}

/// Tensors of a list or tuple argument: as many as the user describes ("xs.0", "xs.1", …).
Val Run::bindNestedInput(const Input &input) {
  auto list = std::make_shared<ListValue>();
  list->kind = StringRef(input.type).starts_with("Tuple") ? ConstantList::Kind::Tuple : ConstantList::Kind::List;
  for (size_t i = 0;; ++i) {
    std::string name = input.name + "." + std::to_string(i);
    auto spec = llvm::find_if(program.options.inputs, [&](const InputSpec &s) { return s.name == name; });
    if (spec == program.options.inputs.end())
      break;
    usedSpecs.insert(name);
    list->elements.push_back(addTensorInput(typeFromSpec(program, *spec), name));
  }
  return list;
}

Val Run::bindInput(const Input &input) {
  const ValueInfo *info = input.value < program.source.values.size() ? &program.source.values[input.value] : nullptr;
  StringRef type = input.type;
  bool isTensor = type == "Tensor" || type == "Optional[Tensor]";
  const InputSpec *spec = isTensor ? program.findSpec(input.name, func.getNumArguments()) : nullptr;
  if (spec)
    usedSpecs.insert(spec->name);
  if (info && info->tensor)
    return addTensorInput(typeFromFile(program, input.name, *info->tensor, spec), input.name);
  if (spec)
    return addTensorInput(typeFromSpec(program, *spec), input.name);
  for (const BindSpec &bind : program.options.binds) {
    if (bind.name != input.name)
      continue;
    if (isTensor && bind.text == "None")
      return None();
    if (std::optional<Val> value = parseBound(bind.text, type))
      return *value;
    program.stop("--bind " + bind.name + "=" + bind.text + ": the argument is a " + input.type);
    return Poison();
  }
  if (type.starts_with("List[Tensor") || (type.starts_with("Tuple[") && type.contains("Tensor")))
    return bindNestedInput(input);
  if (input.defaultValue)
    return convert(*input.defaultValue, input.name);
  if (type.starts_with("Optional"))
    return None();
  if (isTensor) {
    program.stop("the dtype and dims of argument '" + input.name + "' are needed: --input '" + input.name + "=f32[…]'; the method is " +
                 signatureText(program.source));
    return Poison();
  }
  std::vector<std::string> candidates;
  collectCandidates(program.source.body, input.value, candidates);
  program.stop("the value of argument '" + input.name + "' (" + input.type + ") is needed: --bind " + input.name + "=" +
               (candidates.empty() ? "VALUE" : candidates.front()) +
               (candidates.empty() ? "" : "; the program compares it with " + llvm::join(candidates, ", ")));
  return Poison();
}

void Run::bindInputs() {
  if (program.source.self)
    set(*program.source.self, ObjectRef{0});
  for (const Input &input : program.source.inputs) {
    set(input.value, bindInput(input));
    if (stopped())
      return;
  }
  auto known = [&](const std::string &name) {
    return llvm::any_of(program.source.inputs, [&](const Input &input) { return input.name == name; });
  };
  for (const InputSpec &spec : program.options.inputs)
    if (!usedSpecs.count(spec.name))
      return program.stop("--input " + spec.name + ": the method has no such tensor argument; it is " + signatureText(program.source));
  for (const BindSpec &bind : program.options.binds)
    if (!known(bind.name))
      return program.stop("--bind " + bind.name + ": the method has no such argument; it is " + signatureText(program.source));
}
