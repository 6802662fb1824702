// Control flow and the prim:: nodes: branches on known conditions, unrolled loops, tuples, lists, dicts, exceptions.
//
// Input: SourceGraph nodes. Effect: values in the environment, graph ops in the function. A condition that depends on tensor
// data is reported as unsupported, and what depends on it is skipped.
#include "frontend/builder/Promotion.h"
#include "ir/support/Check.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

Val Run::evaluate(const Operand &operand) {
  if (const auto *id = std::get_if<ValueId>(&operand.value))
    return *id < env.size() ? env[*id] : Val(Poison());
  if (const auto *constant = std::get_if<Constant>(&operand.value))
    return convert(*constant, "constant");
  auto list = std::make_shared<ListValue>();
  for (const Operand &element : std::get<OperandList>(operand.value))
    list->elements.push_back(evaluate(element));
  return list;
}

void Run::poison(const Node &node) {
  for (ValueId id : node.results)
    set(id, Poison());
}

void Run::unsupported(const Node &node, const std::string &why) {
  program.report.add(why, program.sourceLocation(node.location));
  poison(node);
}

void Run::runBlock(const frontend::Block &block) {
  for (const Node &node : block.nodes) {
    if (stopped())
      return;
    if (++program.evaluatedNodes > program.options.maxNodes)
      return program.stop("the program has more than " + std::to_string(program.options.maxNodes) +
                          " operations once its loops are unrolled; stopped at " + program.describe(node.location));
    e.loc = program.location(node.location);
    runNode(node);
    if (e.failed())
      unsupported(node, node.op + ": " + e.takeReason());
  }
}

void Run::runNode(const Node &node) {
  if (node.op == "prim::If")
    return runIf(node);
  if (node.op == "prim::Loop")
    return runLoop(node);
  if (node.op == "prim::GetAttr")
    return getAttribute(node);
  if (node.op == "prim::SetAttr")
    return setAttribute(node);
  if (node.op == "prim::RaiseException")
    return raise(node);
  if (runPrim(node))
    return;
  convertNode(node);
}

std::optional<bool> Run::condition(const Node &node, const Val &value) {
  if (value.is<bool>() || value.is<int64_t>())
    return toDouble(value) != 0;
  if (value.is<Poison>())
    return std::nullopt;
  if (value.is<TensorScalar>() || value.is<Tensor>()) {
    program.report.add("a condition that depends on tensor data (" + node.op + ")", program.sourceLocation(node.location));
    return std::nullopt;
  }
  if (value.is<DimAttr>())
    return decide(graph::DimPredicate::Ne, value.as<DimAttr>(), e.dim(int64_t(0)));
  program.report.add("a condition that is a " + kindOf(value), program.sourceLocation(node.location));
  return std::nullopt;
}

void Run::runIf(const Node &node) {
  std::optional<bool> taken = condition(node, evaluate(node.operands[0]));
  if (!taken || node.blocks.size() != 2)
    return poison(node);
  const frontend::Block &block = node.blocks[*taken ? 0 : 1];
  runBlock(block);
  if (stopped())
    return;
  for (size_t i = 0; i < node.results.size() && i < block.outputs.size(); ++i)
    set(node.results[i], evaluate(block.outputs[i]));
}

void Run::runLoop(const Node &node) {
  Val trips = evaluate(node.operands[0]);
  if (const auto *tensor = trips.get<Tensor>(); tensor && (*tensor)->knownNumber())
    trips = *(*tensor)->knownNumber();
  if (trips.is<Poison>())
    return poison(node);
  if (!trips.is<int64_t>()) {
    std::string what = trips.is<DimAttr>() ? "a loop over the symbolic size " + toText(trips) + "; give that dim a number with --input"
                                           : "a loop whose number of iterations depends on tensor data";
    return unsupported(node, what);
  }
  std::optional<bool> going = condition(node, evaluate(node.operands[1]));
  std::vector<Val> carried;
  for (size_t i = 2; i < node.operands.size(); ++i)
    carried.push_back(evaluate(node.operands[i]));
  const frontend::Block &body = node.blocks[0];
  for (int64_t i = 0; going && *going && i < trips.as<int64_t>(); ++i) {
    if (i >= program.options.maxUnroll)
      return program.stop("a loop runs more than " + std::to_string(program.options.maxUnroll) +
                          " times and can't be unrolled: " + program.describe(node.location));
    set(body.inputs[0], i);
    for (size_t k = 0; k < carried.size(); ++k)
      set(body.inputs[k + 1], carried[k]);
    runBlock(body);
    if (stopped())
      return;
    going = condition(node, evaluate(body.outputs[0]));
    for (size_t k = 0; k < carried.size(); ++k)
      carried[k] = evaluate(body.outputs[k + 1]);
  }
  if (!going)
    return poison(node);
  for (size_t i = 0; i < node.results.size() && i < carried.size(); ++i)
    set(node.results[i], carried[i]);
}

void Run::raise(const Node &node) {
  Val message = evaluate(node.operands[0]);
  std::string kind = "Exception";
  if (node.operands.size() > 1)
    if (Val name = evaluate(node.operands[1]); name.is<std::string>())
      kind = StringRef(name.as<std::string>()).rsplit('.').second.str();
  if (kind.empty())
    kind = "Exception";
  if (!program.report.empty())
    return; // what is unsupported may have led here: that report matters first
  program.stop("the model raises " + kind + " for these inputs: " + toText(message) + "\n    " + program.describe(node.location) +
               describeArguments());
}

std::string Run::describeArguments() const {
  std::string text;
  for (const Input &input : program.source.inputs) {
    const Val &value = env[input.value];
    text += text.empty() ? "\n  with " : ", ";
    text += input.name + " = ";
    if (const auto *tensor = value.get<Tensor>())
      llvm::raw_string_ostream(text) << (*tensor)->type;
    else
      text += toText(value);
  }
  return text;
}

void Run::unpack(const Node &node) {
  Val value = evaluate(node.operands[0]);
  const List *list = value.get<List>();
  if (value.is<Poison>())
    return poison(node);
  if (!list || (*list)->elements.size() != node.results.size())
    return unsupported(node, node.op + " of a " + kindOf(value) +
                                 (list ? " of " + std::to_string((*list)->elements.size()) + " elements into " + std::to_string(node.results.size())
                                       : ""));
  std::vector<Val> elements = (*list)->elements;
  for (size_t i = 0; i < elements.size(); ++i)
    set(node.results[i], elements[i]);
}

/// A list or tuple of the operands' values.
static Val construct(Run &run, const Node &node, ConstantList::Kind kind) {
  auto list = std::make_shared<ListValue>();
  list->kind = kind;
  for (const Operand &operand : node.operands)
    list->elements.push_back(run.evaluate(operand));
  return list;
}

static Val constructDict(Run &run, const Node &node) {
  auto dict = std::make_shared<DictValue>();
  for (size_t i = 0; i + 1 < node.operands.size(); i += 2)
    dict->entries.emplace_back(run.evaluate(node.operands[i]), run.evaluate(node.operands[i + 1]));
  return dict;
}

static Val tupleIndex(Run &run, const Node &node) {
  Val tuple = run.evaluate(node.operands[0]), index = run.evaluate(node.operands[1]);
  if (!tuple.is<List>() || !index.is<int64_t>())
    return Poison();
  const std::vector<Val> &elements = tuple.as<List>()->elements;
  int64_t i = index.as<int64_t>(), n = int64_t(elements.size());
  i += i < 0 ? n : 0;
  return i >= 0 && i < n ? elements[i] : Val(Poison());
}

static Val tupleSlice(Run &run, const Node &node) {
  Val tuple = run.evaluate(node.operands[0]);
  auto bound = [&](const char *name) {
    auto found = node.attributes.find(name);
    const auto *number = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second.value);
    return number ? *number : int64_t(0);
  };
  auto list = std::make_shared<ListValue>();
  list->kind = ConstantList::Kind::Tuple;
  if (!tuple.is<List>())
    return Poison();
  const std::vector<Val> &elements = tuple.as<List>()->elements;
  for (int64_t i = std::max<int64_t>(bound("beg"), 0); i < bound("end") && i < int64_t(elements.size()); ++i)
    list->elements.push_back(elements[i]);
  return list;
}

bool Run::runPrim(const Node &node) {
  auto is = [&](const char *name) { return node.op == name; };
  if (is("prim::TupleUnpack") || is("prim::ListUnpack"))
    return unpack(node), true;
  if (is("prim::Print") || is("aten::warn")) {
    program.notes.push_back((is("prim::Print") ? "a print is left out: " : "a warning is left out: ") + program.describe(node.location));
    return true;
  }
  if (node.results.size() != 1)
    return false;
  ValueId result = node.results[0];
  if (is("prim::ListConstruct"))
    return set(result, construct(*this, node, ConstantList::Kind::List)), true;
  if (is("prim::TupleConstruct"))
    return set(result, construct(*this, node, ConstantList::Kind::Tuple)), true;
  if (is("prim::DictConstruct"))
    return set(result, constructDict(*this, node)), true;
  if (is("prim::TupleIndex"))
    return set(result, tupleIndex(*this, node)), true;
  if (is("prim::TupleSlice"))
    return set(result, tupleSlice(*this, node)), true;
  if (is("prim::Uninitialized"))
    return set(result, None()), true;
  if (is("prim::unchecked_cast") || is("prim::unchecked_unwrap_optional") || is("prim::Constant"))
    return set(result, node.operands.empty() ? Val(None()) : evaluate(node.operands[0])), true;
  return false;
}

/// Results of arithmetic on Python numbers that were computed from tensors are Python numbers again.
static void keepNumbers(Call &call) {
  bool numbers = false;
  for (size_t i = 0; i < call.size(); ++i) {
    if (call.argument(i).is<Tensor>() || call.argument(i).is<List>())
      return;
    numbers |= call.argument(i).is<TensorScalar>();
  }
  for (Val &result : call.results) {
    const auto *tensor = result.get<Tensor>();
    if (!numbers || !tensor || (*tensor)->type.getRank() != 0)
      continue;
    ScalarType type = scalarType((*tensor)->type.getElementType());
    auto kind = type == ScalarType::Bool ? TensorScalar::Kind::Bool : isFloat(type) ? TensorScalar::Kind::Float : TensorScalar::Kind::Int;
    result = TensorScalar{*tensor, kind};
  }
}

void Run::convertNode(const Node &node) {
  std::vector<Val> arguments;
  for (const Operand &operand : node.operands)
    arguments.push_back(evaluate(operand));
  if (llvm::any_of(arguments, isPoisoned))
    return poison(node);
  Call call(*this, node, std::move(arguments));
  bool known = evaluateKnown(call);
  Conversion conversion = known ? nullptr : program.table.find(node.op, node.overload);
  StringRef name = node.op;
  if (!known && !conversion && name.ends_with("_") && !name.ends_with("__") && program.table.find(name.drop_back(), node.overload))
    conversion = convertInPlace;
  if (!known && !conversion)
    return unsupported(node, call.name());
  if (conversion && !e.failed())
    conversion(call);
  if (e.failed())
    return unsupported(node, call.name() + ": " + e.takeReason());
  if (!known && node.op != "prim::NumToTensor" && node.op != "aten::tensor" && node.op != "aten::scalar_tensor")
    keepNumbers(call);
  for (size_t i = 0; i < node.results.size(); ++i) {
    if (i >= call.results.size())
      return unsupported(node, call.name() + ": result " + std::to_string(i) + " is not computed");
    set(node.results[i], call.results[i]);
    nameValue(node.results[i], call.results[i]);
  }
}

/// The op that computes a source value carries its id to the kernels' outputs; an op of several results that of the first.
void Run::nameValue(ValueId id, const Val &value) {
  const auto *tensor = value.get<Tensor>();
  if (!tensor)
    return;
  // After an in-place write `cached` is what the tensor was before.
  const StorageCell &cell = *(*tensor)->storage;
  Value now = (*tensor)->version == cell.version ? (*tensor)->cached : (*tensor)->steps.empty() ? cell.value : Value();
  Operation *op = now && now.getType() == (*tensor)->type ? now.getDefiningOp() : nullptr;
  if (op && !op->hasAttr("graph.value") && !isa<graph::GetOp, graph::ReadStateOp>(op))
    op->setAttr("graph.value", e.builder.getI64IntegerAttr(id));
}
