// CPUID and XCR0, read once. Feature bits: Intel SDM volume 2, CPUID; levels: the x86-64 psABI, section 3.1.1.
#include "runtime/cpu/CpuLevel.h"

#include <algorithm>
#include <cpuid.h>
#include <cstdint>

namespace graphc::runtime {
namespace {

enum Register { Eax, Ebx, Ecx, Edx };
enum SavedState : uint64_t { None = 0, Avx = 0x6, Avx512 = 0xe6, Amx = 0x60000 }; // XCR0 bits that must be set

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  SavedState saved;
  int level; // the psABI level that it belongs to; 0: none
};

constexpr Feature features[] = {
    {"cx16", 1, 0, Ecx, 13, None, 2},          {"lahf-sahf", 0x80000001, 0, Ecx, 0, None, 2},
    {"popcnt", 1, 0, Ecx, 23, None, 2},        {"sse3", 1, 0, Ecx, 0, None, 2},
    {"ssse3", 1, 0, Ecx, 9, None, 2},          {"sse4.1", 1, 0, Ecx, 19, None, 2},
    {"sse4.2", 1, 0, Ecx, 20, None, 2},        {"avx", 1, 0, Ecx, 28, Avx, 3},
    {"avx2", 7, 0, Ebx, 5, Avx, 3},            {"bmi1", 7, 0, Ebx, 3, None, 3},
    {"bmi2", 7, 0, Ebx, 8, None, 3},           {"f16c", 1, 0, Ecx, 29, Avx, 3},
    {"fma", 1, 0, Ecx, 12, Avx, 3},            {"lzcnt", 0x80000001, 0, Ecx, 5, None, 3},
    {"movbe", 1, 0, Ecx, 22, None, 3},         {"avx512f", 7, 0, Ebx, 16, Avx512, 4},
    {"avx512bw", 7, 0, Ebx, 30, Avx512, 4},    {"avx512cd", 7, 0, Ebx, 28, Avx512, 4},
    {"avx512dq", 7, 0, Ebx, 17, Avx512, 4},    {"avx512vl", 7, 0, Ebx, 31, Avx512, 4},
    {"avxvnni", 7, 1, Eax, 4, Avx, 0},         {"avx512vnni", 7, 0, Ecx, 11, Avx512, 0},
    {"avx512bf16", 7, 1, Eax, 5, Avx512, 0},   {"avx512fp16", 7, 0, Edx, 23, Avx512, 0},
    {"avx512vbmi", 7, 0, Ecx, 1, Avx512, 0},   {"amx-tile", 7, 0, Edx, 24, Amx, 0},
    {"amx-int8", 7, 0, Edx, 25, Amx, 0},       {"amx-bf16", 7, 0, Edx, 22, Amx, 0},
};

uint64_t savedRegisters() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

bool hasFeature(const Feature &feature) {
  static const uint64_t saved = savedRegisters();
  unsigned r[4] = {0, 0, 0, 0};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2], &r[3]))
    return false;
  return ((r[feature.reg] >> feature.bit) & 1) && (saved & feature.saved) == feature.saved;
}

/// 1…4, or 0 for an unknown base.
int baseLevel(std::string_view level) {
  constexpr std::string_view prefix = "x86-64-v";
  const std::string_view base = level.substr(0, level.find('+'));
  if (base.size() != prefix.size() + 1 || base.substr(0, prefix.size()) != prefix)
    return 0;
  const char digit = base.back();
  return digit >= '1' && digit <= '4' ? digit - '0' : 0;
}

} // namespace

std::vector<std::string> missingFeatures(std::string_view level) {
  std::vector<std::string> missing;
  const int base = baseLevel(level);
  if (base == 0)
    missing.push_back("the unknown level '" + std::string(level.substr(0, level.find('+'))) + "'");
  for (const Feature &feature : features)
    if (feature.level != 0 && feature.level <= base && !hasFeature(feature))
      missing.push_back(feature.name);
  for (size_t plus = level.find('+'); plus != std::string_view::npos;) {
    const size_t next = level.find('+', plus + 1);
    const std::string_view name = level.substr(plus + 1, next == std::string_view::npos ? next : next - plus - 1);
    const auto *found = std::find_if(std::begin(features), std::end(features),
                                     [&](const Feature &feature) { return name == feature.name; });
    if (found == std::end(features) || !hasFeature(*found))
      missing.emplace_back(name);
    plus = next;
  }
  return missing;
}

int levelRank(std::string_view level) {
  return baseLevel(level) * 1000 + static_cast<int>(std::count(level.begin(), level.end(), '+'));
}

const char *machineLevel() {
  for (const char *level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    if (missingFeatures(level).empty())
      return level;
  return "x86-64-v1";
}

} // namespace graphc::runtime
