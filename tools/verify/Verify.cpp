// See Verify.h.
#include "tools/verify/Verify.h"
#include "ir/support/Location.h"
#include "passes/outline/Groups.h"
#include "tools/driver/Compilation.h"
#include "tools/driver/Failure.h"
#include "tools/verify/KernelCheck.h"
#include "tools/verify/Reference.h"
#include "tools/verify/Subject.h"
#include "tools/verify/TracedRun.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;

namespace {

/// A value on the way that is farther off than rounding explains, by this factor over what is allowed for an output.
constexpr double clearlyWrong = 4;

/// One output of one launch that is a value of the source.
struct Deviation {
  kernel::LaunchOp launch;
  unsigned output = 0;
  size_t index = 0; // of the launch in its call
  int64_t value = -1;
  Verdict verdict;
  std::string shape;

  double ratio() const { return verdict.ratio(); }
};

class Verifier {
public:
  Verifier(const VerifyOptions &options, Subject &subject) : options(options), subject(subject) {}
  llvm::Expected<VerifyReport> run(const std::vector<InputSet> &sets);

private:
  llvm::Error runSet(const InputSet &set);
  llvm::Expected<std::vector<Tensor>> runCall(TracedRun &run, const CallReference &expected, ArrayRef<Tensor> inputs);
  void decideAll();
  llvm::Error find();
  Finding describeFinding(const Deviation &deviation, const InputSet &set, unsigned call);
  std::string findCause(const Deviation &deviation, const InputSet &set, unsigned call);
  bool blameEarlier(const Deviation &deviation, const InputSet &set, Finding &finding);
  std::string tryWithoutFusion(const Deviation &deviation, const InputSet &set);
  llvm::Expected<std::optional<Deviation>> findUnfused(const InputSet &set);
  llvm::Error findAmongKernels(const InputSet &set, unsigned call);

  const VerifyOptions &options;
  Subject &subject;
  VerifyReport report;
  std::vector<std::vector<Deviation>> deviations; // of each call, in the order of the launches
  std::vector<const InputSet *> sets;             // of each call
};

bool hasState(ModuleOp module) { return !module.getOps<graph::StateOp>().empty(); }

/// Bit by bit.
bool isEqual(ArrayRef<Tensor> a, ArrayRef<Tensor> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return std::get<0>(pair).sizes == std::get<1>(pair).sizes && interpreter::toBytes(std::get<0>(pair)) == interpreter::toBytes(std::get<1>(pair));
         });
}

std::vector<std::string> linesOf(Location loc) {
  std::vector<std::string> lines;
  for (const SourceLine &line : getSourceLines(loc))
    lines.push_back(line.file + ":" + std::to_string(line.line) + (line.modulePath.empty() ? "" : " (" + line.modulePath + ")"));
  return lines;
}

} // namespace

llvm::Expected<std::vector<InputSet>> verify::makeInputSets(const VerifyOptions &options, Subject &subject) {
  func::FuncOp function = *subject.imported->getOps<func::FuncOp>().begin();
  unsigned calls = options.calls ? options.calls : hasState(*subject.imported) ? 3 : 1;
  std::vector<InputSet> sets;
  for (const NamedInputs &given : options.inputs) {
    llvm::Expected<InputSet> set = takeInputs(function, given.name, given.arrays, calls);
    if (!set)
      return set.takeError();
    sets.push_back(std::move(*set));
  }
  for (unsigned seed = 1; options.inputs.empty() && seed <= options.seeds; ++seed)
    sets.push_back(makeInputs(*subject.imported, function, seed, calls));
  return sets;
}

/// Runs one set's calls; every output and value gets its verdict, by eager's error in that one call.
llvm::Error Verifier::runSet(const InputSet &set) {
  llvm::Expected<Reference> reference = computeReference(subject.referenceRequest(options.interpreterOnly), set.calls);
  if (!reference)
    return reference.takeError();
  report.reference = reference->isEager ? "eager PyTorch (LibTorch), errors against fp64" : "the interpreter in double";
  if (!reference->note.empty() && !llvm::is_contained(report.notes, reference->note))
    report.notes.push_back(reference->note);
  llvm::Expected<std::unique_ptr<TracedRun>> run = subject.makeRun(options.threads);
  if (!run)
    return run.takeError();
  llvm::Expected<std::unique_ptr<TracedRun>> untraced = subject.makeRun(options.threads);
  if (!untraced)
    return untraced.takeError();
  (*untraced)->setTraced(false);
  func::FuncOp function = *subject.imported->getOps<func::FuncOp>().begin();
  for (auto [call, inputs] : llvm::enumerate(set.calls)) {
    llvm::Expected<std::vector<Tensor>> traced = runCall(**run, reference->calls[call], inputs);
    if (!traced)
      return traced.takeError();
    llvm::Expected<std::vector<Tensor>> outputs = (*untraced)->call(inputs);
    if (!outputs)
      return outputs.takeError();
    if (!isEqual(*traced, *outputs))
      report.notes.push_back(set.name + ": outputs differ between a run with a barrier after every step and one without: steps that run at once "
                                        "disturb each other");
    size_t wrong = llvm::count_if(deviations.back(), [](const Deviation &deviation) { return deviation.ratio() > clearlyWrong; });
    CallReport one{set.name, unsigned(call), {}, deviations.back().size(), wrong};
    for (auto [i, output] : llvm::enumerate(*outputs)) {
      auto name = function.getResultAttrOfType<StringAttr>(i, "graph.name");
      one.outputs.push_back({name && !name.empty() ? name.str() : "out" + std::to_string(i), describeShape(output),
                             judge(output, reference->calls[call].outputs[i])});
    }
    report.calls.push_back(std::move(one));
    sets.push_back(&set);
  }
  return llvm::Error::success();
}

/// One call, with the deviations of its values.
llvm::Expected<std::vector<Tensor>> Verifier::runCall(TracedRun &run, const CallReference &expected, ArrayRef<Tensor> inputs) {
  std::vector<Deviation> &found = deviations.emplace_back();
  size_t index = 0;
  run.onLaunch = [&](kernel::LaunchOp op, ArrayRef<Tensor>, ArrayRef<Tensor> outputs) {
    for (auto [i, value] : llvm::enumerate(Subject::getOutputValues(op)))
      if (auto known = expected.values.find(value); known != expected.values.end() && known->second.exact.sizes == outputs[i].sizes)
        found.push_back({op, unsigned(i), index, value, judge(outputs[i], known->second), describeShape(outputs[i])});
    ++index;
  };
  return run.call(inputs);
}

/// Decides by the largest error that eager makes in any call: one call's says little where an output has few elements.
void Verifier::decideAll() {
  std::vector<Measure> largest(report.calls.empty() ? 0 : report.calls[0].outputs.size());
  for (const CallReport &call : report.calls)
    for (auto [output, measure] : llvm::zip(call.outputs, largest)) {
      measure.rms = std::max(measure.rms, output.verdict.eager.rms);
      measure.largest = std::max(measure.largest, output.verdict.eager.largest);
    }
  for (CallReport &call : report.calls)
    for (auto [output, measure] : llvm::zip(call.outputs, largest)) {
      decide(output.verdict, measure);
      report.right &= output.verdict.right;
    }
}

/// The first value that is clearly wrong, else the one farthest beyond what is allowed.
static std::optional<Deviation> pick(ArrayRef<Deviation> deviations) {
  std::optional<Deviation> worst;
  for (const Deviation &deviation : deviations) {
    if (deviation.ratio() > clearlyWrong)
      return deviation;
    if (!deviation.verdict.right && (!worst || deviation.ratio() > worst->ratio()))
      worst = deviation;
  }
  return worst;
}

Finding Verifier::describeFinding(const Deviation &deviation, const InputSet &set, unsigned call) {
  Finding finding;
  finding.inputs = set.name;
  finding.call = call;
  kernel::LaunchOp launch = deviation.launch;
  finding.kernel = launch.getKernel().str();
  finding.launch = deviation.index;
  finding.lines = linesOf(launch.getLoc());
  finding.shape = deviation.shape;
  finding.verdict = deviation.verdict;
  if (Operation *op = subject.findImported(deviation.value)) {
    finding.op = op->getName().stripDialect().str();
    finding.location = describeLocation(op->getLoc());
  }
  frontend::ValueId id = subject.names.of(deviation.value).id;
  if (id < subject.compilation.getSource().values.size())
    finding.value = subject.compilation.getSource().values[id].name;
  if (!blameEarlier(deviation, set, finding))
    finding.cause = findCause(deviation, set, call);
  return finding;
}

/// A kernel before the one that the wrong value is of, whose results are no values of the source, may have wrong code: then that one is named.
bool Verifier::blameEarlier(const Deviation &deviation, const InputSet &set, Finding &finding) {
  llvm::Expected<std::unique_ptr<TracedRun>> run = subject.makeRun(options.threads);
  if (!run) {
    llvm::consumeError(run.takeError()); // findCause says so
    return false;
  }
  std::vector<std::vector<Tensor>> calls(set.calls.begin(), set.calls.begin() + finding.call + 1);
  llvm::Expected<std::optional<WrongKernel>> wrong = findWrongKernel(**run, subject.getKernels(), calls);
  if (!wrong) {
    llvm::consumeError(wrong.takeError());
    return false;
  }
  kernel::LaunchOp end = deviation.launch;
  bool sameCall = *wrong && (*wrong)->call == finding.call && (*wrong)->launch->getBlock() == end->getBlock();
  if (!*wrong || (sameCall && !(*wrong)->launch->isBeforeInBlock(end)))
    return false;
  finding.kernel = (*wrong)->launch.getKernel().str();
  finding.lines = linesOf((*wrong)->launch.getLoc());
  finding.shape = "";
  finding.cause = "that kernel comes before the one of the wrong value (" + end.getKernel().str() + "), and its code is wrong: interpreting it on the inputs that it got gives another value (" +
                  describe((*wrong)->verdict.ours) + ")";
  return true;
}

std::string Verifier::findCause(const Deviation &deviation, const InputSet &set, unsigned call) {
  if (deviation.ratio() <= clearlyWrong)
    return "no op is clearly wrong: rounding adds up on the way, and this is the value farthest beyond what is allowed";
  llvm::Expected<std::unique_ptr<TracedRun>> run = subject.makeRun(options.threads);
  if (!run)
    return llvm::toString(run.takeError());
  std::vector<std::vector<Tensor>> calls(set.calls.begin(), set.calls.begin() + call + 1);
  llvm::Expected<std::optional<WrongKernel>> wrong = findWrongKernel(**run, subject.getKernels(), calls, deviation.launch);
  std::string cause;
  if (!wrong)
    cause = llvm::toString(wrong.takeError());
  else if (*wrong)
    cause = "the kernel's code is wrong: interpreting the kernel on the inputs that it got gives another value (" + describe((*wrong)->verdict.ours) + ")";
  else
    cause = "the kernel's code does what the kernel says, so a pass made a wrong kernel of the program: graphc bisect names it";
  if (std::string more = tryWithoutFusion(deviation, set); !more.empty())
    cause += "; " + more;
  return cause;
}

/// Where the kernel holds several values of the source: which of them is wrong in an artifact without fusion.
std::string Verifier::tryWithoutFusion(const Deviation &deviation, const InputSet &set) {
  kernel::LaunchOp launch = deviation.launch;
  std::optional<ArrayAttr> source = launch.getSource();
  if (!source || source->size() < 2)
    return "";
  llvm::DenseSet<int64_t> inside;
  for (auto id : source->getAsRange<IntegerAttr>())
    inside.insert(id.getInt());
  VerifyOptions unfused = options;
  unfused.compile.optLevel = driver::OptLevel::None;
  unfused.compile.progress = {};
  llvm::Expected<std::unique_ptr<Subject>> other = Subject::create(unfused.compile);
  if (!other) {
    llvm::consumeError(other.takeError()); // a bug planted in a pass that doesn't run without fusion
    return "";
  }
  (*other)->onlyValues = inside;
  llvm::Expected<std::optional<Deviation>> first = Verifier(unfused, **other).findUnfused(set);
  if (!first) {
    llvm::consumeError(first.takeError());
    return "";
  }
  if (!*first)
    return "without fusion (-O none) each op of this kernel is right";
  Operation *op = (*other)->findImported((*first)->value);
  return "without fusion (-O none) the first of this kernel's ops that is wrong is " +
         (op ? op->getName().stripDialect().str() + " at " + describeLocation(op->getLoc()) : (*first)->launch.getKernel().str());
}

/// The first value that is clearly wrong, of any call.
llvm::Expected<std::optional<Deviation>> Verifier::findUnfused(const InputSet &set) {
  if (llvm::Error error = runSet(set))
    return error;
  for (const std::vector<Deviation> &ofCall : deviations)
    if (std::optional<Deviation> picked = pick(ofCall); picked && picked->ratio() > clearlyWrong)
      return picked;
  return std::optional<Deviation>();
}

/// No value with a reference is wrong, an output is: the first kernel that doesn't do what it says.
llvm::Error Verifier::findAmongKernels(const InputSet &set, unsigned call) {
  llvm::Expected<std::unique_ptr<TracedRun>> run = subject.makeRun(options.threads);
  if (!run)
    return run.takeError();
  llvm::Expected<std::optional<WrongKernel>> wrong = findWrongKernel(**run, subject.getKernels(), set.calls);
  if (!wrong)
    return wrong.takeError();
  Finding finding;
  finding.inputs = set.name;
  finding.call = call;
  if (!*wrong) {
    finding.cause = "every kernel does what it says, and every value that could be compared is right: a pass changed what the outputs are "
                    "(graphc bisect names it), or rounding adds up";
  } else {
    finding.kernel = (*wrong)->launch.getKernel().str();
    finding.lines = linesOf((*wrong)->launch.getLoc());
    finding.location = describeLocation((*wrong)->launch.getLoc());
    finding.verdict = (*wrong)->verdict;
    finding.cause = "the kernel's code is wrong: interpreting the kernel on the inputs that it got gives another value (" + describe((*wrong)->verdict.ours) + ")";
  }
  report.finding = std::move(finding);
  return llvm::Error::success();
}

/// Of the first call with a wrong output.
llvm::Error Verifier::find() {
  for (auto [i, call] : llvm::enumerate(report.calls)) {
    if (llvm::all_of(call.outputs, [](const OutputReport &output) { return output.verdict.right; }))
      continue;
    std::optional<Deviation> deviation = pick(deviations[i]);
    if (!deviation)
      return findAmongKernels(*sets[i], call.call);
    report.finding = describeFinding(*deviation, *sets[i], call.call);
    return llvm::Error::success();
  }
  return llvm::Error::success();
}

llvm::Expected<VerifyReport> Verifier::run(const std::vector<InputSet> &inputSets) {
  report.right = true;
  report.kernels = llvm::range_size(subject.getKernels().getOps<kernel::FuncOp>());
  for (const InputSet &set : inputSets)
    if (llvm::Error error = runSet(set))
      return error;
  decideAll();
  if (llvm::Error error = find())
    return error;
  return std::move(report);
}

llvm::Expected<VerifyReport> verify::verify(const VerifyOptions &options, Subject &subject, const std::vector<InputSet> &sets) {
  return Verifier(options, subject).run(sets);
}

llvm::Expected<VerifyReport> verify::verify(const VerifyOptions &options) {
  llvm::Expected<std::unique_ptr<Subject>> subject = Subject::create(options.compile);
  if (!subject)
    return subject.takeError();
  llvm::Expected<std::vector<InputSet>> sets = makeInputSets(options, **subject);
  if (!sets)
    return sets.takeError();
  return verify(options, **subject, *sets);
}
