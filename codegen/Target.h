// What a code generator takes and gives, the same for every target. Input: a module with kernel.funcs and the dims table that
// the plan builder fills too. Output: machine code for every level of the target, and for every kernel where it starts and
// how many work units it has, ready for the plan (runtime/plan/Plan.fbs: Kernel, KernelLevel, Candidate).
//
//   codegen::DimsTable dims;
//   llvm::Expected<codegen::TargetCode> code = codegen::compileKernels(module, dims, codegen::CpuOptions());
//   for (const codegen::KernelCode &kernel : code->kernels)
//     plan.addKernel(kernel.name, kernel.levels[0].candidates[0].entry, dims.getIndex(kernel.levels[0].candidates[0].units));
#ifndef GRAPHC_CODEGEN_TARGET_H
#define GRAPHC_CODEGEN_TARGET_H

#include "ir/graph/Dim.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphc::codegen {

/// The expressions that a run evaluates once into `graphc_kernel_args::dims`. Kernels and plan share one table; entries are
/// only ever appended, so an index stays good. Constants get an entry only where somebody asks for their index.
class DimsTable {
public:
  /// The place of `dim`, appended when it is new.
  unsigned getIndex(graph::DimAttr dim);
  llvm::ArrayRef<graph::DimAttr> getDims() const { return dims; }

private:
  llvm::SmallVector<graph::DimAttr> dims;
  llvm::DenseMap<graph::DimAttr, unsigned> indices;
};

/// One schedule of one kernel, compiled for one level.
struct CandidateCode {
  std::string schedule;        ///< for reports and the tuner: "spmd inner w16", "tile 12x32"
  uint64_t entry = 0;          ///< offset of the function in the level's image
  graph::DimAttr units;        ///< number of work units of a launch
  graph::DimAttr chunk;        ///< units that a worker takes at once (a few microseconds of work)
  graph::DimAttr scratchBytes; ///< per worker; the constant 0 where none is needed
};

struct LevelCode {
  std::vector<CandidateCode> candidates; ///< best guess first, at least one
};

struct KernelCode {
  std::string name;              ///< of the kernel.func
  std::string hash;              ///< of the kernel.func without its name (hex), the key for tuning; equal kernels share code
  std::vector<LevelCode> levels; ///< in the order of TargetCode::images
  graph::DimAttr flops, bytes;   ///< floor of the work of one launch: arithmetic, bytes read and written once
  graph::DimAttr costNs;         ///< estimated time of one launch on one thread
  uint32_t servicesUsed = 0;     ///< entries of graphc_services the runtime must have (last one used, plus 1)
};

/// The linked code of one level; for a CPU an ELF image as runtime/plan/CodeImage.h reads it.
struct LevelImage {
  std::string level; ///< "x86-64-v4"
  std::vector<std::byte> bytes;
};

struct TargetCode {
  std::vector<LevelImage> images;
  std::vector<KernelCode> kernels; ///< one a kernel.func, in module order
};

struct CpuOptions {
  std::vector<std::string> levels = {"x86-64-v3", "x86-64-v4"};
  std::string dumpDir;  ///< LLVM IR and assembly of every level go here; empty: nowhere
  unsigned threads = 2; ///< compile threads; the bytes of the result don't depend on it
};

/// Compiles every kernel.func of `module` for the CPU. Fails on a kernel that no generator covers (the error names it and
/// its location) and on an unknown level. An image that isn't self-contained is an internal error.
llvm::Expected<TargetCode> compileKernels(mlir::ModuleOp module, DimsTable &dims, const CpuOptions &options);

enum class CpuText { Llvm, Asm };
/// Prints what compileKernels would compile, for `--emit llvm` and `--emit asm`, one level after the other.
llvm::Error emitKernelText(mlir::ModuleOp module, DimsTable &dims, const CpuOptions &options, CpuText kind,
                           llvm::raw_ostream &os);

} // namespace graphc::codegen

#endif // GRAPHC_CODEGEN_TARGET_H
