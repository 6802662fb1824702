// See VerifyReports.h.
#include "tools/graphc/VerifyReports.h"
#include <cmath>
#include <fmt/format.h>

namespace graphc::cli {
namespace {

using verify::BisectReport;
using verify::CallReport;
using verify::Finding;
using verify::StageReport;
using verify::Verdict;
using verify::VerifyReport;

std::string callName(const std::string &inputs, unsigned call) { return call == 0 ? inputs : fmt::format("{}, call {}", inputs, call + 1); }

std::string formatFinding(const Finding &finding) {
  std::string text;
  if (!finding.op.empty())
    text += fmt::format("first op that differs: {}{} at {}\n", finding.op, finding.value.empty() ? "" : fmt::format(" (value {})", finding.value),
                        finding.location);
  else if (!finding.location.empty())
    text += fmt::format("first kernel that differs is of {}\n", finding.location);
  if (!finding.kernel.empty()) {
    text += fmt::format("  {}: {}\n", callName(finding.inputs, finding.call), describe(finding.verdict));
    text += fmt::format("  kernel {}{}, made of the ops at\n", finding.kernel, finding.shape.empty() ? "" : fmt::format(", {}, launch {} of the run", finding.shape, finding.launch));
    for (size_t i = 0; i < finding.lines.size() && i < 12; ++i)
      text += fmt::format("    {}\n", finding.lines[i]);
    if (finding.lines.size() > 12)
      text += fmt::format("    and {} more\n", finding.lines.size() - 12);
  }
  return text + fmt::format("  {}\n", finding.cause);
}

/// JSON has no infinity: null.
llvm::json::Value number(double value) { return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr); }

llvm::json::Object verdictJson(const Verdict &verdict) {
  auto measure = [](const verify::Measure &m) { return llvm::json::Object{{"rms", number(m.rms)}, {"largest", number(m.largest)}}; };
  llvm::json::Object object{{"right", verdict.right}, {"error", measure(verdict.ours)}, {"eager_error", measure(verdict.eager)}, {"allowed", measure(verdict.allowed)}};
  if (!verdict.why.empty())
    object["why"] = verdict.why;
  return object;
}

llvm::json::Object findingJson(const Finding &finding) {
  llvm::json::Array lines(finding.lines);
  return llvm::json::Object{{"inputs", finding.inputs},     {"call", finding.call},     {"op", finding.op},
                            {"value", finding.value},       {"location", finding.location}, {"kernel", finding.kernel},
                            {"kernel_lines", std::move(lines)}, {"shape", finding.shape}, {"verdict", verdictJson(finding.verdict)},
                            {"cause", finding.cause}};
}

const char *stateName(StageReport::State state) {
  return state == StageReport::State::Right ? "right" : state == StageReport::State::Wrong ? "wrong" : "not looked at";
}

} // namespace

std::string formatVerify(const std::string &model, const VerifyReport &report) {
  std::string text = fmt::format("{} against {}; {} kernels\n", model, report.reference, report.kernels);
  for (const std::string &note : report.notes)
    text += fmt::format("note: {}\n", note);
  for (const CallReport &call : report.calls) {
    text += fmt::format("{}: {} values compared on the way", callName(call.inputs, call.call), call.valuesCompared);
    text += call.valuesWrong ? fmt::format(", {} of them clearly wrong\n", call.valuesWrong) : "\n";
    for (const verify::OutputReport &output : call.outputs)
      text += fmt::format("  {} {} {}: {}\n", output.verdict.right ? "right" : "WRONG", output.name, output.shape, describe(output.verdict));
  }
  if (report.finding)
    text += formatFinding(*report.finding);
  return text;
}

llvm::json::Object verifyJson(const VerifyReport &report) {
  llvm::json::Array calls;
  for (const CallReport &call : report.calls) {
    llvm::json::Array outputs;
    for (const verify::OutputReport &output : call.outputs) {
      llvm::json::Object one = verdictJson(output.verdict);
      one["name"] = output.name;
      one["shape"] = output.shape;
      outputs.push_back(std::move(one));
    }
    calls.push_back(llvm::json::Object{{"inputs", call.inputs}, {"call", call.call}, {"values_compared", int64_t(call.valuesCompared)},
                                      {"values_wrong", int64_t(call.valuesWrong)}, {"outputs", std::move(outputs)}});
  }
  llvm::json::Object object{{"right", report.right}, {"reference", report.reference}, {"kernels", int64_t(report.kernels)},
                            {"notes", llvm::json::Array(report.notes)}, {"calls", std::move(calls)}};
  if (report.finding)
    object["finding"] = findingJson(*report.finding);
  return object;
}

std::string formatBisect(const std::string &model, const BisectReport &report) {
  if (report.right)
    return formatVerify(model, report.verified) + "nothing differs\n";
  std::string text = fmt::format("{} against {}, on {}\n", model, report.verified.reference, report.verified.finding->inputs);
  for (const StageReport &stage : report.stages) {
    std::string detail = stage.state == StageReport::State::NotRun ? "" : stage.problem.empty() ? ": " + describe(stage.verdict) : ": " + stage.problem;
    text += fmt::format("  after {}: {}{}\n", stage.pass, stateName(stage.state), detail);
  }
  if (report.pass == "codegen")
    text += "every pass is right; the machine code is wrong\n";
  else if (report.pass == "import" || report.pass == "graphc-decompose")
    text += fmt::format("first wrong after: {}\n", report.pass);
  else
    text += fmt::format("first pass that changes the answer: {}\n", report.pass);
  return report.verified.finding ? text + formatFinding(*report.verified.finding) : text;
}

llvm::json::Object bisectJson(const BisectReport &report) {
  llvm::json::Array stages;
  for (const StageReport &stage : report.stages) {
    llvm::json::Object one{{"pass", stage.pass}, {"state", stateName(stage.state)}};
    if (stage.state != StageReport::State::NotRun)
      one["verdict"] = verdictJson(stage.verdict);
    if (!stage.problem.empty())
      one["problem"] = stage.problem;
    stages.push_back(std::move(one));
  }
  return llvm::json::Object{{"right", report.right}, {"pass", report.pass}, {"stages", std::move(stages)}, {"verify", verifyJson(report.verified)}};
}

} // namespace graphc::cli
