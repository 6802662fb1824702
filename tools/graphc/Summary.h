// What compiling did, as text for people (stderr).
#ifndef GRAPHC_TOOLS_GRAPHC_SUMMARY_H
#define GRAPHC_TOOLS_GRAPHC_SUMMARY_H

#include "tools/driver/Compiler.h"
#include <string>

namespace graphc::cli {

/// "1.3 MB": three digits, powers of 1000.
std::string formatBytes(int64_t bytes);

/// "model.py:12: warning: …" per diagnostic, one a line.
std::string formatDiagnostics(const std::vector<driver::Diagnostic> &diagnostics);

/// Ops, kernels, fused, states, weights, arena, one line per target, time per phase.
std::string formatSummary(const driver::CompileSummary &summary);

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_SUMMARY_H
