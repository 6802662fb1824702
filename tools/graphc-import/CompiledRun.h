// Runs a model file through the whole path: compiled to an artifact in memory, loaded by the runtime, one context for all runs.
//
//   compiledRuns(options, {{"in.npz", "out.npz"}})
#ifndef GRAPHC_TOOLS_GRAPHC_IMPORT_COMPILEDRUN_H
#define GRAPHC_TOOLS_GRAPHC_IMPORT_COMPILEDRUN_H

#include "tools/driver/Compiler.h"

namespace graphc {

/// One run for each pair of .npz names (in, out), with the state of the run before. Inputs are in0, in1, … or the model's names;
/// outputs are written as out0, out1, …, inputs that the model changed as in0, in1, …. Errors: those of compiling and of the runtime.
llvm::Error compiledRuns(const driver::CompileOptions &options, const std::vector<std::pair<std::string, std::string>> &runs);

} // namespace graphc

#endif // GRAPHC_TOOLS_GRAPHC_IMPORT_COMPILEDRUN_H
