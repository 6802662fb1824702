// See DecisionLog.h.
#include "tools/driver/DecisionLog.h"
#include "ir/kernel/Kernel.h"
#include "ir/support/Location.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace graphc;
using namespace graphc::driver;

namespace {

llvm::json::Object lineObject(const SourceLine &line) {
  llvm::json::Object object{{"file", line.file}, {"line", line.line}};
  if (!line.modulePath.empty())
    object["module"] = line.modulePath;
  return object;
}

/// Gets every remark as it is made.
class Streamer : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::shared_ptr<llvm::json::Array> entries) : entries(std::move(entries)) {}
  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override {
    llvm::SmallVector<SourceLine> lines = getSourceLines(remark.getLocation());
    llvm::json::Object entry = lines.empty() ? llvm::json::Object() : lineObject(lines[0]);
    std::string text;
    for (const auto &argument : remark.getArgs())
      text += (text.empty() ? "" : "; ") + argument.val;
    std::string key = text + "|" + remark.getCategoryName().str() + "|" + describeLocation(remark.getLocation());
    if (!seen.insert(key).second)
      return;
    entry["category"] = remark.getCategoryName().str();
    entry["text"] = text;
    entries->push_back(std::move(entry));
  }

private:
  std::shared_ptr<llvm::json::Array> entries;
  llvm::StringSet<> seen;
};

} // namespace

DecisionLog::DecisionLog(mlir::MLIRContext &context) : entries(std::make_shared<llvm::json::Array>()) {
  mlir::remark::RemarkCategories categories{std::nullopt, std::nullopt, ".*", ".*", std::nullopt}; // missed and analysis
  (void)mlir::remark::enableOptimizationRemarks(context, std::make_unique<Streamer>(entries),
                                                std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories);
}

llvm::json::Array DecisionLog::take() { return std::exchange(*entries, {}); }

llvm::json::Array driver::describeKernels(mlir::ModuleOp module, const codegen::TargetCode &code) {
  llvm::StringMap<int64_t> launches;
  llvm::StringMap<llvm::SmallVector<SourceLine>> lines;
  module.walk([&](kernel::LaunchOp launch) {
    ++launches[launch.getKernel()];
    for (const SourceLine &line : getSourceLines(launch.getLoc()))
      if (lines[launch.getKernel()].size() < 16)
        lines[launch.getKernel()].push_back(line);
  });
  llvm::json::Array kernels;
  for (const codegen::KernelCode &kernel : code.kernels) {
    llvm::json::Array where;
    for (const SourceLine &line : lines[kernel.name]) {
      llvm::json::Value value(lineObject(line));
      if (!llvm::is_contained(where, value))
        where.push_back(std::move(value));
    }
    llvm::json::Object object{{"name", kernel.name}, {"launches", launches[kernel.name]}, {"lines", std::move(where)}};
    auto number = [&](llvm::StringRef key, graph::DimAttr dim) {
      if (dim && dim.isConstant())
        object[key] = dim.getValue();
    };
    number("flops", kernel.flops);
    number("bytes", kernel.bytes);
    number("cost_ns", kernel.costNs);
    llvm::json::Array schedules;
    for (const codegen::LevelCode &level : kernel.levels)
      schedules.push_back(level.candidates[0].schedule);
    object["schedules"] = std::move(schedules);
    kernels.push_back(std::move(object));
  }
  return kernels;
}
