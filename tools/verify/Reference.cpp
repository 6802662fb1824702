// See Reference.h.
#include "tools/verify/Reference.h"
#include "ir/interpreter/Interpreter.h"
#include "passes/outline/Groups.h"
#include "tools/driver/Failure.h"
#include "tools/driver/Interpretable.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;
using frontend::torchscript::EagerCall;
using frontend::torchscript::EagerRequest;
using frontend::torchscript::EagerResult;
using interpreter::Precision;

ValueNames::Name ValueNames::of(int64_t value) const {
  auto found = renamed.find(value);
  return found == renamed.end() ? Name{static_cast<frontend::ValueId>(value), 0} : found->second;
}

ValueNames verify::makeValuesUnique(ModuleOp module, const frontend::SourceGraph &source) {
  ValueNames names;
  int64_t next = int64_t(source.values.size());
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      auto value = op->getAttrOfType<IntegerAttr>(valueAttrName);
      if (!value)
        return;
      auto id = static_cast<frontend::ValueId>(value.getInt());
      unsigned occurrence = names.counts[{function.getSymName().str(), id}]++;
      if (occurrence == 0)
        return;
      names.renamed[next] = {id, occurrence};
      op->setAttr(valueAttrName, IntegerAttr::get(value.getType(), next++));
    });
  return names;
}

namespace {

/// Outputs and wanted values of one run.
struct Run {
  std::vector<Tensor> outputs;
  std::map<int64_t, Tensor> values;
};

llvm::Expected<std::vector<Run>> interpret(const ReferenceRequest &request, const std::vector<std::vector<Tensor>> &calls, Precision precision) {
  OwningOpRef<ModuleOp> program = driver::makeInterpretable(request.imported);
  interpreter::Interpreter machine(*program, precision);
  SmallVector<func::FuncOp> functions(program->getOps<func::FuncOp>());
  size_t variant = 0;
  std::vector<Run> runs;
  for (const std::vector<Tensor> &inputs : calls) {
    Run run;
    machine.observe = [&](Operation *op, ArrayRef<Tensor> results) {
      auto value = op->getAttrOfType<IntegerAttr>(valueAttrName);
      if (value && request.values.contains(value.getInt()))
        run.values[value.getInt()] = results[0];
    };
    llvm::Expected<std::vector<Tensor>> outputs = machine.run(functions[variant], inputs);
    if (!outputs)
      return driver::failure(driver::ExitStatus::Model, "the reference fails on these inputs: " + llvm::toString(outputs.takeError()));
    run.outputs = std::move(*outputs);
    runs.push_back(std::move(run));
    if (auto next = functions[variant]->getAttrOfType<IntegerAttr>("graph.next"))
      variant = size_t(next.getInt());
  }
  return runs;
}

/// The wanted values of an eager call under their unique ids, as far as eager computed them as often as importing did.
Run fromEagerCall(const ReferenceRequest &request, func::FuncOp function, const EagerCall &call) {
  Run run;
  MLIRContext *context = ModuleOp(request.imported).getContext();
  for (const auto &tensor : call.outputs)
    run.outputs.push_back(fromEager(context, tensor));
  for (int64_t value : request.values) {
    ValueNames::Name name = request.names.of(value);
    auto found = call.values.find(name.id);
    auto count = request.names.counts.find({function.getSymName().str(), name.id});
    if (found != call.values.end() && count != request.names.counts.end() && count->second == found->second.size())
      run.values[value] = fromEager(context, found->second[name.occurrence]);
  }
  return run;
}

/// LibTorch's run of the file; `error` is set where it can't be had.
struct EagerRuns {
  std::vector<Run> runs;
  bool keptNarrow = false;
  std::string error;
};

/// Results but for those that change an input.
size_t countOutputs(func::FuncOp function) {
  return llvm::count_if(llvm::seq(0u, function.getNumResults()),
                        [&](unsigned i) { return !function.getResultAttr(i, graph::writesInputAttrName); });
}

EagerRuns runEager(const ReferenceRequest &request, const std::vector<std::vector<Tensor>> &calls, bool widen) {
  SmallVector<func::FuncOp> functions(ModuleOp(request.imported).getOps<func::FuncOp>());
  EagerRequest eager{request.options.path, request.options.method, widen, {}, {}};
  for (const std::vector<Tensor> &inputs : calls)
    eager.calls.push_back(toEagerArguments(request.source, functions[0], inputs, request.options.binds));
  for (int64_t value : request.values)
    eager.taps.push_back(request.names.of(value).id);
  EagerResult result = frontend::torchscript::runEager(eager);
  EagerRuns runs{{}, result.keptNarrow, result.error};
  size_t variant = 0;
  for (const EagerCall &call : result.calls) {
    runs.runs.push_back(fromEagerCall(request, functions[variant], call));
    if (runs.error.empty() && call.outputs.size() != countOutputs(functions[0]))
      runs.error = "it returns " + std::to_string(call.outputs.size()) + " tensors, the compiled program " + std::to_string(countOutputs(functions[0]));
    if (auto next = functions[variant]->getAttrOfType<IntegerAttr>("graph.next"))
      variant = size_t(next.getInt());
  }
  return runs;
}

std::vector<CallReference> combine(std::vector<Run> exact, const std::vector<Run> &eager, double slack) {
  std::vector<CallReference> calls;
  for (auto [exactRun, eagerRun] : llvm::zip(exact, eager)) {
    CallReference call;
    for (auto [tensor, theirs] : llvm::zip(exactRun.outputs, eagerRun.outputs))
      call.outputs.push_back(expect(std::move(tensor), theirs, slack));
    for (auto &[value, tensor] : exactRun.values)
      if (auto theirs = eagerRun.values.find(value); theirs != eagerRun.values.end())
        call.values.emplace(value, expect(std::move(tensor), theirs->second, slack));
    calls.push_back(std::move(call));
  }
  return calls;
}

} // namespace

llvm::Expected<Reference> verify::computeReference(const ReferenceRequest &request, const std::vector<std::vector<Tensor>> &calls) {
  Reference reference;
  if (request.useEager) {
    EagerRuns eager = runEager(request, calls, false);
    if (eager.error.empty()) {
      reference.isEager = true;
      EagerRuns exact = runEager(request, calls, true);
      if (exact.error.empty() && !exact.keptNarrow) {
        reference.calls = combine(std::move(exact.runs), eager.runs, 1);
        return reference;
      }
      llvm::Expected<std::vector<Run>> interpreted = interpret(request, calls, Precision::Double);
      if (!interpreted)
        return interpreted.takeError();
      reference.calls = combine(std::move(*interpreted), eager.runs, 1);
      return reference;
    }
    reference.note = "eager PyTorch can't be run on it (" + eager.error + "), so the interpreter is the reference";
  }
  llvm::Expected<std::vector<Run>> exact = interpret(request, calls, Precision::Double);
  if (!exact)
    return exact.takeError();
  llvm::Expected<std::vector<Run>> rounded = interpret(request, calls, Precision::Default);
  if (!rounded)
    return rounded.takeError();
  reference.calls = combine(std::move(*exact), *rounded, 4);
  return reference;
}
