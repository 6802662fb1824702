// See GraphBuilder.h: explores the reachable states and runs the method once for each.
//
// State 0 is the file's. A run gives the state after it; a new one gets a function of its own, until all are known. For
// Silero VAD: variant 0 starts with `_context` of shape [0] and leads to variant 1 ([1,64]), which leads to itself.
#include "frontend/GraphBuilder.h"

#include "frontend/builder/Run.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {

llvm::Error importError(const Program &program, const std::string &text) {
  return llvm::createStringError("'" + program.source.fileName + "': " + text);
}

/// What the file says of the state attributes.
State fileState(Program &program) {
  State state;
  Run reader(program, {}, 0);
  for (const AttributeKey &key : program.state) {
    const frontend::Attribute *attribute = program.findAttribute(key);
    StateValue &value = state[key];
    if (!attribute) {
      program.stop("the program assigns attribute '" + program.attributePath(key) + "', which the file doesn't declare");
      continue;
    }
    if (const auto *data = std::get_if<TensorData>(&attribute->value.value))
      value.tensor = RankedTensorType::get(data->sizes, elementType(program.context, data->dtype));
    else
      value.known = abstractValue(reader, key, reader.convert(attribute->value, attribute->name)).known;
    std::vector<AttributeKey> same = program.sameBytes(key);
    auto first = llvm::find_if(same, [&](const AttributeKey &other) { return program.state.count(other) && other < key; });
    if (value.tensor && first != same.end() && (program.writtenInPlace.count(key) || program.writtenInPlace.count(*first)))
      value.aliasOf = *first;
    value.dynamic = program.dynamicNumbers.count(key) && value.known.isNumber();
  }
  return state;
}

/// A state number that takes a new value each run (a counter): to be kept as a tensor. Answers whether there was one.
bool makeNumbersDynamic(Program &program, const std::vector<State> &states) {
  bool changed = false;
  for (const AttributeKey &key : program.state) {
    std::set<std::string> values;
    for (const State &state : states)
      if (auto found = state.find(key); found != state.end() && !found->second.dynamic && found->second.known.isNumber())
        values.insert(found->second.text());
    if (values.size() > 3)
      changed |= program.dynamicNumbers.insert(key).second;
  }
  return changed;
}

std::string tooManyStates(const Program &program, const std::vector<State> &states) {
  std::string text = "the model's state takes more than " + std::to_string(program.options.maxVariants) + " forms from run to run; they differ in";
  for (const AttributeKey &key : program.state) {
    std::set<std::string> values;
    for (const State &state : states)
      if (auto found = state.find(key); found != state.end())
        values.insert(found->second.text());
    if (values.size() > 1)
      text += " attribute '" + program.attributePath(key) + "' (" + std::to_string(values.size()) + " forms)";
  }
  return text;
}

/// One pass over all reachable states. Asks for a restart where a new state attribute or an equality turned up.
void explore(Program &program) {
  program.declareSymbols();
  std::vector<State> states{fileState(program)};
  std::vector<func::FuncOp> functions;
  for (size_t i = 0; i < states.size() && !program.stopped(); ++i) {
    State start = states[i];
    Run run(program, start, unsigned(i));
    run.run();
    if (program.restart || program.stopped() || !program.report.empty())
      return;
    functions.push_back(run.function());
    if (run.function().getResultTypes() != functions[0].getResultTypes())
      return program.stop("the results have other dtypes or dims in a later run than in the first (" + std::to_string(i + 1) +
                          " forms of the model's state); an artifact's outputs keep their types");
    if (program.state.empty())
      return;
    State after = run.finalState();
    if (program.stopped())
      return;
    auto same = llvm::find_if(states, [&](const State &state) { return stateText(state) == stateText(after); });
    size_t next = size_t(same - states.begin());
    if (same == states.end())
      states.push_back(after);
    Builder builder(program.context);
    run.function()->setAttr("graph.variant", builder.getI64IntegerAttr(int64_t(i)));
    run.function()->setAttr("graph.next", builder.getI64IntegerAttr(int64_t(next)));
    if (states.size() <= program.options.maxVariants)
      continue;
    program.restart = makeNumbersDynamic(program, states);
    if (!program.restart)
      program.stop(tooManyStates(program, states));
    return;
  }
}

/// Removes ops without effect whose results nobody uses: reads of values that only their shape was needed of.
void removeUnused(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  for (auto func : module.getOps<func::FuncOp>())
    (void)runRegionDCE(rewriter, func->getRegions());
  SmallVector<Operation *> unused;
  for (auto parameter : module.getOps<graph::ParameterOp>())
    if (SymbolTable::symbolKnownUseEmpty(parameter, module))
      unused.push_back(parameter);
  for (Operation *op : unused)
    op->erase();
}

} // namespace

llvm::Expected<BuiltGraph> graphc::frontend::buildGraph(MLIRContext &context, const SourceGraph &source, const BuildOptions &options) {
  std::set<AttributeKey> state, dynamicNumbers, writtenInPlace;
  std::map<std::string, DimAttr> equalities;
  Program::ElementsCache elements;
  for (int attempt = 0; attempt < 64; ++attempt) {
    Program program(&context, source, options, elements);
    program.state = state;
    program.dynamicNumbers = dynamicNumbers;
    program.writtenInPlace = writtenInPlace;
    program.equalities = equalities;
    explore(program);
    if (program.restart && !program.stopped()) {
      state = program.state;
      dynamicNumbers = program.dynamicNumbers;
      writtenInPlace = program.writtenInPlace;
      equalities = program.equalities;
      continue;
    }
    if (program.stopped())
      return importError(program, program.fatal);
    if (!program.report.empty() && !program.neededBinds.empty())
      return importError(program, program.missingBinds() + ", because it decides:" + program.report.text());
    if (!program.report.empty())
      return importError(program, "these parts of the model are not supported:" + program.report.text());
    removeUnused(*program.module);
    std::string diagnostic;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      if (d.getSeverity() == DiagnosticSeverity::Error && diagnostic.empty())
        diagnostic = d.str();
      return success();
    });
    if (failed(verify(*program.module)))
      return importError(program, "importing made an invalid program: " + diagnostic);
    return BuiltGraph{std::move(program.module), std::move(program.notes)};
  }
  return llvm::createStringError("'" + source.fileName + "': importing doesn't come to an end; the model's state can't be followed");
}
