// The routines (runtime/exec/Routines.h), called as the executor calls them: whole and cut into units, against plain code; bad indices; calls that make no sense.
#include "runtime/exec/Routines.h"
#include "runtime/exec/RoutineElements.h"
#include "runtime/exec/Services.h"
#include "runtime/status/Failure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace graphc::runtime;
using graphc::plan::DType;

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Runs a call in pieces of `step` units; the status slot afterwards.
graphc_status_slot run(const RoutineCall &call, std::vector<void *> buffers, int64_t step = 1 << 30) {
  graphc_status_slot status{0, -1, 0, 0};
  std::vector<std::byte> scratch(call.scratchBytes + 64);
  buffers.insert(buffers.begin(), const_cast<RoutineCall *>(&call));
  const graphc_kernel_args args{buffers.data(), nullptr, &status, &services(), scratch.data(), 0, 7};
  for (int64_t begin = 0; begin < call.units; begin += step)
    call.kernel(&args, begin, std::min(begin + step, call.units));
  return status;
}

std::vector<float> noise(int64_t count, unsigned seed) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float &value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 16 & 15) - 8; // many ties
  }
  return values;
}

std::vector<uint8_t> options(std::initializer_list<int> values) { return {values.begin(), values.end()}; }

TEST(Routines, SortsRowsStablyAndSelectsTheirFirstElements) {
  for (const bool descending : {false, true})
    for (const int64_t n : {1, 5, 16, 17, 100, 1000})
      for (const int64_t count : {n, std::max<int64_t>(1, n / 10)}) {
        std::vector<float> x = noise(2 * n * 3, static_cast<unsigned>(n));
        x[static_cast<size_t>(n / 2 * 3)] = nan;
        std::vector<float> values(static_cast<size_t>(2 * count * 3));
        std::vector<int64_t> positions(values.size());
        const RoutineCall call = prepareRoutine("sort", options({1, descending}),
                                                std::vector<RoutineBuffer>{{DType::F32, {2, n, 3}}, {DType::F32, {2, count, 3}}, {DType::I64, {2, count, 3}}});
        run(call, {x.data(), values.data(), positions.data()}, 2);
        for (int64_t row = 0; row < 6; ++row) {
          const auto at = [&](int64_t i) { return x[static_cast<size_t>(row / 3 * n * 3 + i * 3 + row % 3)]; };
          std::vector<int64_t> order(static_cast<size_t>(n));
          std::iota(order.begin(), order.end(), 0);
          std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
            const float a = at(descending ? j : i), b = at(descending ? i : j);
            return std::isnan(b) ? !std::isnan(a) : a < b;
          });
          for (int64_t i = 0; i < count; ++i)
            ASSERT_EQ(positions[static_cast<size_t>(row / 3 * count * 3 + i * 3 + row % 3)], order[static_cast<size_t>(i)]) << n << " " << count << " " << i;
        }
      }
}

TEST(Routines, ScansAccumulateAsEagerDoes) {
  std::vector<float> x(1000, 0.1f), y(1000);
  run(prepareRoutine("cumsum", options({0}), std::vector<RoutineBuffer>{{DType::F32, {1000}}, {DType::F32, {1000}}}), {x.data(), y.data()});
  EXPECT_FLOAT_EQ(y.back(), 100.0f);
  std::vector<int8_t> small{100, 100, -3}, sums(3);
  run(prepareRoutine("cumsum", options({0}), std::vector<RoutineBuffer>{{DType::I8, {3}}, {DType::I8, {3}}}), {small.data(), sums.data()});
  EXPECT_EQ(sums, (std::vector<int8_t>{100, -56, -59}));
  std::vector<float> extremes{1, 3, 3, nan, 5}, values(5);
  std::vector<int64_t> positions(5);
  const std::vector<RoutineBuffer> buffers{{DType::F32, {5}}, {DType::F32, {5}}, {DType::I64, {5}}};
  run(prepareRoutine("cummax", options({0}), buffers), {extremes.data(), values.data(), positions.data()});
  EXPECT_EQ(positions, (std::vector<int64_t>{0, 1, 2, 3, 3}));
  std::vector<BFloat16> ones(300, BFloat16(1.0f)), bsums(300);
  run(prepareRoutine("cumsum", options({0}), std::vector<RoutineBuffer>{{DType::BF16, {300}}, {DType::BF16, {300}}}), {ones.data(), bsums.data()});
  EXPECT_EQ(static_cast<float>(bsums[299]), 300.0f); // in float: bf16 itself would stop at 256
}

TEST(Routines, ScattersCombineInOrderAndReportBadIndices) {
  std::vector<int64_t> indices{2, 0, 2, 9, -1};
  std::vector<float> source{1, 2, 3, 4, 5}, result(3, 10);
  const std::vector<RoutineBuffer> buffers{{DType::I64, {5}}, {DType::F32, {5}}, {DType::F32, {3}}};
  const graphc_status_slot status = run(prepareRoutine("scatter", options({0, 1, 0}), buffers), {indices.data(), source.data(), result.data()});
  EXPECT_EQ(result, (std::vector<float>{12, 10, 14}));
  EXPECT_EQ(status.code, GRAPHC_STATUS_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(status.step, 7);
  EXPECT_EQ(status.value, 9);
  EXPECT_EQ(status.extent, 3);
  result.assign(3, 10);
  run(prepareRoutine("scatter", options({0, 3, 1}), buffers), {indices.data(), source.data(), result.data()});
  EXPECT_EQ(result, (std::vector<float>{2, 10, 3}));
  result.assign(3, 10);
  run(prepareRoutine("scatter", options({0, 0, 0}), buffers), {indices.data(), source.data(), result.data()});
  EXPECT_EQ(result, (std::vector<float>{2, 10, 3}));
}

TEST(Routines, IndicesOfSizeOneNameWholeSlices) {
  const int64_t rows = 7, columns = 600; // more than one block of columns
  std::vector<int32_t> indices{4, 1, 4};
  std::vector<float> source = noise(3 * columns, 3), result(rows * columns, 1), expected = result;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < columns; ++j)
      expected[static_cast<size_t>(indices[i]) * columns + j] += source[i * columns + j];
  const RoutineCall call = prepareRoutine("scatter", options({0, 1, 0}),
                                          std::vector<RoutineBuffer>{{DType::I32, {3, 1}}, {DType::F32, {3, columns}}, {DType::F32, {rows, columns}}});
  EXPECT_GT(call.units, 1);
  run(call, {indices.data(), source.data(), result.data()}, 1);
  EXPECT_EQ(result, expected);
}

TEST(Routines, HalfRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<uint16_t>(bits);
    const auto value = static_cast<float>(half);
    if (!std::isnan(value)) {
      ASSERT_EQ(Half(value).bits, half.bits);
    }
  }
  EXPECT_EQ(Half(1.00048828125f).bits, 0x3c00); // a tie, to even
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(BFloat16(1.00390625f).bits, 0x3f80);
}

TEST(Routines, CallsThatMakeNoSenseAreRefused) {
  const std::vector<RoutineBuffer> two{{DType::F32, {3}}, {DType::F32, {3}}};
  EXPECT_FALSE(isRoutine("cublasGemm"));
  EXPECT_THROW(prepareRoutine("cumsum", options({1}), two), Failure);
  EXPECT_THROW(prepareRoutine("cumsum", options({0, 0}), two), Failure);
  EXPECT_THROW(prepareRoutine("sort", options({0, 0}), two), Failure);
  EXPECT_THROW(prepareRoutine("cumsum", options({0}), std::vector<RoutineBuffer>{{DType::F32, {3}}, {DType::F64, {3}}}), Failure);
  EXPECT_THROW(prepareRoutine("logcumsumexp", options({0}), std::vector<RoutineBuffer>{{DType::I64, {3}}, {DType::I64, {3}}}), Failure);
  const std::vector<RoutineBuffer> large{{DType::I64, {2, 4}}, {DType::F32, {2, 4}}, {DType::F32, {5, 3}}};
  EXPECT_THROW(prepareRoutine("scatter", options({0, 0, 0}), large), Failure);
}

} // namespace
