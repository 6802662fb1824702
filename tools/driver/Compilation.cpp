// See Compilation.h.
#include "tools/driver/Compilation.h"
#include "codegen/artifact/ArtifactWriter.h"
#include "codegen/plan/PlanBuilder.h"
#include "codegen/plan/PrintPlan.h"
#include "frontend/GraphBuilder.h"
#include "frontend/ReadModel.h"
#include "frontend/torchscript/TorchScriptReader.h"
#include "ir/kernel/Kernel.h"
#include "ir/support/Location.h"
#include "passes/outline/Groups.h"
#include "tools/driver/Failure.h"
#include "tools/driver/PlantBug.h"
#include "tools/driver/SuggestInputs.h"
#include "tools/driver/Targets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <set>

using namespace graphc;
using namespace graphc::driver;

DiagnosticLog::DiagnosticLog(mlir::MLIRContext &context, std::vector<Diagnostic> &kept)
    : kept(kept), handler(&context, [this](mlir::Diagnostic &diagnostic) { return take(diagnostic); }) {}

llvm::LogicalResult DiagnosticLog::take(mlir::Diagnostic &diagnostic) {
  llvm::SmallVector<SourceLine> lines = getSourceLines(diagnostic.getLocation());
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
    errors += errors.empty() ? "" : "\n";
    errors += lines.empty() ? diagnostic.str() : describeLocation(diagnostic.getLocation()) + ": " + diagnostic.str();
  } else {
    Diagnostic one;
    one.severity = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning ? Diagnostic::Severity::Warning : Diagnostic::Severity::Note;
    one.message = diagnostic.str();
    if (!lines.empty())
      one.file = lines[0].file, one.line = lines[0].line, one.column = lines[0].column;
    kept.push_back(std::move(one));
  }
  return llvm::success();
}

namespace {

class AfterPassInstrumentation : public mlir::PassInstrumentation {
public:
  explicit AfterPassInstrumentation(std::function<void(llvm::StringRef)> done) : done(std::move(done)) {}
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    if (!pass->getArgument().empty()) // adaptors have none
      done(pass->getArgument());
  }

private:
  std::function<void(llvm::StringRef)> done;
};

} // namespace

Compilation::Compilation(const CompileOptions &options, AfterPass afterPass)
    : options(options), afterPass(std::move(afterPass)), log(context, result.diagnostics), decisions(context) {
  context.loadDialect<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, mlir::func::FuncDialect>();
  context.disableMultithreading();
}

void Compilation::begin(llvm::StringRef phase) {
  finishPhase();
  current = {phase.str(), 0};
  started = std::chrono::steady_clock::now();
  if (options.progress)
    options.progress(phase, 0, 0);
}

void Compilation::finishPhase() {
  if (current.name.empty())
    return;
  current.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  result.summary.phases.push_back(std::exchange(current, {}));
}

llvm::Expected<CompileResult> Compilation::finishText(std::string text) {
  finishPhase();
  result.text = std::move(text);
  return std::move(result);
}

llvm::Error Compilation::import() {
  llvm::Expected<std::vector<std::string>> levels = cpuLevels(options.targets);
  if (!levels)
    return levels.takeError();
  cpuOptions.levels = std::move(*levels);
  if (!options.debugPlant.empty() && !isPlantable(options.debugPlant))
    return failure(ExitStatus::Usage, "--debug-plant " + options.debugPlant + ": expected " + plantableText());
  if (std::vector<std::string> passes = pipelineFlags(); !options.debugSkip.empty() && !llvm::is_contained(passes, options.debugSkip))
    return failure(ExitStatus::Usage, "--debug-skip " + options.debugSkip + ": expected a pass of " + llvm::join(passes, ", "));
  begin("Reading the model");
  if (!llvm::sys::fs::exists(options.path))
    return failure(ExitStatus::Model, "'" + options.path + "': no such file");
  llvm::Expected<frontend::SourceGraph> read = frontend::readModel(options.path, {options.method, options.name});
  if (!read)
    return llvm::handleErrors(read.takeError(), [](const frontend::NoLibTorch &missing) {
      return failure(ExitStatus::Environment, missing.message);
    });
  source = std::move(*read);
  result.summary.producer = source->producer;
  if (std::optional<std::string> message = suggestInputs(*source, options))
    return failure(ExitStatus::Model, *message);
  begin("Building the graph");
  frontend::BuildOptions build;
  build.inputs = options.inputs;
  build.binds = options.binds;
  llvm::Expected<frontend::BuiltGraph> built = frontend::buildGraph(context, *source, build);
  if (!built)
    return built.takeError();
  module = std::move(built->module);
  for (std::string &note : built->notes)
    result.diagnostics.push_back({Diagnostic::Severity::Note, std::move(note), "", 0, 0});
  if (afterPass)
    afterPass("imported", *module);
  passDone("import");
  return llvm::Error::success();
}

llvm::Error Compilation::runPasses(llvm::StringRef phase, llvm::function_ref<void(mlir::OpPassManager &, const PipelineOptions &)> build) {
  begin(phase);
  mlir::PassManager pm(&context);
  PipelineOptions pipeline;
  pipeline.optLevel = options.optLevel == OptLevel::None ? 0 : 1;
  pipeline.strictNumerics = options.strictNumerics;
  pipeline.skip = options.debugSkip;
  build(pm, pipeline);
  if (afterPass || !options.debugPlant.empty())
    pm.addInstrumentation(std::make_unique<AfterPassInstrumentation>([this](llvm::StringRef pass) { passDone(pass); }));
  if (mlir::succeeded(pm.run(*module)))
    return llvm::Error::success();
  std::string errors = log.takeErrors();
  return failure(ExitStatus::Model, errors.empty() ? phase.str() + " failed without a message" : errors);
}

void Compilation::passDone(llvm::StringRef pass) {
  unsigned count = ++passCounts[pass];
  std::string name = count == 1 ? pass.str() : (pass + "#" + llvm::Twine(count)).str();
  if (name == options.debugPlant)
    planted = plantBug(*module);
  if (afterPass)
    afterPass(name, *module);
}

llvm::Error Compilation::optimizeGraph() {
  if (llvm::Error error = runPasses("Optimizing the graph", [](mlir::OpPassManager &pm, const PipelineOptions &o) { buildGraphPhase(pm, o); }))
    return error;
  countOps();
  return llvm::Error::success();
}

llvm::Error Compilation::formKernels() {
  if (llvm::Error error = runPasses("Fusing ops", [](mlir::OpPassManager &pm, const PipelineOptions &o) { buildFusionPhase(pm, o); }))
    return error;
  countFusedOps();
  if (llvm::Error error = runPasses("Forming kernels", [](mlir::OpPassManager &pm, const PipelineOptions &o) { buildKernelPhase(pm, o); }))
    return error;
  result.summary.kernels = llvm::range_size(module->getOps<kernel::FuncOp>());
  return llvm::Error::success();
}

void Compilation::countOps() {
  for (auto function : module->getOps<mlir::func::FuncOp>())
    for (mlir::Operation &op : function.getBody().front())
      if (auto graphOp = llvm::dyn_cast<graph::GraphOpInterface>(op); graphOp && graphOp.getFusionKind() != graph::FusionKind::Source)
        ++result.summary.ops;
  result.summary.states = llvm::range_size(module->getOps<graph::StateOp>());
}

void Compilation::countFusedOps() {
  for (auto function : module->getOps<mlir::func::FuncOp>())
    for (const Group &group : collectGroups(function))
      if (group.ops.size() > 1)
        result.summary.fusedOps += group.ops.size();
}

/// The kernels' code; a planted "codegen" bug is in the code only, so that the plan and the module know nothing of it.
llvm::Expected<codegen::TargetCode> Compilation::compileModule() {
  if (!isInCode(options.debugPlant))
    return codegen::compileKernels(*module, dims, cpuOptions);
  mlir::OwningOpRef<mlir::ModuleOp> wrong(mlir::cast<mlir::ModuleOp>((*module)->clone()));
  planted = plantBugInCode(*wrong, options.debugPlant);
  return codegen::compileKernels(*wrong, dims, cpuOptions);
}

llvm::Expected<CompileResult> Compilation::generate() {
  begin("Generating code");
  llvm::Expected<codegen::TargetCode> code = compileModule();
  if (!code)
    return withLog(code.takeError());
  if (!options.debugPlant.empty() && !planted)
    return failure(ExitStatus::Model, "--debug-plant " + options.debugPlant + ": there is nothing in the program to plant a bug in at that point");
  begin("Writing the artifact");
  codegen::PlanOptions planOptions;
  planOptions.model = llvm::sys::path::filename(options.name.empty() ? options.path : options.name).str();
  planOptions.entry = options.method;
  planOptions.numerics = options.strictNumerics ? "strict" : "default";
  llvm::Expected<codegen::BuiltPlan> built = codegen::buildPlan(*module, *code, dims, planOptions);
  if (!built)
    return withLog(built.takeError());
  ArtifactWriter writer;
  codegen::addToArtifact(*built, *code, writer);
  if (options.emit == Emit::Plan) {
    std::string text;
    llvm::raw_string_ostream os(text);
    codegen::printPlan(*built->plan, os);
    return finishText(std::move(text));
  }
  if (llvm::Error error = write(writer))
    return error;
  summarizeTargets(*code, *built->plan);
  result.report["kernels"] = describeKernels(*module, *code);
  result.report["decisions"] = decisions.take();
  finishPhase();
  return std::move(result);
}

llvm::Error Compilation::write(const ArtifactWriter &writer) {
  if (std::optional<std::string> error = writer.check())
    return failure(ExitStatus::Internal, "the artifact is not right: " + *error);
  std::optional<std::string> error;
  if (options.output.empty()) {
    error = writer.writeMemory([&](size_t size) {
      constexpr size_t page = 4096;
      result.artifact = std::shared_ptr<std::byte>(static_cast<std::byte *>(std::aligned_alloc(page, llvm::alignTo(size, page))), std::free);
      result.artifactBytes = size;
      return result.artifact.get();
    });
  } else {
    error = writer.writeFile(options.output);
    uint64_t size = 0;
    if (!error && !llvm::sys::fs::file_size(options.output, size))
      result.artifactBytes = size;
  }
  if (error)
    return failure(ExitStatus::Environment, *error);
  return llvm::Error::success();
}

llvm::Error Compilation::withLog(llvm::Error error) {
  std::string errors = log.takeErrors();
  if (errors.empty())
    return error;
  return failure(ExitStatus::Model, errors + "\n" + llvm::toString(std::move(error)));
}

void Compilation::summarizeTargets(const codegen::TargetCode &code, const plan::PlanT &plan) {
  std::set<std::pair<uint64_t, uint64_t>> places;
  for (const auto &constant : plan.constants)
    if (places.insert({constant->offset, constant->size}).second)
      result.summary.weightBytes += constant->size;
  result.summary.arenaBytes = arenaBytes(plan);
  for (const codegen::LevelImage &image : code.images)
    result.summary.targets.push_back({"cpu:" + image.level, int64_t(code.kernels.size()), int64_t(image.bytes.size()),
                                      result.summary.weightBytes, result.summary.arenaBytes});
}
