// Counts sectors and bank conflicts. See AccessLint.h.
#include "codegen/cuda/emulator/AccessLint.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <set>

namespace graphc::simt {

namespace {
constexpr size_t warpSize = 32;
constexpr uint64_t sectorBytes = 32;
constexpr uint64_t bankCount = 32;
constexpr uint64_t bankBytes = 4;

uint64_t globalSectors(const std::vector<uint64_t> &lanes, uint32_t bytes) {
  std::set<uint64_t> sectors;
  for (uint64_t address : lanes)
    for (uint64_t at = address / sectorBytes; at <= (address + bytes - 1) / sectorBytes; ++at)
      sectors.insert(at);
  return sectors.size();
}

// A warp's 8-byte accesses go as two half warps and 16-byte ones as four quarters; within each, a bank serves one word.
uint64_t sharedWavefronts(const std::vector<uint64_t> &lanes, uint32_t bytes) {
  const size_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  uint64_t total = 0;
  for (size_t first = 0; first < lanes.size(); first += group) {
    std::array<std::set<uint64_t>, bankCount> banks;
    for (size_t lane = first; lane < std::min(lanes.size(), first + group); ++lane)
      for (uint64_t word = lanes[lane] / bankBytes; word <= (lanes[lane] + bytes - 1) / bankBytes; ++word)
        banks[word % bankCount].insert(word);
    size_t worst = 1;
    for (const std::set<uint64_t> &bank : banks)
      worst = std::max(worst, bank.size());
    total += worst;
  }
  return total;
}

uint64_t idealTransactions(const std::vector<uint64_t> &lanes, uint32_t bytes, bool shared) {
  if (shared) {
    const size_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    return (lanes.size() + group - 1) / group;
  }
  const std::set<uint64_t> distinct(lanes.begin(), lanes.end());
  return (distinct.size() * bytes + sectorBytes - 1) / sectorBytes;
}

std::string baseName(const char *path) {
  const char *slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}
} // namespace

void AccessLint::record(size_t thread, const std::source_location &site, uint64_t address, uint32_t bytes,
                        bool shared, bool write) {
  log[thread][Site{site.file_name(), site.line(), site.column(), shared, write, bytes}].push_back(address);
}

std::vector<LintLine> AccessLint::summarize() const {
  std::map<Site, LintLine> lines;
  for (size_t warp = 0; warp < log.size(); warp += warpSize) {
    std::map<Site, std::vector<std::vector<uint64_t>>> accesses;
    for (size_t lane = warp; lane < std::min(log.size(), warp + warpSize); ++lane)
      for (const auto &[site, addresses] : log[lane]) {
        std::vector<std::vector<uint64_t>> &rounds = accesses[site];
        rounds.resize(std::max(rounds.size(), addresses.size()));
        for (size_t i = 0; i < addresses.size(); ++i)
          rounds[i].push_back(addresses[i]);
      }
    for (const auto &[site, rounds] : accesses)
      for (const std::vector<uint64_t> &lanes : rounds) {
        LintLine &line = lines[site];
        ++line.accesses;
        line.transactions += site.shared ? sharedWavefronts(lanes, site.bytes) : globalSectors(lanes, site.bytes);
        line.ideal += idealTransactions(lanes, site.bytes, site.shared);
      }
  }
  std::vector<LintLine> result;
  for (auto &[site, line] : lines) {
    line.file = baseName(site.file);
    line.line = site.line;
    line.shared = site.shared;
    line.write = site.write;
    line.bytes = site.bytes;
    result.push_back(line);
  }
  return result;
}

std::string LintLine::text() const {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, "%s:%u %s %s %u B: %llu accesses, %llu %s, %llu ideal, ratio %.2f", file.c_str(),
                line, shared ? "shared" : "global", write ? "store" : "load", bytes, (unsigned long long)accesses,
                (unsigned long long)transactions, shared ? "wavefronts" : "sectors", (unsigned long long)ideal,
                ratio());
  return buffer;
}

} // namespace graphc::simt
