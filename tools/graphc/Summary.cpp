// Text of a compile's summary; see Summary.h.
#include "tools/graphc/Summary.h"
#include "tools/driver/Report.h"
#include <fmt/format.h>

namespace graphc::cli {
namespace {

std::string formatArena(int64_t bytes) { return bytes < 0 ? "depends on the dims" : formatBytes(bytes); }

} // namespace

std::string formatBytes(int64_t bytes) {
  double value = static_cast<double>(bytes);
  const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

std::string formatDiagnostics(const std::vector<driver::Diagnostic> &diagnostics) {
  std::string text;
  for (const driver::Diagnostic &one : diagnostics) {
    if (!one.file.empty())
      text += fmt::format("{}:{}: ", one.file, one.line);
    text += fmt::format("{}: {}\n", driver::severityName(one.severity), one.message);
  }
  return text;
}

std::string formatSummary(const driver::CompileSummary &summary) {
  std::string text = fmt::format("  {} ops, {} of them fused, in {} kernels; {} state tensors\n", summary.ops,
                                 summary.fusedOps, summary.kernels, summary.states);
  text += fmt::format("  weights {}, arena {}\n", formatBytes(summary.weightBytes), formatArena(summary.arenaBytes));
  for (const driver::TargetSummary &target : summary.targets)
    text += fmt::format("  {}: {} kernels, code {}, weights {}, arena {}\n", target.name, target.kernels,
                        formatBytes(target.codeBytes), formatBytes(target.weightBytes), formatArena(target.arenaBytes));
  double total = 0;
  std::string phases;
  for (const driver::PhaseTime &phase : summary.phases) {
    total += phase.seconds;
    phases += fmt::format("{}{} {:.2f} s", phases.empty() ? "" : ", ", phase.name, phase.seconds);
  }
  return text + fmt::format("  {:.2f} s: {}\n", total, phases);
}

} // namespace graphc::cli
