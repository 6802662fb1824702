// The row and pointwise templates under the SIMT emulator: tails, empty, misaligned, any grid, adversarial orders.
#include "codegen/cuda/kernels/pointwise.cuh"
#include "codegen/cuda/kernels/row_reduce.cuh"
#include "runtime/plan/KernelAbi.h"
#include "test/kernels/RowProblem.h"

#include <gtest/gtest.h>

// Kernels record failures in the runtime's slot, with its codes.
static_assert(sizeof(gc_status_slot) == sizeof(graphc_status_slot) &&
              offsetof(gc_status_slot, step) == offsetof(graphc_status_slot, step) &&
              offsetof(gc_status_slot, extent) == offsetof(graphc_status_slot, extent));
static_assert(gc_status_index_out_of_range == gc_i64(GRAPHC_STATUS_INDEX_OUT_OF_RANGE) &&
              gc_status_integer_division_by_zero == gc_i64(GRAPHC_STATUS_INTEGER_DIVISION_BY_ZERO));

using namespace graphc;
using namespace graphc::test;

namespace {

const std::vector<RowShape> shapes = {{1, 1}, {9, 32}, {17, 100}, {3, 1500}, {5, 257}, {4, 64, 1}, {0, 8}, {8, 0}};

template <class Kernel, class Reference> void runAll(Kernel kernel, Reference reference, uint32_t sharedBytes) {
  for (const RowShape &s : shapes)
    for (uint64_t seed : allSeeds)
      EXPECT_EQ(runRowCase(s, {.grid = {uint32_t(1 + 2 * seed)}, .block = {256}, .sharedBytes = sharedBytes, .seed = seed}, kernel,
                           reference),
                "")
          << s.rows << "x" << s.columns << " seed " << seed;
}

TEST(RowReduce, WarpPerRow) { runAll(gc_rows<SoftmaxRow, 32, 256>, softmaxReference, 0); }
TEST(RowReduce, BlockPerRow) {
  runAll(gc_rows<SoftmaxRow, 256, 256>, softmaxReference, gc_row_group<256>::sharedBytes);
}
TEST(Pointwise, Vectors) { runAll(gc_pointwise<ScaleElement, 256>, scaleReference, 0); }

// Every thread of a group gets the same bits, whatever the order of the threads.
TEST(RowReduce, ResultsDoNotDependOnTheOrder) {
  auto sums = [](uint64_t seed) {
    std::vector<float> result(256);
    const simt::LaunchReport report =
        simt::launch({.block = {256}, .sharedBytes = gc_row_group<256>::sharedBytes, .seed = seed}, [&] {
          const gc_row_group<256> group;
          result[gc_thread()] = group.reduce<gc_sum_op>(1.0f / float(1 + gc_thread()));
        });
    EXPECT_EQ(report.error, "");
    return result;
  };
  const std::vector<float> first = sums(0);
  EXPECT_EQ(first, std::vector<float>(256, first[0]));
  EXPECT_EQ(first, sums(1));
  EXPECT_EQ(first, sums(2));
}

TEST(RowReduce, FirstIndexOfTheExtreme) {
  std::vector<gc_i64> index(32);
  std::vector<float> value = {1, 5, 5, 2};
  value.resize(32);
  auto run = [&] {
    const gc_row_group<32> group;
    const gc_indexed<float> mine = {value[gc_thread()], gc_thread()};
    index[gc_thread()] = group.reduce<gc_arg_op<true>>(mine).index;
  };
  EXPECT_EQ(simt::launch({.block = {32}}, run).error, "");
  EXPECT_EQ(index, std::vector<gc_i64>(32, 1));
  value[20] = value[9] = NAN;
  EXPECT_EQ(simt::launch({.block = {32}}, run).error, "");
  EXPECT_EQ(index, std::vector<gc_i64>(32, 9));
}

// The first failure of a run is kept: a clamped index, and what was asked for.
TEST(Scalar, FailuresAreRecordedOnce) {
  gc_status_slot status = {0, -1, 0, 0};
  const gc_kernel_args args = {nullptr, nullptr, &status, 7};
  EXPECT_EQ(gc_check_index(args, 3, 10, false), 3);
  EXPECT_EQ(gc_check_index(args, -3, 10, true), 7);
  EXPECT_EQ(status.step, -1);
  EXPECT_EQ(gc_check_index(args, 12, 10, false), 9);
  EXPECT_EQ(gc_check_index(args, -11, 10, true), 0);
  EXPECT_EQ(gc_int_div(args, 5, 0), 0);
  EXPECT_EQ(status.code, gc_status_index_out_of_range);
  EXPECT_EQ(status.step, 7);
  EXPECT_EQ(status.value, 12);
  EXPECT_EQ(status.extent, 10);
}

} // namespace
