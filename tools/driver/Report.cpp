// See Report.h.
#include "tools/driver/Report.h"

using namespace graphc;
using namespace graphc::driver;

static llvm::json::Value orNull(int64_t bytes) { return bytes < 0 ? llvm::json::Value(nullptr) : llvm::json::Value(bytes); }

static llvm::json::Object summaryJson(const CompileSummary &summary) {
  llvm::json::Array targets, phases;
  for (const TargetSummary &target : summary.targets)
    targets.push_back(llvm::json::Object{{"name", target.name},
                                         {"kernels", target.kernels},
                                         {"code_bytes", target.codeBytes},
                                         {"weight_bytes", target.weightBytes},
                                         {"arena_bytes", orNull(target.arenaBytes)}});
  for (const PhaseTime &phase : summary.phases)
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

const char *graphc::driver::severityName(Diagnostic::Severity severity) {
  return severity == Diagnostic::Severity::Warning ? "warning" : "note";
}

llvm::json::Object graphc::driver::makeReport(const CompileResult &result) {
  llvm::json::Object report = result.report;
  llvm::json::Array diagnostics;
  for (const Diagnostic &one : result.diagnostics)
    diagnostics.push_back(llvm::json::Object{{"severity", severityName(one.severity)},
                                             {"message", one.message},
                                             {"file", one.file},
                                             {"line", one.line},
                                             {"column", one.column}});
  report["summary"] = summaryJson(result.summary);
  report["diagnostics"] = std::move(diagnostics);
  return report;
}

