// Reads ptxas -v. See PtxasLog.h.
#include "codegen/cuda/PtxasLog.h"

#include <charconv>

namespace graphc::cuda {

namespace {

/// The number that stands before `word` ("98" for " registers" in "Used 98 registers"); 0 where the word is absent.
int numberBefore(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  if (at == std::string_view::npos)
    return 0;
  size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9')
    --first;
  int value = 0;
  std::from_chars(line.data() + first, line.data() + at, value);
  return value;
}

std::string_view between(std::string_view line, std::string_view from, std::string_view to) {
  const size_t first = line.find(from);
  if (first == std::string_view::npos)
    return {};
  const size_t begin = first + from.size(), end = line.find(to, begin);
  return end == std::string_view::npos ? line.substr(begin) : line.substr(begin, end - begin);
}

bool isAdvisory(std::string_view line) {
  const size_t at = line.find("C75");
  return at != std::string_view::npos && at + 5 <= line.size() && line[at + 3] >= '0' && line[at + 3] <= '9' &&
         line[at + 4] >= '0' && line[at + 4] <= '9';
}

void parseLine(std::string_view line, PtxasReport &report) {
  if (isAdvisory(line))
    report.advisories.emplace_back(line);
  if (std::string_view name = between(line, "Compiling entry function '", "'"); !name.empty()) {
    report.kernels.emplace_back();
    report.kernels.back().name = name;
    return;
  }
  if (report.kernels.empty())
    return;
  KernelFacts &kernel = report.kernels.back();
  if (line.find(" bytes stack frame") != std::string_view::npos) {
    kernel.stackBytes += numberBefore(line, " bytes stack frame");
    kernel.spillStoreBytes += numberBefore(line, " bytes spill stores");
    kernel.spillLoadBytes += numberBefore(line, " bytes spill loads");
  }
  if (line.find(" registers") != std::string_view::npos) {
    kernel.registers = numberBefore(line, " registers");
    kernel.barriers = numberBefore(line, " barriers");
    kernel.staticSharedBytes = numberBefore(line, " bytes smem");
  }
}

} // namespace

PtxasReport parsePtxasLog(std::string_view log) {
  PtxasReport report;
  while (!log.empty()) {
    const size_t end = log.find('\n');
    parseLine(log.substr(0, end), report);
    log = end == std::string_view::npos ? std::string_view() : log.substr(end + 1);
  }
  return report;
}

const KernelFacts *PtxasReport::find(std::string_view name) const {
  for (const KernelFacts &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

std::string PtxasReport::problem() const {
  if (!advisories.empty())
    return advisories.front();
  for (const KernelFacts &kernel : kernels) {
    if (kernel.spillStoreBytes || kernel.spillLoadBytes)
      return kernel.name + ": " + std::to_string(kernel.spillStoreBytes) + " bytes of spill stores, " +
             std::to_string(kernel.spillLoadBytes) + " bytes of spill loads at " + std::to_string(kernel.registers) +
             " registers";
  }
  return "";
}

} // namespace graphc::cuda
