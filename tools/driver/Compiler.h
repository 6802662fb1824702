// The compiler as one call: a model file goes in, an artifact (or the text of one stage) comes out.
//
// This is all that the command line knows of the pipeline. Nothing here prints: progress goes to a callback, diagnostics and
// the summary come back in the result.
//
//   CompileOptions options;
//   options.path = "silero_vad.jit";
//   options.inputs = {*parseInputSpec("x=f32[1,512]")};
//   options.binds = {*parseBindSpec("sr=16000")};
//   llvm::Expected<CompileResult> result = compile(options);
#ifndef GRAPHC_TOOLS_DRIVER_COMPILER_H
#define GRAPHC_TOOLS_DRIVER_COMPILER_H

#include "tools/driver/InputSpec.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphc::driver {

enum class OptLevel { None, Default };

/// Where compiling stops. Artifact is the whole way; the others give text.
enum class Emit { Artifact, Graph, Kernel, Llvm, Asm, Cuda, Ptx, Plan };

struct CompileOptions {
  std::string path;              // what the file is, its content says, not its name
  std::string name;              // what the artifact and locations call the model; empty: the path
  std::string method = "forward";
  std::vector<InputSpec> inputs; // symbols unified; needed for TorchScript, checked for .pt2
  std::vector<BindSpec> binds;
  OptLevel optLevel = OptLevel::Default;
  std::vector<std::string> targets; // "cpu", "cpu:x86-64-v4", "cpu:native", …; empty: the default
  Emit emit = Emit::Artifact;
  std::string output;            // where Emit::Artifact is written, as it is made; empty: into CompileResult::artifact
  bool strictNumerics = false;   // f16 and bf16 round after every op, as in eager, also inside a kernel
  std::string debugPlant; // tests of verify and bisect: a wrong value is computed from this pass on; see PlantBug.h
  std::string debugSkip;  // tests: a pass that is left out, by its flag

  /// Called when a phase starts, from the compiling thread: ("Lowering kernels", done, total); total 0: unknown.
  std::function<void(llvm::StringRef phase, size_t done, size_t total)> progress;
};

struct PhaseTime {
  std::string name;
  double seconds = 0;
};

/// What became of one target.
struct TargetSummary {
  std::string name; // "cpu:x86-64-v3"
  int64_t kernels = 0;
  int64_t codeBytes = 0;
  int64_t weightBytes = 0; // as packed for it, shared bytes included
  int64_t arenaBytes = -1; // -1: depends on symbolic dims
};

struct CompileSummary {
  std::string producer; // "TorchScript archive version 10"
  int64_t ops = 0;      // after decomposition, before fusion
  int64_t fusedOps = 0; // of those, how many share a kernel with another
  int64_t kernels = 0;
  int64_t states = 0; // state tensors
  int64_t weightBytes = 0;
  int64_t arenaBytes = -1; // -1: depends on symbolic dims
  std::vector<TargetSummary> targets;
  std::vector<PhaseTime> phases;
};

/// A warning or note about the user's model; errors end compiling and come back as llvm::Error.
struct Diagnostic {
  enum class Severity { Note, Warning } severity = Severity::Warning;
  std::string message; // without location
  std::string file;    // the user's Python file; empty: none
  uint32_t line = 0, column = 0;
};

struct CompileResult {
  std::shared_ptr<std::byte> artifact; // Emit::Artifact without `output`: page-aligned, so that it can be loaded where it is
  size_t artifactBytes = 0;            // Emit::Artifact, in memory or in the file
  std::string text;                    // every other stage
  CompileSummary summary;
  std::vector<Diagnostic> diagnostics;
  llvm::json::Object report; // what `--report` writes beside the summary: kernels, fusions refused, …
};

/// Compiles options.path. Errors: Failure with ExitStatus::Model (unreadable or unsupported model, all unsupported ops in one
/// text with their Python lines), Usage (an unknown target) or Environment (no LibTorch in this build, `output` can't be written).
llvm::Expected<CompileResult> compile(const CompileOptions &options);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_COMPILER_H
