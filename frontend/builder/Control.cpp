// Control flow and the prim:: nodes: branches on known conditions, unrolled loops, tuples, lists, dicts, exceptions.
//
// Input: SourceGraph nodes. Effect: values in the environment, graph ops in the function. A condition that depends on tensor
// data is reported as unsupported, and what depends on it is skipped.
#include "frontend/builder/Promotion.h"
#include "frontend/builder/Refusals.h"
#include "ir/support/Check.h"
#include "llvm/ADT/ScopeExit.h"

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
  for (const Operand &operand : node.operands)
    noteNeeded(evaluate(operand));
  program.report.add(why, program.sourceLocation(node.location));
  poison(node);
}

/// Records the scalar arguments that a number was computed from: that it isn't known stands in the way.
void Run::noteNeeded(const Val &value) {
  if (const auto *list = value.get<List>()) {
    for (const Val &element : (*list)->elements)
      noteNeeded(element);
    return;
  }
  Tensor tensor = value.is<TensorScalar>() ? value.as<TensorScalar>().tensor : value.is<Tensor>() ? value.as<Tensor>() : nullptr;
  if (!tensor || tensor->type.getRank() != 0 || !tensor->cached)
    return;
  SmallVector<Value> open{tensor->cached};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (func.getArgAttr(argument.getArgNumber(), "graph.scalar"))
        program.needBind(func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str());
      continue;
    }
    llvm::append_range(open, next.getDefiningOp()->getOperands());
  }
}

void Run::runBlock(const frontend::Block &block) {
  for (const Node &node : block.nodes) {
    if (stopped())
      return;
    if (++program.evaluatedNodes > program.options.maxNodes || e.made() > program.options.maxOps)
      return stopUnrolling(node);
    e.loc = program.location(node.location);
    current = node.location;
    runNode(node);
    if (e.failed())
      unsupported(node, node.op + ": " + e.takeReason());
  }
}

/// The program is too long: names the loop that makes it so.
void Run::stopUnrolling(const Node &node) {
  bool tooManyOps = e.made() > program.options.maxOps;
  std::string text = "the program has more than " + std::to_string(tooManyOps ? program.options.maxOps : program.options.maxNodes) +
                     (tooManyOps ? " tensor operations" : " operations");
  if (loops.empty())
    return program.stop(text + "; stopped at " + program.describe(node.location));
  text += " once its loops are unrolled:";
  for (const auto &[location, iteration] : loops)
    text += "\n    the loop at " + program.describe(location) + ", in iteration " + std::to_string(iteration);
  program.stop(text);
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
    noteNeeded(value);
    program.report.add("a condition that depends on tensor data (" + node.op + ")", program.sourceLocation(node.location));
    return std::nullopt;
  }
  if (value.is<DimAttr>())
    return decide(graph::DimPredicate::Ne, value.as<DimAttr>(), e.dim(int64_t(0)));
  program.report.add("a condition that is a " + kindOf(value), program.sourceLocation(node.location));
  return std::nullopt;
}

/// "ValueError": the class that a prim::RaiseException names, without its module.
static std::string exceptionName(Run &run, const Node &node) {
  Val name = node.operands.size() > 1 ? run.evaluate(node.operands[1]) : Val(None());
  StringRef text = name.is<std::string>() ? StringRef(name.as<std::string>()) : "";
  StringRef last = text.contains('.') ? text.rsplit('.').second : text;
  return last.empty() ? "Exception" : last.str();
}

static bool raises(const frontend::Block &block) {
  return llvm::any_of(block.nodes, [](const Node &node) { return node.op == "prim::RaiseException"; });
}

void Run::runIf(const Node &node) {
  Val decides = evaluate(node.operands[0]);
  if (llvm::any_of(node.blocks, raises) && (decides.is<TensorScalar>() || decides.is<Tensor>()))
    return unsupported(node, "a check of tensor data that raises, which a compiled program can't; remove it, or check before the call");
  std::optional<bool> taken = condition(node, decides);
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
  loops.emplace_back(node.location, 0);
  llvm::scope_exit leave([this] { loops.pop_back(); });
  for (int64_t i = 0; going && *going && i < trips.as<int64_t>(); ++i) {
    if (i >= program.options.maxUnroll)
      return program.stop("a loop runs more than " + std::to_string(program.options.maxUnroll) +
                          " times and can't be unrolled: " + program.describe(node.location));
    loops.back().second = i;
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
  if (!program.report.empty())
    return; // what is unsupported may have led here: that report matters first
  program.stop("the model raises " + exceptionName(*this, node) + " for these inputs: " + toText(message) + "\n    " + program.describe(node.location) +
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
      text += value.is<TensorScalar>() ? "a number given at run time" : toText(value);
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
  if (is("prim::CreateObject")) // of a script class: its methods are inlined, its attributes live in this run only
    return set(result, ObjectRef{ObjectId(program.source.objects.size() + createdObjects++)}), true;
  if (is("prim::Enter") || is("prim::Exit"))
    return enterContext(node), true;
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

/// `with torch.no_grad():` and its like change nothing for inference; what another context manager does isn't known.
void Run::enterContext(const Node &node) {
  const auto *id = std::get_if<ValueId>(&node.operands[0].value);
  std::string type = id && *id < program.source.values.size() ? program.source.values[*id].type : "";
  set(node.results[0], None());
  if (!StringRef(type).contains("torch.autograd.grad_mode."))
    unsupported(node, "the context manager " + type + "; expected torch.no_grad and its like");
}

/// Whether out= of the operator may be of another dtype than its result.
static bool castsToOut(StringRef op) {
  static const llvm::StringSet<> exact{
      "abs",          "addbmm",      "addmm",         "addmv",        "amax",         "amin",          "argmax",      "argmin",           "avg_pool2d",
      "avg_pool3d",   "baddbmm",     "bmm",           "bucketize",    "ceil",         "cross",         "diag",        "dot",              "floor",
      "frac",         "gather",      "gelu",          "hardshrink",   "heaviside",    "histc",         "index_add",   "index_copy",       "index_reduce",
      "index_select", "isin",        "linalg_cross",  "linalg_det",   "linalg_inv",   "linalg_norm",   "linalg_solve", "linalg_vecdot",   "linalg_vector_norm",
      "linear",       "log_softmax", "logcumsumexp",  "log_sigmoid",  "matmul",       "mm",            "msort",       "mv",               "nan_to_num",
      "nanquantile",  "neg",         "norm",          "quantile",     "renorm",       "round",         "scatter",     "scatter_add",      "scatter_reduce",
      "searchsorted", "sgn",         "sign",          "softmax",      "softplus",     "softshrink",    "take",        "take_along_dim",   "tensordot",
      "tril",         "triu",        "trunc",         "vdot",         "where"};
  return !exact.contains(op.substr(StringRef("aten::").size()));
}

/// out=: the result is written into the tensor given for it, which is the result then.
static void writeOut(Call &call) {
  const Val *given = call.find("out");
  const Tensor *out = given ? given->get<Tensor>() : nullptr;
  if (!out || call.failed())
    return;
  if (call.results.size() != 1 || !call.results[0].is<Tensor>())
    return call.fail("out= of an operator with other than one tensor as result");
  Value value = call.run.read(call.results[0].as<Tensor>());
  if (call.e.dims(value) != graph::getDims((*out)->type))
    return call.fail("out= of another shape than the result's, which eager PyTorch resizes (and warns of)");
  ScalarType type = call.e.dtype(value), wanted = scalarType((*out)->type.getElementType());
  if (type != wanted && (!castsToOut(call.op()) || !canCast(type, wanted)))
    return call.fail(Twine("out= of ") + scalarTypeName(wanted) + " for a result of " + scalarTypeName(type) + " (eager refuses it too)");
  call.results.clear();
  writeInPlace(call, *out, value, false);
}

/// Results of arithmetic on Python numbers that run time computes are Python numbers again, of the kind that the file says.
static void keepNumbers(Call &call) {
  bool numbers = false;
  for (size_t i = 0; i < call.size(); ++i) {
    if (call.peek(i).is<Tensor>() || call.peek(i).is<List>())
      return;
    numbers |= call.peek(i).is<TensorScalar>() || call.peek(i).isSymbolic();
  }
  for (size_t i = 0; numbers && i < call.results.size(); ++i) {
    Val &result = call.results[i];
    const auto *tensor = result.get<Tensor>();
    if (!tensor || (*tensor)->type.getRank() != 0)
      continue;
    ScalarType type = scalarType((*tensor)->type.getElementType());
    const std::vector<ValueInfo> &values = call.run.program.source.values;
    StringRef declared = i < call.node.results.size() && call.node.results[i] < values.size() ? StringRef(values[call.node.results[i]].type) : "";
    ScalarType wanted = declared == "int" ? ScalarType::I64 : declared == "float" ? ScalarType::F64 : declared == "bool" ? ScalarType::Bool : type;
    Tensor converted = wanted == type ? *tensor : call.run.fresh(call.e.cast(call.run.read(*tensor), wanted));
    type = wanted;
    auto kind = type == ScalarType::Bool ? TensorScalar::Kind::Bool : isFloat(type) ? TensorScalar::Kind::Float : TensorScalar::Kind::Int;
    result = TensorScalar{converted, kind};
  }
}

/// What the arguments select by a mask, replaced by all elements of it; null where there is none, or not one mask for all.
static Masked replaceMasked(std::vector<Val> &arguments, std::string &why) {
  Masked first;
  for (Val &argument : arguments) {
    const Masked *masked = argument.get<Masked>();
    if (masked && first && !isSameMask(**masked, *first))
      why = "operands that are selected by different masks";
    if (masked && !first)
      first = *masked;
  }
  for (Val &argument : arguments) {
    const Tensor *tensor = argument.get<Tensor>();
    if (first && tensor && (*tensor)->type.getRank() != 0)
      why = "a tensor selected by a mask beside one of a fixed size";
    if (const Masked *masked = argument.get<Masked>())
      argument = Val((*masked)->all);
  }
  return first;
}

/// Whether everything made after `before` treats each element for itself.
static bool isPointwiseAfter(mlir::Block &block, Operation *before) {
  for (auto it = before ? std::next(before->getIterator()) : block.begin(); it != block.end(); ++it) {
    auto fusion = dyn_cast<graph::GraphOpInterface>(*it);
    if (!isa<graph::ConstantOp, graph::GetOp>(*it) && !(fusion && fusion.getFusionKind() == graph::FusionKind::Pointwise))
      return false;
  }
  return true;
}

/// The size of x[mask] in one dim: a number that is known when the program runs, or a size of x.
static std::optional<Val> maskedSize(Run &run, const MaskedValue &selected, int64_t dim) {
  int64_t covered = run.e.rank(selected.mask);
  if (dim != selected.firstDim) {
    int64_t inner = dim < selected.firstDim ? dim : dim + covered - 1;
    return inner >= 0 && inner < selected.all->type.getRank() ? std::optional(dimValue(graph::getDim(selected.all->type, inner))) : std::nullopt;
  }
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, covered));
  Value count = run.e.create<graph::SumOp>(run.e.cast(selected.mask, ScalarType::I64), dims, false);
  return count ? std::optional<Val>(TensorScalar{run.fresh(count), TensorScalar::Kind::Int}) : std::nullopt;
}

/// An operator on x[mask]: computed for all of x, where that is the same for the elements that the mask selects.
void Run::convertMasked(const Node &node, std::vector<Val> arguments) {
  if (node.op == "aten::size" && arguments.size() == 2 && arguments[0].is<Masked>() && arguments[1].is<int64_t>() && arguments[1].as<int64_t>() >= 0)
    if (std::optional<Val> size = maskedSize(*this, *arguments[0].as<Masked>(), arguments[1].as<int64_t>()))
      return set(node.results[0], *size);
  std::string why;
  Masked selected = replaceMasked(arguments, why);
  mlir::Block &block = func.getBody().front();
  Operation *before = block.empty() ? nullptr : &block.back();
  Call call(*this, node, std::move(arguments));
  Conversion conversion = findConversion(node);
  if (why.empty() && conversion)
    conversion(call);
  bool isOne = call.results.size() == 1 && call.results[0].is<Tensor>();
  bool same = isOne && call.results[0].as<Tensor>()->type.getShape() == selected->all->type.getShape();
  if (why.empty() && (!same || !isPointwiseAfter(block, before)))
    why = "indexing by a mask gives a tensor whose size depends on data; use torch.where or a multiplication by the mask";
  if (!why.empty() || e.failed())
    return unsupported(node, call.name() + ": " + (why.empty() ? e.takeReason() : (e.takeReason(), why)));
  set(node.results[0], std::make_shared<MaskedValue>(MaskedValue{call.results[0].as<Tensor>(), selected->mask, selected->firstDim, selected->location}));
}

Conversion Run::findConversion(const Node &node) const {
  StringRef name = node.op;
  Conversion conversion = program.table.find(node.op, node.overload);
  if (!conversion && name.ends_with("_") && !name.ends_with("__") && program.table.find(name.drop_back(), node.overload))
    conversion = convertInPlace;
  return conversion ? conversion : findRefusal(name);
}

void Run::convertNode(const Node &node) {
  std::vector<Val> arguments;
  for (const Operand &operand : node.operands)
    arguments.push_back(evaluate(operand));
  if (llvm::any_of(arguments, isPoisoned))
    return poison(node);
  bool isPut = StringRef(node.op).contains("index_put"); // which knows what a mask selects
  if (!isPut && llvm::any_of(arguments, [](const Val &argument) { return argument.is<Masked>(); }))
    return convertMasked(node, std::move(arguments));
  Call call(*this, node, std::move(arguments));
  bool known = evaluateKnown(call);
  Conversion conversion = known ? nullptr : findConversion(node);
  if (!known && !conversion)
    return unsupported(node, call.name());
  if (conversion && !e.failed()) {
    conversion(call);
    writeOut(call);
    if (std::string unread = call.unreadTensor(); !unread.empty())
      call.fail("argument '" + unread + "' is not supported");
  }
  if (e.failed())
    return unsupported(node, call.name() + ": " + e.takeReason());
  followOrder(call.op(), call.allArguments(), call.results);
  if (!known && node.op != "prim::NumToTensor" && node.op != "aten::tensor" && node.op != "aten::scalar_tensor")
    keepNumbers(call);
  for (size_t i = 0; i < node.results.size(); ++i) {
    if (i >= call.results.size())
      return unsupported(node, call.name() + ": result " + std::to_string(i) + " is not computed");
    if (std::string contradiction = findContradiction(node.results[i], call.results[i]); !contradiction.empty())
      return unsupported(node, call.name() + ": " + contradiction);
    set(node.results[i], call.results[i]);
    nameValue(node.results[i], call.results[i]);
  }
}

/// A .pt2 says what dtype and rank each result has: others would mean that the operator is misunderstood.
std::string Run::findContradiction(ValueId id, const Val &value) const {
  const auto &stated = program.source.values[id].tensor;
  const auto *tensor = value.get<Tensor>();
  if (!stated || !tensor)
    return "";
  ScalarType dtype = scalarType((*tensor)->type.getElementType());
  if (dtype == stated->dtype && (*tensor)->type.getRank() == int64_t(stated->sizes.size()))
    return "";
  return "its result would be " + std::string(scalarTypeName(dtype)) + " of rank " + std::to_string((*tensor)->type.getRank()) + "; the file says " +
         scalarTypeName(stated->dtype) + " of rank " + std::to_string(stated->sizes.size());
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
