// graphc-kernel-run FILE.mlir: compiles every kernel.func of a file for the CPU, runs it on seeded data and compares it with the interpreter; how the units are split
// must not change a bit. For tests, and for whoever writes a generator.
//
//   graphc-kernel-run softmax.mlir --symbol B=3           one line a kernel and level: schedule, largest error; exit 1 if one is wrong
//   graphc-kernel-run softmax.mlir --emit asm --level x86-64-v4
//   graphc-kernel-run softmax.mlir --bench                 time and GFLOP/s as well
#include "codegen/Target.h"
#include "ir/interpreter/KernelInterpreter.h"
#include "ir/kernel/Kernel.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/loader/LoadedCode.h"
#include "tools/graphc-kernel-run/LevelRun.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <cmath>
#include <random>

using namespace graphc;
using interpreter::Tensor;

namespace {

constexpr const char *usage = R"(usage: graphc-kernel-run FILE.mlir [options]
  --symbol NAME=VALUE   value of a symbolic dim (repeatable)
  --level LEVEL         x86-64-v3 or x86-64-v4 (repeatable); default: both, as far as this machine runs them
  --kernel NAME         only this kernel
  --emit llvm|asm       print it, run nothing
  --values KIND         normal, special (NaN, infinities, zeros of both signs mixed in) or wide (all magnitudes)
  --range N --low N     integers are drawn from [low, low + range); default 10 and 0
  --tolerance X         of |y - r| / (|r| + rms(r)); default 2e-6
  --seed N
  --expect-status       kernel and interpreter must both report a run-time error
  --bench               time it: fastest of some repetitions
)";

struct Options {
  std::string file, emit, only, values = "normal";
  std::vector<std::string> symbols, levels;
  int64_t range = 10, low = 0, seed = 1;
  double tolerance = 2e-6;
  bool bench = false, expectStatus = false;

  /// False where the command line is wrong.
  bool parse(llvm::ArrayRef<const char *> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      llvm::StringRef name = arguments[i];
      if (!name.starts_with("--")) {
        file = name;
        continue;
      }
      if (name == "--bench" || name == "--expect-status") {
        (name == "--bench" ? bench : expectStatus) = true;
        continue;
      }
      if (++i == arguments.size() || !set(name, arguments[i]))
        return false;
    }
    return !file.empty();
  }

private:
  bool set(llvm::StringRef name, llvm::StringRef value) {
    if (name == "--symbol" || name == "--level")
      (name == "--symbol" ? symbols : levels).push_back(value.str());
    else if (name == "--kernel" || name == "--emit" || name == "--values")
      (name == "--kernel" ? only : name == "--emit" ? emit : values) = value.str();
    else if (name == "--range" || name == "--low" || name == "--seed")
      return !value.getAsInteger(10, name == "--range" ? range : name == "--low" ? low : seed);
    else
      return name == "--tolerance" && !value.getAsDouble(tolerance);
    return true;
  }
};

class Run {
public:
  Run(mlir::ModuleOp module, Options &options) : module(module), options(options), random(options.seed) {
    for (const std::string &text : options.symbols) {
      auto [name, number] = llvm::StringRef(text).split('=');
      int64_t parsed = 0;
      if (number.getAsInteger(10, parsed))
        llvm::errs() << "--symbol takes NAME=VALUE, not '" << text << "'\n";
      symbols[name] = parsed;
    }
    compileOptions.levels.clear();
    for (const char *level : {"x86-64-v3", "x86-64-v4"})
      if (options.levels.empty() || llvm::is_contained(options.levels, level))
        compileOptions.levels.push_back(level);
  }

  int run() {
    if (!options.emit.empty())
      return report(codegen::emitKernelText(module, dims, compileOptions,
                                            options.emit == "asm" ? codegen::CpuText::Asm : codegen::CpuText::Llvm, llvm::outs()));
    llvm::Expected<codegen::TargetCode> code = codegen::compileKernels(module, dims, compileOptions);
    if (!code)
      return report(code.takeError());
    int failures = 0;
    for (auto [l, image] : llvm::enumerate(code->images)) {
      if (!runtime::missingFeatures(image.level).empty()) {
        llvm::outs() << image.level << ": not run, this machine lacks it\n";
        continue;
      }
      std::string error;
      std::optional<CodeImage> elf = CodeImage::parse(image.bytes, error);
      runtime::LoadedCode loaded(*elf, image.level);
      for (auto [func, kernel] : llvm::zip(module.getOps<kernel::FuncOp>(), code->kernels))
        if (options.only.empty() || options.only == kernel.name)
          failures += !check(func, kernel, image.level, loaded.kernel(kernel.levels[l].candidates[0].entry), kernel.levels[l].candidates[0]);
    }
    return failures ? 1 : 0;
  }

private:
  int report(llvm::Error error) {
    if (!error)
      return 0;
    llvm::errs() << "graphc-kernel-run: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }

  double drawFloat() {
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 1e-40};
    std::normal_distribution<double> normal;
    if (options.values == "special" && random() % 3 == 0)
      return specials[random() % std::size(specials)];
    if (options.values == "wide")
      return normal(random) * std::exp2(std::uniform_int_distribution<int>(-120, 120)(random));
    return normal(random);
  }

  std::vector<Tensor> drawInputs(kernel::FuncOp func) {
    std::vector<Tensor> inputs;
    random.seed(options.seed);
    for (unsigned i = 0; i < func.getNumInputs(); ++i) {
      auto type = llvm::cast<mlir::RankedTensorType>(func.getInput(i).getType());
      llvm::SmallVector<int64_t> sizes;
      for (graph::DimAttr dim : graph::getDims(type))
        sizes.push_back(dim.evaluate(symbols).value_or(0));
      Tensor tensor(type.getElementType(), sizes);
      for (double &value : tensor.elements.floats)
        value = interpreter::roundFloat(drawFloat(), type.getElementType(), interpreter::Precision::Default);
      for (int64_t &value : tensor.elements.ints)
        value = interpreter::wrapInt(int64_t(random() % options.range) + options.low, type.getElementType());
      inputs.push_back(std::move(tensor));
    }
    return inputs;
  }

  /// Largest |y - r| / (|r| + rms(r)); infinity where NaNs, infinities or integers differ.
  double distance(const Tensor &y, const Tensor &r) {
    if (!r.elements.isFloat())
      return y.elements.ints == r.elements.ints ? 0 : INFINITY;
    double squares = 0, worst = 0;
    int64_t finite = 0;
    for (double value : r.elements.floats)
      if (std::isfinite(value) && std::fabs(value) < 1e150)
        squares += value * value, ++finite;
    double rms = options.values == "normal" ? std::sqrt(squares / std::max<int64_t>(finite, 1)) : 1e-38;
    for (auto [a, b] : llvm::zip(y.elements.floats, r.elements.floats)) {
      if (std::isnan(a) && std::isnan(b))
        continue;
      if (a != b)
        worst = std::max(worst, std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) / (std::fabs(b) + rms) : INFINITY);
      if (std::isnan(a) != std::isnan(b))
        worst = INFINITY;
    }
    return worst;
  }

  static bool sameBits(const Tensor &a, const Tensor &b) { return interpreter::toBytes(a) == interpreter::toBytes(b); }

  void explain(const Tensor &y, const Tensor &r) {
    int shown = 0;
    for (int64_t i = 0; i < r.numElements() && shown < 6; ++i) {
      bool isFloat = r.elements.isFloat();
      double a = isFloat ? y.elements.floats[i] : double(y.elements.ints[i]), b = isFloat ? r.elements.floats[i] : double(r.elements.ints[i]);
      if ((std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= options.tolerance * std::fabs(b))
        continue;
      llvm::outs() << "    element " << i << ": " << llvm::format("%.9g, expected %.9g", a, b) << "\n";
      ++shown;
    }
  }

  bool check(kernel::FuncOp func, const codegen::KernelCode &kernel, const std::string &level, graphc_kernel entry,
             const codegen::CandidateCode &candidate) {
    std::vector<Tensor> inputs = drawInputs(func);
    tools::Launch launch{entry, &candidate, func, dims.getDims(), &symbols};
    tools::LaunchResult result = tools::launch(launch, inputs, 0, false, options.bench ? 20 : 1);
    std::string verdict = "ok";
    double worst = 0;
    if (!options.bench) {
      tools::LaunchResult pieces = tools::launch(launch, inputs, 1, true, 1), threes = tools::launch(launch, inputs, 3, false, 1);
      for (auto [a, b, c] : llvm::zip(result.outputs, pieces.outputs, threes.outputs))
        if (!sameBits(a, b) || !sameBits(a, c))
          verdict = "WRONG: splitting the units changes the result";
      worst = compare(func, inputs, result, verdict);
    }
    llvm::outs() << level << " " << kernel.name << ": " << verdict << " (" << candidate.schedule << ")";
    if (options.bench)
      llvm::outs() << llvm::format(" %.0f ns, %.1f GFLOP/s, %.1f GB/s", result.nanoseconds, evaluate(kernel.flops) / result.nanoseconds,
                                   evaluate(kernel.bytes) / result.nanoseconds);
    else
      llvm::outs() << llvm::format(" error %.2g", worst);
    llvm::outs() << "\n";
    return verdict == "ok";
  }

  double evaluate(graph::DimAttr dim) { return double(dim.evaluate(symbols).value_or(0)); }

  double compare(kernel::FuncOp func, llvm::ArrayRef<Tensor> inputs, const tools::LaunchResult &result, std::string &verdict) {
    llvm::SmallVector<const Tensor *> pointers;
    for (const Tensor &tensor : inputs)
      pointers.push_back(&tensor);
    auto expected = interpreter::interpretKernel(func, pointers, symbols, interpreter::Precision::Default);
    bool failed = result.status.step != -1;
    if (!expected) {
      std::string text = llvm::toString(expected.takeError());
      if (!options.expectStatus || !failed)
        verdict = "WRONG: the interpreter says '" + text + "', the kernel reports " + (failed ? "an error" : "nothing");
      return 0;
    }
    if (failed || options.expectStatus) {
      verdict = failed ? "WRONG: the kernel reports code " + std::to_string(result.status.code) + ", the interpreter nothing"
                       : "WRONG: no run-time error";
      return 0;
    }
    double worst = 0;
    for (auto [y, r] : llvm::zip(result.outputs, *expected)) {
      double error = distance(y, r);
      worst = std::max(worst, error);
      if (!(error <= options.tolerance)) {
        verdict = "WRONG";
        explain(y, r);
      }
    }
    return worst;
  }

  mlir::ModuleOp module;
  Options &options;
  std::mt19937_64 random;
  llvm::StringMap<int64_t> symbols;
  codegen::DimsTable dims;
  codegen::CpuOptions compileOptions;
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  if (!options.parse(llvm::ArrayRef(argv + 1, argv + argc))) {
    llvm::errs() << usage;
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, mlir::func::FuncDialect>(); // a whole module of --emit kernel is fine
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(options.file, &context);
  if (!module)
    return 1;
  return Run(*module, options).run();
}
