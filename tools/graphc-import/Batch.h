// Many runs of a tool's command line, for test suites: LibTorch takes longer to load than a small model to import.
//
// Input: a file with one JSON array of arguments per line. Two child processes share the lines; one that crashes or hangs in a line is
// replaced and goes on with the next. Output, on stdout: {"job": 0, "status": 0, "output": "…"} for each line, where `output` is what
// it printed, and `status` 128 + N where signal N ended it.
#ifndef GRAPHC_TOOLS_GRAPHC_IMPORT_BATCH_H
#define GRAPHC_TOOLS_GRAPHC_IMPORT_BATCH_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace graphc {

/// Runs every line of `path` through `run`, which answers an exit status. Returns 0, or 2 where the file can't be read.
int runBatch(const std::string &path, llvm::function_ref<int(const std::vector<std::string> &arguments)> run);

} // namespace graphc

#endif // GRAPHC_TOOLS_GRAPHC_IMPORT_BATCH_H
