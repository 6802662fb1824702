// See Bisect.h.
#include "tools/verify/Bisect.h"
#include "ir/interpreter/Interpreter.h"
#include "tools/driver/Failure.h"
#include "tools/driver/Interpretable.h"
#include "tools/verify/Reference.h"
#include "tools/verify/Subject.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;

namespace {

/// The module as it was after a pass.
struct Stage {
  std::string pass;
  OwningOpRef<ModuleOp> module;
};

class Bisection {
public:
  Bisection(std::vector<Stage> &stages, const Reference &reference, const InputSet &set) : stages(stages), reference(reference), set(set) {
    for (const Stage &stage : stages)
      reports.push_back({stage.pass, StageReport::State::NotRun, {}, ""});
  }

  /// The first wrong stage, or the number of stages.
  size_t run() {
    if (isRight(stages.size() - 1))
      return stages.size();
    size_t right = 0, wrong = stages.size() - 1; // stages before `right` are right, `wrong` is wrong
    while (right < wrong) {
      size_t middle = (right + wrong) / 2;
      if (isRight(middle))
        right = middle + 1;
      else
        wrong = middle;
    }
    return wrong;
  }

  std::vector<StageReport> reports;

private:
  bool isRight(size_t i);

  std::vector<Stage> &stages;
  const Reference &reference;
  const InputSet &set;
};

} // namespace

bool Bisection::isRight(size_t i) {
  StageReport &report = reports[i];
  OwningOpRef<ModuleOp> program = driver::makeInterpretable(*stages[i].module);
  interpreter::Interpreter machine(*program, interpreter::Precision::Double);
  SmallVector<func::FuncOp> functions(program->getOps<func::FuncOp>());
  report.state = StageReport::State::Right;
  size_t variant = 0;
  bool seen = false;
  for (auto [call, inputs] : llvm::enumerate(set.calls)) {
    llvm::Expected<std::vector<Tensor>> outputs = machine.run(functions[variant], inputs);
    if (!outputs) {
      report.state = StageReport::State::Wrong;
      report.problem = llvm::toString(outputs.takeError());
      return false;
    }
    for (auto [output, expected] : llvm::zip(*outputs, reference.calls[call].outputs)) {
      Verdict verdict = judge(output, expected);
      if (!seen || verdict.ratio() > report.verdict.ratio())
        report.verdict = verdict;
      seen = true;
      if (!verdict.right)
        report.state = StageReport::State::Wrong;
    }
    if (auto next = functions[variant]->getAttrOfType<IntegerAttr>("graph.next"))
      variant = size_t(next.getInt());
  }
  return report.state == StageReport::State::Right;
}

llvm::Expected<BisectReport> verify::bisect(const VerifyOptions &options) {
  std::unique_ptr<Subject> subject;
  std::vector<Stage> stages; // after the subject, whose context they live in
  auto keep = [&](StringRef pass, ModuleOp module) { stages.push_back({pass.str(), OwningOpRef<ModuleOp>(cast<ModuleOp>(module->clone()))}); };
  llvm::Expected<std::unique_ptr<Subject>> created = Subject::create(options.compile, keep);
  if (!created)
    return created.takeError();
  subject = std::move(*created);
  llvm::Expected<std::vector<InputSet>> sets = makeInputSets(options, *subject);
  if (!sets)
    return sets.takeError();
  llvm::Expected<VerifyReport> verified = verify(options, *subject, *sets);
  if (!verified)
    return verified.takeError();
  BisectReport report;
  report.verified = std::move(*verified);
  report.right = report.verified.right;
  if (!report.right) {
    const std::string &wrongSet = report.verified.finding->inputs;
    const InputSet &set = *llvm::find_if(*sets, [&](const InputSet &one) { return one.name == wrongSet; });
    ReferenceRequest request = subject->referenceRequest(options.interpreterOnly);
    request.values.clear();
    llvm::Expected<Reference> reference = computeReference(request, set.calls);
    if (!reference)
      return reference.takeError();
    Bisection bisection(stages, *reference, set);
    size_t first = bisection.run();
    report.pass = first == stages.size() ? "codegen" : stages[first].pass;
    report.stages = std::move(bisection.reports);
  }
  return report;
}
