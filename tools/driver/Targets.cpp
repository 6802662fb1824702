// See Targets.h.
#include "tools/driver/Targets.h"
#include "tools/driver/Failure.h"

#include <algorithm>
#include <set>

using namespace graphc;
using namespace graphc::driver;

/// The best level this machine has, or empty where it has not even v3.
static std::string nativeLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return "x86-64-v4";
  return __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "";
}

llvm::Expected<std::vector<std::string>> graphc::driver::cpuLevels(const std::vector<std::string> &targets) {
  const std::string v3 = "x86-64-v3", v4 = "x86-64-v4";
  std::set<std::string> levels;
  for (const std::string &target : targets) {
    if (target == "cpu")
      levels.insert({v3, v4});
    else if (target == "cpu:" + v3 || target == "cpu:" + v4)
      levels.insert(target.substr(4));
    else if (target == "cpu:native" && !nativeLevel().empty())
      levels.insert(nativeLevel());
    else if (target == "cpu:native")
      return failure(ExitStatus::Environment, "--target cpu:native: this machine's CPU lacks AVX2 and FMA (x86-64-v3), which graphc's code needs; use --target cpu");
    else
      return failure(ExitStatus::Usage, "--target " + target + ": there is no such target; expected cpu, cpu:x86-64-v3, cpu:x86-64-v4 or cpu:native");
  }
  if (levels.empty())
    levels = {v3, v4};
  return std::vector<std::string>(levels.begin(), levels.end());
}

/// The value of a dims entry that is one constant; -1 otherwise.
static int64_t constantOf(const plan::PlanT &plan, int32_t index) {
  if (index < 0)
    return 0;
  const auto &code = plan.dims[index]->code;
  return code.size() == 1 && code[0].op() == plan::DimOp::Const ? code[0].value() : -1;
}

int64_t graphc::driver::arenaBytes(const plan::PlanT &plan) {
  int64_t peak = 0;
  for (const auto &variant : plan.variants) {
    std::vector<int64_t> change(variant->steps.size() + 2);
    for (const auto &buffer : variant->buffers) {
      if (buffer->kind != plan::BufferKind::Arena || buffer->alias_of >= 0)
        continue;
      int64_t bytes = constantOf(plan, buffer->bytes);
      if (bytes < 0)
        return -1;
      bytes = (bytes + 63) / 64 * 64;
      change[buffer->first_step] += bytes;
      change[std::min<size_t>(buffer->last_step + size_t(1), change.size() - 1)] -= bytes;
    }
    int64_t live = 0;
    for (int64_t step : change)
      peak = std::max(peak, live += step);
  }
  return peak;
}
