// The CPU target of codegen/Target.h: generates every kernel once per level, compiles the modules on a few threads, links one image a level and looks
// up where each kernel starts.
#include "codegen/Target.h"
#include "codegen/cpu/Backend.h"
#include "codegen/cpu/KernelGenerators.h"
#include "ir/support/Check.h"
#include "ir/support/InternalError.h"
#include "ir/support/Location.h"
#include "runtime/plan/CodeImage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;

namespace {

/// Kernels of one LLVM module; more modules than threads keep both busy to the end.
constexpr size_t kernelsPerModule = 12;

/// Of everything but the name.
std::string hashKernel(kernel::FuncOp func) {
  std::string text;
  llvm::raw_string_ostream os(text);
  func->print(os);
  std::string name = "@" + func.getSymName().str();
  if (size_t at = text.find(name); at != std::string::npos)
    text.erase(at, name.size());
  std::array<uint8_t, 32> digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(llvm::ArrayRef(digest).take_front(16), /*LowerCase=*/true);
}

/// Bytes of all operands, each counted once.
DimAttr bytesOf(kernel::FuncOp func) {
  DimAttr total = DimAttr::constant(func.getContext(), 0);
  for (unsigned i = 0; i < func.getNumInputs() + func.getNumOutputs(); ++i) {
    auto type = llvm::cast<mlir::RankedTensorType>(func.getBody().getArgument(i).getType());
    int64_t bytes = (type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
    total = total + graph::getNumElements(type) * DimAttr::constant(func.getContext(), bytes);
  }
  return total;
}

/// One module: what was generated into it and, after `compile`, its object or text.
struct Unit {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<Backend> backend;
  std::string text; // LLVM IR, where asked for
  llvm::SmallVector<char, 0> object, assembly;
};

struct UniqueKernel {
  kernel::FuncOp func;
  std::string hash;
  std::vector<GeneratedKernel> levels;
  uint32_t servicesUsed = 0;
};

class Compilation {
public:
  Compilation(mlir::ModuleOp module, codegen::DimsTable &dims, const codegen::CpuOptions &options) : dims(dims), options(options) {
    llvm::StringMap<size_t> seen;
    for (kernel::FuncOp func : module.getOps<kernel::FuncOp>()) {
      std::string hash = hashKernel(func);
      auto [it, isNew] = seen.try_emplace(hash, kernels.size());
      if (isNew)
        kernels.push_back({func, hash, {}, 0});
      order.emplace_back(func, it->second);
    }
  }

  llvm::Error generate(const Level &level) {
    std::vector<Unit> units;
    for (size_t first = 0; first < kernels.size(); first += kernelsPerModule) {
      Unit &unit = units.emplace_back();
      unit.context = std::make_unique<llvm::LLVMContext>();
      unit.module = std::make_unique<llvm::Module>("kernels" + std::to_string(first / kernelsPerModule), *unit.context);
      unit.backend = std::make_unique<Backend>(level);
      unit.backend->prepare(*unit.module);
      for (UniqueKernel &kernel : llvm::MutableArrayRef(kernels).slice(first, std::min(kernelsPerModule, kernels.size() - first)))
        if (llvm::Error error = generate(kernel, level, *unit.module))
          return error;
    }
    levels.push_back({level, std::move(units)});
    return llvm::Error::success();
  }

  /// Compiles all modules; `text` asks for IR and assembly beside the objects.
  void compile(bool text) {
    std::vector<Unit *> work;
    for (auto &[level, units] : levels)
      for (Unit &unit : units)
        work.push_back(&unit);
    std::atomic<size_t> next = 0;
    std::exception_ptr thrown; // what a failed check throws where graphc is a library
    std::mutex mutex;
    auto run = [&, isLibrary = InternalErrorScope::isOpen()] {
      std::optional<InternalErrorScope> scope;
      if (isLibrary)
        scope.emplace();
      try {
        for (size_t i; (i = next++) < work.size();)
          compileUnit(*work[i], text);
      } catch (...) {
        std::lock_guard lock(mutex);
        thrown = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options.threads && i < work.size(); ++i)
      threads.emplace_back(run);
    run();
    for (std::thread &thread : threads)
      thread.join();
    if (thrown)
      std::rethrow_exception(thrown);
  }

  llvm::Expected<codegen::TargetCode> link() {
    codegen::TargetCode code;
    for (auto &[level, units] : levels) {
      llvm::SmallVector<llvm::SmallVector<char, 0>> objects;
      for (Unit &unit : units)
        objects.push_back(std::move(unit.object));
      code.images.push_back({level.name, {}});
      if (objects.empty())
        continue;
      llvm::Expected<std::vector<std::byte>> image = linkImage(objects);
      if (!image)
        return image.takeError();
      code.images.back().bytes = std::move(*image);
    }
    for (auto &[func, index] : order)
      code.kernels.push_back(describe(func, kernels[index]));
    for (auto [l, image] : llvm::enumerate(code.images))
      findEntries(code, l, image);
    return code;
  }

  void print(codegen::CpuText kind, llvm::raw_ostream &os) {
    for (auto &[level, units] : levels) {
      os << (kind == codegen::CpuText::Llvm ? "; " : "# ") << "level " << level.name << "\n";
      for (Unit &unit : units)
        os << (kind == codegen::CpuText::Llvm ? llvm::StringRef(unit.text) : llvm::StringRef(unit.assembly.data(), unit.assembly.size())) << "\n";
    }
  }

  llvm::Error dump() {
    if (std::error_code error = llvm::sys::fs::create_directories(options.dumpDir))
      return llvm::createStringError(error, "cannot make the folder '" + options.dumpDir + "': " + error.message());
    for (auto &[level, units] : levels)
      for (auto [i, unit] : llvm::enumerate(units)) {
        std::string stem = options.dumpDir + "/" + level.name + "-" + std::to_string(i);
        if (llvm::Error error = write(stem + ".ll", unit.text))
          return error;
        if (llvm::Error error = write(stem + ".s", llvm::StringRef(unit.assembly.data(), unit.assembly.size())))
          return error;
      }
    return llvm::Error::success();
  }

private:
  llvm::Error generate(UniqueKernel &kernel, const Level &level, llvm::Module &module) {
    FunctionBuilder f(module, level, dims, kernel.func.getSymName());
    if (kernel.func.getRoot() == kernel::FuncOp::Root::Contraction) {
      llvm::Expected<GeneratedKernel> generated = generateContraction(kernel.func, f);
      if (!generated)
        return llvm::createStringError(describeLocation(kernel.func.getLoc()) + ": kernel '" + kernel.func.getSymName().str() +
                                       "': " + llvm::toString(generated.takeError()));
      kernel.levels.push_back(*generated);
    } else {
      std::optional<GeneratedKernel> depthwise = generateDepthwise(kernel.func, f);
      kernel.levels.push_back(depthwise ? *depthwise : generateSpmd(kernel.func, f));
    }
    kernel.servicesUsed = std::max(kernel.servicesUsed, f.getServicesUsed());
    return llvm::Error::success();
  }

  void compileUnit(Unit &unit, bool text) {
    unit.backend->optimize(*unit.module);
    if (text) {
      llvm::raw_string_ostream(unit.text) << *unit.module;
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*unit.module);
      unit.assembly = unit.backend->emit(*copy, llvm::CodeGenFileType::AssemblyFile);
    }
    unit.object = unit.backend->emit(*unit.module, llvm::CodeGenFileType::ObjectFile);
  }

  codegen::KernelCode describe(kernel::FuncOp func, const UniqueKernel &unique) {
    codegen::KernelCode code;
    code.name = func.getSymName().str();
    code.hash = unique.hash;
    code.servicesUsed = unique.servicesUsed;
    code.bytes = bytesOf(func);
    code.flops = unique.levels.back().flops;
    code.costNs = unique.levels.back().costNs;
    for (const GeneratedKernel &level : unique.levels)
      code.levels.push_back({{{level.schedule, 0, level.units, level.chunk, level.scratchBytes}}});
    return code;
  }

  void findEntries(codegen::TargetCode &code, size_t level, const codegen::LevelImage &image) {
    if (image.bytes.empty())
      return;
    std::string error;
    std::optional<CodeImage> elf = CodeImage::parse(image.bytes, error);
    GRAPHC_CHECK(elf, error.c_str());
    for (auto [i, item] : llvm::enumerate(order)) {
      std::optional<uint64_t> entry = elf->findFunction(kernels[item.second].func.getSymName());
      GRAPHC_CHECK(entry, "a kernel is missing in its image");
      code.kernels[i].levels[level].candidates[0].entry = *entry;
    }
  }

  llvm::Error write(const std::string &path, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (!error)
      os << text;
    return error ? llvm::createStringError(error, "cannot write '" + path + "': " + error.message()) : llvm::Error::success();
  }

  codegen::DimsTable &dims;
  const codegen::CpuOptions &options;
  std::vector<UniqueKernel> kernels;
  std::vector<std::pair<kernel::FuncOp, size_t>> order; // every kernel.func and its unique kernel
  std::vector<std::pair<Level, std::vector<Unit>>> levels;
};

llvm::Error generateAll(Compilation &compilation, const codegen::CpuOptions &options) {
  for (const std::string &name : options.levels) {
    std::optional<Level> level = findLevel(name);
    if (!level)
      return llvm::createStringError("unknown CPU level '" + name + "': expected x86-64-v3 or x86-64-v4");
    if (llvm::Error error = compilation.generate(*level))
      return error;
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<codegen::TargetCode> codegen::compileKernels(mlir::ModuleOp module, DimsTable &dims, const CpuOptions &options) {
  Compilation compilation(module, dims, options);
  if (llvm::Error error = generateAll(compilation, options))
    return error;
  compilation.compile(!options.dumpDir.empty());
  if (!options.dumpDir.empty())
    if (llvm::Error error = compilation.dump())
      return error;
  return compilation.link();
}

llvm::Error codegen::emitKernelText(mlir::ModuleOp module, DimsTable &dims, const CpuOptions &options, CpuText kind,
                                    llvm::raw_ostream &os) {
  Compilation compilation(module, dims, options);
  if (llvm::Error error = generateAll(compilation, options))
    return error;
  compilation.compile(true);
  compilation.print(kind, os);
  return llvm::Error::success();
}
