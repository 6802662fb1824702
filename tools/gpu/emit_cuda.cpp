// graphc-emit-cuda: kernel.funcs as CUDA C++, for tests, for people who look, and as bundles to run on a GPU.
//
//   graphc-emit-cuda kernels.mlir                     the program, with a comment per kernel on how it is launched
//   graphc-emit-cuda kernels.mlir --host FILE         the same as an include for the emulator test, with a table of kernels
//   graphc-emit-cuda kernels.mlir --bundle FOLDER     random inputs and what the interpreter makes of them (Bundle.h)
//   graphc-emit-cuda kernels.mlir --cubins FOLDER     and a cubin per architecture, for the same folder
//   --dims B=3,T=7    values of symbolic dims: one case for each time it is given
//
// A case is what the module's func.func launches (its arguments and parameters are random), or, without one, every kernel on
// inputs of its own. "-" reads the module from standard input.
#include "mlir/IR/PatternMatch.h" // before the dialects: their generated classes name its types

#include "codegen/cuda/CudaEmitter.h"
#include "codegen/cuda/Nvrtc.h"
#include "ir/interpreter/KernelInterpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>
#include <iostream>
#include <random>

using namespace mlir;
using namespace graphc;
using graph::DimAttr;
using interpreter::Tensor;

namespace {

struct Options {
  std::string input, host, bundle, cubins;
  std::vector<llvm::StringMap<int64_t>> cases;
};

[[noreturn]] void quit(int status, const std::string &text) {
  llvm::errs() << "graphc-emit-cuda: " << text << "\n";
  std::exit(status);
}

llvm::StringMap<int64_t> parseDims(llvm::StringRef text) {
  llvm::StringMap<int64_t> dims;
  for (llvm::StringRef part : llvm::split(text, ",")) {
    auto [name, value] = part.split('=');
    int64_t number = 0;
    if (name.empty() || value.getAsInteger(10, number))
      quit(2, "--dims takes NAME=VALUE,…, found '" + part.str() + "'");
    dims[name] = number;
  }
  return dims;
}

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool takesValue = word == "--host" || word == "--bundle" || word == "--cubins" || word == "--dims";
    if (takesValue && ++i == argc)
      quit(2, word + " needs a value");
    if (word == "--host")
      options.host = argv[i];
    else if (word == "--bundle")
      options.bundle = argv[i];
    else if (word == "--cubins")
      options.cubins = argv[i];
    else if (word == "--dims")
      options.cases.push_back(parseDims(argv[i]));
    else if (word.rfind("--", 0) == 0 || !options.input.empty())
      quit(2, "unexpected argument '" + word + "'");
    else
      options.input = word;
  }
  if (options.input.empty())
    quit(2, "no input file");
  if (options.cases.empty())
    options.cases.emplace_back();
  return options;
}

/// The dims tables are by kernel here: slots in order of first use.
struct Emitted {
  kernel::FuncOp func;
  cuda::CudaKernel kernel;
  SmallVector<DimAttr> dims;
};

std::vector<Emitted> emitAll(ModuleOp module) {
  std::vector<Emitted> all;
  for (auto func : module.getOps<kernel::FuncOp>()) {
    Emitted one;
    one.func = func;
    cuda::EmitOptions options;
    options.dimSlot = [&](DimAttr dim) {
      auto found = llvm::find(one.dims, dim);
      if (found == one.dims.end()) {
        one.dims.push_back(dim);
        return int(one.dims.size()) - 1;
      }
      return int(found - one.dims.begin());
    };
    FailureOr<cuda::CudaKernel> kernel = cuda::emitCudaKernel(func, options);
    if (failed(kernel))
      std::exit(1);
    one.kernel = *kernel;
    all.push_back(one);
  }
  return all;
}

std::string programOf(llvm::ArrayRef<Emitted> all) {
  std::vector<cuda::CudaKernel> kernels;
  for (const Emitted &one : all)
    kernels.push_back(one.kernel);
  return cuda::programText(kernels);
}

void writeFile(const std::string &path, llvm::StringRef content) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << content;
  file.close();
  if (error || file.has_error())
    quit(4, path + ": cannot be written");
}

void printProgram(llvm::ArrayRef<Emitted> all) {
  for (const Emitted &one : all) {
    const cuda::LaunchShape &launch = one.kernel.launch;
    llvm::outs() << "// " << one.kernel.name << ": " << one.kernel.strategy << "\n//   units";
    for (auto [extent, tile] : llvm::zip(launch.extents, launch.tile))
      llvm::outs() << " * ceil(" << extent.str() << " / " << tile << ")";
    llvm::outs() << ", " << launch.perBlock << " per block of " << launch.threads << " threads, " << launch.sharedBytes
                 << " bytes of shared memory, dims";
    for (DimAttr dim : one.dims)
      llvm::outs() << " " << dim.str();
    llvm::outs() << "\n";
  }
  llvm::outs() << programOf(all);
}

void writeHost(llvm::ArrayRef<Emitted> all, const std::string &path) {
  std::string text = programOf(all) + "\nconst std::vector<EmittedKernel> emittedKernels = {\n";
  for (const Emitted &one : all)
    text += "    {\"" + one.kernel.name + "\", " + one.kernel.name + "},\n";
  writeFile(path, text + "};\n");
}

//===-- bundles --------------------------------------------------------------------------===//

class BundleWriter {
public:
  BundleWriter(const std::string &folder, llvm::ArrayRef<Emitted> kernels) : folder(folder), kernels(kernels) {
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      quit(4, folder + ": " + error.message());
  }

  void addCase(ModuleOp module, const llvm::StringMap<int64_t> &dims);
  void finish() { writeFile(folder + "/bundle.txt", manifest); }

private:
  int addBuffer(RankedTensorType type, const Tensor &content, bool isInput);
  int addAlias(kernel::AliasOp op, int source);
  void runFunction(func::FuncOp function, ModuleOp module);
  SmallVector<int64_t> sizesOf(RankedTensorType type);
  Tensor randomTensor(RankedTensorType type);
  void runStep(kernel::FuncOp func, llvm::ArrayRef<int> inputs, llvm::SmallVectorImpl<int> &outputs);
  int64_t evaluate(DimAttr dim);

  std::string folder, name, manifest, steps, checks;
  llvm::ArrayRef<Emitted> kernels;
  llvm::StringMap<int64_t> symbols;
  std::vector<Tensor> tensors; ///< by buffer id
  std::vector<RankedTensorType> types;
  std::mt19937 generator{20240229};
  int caseCount = 0;
};

int64_t BundleWriter::evaluate(DimAttr dim) {
  std::optional<int64_t> value = dim.evaluate(symbols);
  if (!value)
    quit(1, "no value for '" + dim.str() + "': give --dims");
  return *value;
}

/// Calls `visit` with the place in logical and in physical order of every element.
void forEachElement(RankedTensorType type, llvm::ArrayRef<int64_t> sizes, llvm::function_ref<void(int64_t, int64_t)> visit) {
  const size_t rank = sizes.size();
  SmallVector<int64_t> stride(rank, 1), index(rank, 0);
  int64_t count = 1;
  SmallVector<int64_t> order = graph::getOrder(type);
  for (int64_t d : llvm::reverse(order)) {
    stride[d] = count;
    count *= sizes[d];
  }
  for (int64_t at = 0; at < count; ++at) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += index[d] * stride[d];
    visit(at, offset);
    for (size_t d = rank; d-- > 0 && ++index[d] == sizes[d];)
      index[d] = 0;
  }
}

/// The logical elements in the physical order of `type`.
std::vector<std::byte> physicalBytes(RankedTensorType type, const Tensor &tensor) {
  const std::vector<std::byte> logical = interpreter::toBytes(tensor);
  const size_t each = interpreter::elementBytes(tensor.elementType());
  std::vector<std::byte> result(logical.size());
  forEachElement(type, tensor.sizes, [&](int64_t at, int64_t offset) {
    std::copy_n(logical.begin() + at * each, each, result.begin() + offset * each);
  });
  return result;
}

Tensor fromPhysicalBytes(RankedTensorType type, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<std::byte> bytes) {
  const size_t each = interpreter::elementBytes(type.getElementType());
  std::vector<std::byte> logical(bytes.size());
  forEachElement(type, sizes, [&](int64_t at, int64_t offset) {
    std::copy_n(bytes.begin() + offset * each, each, logical.begin() + at * each);
  });
  return interpreter::fromBytes(type.getElementType(), sizes, logical);
}

std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

int BundleWriter::addBuffer(RankedTensorType type, const Tensor &content, bool isInput) {
  const int id = int(tensors.size());
  const std::vector<std::byte> bytes = physicalBytes(type, content);
  const std::string file = name + "." + std::to_string(id) + (isInput ? ".bin" : ".expected.bin");
  writeFile(folder + "/" + file, llvm::StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  manifest += "buffer " + std::to_string(id) + " " + typeName(type.getElementType()) + " " +
              std::to_string(content.numElements()) + " " + (isInput ? file : "-") + "\n";
  if (!isInput)
    checks += "check " + std::to_string(id) + " " + file + "\n";
  tensors.push_back(content);
  types.push_back(type);
  return id;
}

int BundleWriter::addAlias(kernel::AliasOp op, int source) {
  const int id = int(tensors.size());
  auto type = cast<RankedTensorType>(op.getType());
  const SmallVector<int64_t> sizes = sizesOf(type);
  const std::vector<std::byte> bytes = physicalBytes(types[source], tensors[source]);
  const size_t each = interpreter::elementBytes(type.getElementType());
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  tensors.push_back(fromPhysicalBytes(type, sizes, llvm::ArrayRef(bytes).slice(op.getOffset() * each, count * each)));
  types.push_back(type);
  manifest += "alias " + std::to_string(id) + " " + typeName(type.getElementType()) + " " + std::to_string(count) + " " +
              std::to_string(source) + " " + std::to_string(op.getOffset()) + "\n";
  return id;
}

SmallVector<int64_t> BundleWriter::sizesOf(RankedTensorType type) {
  return llvm::map_to_vector(graph::getDims(type), [&](DimAttr dim) { return evaluate(dim); });
}

/// Floats are normal, integers 0 … 4, so that they also serve as indices.
Tensor BundleWriter::randomTensor(RankedTensorType type) {
  Tensor tensor(type.getElementType(), sizesOf(type));
  std::normal_distribution<double> normal;
  for (double &value : tensor.elements.floats)
    value = interpreter::roundFloat(normal(generator), type.getElementType(), interpreter::Precision::Default);
  for (int64_t &value : tensor.elements.ints)
    value = interpreter::wrapInt(int64_t(generator() % 5), type.getElementType());
  return tensor;
}

void BundleWriter::runStep(kernel::FuncOp func, llvm::ArrayRef<int> inputs, llvm::SmallVectorImpl<int> &outputs) {
  std::vector<Tensor> copies;
  for (int id : inputs)
    copies.push_back(tensors[id]);
  std::vector<const Tensor *> arguments;
  for (const Tensor &tensor : copies)
    arguments.push_back(&tensor);
  llvm::Expected<std::vector<Tensor>> results =
      interpreter::interpretKernel(func, arguments, symbols, interpreter::Precision::Default);
  if (!results)
    quit(1, "interpreter: " + llvm::toString(results.takeError()));
  for (auto [type, tensor] : llvm::zip(func.getOutputTypes(), *results))
    outputs.push_back(addBuffer(cast<RankedTensorType>(cast<TypeAttr>(type).getValue()), tensor, false));
  const Emitted &one = *llvm::find_if(kernels, [&](const Emitted &e) { return e.func == func; });
  const int64_t blocks = one.kernel.launch.blocks([&](DimAttr dim) { return evaluate(dim); }, 1 << 16);
  steps += "step " + one.kernel.name + " " + std::to_string(blocks) + " " + std::to_string(one.kernel.launch.threads) + " " +
           std::to_string(one.kernel.launch.sharedBytes) + " dims " + std::to_string(one.dims.size());
  for (DimAttr dim : one.dims)
    steps += " " + std::to_string(evaluate(dim));
  steps += " buffers " + std::to_string(inputs.size() + outputs.size());
  for (int id : llvm::concat<const int>(inputs, llvm::ArrayRef<int>(outputs)))
    steps += " " + std::to_string(id);
  steps += "\n";
}

void BundleWriter::runFunction(func::FuncOp function, ModuleOp module) {
  llvm::DenseMap<Value, int> ids;
  auto addRandom = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    ids[value] = addBuffer(type, randomTensor(type), true);
  };
  for (BlockArgument argument : function.getArguments())
    addRandom(argument);
  for (Operation &op : function.getBody().front()) {
    if (isa<graph::GetOp>(op)) {
      addRandom(op.getResult(0));
    } else if (auto alias = dyn_cast<kernel::AliasOp>(op)) {
      ids[alias] = addAlias(alias, ids.lookup(alias.getSource()));
    } else if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
      SmallVector<int> inputs, outputs;
      for (Value input : launch.getInputs())
        inputs.push_back(ids.lookup(input));
      runStep(module.lookupSymbol<kernel::FuncOp>(launch.getKernel()), inputs, outputs);
      for (auto [result, id] : llvm::zip(launch.getOutputs(), outputs))
        ids[result] = id;
    } else if (!isa<func::ReturnOp>(op)) {
      quit(1, "a bundle cannot hold " + op.getName().getStringRef().str() + ": outline the function's kernels first");
    }
  }
}

void BundleWriter::addCase(ModuleOp module, const llvm::StringMap<int64_t> &dims) {
  symbols = dims;
  auto begin = [&](const std::string &what) {
    name = what + std::to_string(caseCount++);
    manifest += "case " + name + "\n";
    steps.clear();
    checks.clear();
    tensors.clear();
    types.clear();
  };
  bool any = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    begin(function.getSymName().str());
    runFunction(function, module);
    manifest += steps + checks;
    any = true;
  }
  if (any)
    return;
  for (const Emitted &one : kernels) {
    begin(one.kernel.name);
    SmallVector<int> inputs, outputs;
    for (Attribute type : const_cast<Emitted &>(one).func.getInputTypes()) {
      auto tensor = cast<RankedTensorType>(cast<TypeAttr>(type).getValue());
      inputs.push_back(addBuffer(tensor, randomTensor(tensor), true));
    }
    runStep(one.func, inputs, outputs);
    manifest += steps + checks;
  }
}

void writeCubins(llvm::ArrayRef<Emitted> all, const std::string &folder) {
  llvm::Expected<std::unique_ptr<cuda::Nvrtc>> nvrtc = cuda::Nvrtc::open(cuda::defaultDepsFolder());
  if (!nvrtc)
    quit(4, llvm::toString(nvrtc.takeError()));
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    quit(4, folder + ": " + error.message());
  std::string lines;
  for (const char *arch : {"sm_80", "sm_90a"}) {
    llvm::Expected<cuda::Cubin> cubin = (*nvrtc)->compile(programOf(all), arch);
    if (!cubin)
      quit(1, llvm::toString(cubin.takeError()));
    const std::string file = std::string("program.") + arch + ".cubin";
    writeFile(folder + "/" + file, cubin->image);
    lines += std::string("cubin ") + arch + " " + file + "\n";
    for (const cuda::KernelFacts &kernel : cubin->facts.kernels)
      llvm::outs() << arch << " " << kernel.name << ": " << kernel.registers << " registers, no spills\n";
  }
  std::ofstream manifest(folder + "/bundle.txt", std::ios::app);
  manifest << lines;
  if (!manifest.flush())
    quit(4, folder + "/bundle.txt: cannot be written");
}

} // namespace

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  DialectRegistry registry;
  registry.insert<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, func::FuncDialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(options.input, &context);
  if (!module)
    return 1;
  const std::vector<Emitted> kernels = emitAll(*module);
  if (!options.host.empty())
    writeHost(kernels, options.host);
  if (!options.bundle.empty()) {
    BundleWriter writer(options.bundle, kernels);
    for (const llvm::StringMap<int64_t> &dims : options.cases)
      writer.addCase(*module, dims);
    writer.finish();
  }
  if (!options.cubins.empty())
    writeCubins(kernels, options.cubins);
  if (options.host.empty() && options.bundle.empty() && options.cubins.empty())
    printProgram(kernels);
  return 0;
}
