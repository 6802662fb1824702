// The GEMM templates under the SIMT emulator against a double reference: every operand layout, tails in every
// dimension, empty sizes, misaligned operands, batches, any grid, adversarial orders.
#include "codegen/cuda/kernels/gemm_fma.cuh"
#include "codegen/cuda/kernels/gemm_mma.cuh"
#include "test/kernels/GemmProblem.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::test;

namespace {

// One rounding of the output to bf16 or f16, and f32 sums.
template <class T> constexpr double tolerance = 0;
template <> constexpr double tolerance<gc_bfloat> = 2e-3;
template <> constexpr double tolerance<gc_half> = 3e-4;
template <> constexpr double tolerance<float> = 1e-6;

const std::vector<GemmShape> shapes = {
    {1, 128, 128, 32}, {1, 1, 1, 1},     {1, 130, 136, 40}, {1, 65, 33, 97},   {2, 37, 129, 8},
    {1, 5, 7, 0},      {1, 0, 16, 16},   {1, 16, 0, 16},    {1, 64, 64, 64, 1}, {0, 4, 4, 4},
};

template <class T, bool KMajorA, bool KMajorB> std::string run(const GemmShape &shape, uint64_t seed, uint32_t grid) {
  using Body = BiasGelu<T, KMajorA, KMajorB, gc_gemm_problem>;
  if constexpr (sizeof(T) == 2)
    return runGemmCase<T, KMajorA, KMajorB>(
        shape, tolerance<T>,
        {.grid = {grid}, .block = {gc_mma_config::threads}, .sharedBytes = gc_mma_config::sharedBytes, .seed = seed},
        gc_gemm_mma<Body, T, KMajorA, KMajorB>);
  else
    return runGemmCase<T, KMajorA, KMajorB>(
        shape, tolerance<T>,
        {.grid = {grid}, .block = {gc_fma_config::threads}, .sharedBytes = gc_fma_config::sharedBytes, .seed = seed},
        gc_gemm_fma<Body, KMajorA, KMajorB>);
}

template <class T, bool KMajorA, bool KMajorB> void runAll() {
  for (const GemmShape &s : shapes)
    for (uint64_t seed : allSeeds)
      EXPECT_EQ((run<T, KMajorA, KMajorB>(s, seed, 1 + seed)), "")
          << s.batches << "x" << s.m << "x" << s.n << "x" << s.k << " seed " << seed;
}

TEST(GemmMma, Bfloat16LinearWeights) { runAll<gc_bfloat, true, true>(); }
TEST(GemmMma, Float16RowTimesRow) { runAll<gc_half, true, false>(); }
TEST(GemmMma, Bfloat16ColumnTimesRow) { runAll<gc_bfloat, false, false>(); }
TEST(GemmMma, Float16ColumnTimesColumn) { runAll<gc_half, false, true>(); }
TEST(GemmFma, LinearWeights) { runAll<float, true, true>(); }
TEST(GemmFma, RowTimesRow) { runAll<float, true, false>(); }
TEST(GemmFma, ColumnTimesColumn) { runAll<float, false, true>(); }

// Shared memory without bank conflicts, and global stores that fill their sectors.
TEST(GemmMma, AccessesAreIdeal) {
  simt::LaunchReport report;
  using Body = BiasGelu<gc_bfloat, true, true, gc_gemm_problem>;
  const std::string fault = runGemmCase<gc_bfloat, true, true>(
      {1, 128, 128, 64}, tolerance<gc_bfloat>,
      {.grid = {1}, .block = {gc_mma_config::threads}, .sharedBytes = gc_mma_config::sharedBytes, .lint = true},
      gc_gemm_mma<Body, gc_bfloat, true, true>, &report);
  EXPECT_EQ(fault, "");
  EXPECT_TRUE(report.racesChecked);
  EXPECT_GE(report.lint.size(), 5u);
  for (const simt::LintLine &line : report.lint)
    EXPECT_LE(line.ratio(), 1.0) << line.text();
}

} // namespace
