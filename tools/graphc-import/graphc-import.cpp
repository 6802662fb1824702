// graphc-import FILE [--method NAME] [--input SPEC …] [--bind NAME=VALUE …]: prints the graph dialect that a model file becomes.
//
// With `--run IN.npz=OUT.npz` (repeatable) it interprets the program instead, one run after the other with the state of the run
// before: inputs are in0, in1, … of the .npz, outputs are written as out0, out1, …. `--compiled IN.npz=OUT.npz` runs the compiled
// artifact likewise. `--batch FILE` does the same for many command lines in one process (Batch.h). For tests of GraphBuilder and for
// bug reports about a file. `--operators` lists the ATen operators that have a meaning. Exit status: 0 done, 1 the file is at fault, 2 wrong usage.
#include "frontend/GraphBuilder.h"
#include "frontend/ReadModel.h"
#include "frontend/builder/Value.h"
#include "ir/graph/Graph.h"
#include "ir/interpreter/Interpreter.h"
#include "ir/kernel/Kernel.h"
#include "ir/scalar/Scalar.h"
#include "tools/driver/InputSpec.h"
#include "tools/driver/Interpretable.h"
#include "tools/graphc-import/Batch.h"
#include "tools/graphc-import/CompiledRun.h"
#include "tools/npz/Npz.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AsmState.h"

using namespace graphc;

namespace {

int usage() {
  llvm::errs() << "usage: graphc-import FILE [--method NAME] [--input NAME=f32[1,B,…]]… [--bind NAME=VALUE]… [--locations]\n"
                  "                     [--run IN.npz=OUT.npz]… [--compiled IN.npz=OUT.npz]…\n"
                  "       graphc-import --batch FILE\n";
  return 2;
}

int fail(llvm::Error error, int status) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return status;
}

frontend::InputSpec convert(const driver::InputSpec &spec) {
  frontend::InputSpec result{spec.name, spec.dtype, {}};
  for (const driver::DimSpec &dim : spec.dims)
    result.dims.push_back({dim.value, dim.symbol, dim.min, dim.max});
  return result;
}

struct Arguments {
  std::string path;
  frontend::ReadOptions read;
  std::vector<driver::InputSpec> inputs;
  std::vector<driver::BindSpec> binds;
  std::vector<std::pair<std::string, std::string>> runs, compiled; // .npz in and out
  bool locations = false;
};

/// 0, or the exit status.
int parse(const std::vector<std::string> &words, Arguments &arguments) {
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef argument = words[i];
    bool more = i + 1 < words.size();
    if (argument == "--method" && more) {
      arguments.read.method = words[++i];
    } else if (argument == "--input" && more) {
      llvm::Expected<driver::InputSpec> spec = driver::parseInputSpec(words[++i]);
      if (!spec)
        return fail(spec.takeError(), 2);
      arguments.inputs.push_back(*spec);
    } else if (argument == "--bind" && more) {
      llvm::Expected<driver::BindSpec> spec = driver::parseBindSpec(words[++i]);
      if (!spec)
        return fail(spec.takeError(), 2);
      arguments.binds.push_back(*spec);
    } else if ((argument == "--run" || argument == "--compiled") && more) {
      auto [in, out] = llvm::StringRef(words[++i]).split('=');
      (argument == "--run" ? arguments.runs : arguments.compiled).emplace_back(in.str(), out.str());
    } else if (argument == "--locations") {
      arguments.locations = true;
    } else if (argument.starts_with("-") || !arguments.path.empty()) {
      return usage();
    } else {
      arguments.path = argument.str();
    }
  }
  return arguments.path.empty() ? usage() : 0;
}

llvm::Expected<interpreter::Tensor> inputTensor(mlir::Type type, const npz::Array &array, const std::string &name) {
  mlir::Type element = mlir::cast<mlir::RankedTensorType>(type).getElementType();
  frontend::ScalarType dtype = frontend::builder::scalarType(element);
  llvm::Expected<npz::Array> converted = npz::convert(array, dtype, name);
  if (!converted)
    return converted.takeError();
  return interpreter::fromBytes(element, converted->shape, converted->data);
}

/// One run of `func` on the arrays of `in`; the results go to `out`.
llvm::Error interpret(interpreter::Interpreter &machine, mlir::func::FuncOp func, const std::string &in, const std::string &out) {
  llvm::Expected<std::vector<npz::NamedArray>> arrays = npz::readNpz(in);
  if (!arrays)
    return arrays.takeError();
  std::vector<interpreter::Tensor> inputs;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    std::string name = "in" + std::to_string(i);
    for (const npz::NamedArray &array : *arrays) {
      if (array.name != name)
        continue;
      llvm::Expected<interpreter::Tensor> tensor = inputTensor(func.getArgumentTypes()[i], array.array, name);
      if (!tensor)
        return tensor.takeError();
      inputs.push_back(std::move(*tensor));
    }
  }
  llvm::Expected<std::vector<interpreter::Tensor>> results = machine.run(func, std::move(inputs));
  if (!results)
    return results.takeError();
  std::vector<npz::NamedArray> outputs;
  for (auto [i, tensor] : llvm::enumerate(*results)) {
    auto input = func.getResultAttrOfType<mlir::IntegerAttr>(i, graph::writesInputAttrName);
    outputs.push_back({input ? "in" + std::to_string(input.getInt()) : "out" + std::to_string(i),
                       {frontend::builder::scalarType(tensor.elementType()), {tensor.sizes.begin(), tensor.sizes.end()}, interpreter::toBytes(tensor)}});
  }
  return npz::writeNpz(out, outputs);
}

int interpretAll(mlir::ModuleOp module, const Arguments &arguments) {
  mlir::OwningOpRef<mlir::ModuleOp> program = driver::makeInterpretable(module);
  std::vector<mlir::func::FuncOp> variants(program->getOps<mlir::func::FuncOp>().begin(), program->getOps<mlir::func::FuncOp>().end());
  interpreter::Interpreter machine(*program);
  size_t variant = 0;
  for (const auto &[in, out] : arguments.runs) {
    if (llvm::Error error = interpret(machine, variants[variant], in, out))
      return fail(std::move(error), 1);
    if (auto next = variants[variant]->getAttrOfType<mlir::IntegerAttr>("graph.next"))
      variant = size_t(next.getInt());
  }
  return 0;
}

llvm::Error runCompiled(const Arguments &arguments) {
  driver::CompileOptions options;
  options.path = arguments.path;
  options.method = arguments.read.method;
  options.inputs = arguments.inputs;
  options.binds = arguments.binds;
  return compiledRuns(options, arguments.compiled);
}

/// The graph dialect: interpreted where runs are asked for, printed otherwise.
int importFile(const Arguments &arguments) {
  llvm::Expected<frontend::SourceGraph> source = frontend::readModel(arguments.path, arguments.read);
  if (!source)
    return fail(source.takeError(), 1);
  frontend::BuildOptions options;
  for (const driver::InputSpec &spec : arguments.inputs)
    options.inputs.push_back(convert(spec));
  for (const driver::BindSpec &bind : arguments.binds)
    options.binds.push_back({bind.name, bind.text});
  mlir::MLIRContext context;
  context.loadDialect<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, mlir::func::FuncDialect>();
  llvm::Expected<frontend::BuiltGraph> built = frontend::buildGraph(context, *source, options);
  if (!built)
    return fail(built.takeError(), 1);
  for (const std::string &note : built->notes)
    llvm::errs() << "note: " << note << "\n";
  if (!arguments.runs.empty())
    return interpretAll(*built->module, arguments);
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
  if (arguments.locations)
    flags.enableDebugInfo(true);
  built->module->print(llvm::outs(), flags);
  return 0;
}

int run(const std::vector<std::string> &words) {
  Arguments arguments;
  if (int status = parse(words, arguments))
    return status;
  if (llvm::Error error = driver::unifySymbols(arguments.inputs))
    return fail(std::move(error), 2);
  if (arguments.compiled.empty() || !arguments.runs.empty())
    if (int status = importFile(arguments))
      return status;
  if (arguments.compiled.empty())
    return 0;
  llvm::Error error = runCompiled(arguments);
  return error ? fail(std::move(error), 1) : 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--operators") {
    for (const std::string &name : frontend::supportedOperators())
      llvm::outs() << name << "\n";
    return 0;
  }
  if (words.size() == 2 && words[0] == "--batch")
    return runBatch(words[1], run);
  return run(words);
}
