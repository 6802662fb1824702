// Text and JSON of a compile's summary; see Summary.h.
#include "tools/graphc/Summary.h"
#include <fmt/format.h>

namespace graphc::cli {
namespace {

std::string formatArena(int64_t bytes) { return bytes < 0 ? "depends on the dims" : formatBytes(bytes); }

llvm::json::Value orNull(int64_t bytes) { return bytes < 0 ? llvm::json::Value(nullptr) : llvm::json::Value(bytes); }

llvm::json::Object summaryJson(const driver::CompileSummary &summary) {
  llvm::json::Array targets, phases;
  for (const driver::TargetSummary &target : summary.targets)
    targets.push_back(llvm::json::Object{{"name", target.name},
                                         {"kernels", target.kernels},
                                         {"code_bytes", target.codeBytes},
                                         {"weight_bytes", target.weightBytes},
                                         {"arena_bytes", orNull(target.arenaBytes)}});
  for (const driver::PhaseTime &phase : summary.phases)
    phases.push_back(llvm::json::Object{{"name", phase.name}, {"seconds", phase.seconds}});
  return llvm::json::Object{{"producer", summary.producer},
                            {"ops", summary.ops},
                            {"fused_ops", summary.fusedOps},
                            {"kernels", summary.kernels},
                            {"states", summary.states},
                            {"weight_bytes", summary.weightBytes},
                            {"arena_bytes", orNull(summary.arenaBytes)},
                            {"targets", std::move(targets)},
                            {"phases", std::move(phases)}};
}

const char *severityName(driver::Diagnostic::Severity severity) {
  return severity == driver::Diagnostic::Severity::Warning ? "warning" : "note";
}

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
    text += fmt::format("{}: {}\n", severityName(one.severity), one.message);
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

llvm::json::Object makeReport(const driver::CompileResult &result) {
  llvm::json::Object report = result.report;
  llvm::json::Array diagnostics;
  for (const driver::Diagnostic &one : result.diagnostics)
    diagnostics.push_back(llvm::json::Object{{"severity", severityName(one.severity)},
                                             {"message", one.message},
                                             {"file", one.file},
                                             {"line", one.line},
                                             {"column", one.column}});
  report["summary"] = summaryJson(result.summary);
  report["diagnostics"] = std::move(diagnostics);
  return report;
}

} // namespace graphc::cli
