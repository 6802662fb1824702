// Plants bugs in copies of the kernel templates (make_mutants.py) and checks that the emulator finds every one of them,
// and nothing in the unchanged copies.
#include "test/kernels/GemmProblem.h"
#include "test/kernels/RowProblem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>

using namespace graphc;
using namespace graphc::test;

namespace {

enum class Caught { none, fault, lint };

struct Outcome {
  std::string fault; ///< first fault of any run
  double worstShared = 0; ///< worst ratio of wavefronts to the ideal
};

struct PlantedBug {
  const char *name;
  Caught how;
  Outcome (*run)();
};

// Tails in every dimension on more than one tile, more than eight tile rows for the raster, a misaligned operand.
const std::vector<GemmShape> shapes = {{2, 130, 132, 104}, {1, 136, 130, 97}, {1, 64, 72, 64, 1}, {1, 1100, 256, 8}};

template <class T, bool KMajorA, bool KMajorB, class Config, void (*Kernel)(const gc_kernel_args &)>
Outcome runPlanted() {
  Outcome outcome;
  const double tolerance = sizeof(T) == 2 ? 2e-3 : 1e-6;
  for (const GemmShape &shape : shapes)
    for (uint64_t seed : allSeeds) {
      if (!outcome.fault.empty())
        break;
      outcome.fault = runGemmCase<T, KMajorA, KMajorB>(
          shape, tolerance, {.grid = {1}, .block = {256}, .sharedBytes = Config::sharedBytes, .seed = seed}, Kernel);
    }
  simt::LaunchReport report;
  runGemmCase<T, KMajorA, KMajorB>({1, 128, 128, 64}, tolerance,
                                   {.grid = {1}, .block = {256}, .sharedBytes = Config::sharedBytes, .lint = true},
                                   Kernel, &report);
  for (const simt::LintLine &line : report.lint)
    if (line.shared)
      outcome.worstShared = std::max(outcome.worstShared, line.ratio());
  return outcome;
}

template <void (*Kernel)(const gc_kernel_args &), std::vector<double> (*Reference)(const Buffer<float> &, const RowShape &)>
Outcome runPlantedRows() {
  Outcome outcome;
  outcome.worstShared = 1;
  for (const RowShape &shape : std::vector<RowShape>{{9, 64}, {17, 100, 1}, {40, 33}, {3, 1500}})
    for (uint64_t seed : allSeeds)
      if (outcome.fault.empty())
        outcome.fault = runRowCase(shape, {.grid = {2}, .block = {256}, .sharedBytes = 128, .seed = seed}, Kernel, Reference);
  return outcome;
}

#include "planted_bugs.inc"

void checkAll(const std::vector<PlantedBug> &bugs) {
  ASSERT_GT(bugs.size(), 1u);
  for (const PlantedBug &bug : bugs) {
    const Outcome outcome = bug.run();
    std::cout << bug.name << ": " << (outcome.fault.empty() ? "no fault" : outcome.fault) << ", worst shared ratio "
              << outcome.worstShared << "\n";
    EXPECT_EQ(!outcome.fault.empty(), bug.how == Caught::fault) << bug.name;
    if (bug.how != Caught::fault) {
      EXPECT_EQ(outcome.worstShared > 1, bug.how == Caught::lint) << bug.name;
    }
  }
}

TEST(PlantedBugs, GemmMma) { checkAll(gemm_mmaBugs); }
TEST(PlantedBugs, GemmFma) { checkAll(gemm_fmaBugs); }
TEST(PlantedBugs, RowReduce) { checkAll(row_reduceBugs); }
TEST(PlantedBugs, Pointwise) { checkAll(pointwiseBugs); }

} // namespace
