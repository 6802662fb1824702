// Measures the error bounds of the scalar op table (ir/scalar/ScalarOps.td): every function on floats, in the interpreter and as the CPU backend emits it for each
// level that this machine runs, against long double.
//
// 16-bit types: every input of a unary function. f32 and f64: edge values, all magnitudes, and a dense sample of where functions change. An error is
// |y - r| in units in the last place of the exact r; NaN, infinities and the sign of an exact zero must agree. A 16-bit result is f32's, rounded once more: half
// a unit of its own on top of the bound for f32.
//
// An op of the dialect that is neither measured nor listed as one without rounding fails the test.
#include "test/accuracy/Samples.h"
#include "ir/interpreter/KernelInterpreter.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/loader/LoadedCode.h"
#include "tools/graphc-kernel-run/LevelRun.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <set>

using namespace graphc;
using namespace graphc::accuracy;
using interpreter::Precision;
using interpreter::Tensor;

namespace {

using Unary = long double (*)(long double);
using Binary = long double (*)(long double, long double);

/// What an op computes, exactly but for long double's own error (about 2^-11 ulp of f64).
struct Function {
  Unary unary = nullptr;
  Binary binary = nullptr;
  bool anyZero = false; // the table leaves the sign of a zero open
};

const std::map<std::string, Function> &functions() {
  using L = long double;
  static const std::map<std::string, Function> all = {
      {"abs", {fabsl}},
      {"neg", {[](L x) { return -x; }}},
      {"sqrt", {sqrtl}},
      {"rsqrt", {[](L x) { return 1 / sqrtl(x); }}},
      {"floor", {floorl}},
      {"ceil", {ceill}},
      {"trunc", {truncl}},
      {"round_even", {nearbyintl}},
      {"exp", {expl}},
      {"exp2", {exp2l}},
      {"expm1", {expm1l}},
      {"log", {logl}},
      {"log2", {log2l}},
      {"log10", {log10l}},
      {"log1p", {log1pl}},
      {"sin", {sinl}},
      {"cos", {cosl}},
      {"tan", {tanl}},
      {"asin", {asinl}},
      {"acos", {acosl}},
      {"atan", {atanl}},
      {"sinh", {sinhl}},
      {"cosh", {coshl}},
      {"tanh", {tanhl}},
      {"asinh", {asinhl}},
      {"acosh", {acoshl}},
      {"atanh", {atanhl}},
      {"erf", {erfl}},
      {"erfc", {erfcl}},
      {"add", {nullptr, [](L x, L y) { return x + y; }}},
      {"sub", {nullptr, [](L x, L y) { return x - y; }}},
      {"mul", {nullptr, [](L x, L y) { return x * y; }}},
      {"div", {nullptr, [](L x, L y) { return x / y; }}},
      {"fmod", {nullptr, fmodl}},
      {"max", {nullptr, [](L x, L y) { return std::isnan(x) ? x : std::isnan(y) ? y : std::max(x, y); }, true}},
      {"min", {nullptr, [](L x, L y) { return std::isnan(x) ? x : std::isnan(y) ? y : std::min(x, y); }, true}},
      {"pow", {nullptr, powl}},
      {"atan2", {nullptr, atan2l}},
      {"copysign", {nullptr, copysignl}},
  };
  return all;
}

/// Ops that don't round: on integers alone, or a choice among values. Casts: casts.test, bit by bit.
const std::set<std::string> &exactOps() {
  static const std::set<std::string> ops = {"constant", "cast", "select", "compare", "int_div", "int_floor_div", "int_rem",
                                            "and",      "or",   "xor",    "shl",     "shr"};
  return ops;
}

struct Bound {
  const char *op;
  double f32, f64; // ulp
};
constexpr Bound table[] = {
#include "bounds.inc"
};

double tableBound(const std::string &op, mlir::Type type) {
  const Bound *found = llvm::find_if(table, [&](const Bound &bound) { return op == bound.op; });
  return found == std::end(table) ? 0 : type.isF64() ? found->f64 : found->f32;
}

/// Beyond the bound for what long double itself is off by.
constexpr double referenceError = 0.002;

class AccuracyTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    context.loadDialect<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect>();
    type = mlir::parseType(GetParam(), &context);
    format = Format::of(type);
    is16Bit = scalar::computeType(type) != type;
  }

  /// "%r = scalar.exp %v0": loads, widens, computes, rounds, stores over [count].
  std::string kernelText(const std::string &name, const Function &function, size_t count) {
    std::string element = GetParam(), compute = is16Bit ? "f32" : element, text, operands;
    std::string tensor = "tensor<" + std::to_string(count) + "x" + element + ">";
    text = "kernel.func @" + name + "(%x0: " + tensor + (function.binary ? ", %x1: " + tensor : "") + ") outs(%y: " + tensor + ") grid(%i : <" +
           std::to_string(count) + ">) {\n";
    for (std::string i : function.binary ? std::vector<std::string>{"0", "1"} : std::vector<std::string>{"0"}) {
      text += "%l" + i + " = kernel.load %x" + i + "[affine_map<(d0) -> (d0)>](%i) : " + tensor + " -> " + element + "\n";
      text += is16Bit ? "%v" + i + " = scalar.cast %l" + i + " : " + element + " to f32\n" : "";
      operands += (operands.empty() ? "%" : ", %") + std::string(is16Bit ? "v" : "l") + i;
    }
    text += "%s = scalar." + name + " " + operands + " : " + compute + "\n";
    text += is16Bit ? "%r = scalar.cast %s : f32 to " + element + "\n" : "";
    return text + "kernel.store %" + (is16Bit ? "r" : "s") + ", %y[affine_map<(d0) -> (d0)>](%i) : " + element + ", " + tensor + "\n}\n";
  }

  double bound(const std::string &name) {
    mlir::Type compute = scalar::computeType(type);
    double ulps = tableBound(name, compute);
    return is16Bit ? 0.5 + ulps * Format::of(compute).epsilon / format.epsilon : ulps;
  }

  /// Fails where `y` is further from the reference than the bound; says where it is furthest.
  void expectAccurate(const std::string &who, const std::string &name, const Function &function, llvm::ArrayRef<std::vector<double>> inputs,
                      llvm::ArrayRef<long double> reference, llvm::ArrayRef<double> y) {
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < y.size(); ++i)
      if (double error = format.ulpError(y[i], reference[i], function.anyZero); error > worst)
        worst = error, at = i;
    EXPECT_LE(worst, bound(name) + referenceError)
        << who << ": " << name << " on " << GetParam() << " is " << worst << " ulp off for " << llvm::formatv("{0:e}", inputs[0][at]).str()
        << (function.binary ? llvm::formatv(", {0:e}", inputs[1][at]).str() : "") << ": " << llvm::formatv("{0:e}", y[at]).str() << ", expected "
        << llvm::formatv("{0:e}", double(reference[at])).str();
    if (std::getenv("GRAPHC_SHOW_ERRORS"))
      llvm::outs() << llvm::formatv("{0,-12} {1,-10} {2,-5} {3:f3} of {4:f3} ulp at {5:e}\n", who, name, GetParam(), worst, bound(name), inputs[0][at]);
  }

  mlir::MLIRContext context;
  mlir::Type type;
  Format format;
  bool is16Bit = false;
};

TEST_P(AccuracyTest, BoundsOfTheTableHold) {
  struct Case {
    std::string name;
    const Function *function;
    std::vector<std::vector<double>> inputs;
    std::vector<long double> reference;
  };
  std::vector<Case> cases;
  std::string text;
  for (const auto &[name, function] : functions()) {
    Case one{name, &function, function.binary ? binarySamples(format) : unarySamples(format), {}};
    for (size_t i = 0; i < one.inputs[0].size(); ++i)
      one.reference.push_back(function.binary ? function.binary(one.inputs[0][i], one.inputs[1][i]) : function.unary(one.inputs[0][i]));
    text += kernelText(name, function, one.inputs[0].size());
    cases.push_back(std::move(one));
  }
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  codegen::DimsTable dims;
  llvm::Expected<codegen::TargetCode> code = codegen::compileKernels(*module, dims, codegen::CpuOptions());
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  llvm::StringMap<int64_t> noSymbols;
  std::vector<std::unique_ptr<runtime::LoadedCode>> images;
  for (codegen::LevelImage &image : code->images) {
    std::string error;
    bool runs = runtime::missingFeatures(image.level).empty();
    images.push_back(runs ? std::make_unique<runtime::LoadedCode>(*CodeImage::parse(image.bytes, error), image.level) : nullptr);
  }
  for (auto [one, func, compiled] : llvm::zip(cases, module->getOps<kernel::FuncOp>(), code->kernels)) {
    std::vector<Tensor> inputs;
    std::vector<const Tensor *> pointers;
    for (const std::vector<double> &values : one.inputs) {
      inputs.emplace_back(type, llvm::ArrayRef<int64_t>(int64_t(values.size()))).elements.floats = values;
    }
    for (const Tensor &tensor : inputs)
      pointers.push_back(&tensor);
    llvm::Expected<std::vector<Tensor>> interpreted = interpreter::interpretKernel(func, pointers, noSymbols, Precision::Default);
    ASSERT_TRUE(bool(interpreted)) << llvm::toString(interpreted.takeError());
    expectAccurate("interpreter", one.name, *one.function, one.inputs, one.reference, (*interpreted)[0].elements.floats);
    for (auto [level, image] : llvm::enumerate(images)) {
      if (!image)
        continue;
      const codegen::CandidateCode &candidate = compiled.levels[level].candidates[0];
      tools::Launch launch{image->kernel(candidate.entry), &candidate, func, dims.getDims(), &noSymbols};
      tools::LaunchResult result = tools::launch(launch, inputs, 0, false, 1);
      expectAccurate(code->images[level].level, one.name, *one.function, one.inputs, one.reference, result.outputs[0].elements.floats);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AccuracyTest, testing::Values("f16", "bf16", "f32", "f64"), [](const auto &info) { return std::string(info.param); });

TEST(AccuracyTable, EveryOpIsMeasuredOrExact) {
  for (const Bound &bound : table)
    EXPECT_TRUE(functions().count(bound.op) || exactOps().count(bound.op)) << "nothing measures scalar." << bound.op;
  for (const auto &[name, function] : functions())
    EXPECT_TRUE(llvm::any_of(table, [&, op = name](const Bound &bound) { return op == bound.op; })) << "the dialect has no scalar." << name;
}

} // namespace
