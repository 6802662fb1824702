// See Subject.h.
#include "tools/verify/Subject.h"
#include "passes/outline/Groups.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;

static driver::CompileOptions inMemory(driver::CompileOptions options) {
  options.emit = driver::Emit::Artifact;
  options.output.clear();
  if (options.targets.empty())
    options.targets = {"cpu:native"}; // the code that runs here
  return options;
}

Subject::Subject(const driver::CompileOptions &given, driver::Compilation::AfterPass afterPass)
    : options(inMemory(given)), compilation(options, std::move(afterPass)) {}

llvm::Expected<std::unique_ptr<Subject>> Subject::create(const driver::CompileOptions &options, driver::Compilation::AfterPass afterPass) {
  Subject *self = nullptr;
  auto keepImported = [&self, afterPass](llvm::StringRef pass, ModuleOp module) {
    if (pass == "imported") {
      self->names = makeValuesUnique(module, self->compilation.getSource());
      self->imported = OwningOpRef<ModuleOp>(cast<ModuleOp>(module->clone()));
    } else if (afterPass) {
      afterPass(pass, module);
    }
  };
  std::unique_ptr<Subject> subject(new Subject(options, keepImported));
  self = subject.get();
  driver::Compilation &compilation = subject->compilation;
  if (llvm::Error error = compilation.import())
    return error;
  if (llvm::Error error = compilation.optimizeGraph())
    return error;
  if (llvm::Error error = compilation.formKernels())
    return error;
  llvm::Expected<driver::CompileResult> result = compilation.generate();
  if (!result)
    return result.takeError();
  subject->result = std::move(*result);
  return subject;
}

llvm::Expected<std::unique_ptr<TracedRun>> Subject::makeRun(unsigned threads) {
  return TracedRun::create(getKernels(), result.artifact.get(), result.artifactBytes, threads);
}

SmallVector<int64_t> Subject::getOutputValues(kernel::LaunchOp launch) {
  auto values = launch->getAttrOfType<ArrayAttr>(outputValuesAttrName);
  SmallVector<int64_t> result(launch.getOutputs().size(), -1);
  if (values && values.size() == result.size())
    for (auto [i, value] : llvm::enumerate(values.getAsRange<IntegerAttr>()))
      result[i] = value.getInt();
  return result;
}

ReferenceRequest Subject::referenceRequest(bool interpreterOnly) {
  ReferenceRequest request{*imported, compilation.getSource(), names, options, {}, true};
  request.useEager = !interpreterOnly && StringRef(compilation.getSource().producer).starts_with("TorchScript");
  getKernels().walk([&](kernel::LaunchOp launch) {
    for (int64_t value : getOutputValues(launch))
      if (value >= 0 && (onlyValues.empty() || onlyValues.contains(value)))
        request.values.insert(value);
  });
  return request;
}

Operation *Subject::findImported(int64_t value) {
  Operation *found = nullptr;
  imported->walk([&](Operation *op) {
    auto id = op->getAttrOfType<IntegerAttr>(valueAttrName);
    if (id && id.getInt() == value)
      found = op;
  });
  return found;
}
