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

/// The product of the first n columns of x [n, width] and y [n, width - n].
std::vector<double> multiplied(const std::vector<double> &x, const std::vector<double> &y, int64_t n, int64_t width) {
  const int64_t columns = width - n;
  std::vector<double> product(static_cast<size_t>(n * columns));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < n; ++k)
        product[static_cast<size_t>(i * columns + j)] += x[static_cast<size_t>(i * width + k)] * y[static_cast<size_t>(k * columns + j)];
  return product;
}

RoutineCall elimination(int64_t batch, int64_t n, int64_t width, bool pivot, bool check) {
  return prepareRoutine("eliminate", options({1, pivot, check}), std::vector<RoutineBuffer>{{DType::F64, {batch, n, width}}, {DType::F64, {batch, n, width - n}}, {DType::F64, {batch, 1, 4}}});
}

TEST(Routines, EliminationSolvesSystemsOfAnySize) {
  for (const int64_t n : {1, 2, 7, 40}) {
    const int64_t width = n + 3;
    std::vector<double> both, solutions(static_cast<size_t>(3 * n * 3)), facts(12);
    for (unsigned seed = 0; seed < 3; ++seed) {
      const std::vector<float> x = noise(n * width, seed + static_cast<unsigned>(n));
      both.insert(both.end(), x.begin(), x.end());
      for (int64_t i = 0; i < n; ++i) // the largest element of a column is below the diagonal, but for the last
        both[both.size() - static_cast<size_t>(n * width) + static_cast<size_t>(i * width + (i + 1) % n)] += 40;
    }
    const graphc_status_slot status = run(elimination(3, n, width, true, true), {both.data(), solutions.data(), facts.data()}, 2);
    EXPECT_EQ(status.code, GRAPHC_STATUS_NONE);
    for (int64_t matrix = 0; matrix < 3; ++matrix) {
      const std::vector<double> x(both.begin() + matrix * n * width, both.begin() + (matrix + 1) * n * width);
      const std::vector<double> y(solutions.begin() + matrix * n * 3, solutions.begin() + (matrix + 1) * n * 3), product = multiplied(x, y, n, width);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < 3; ++j)
          EXPECT_NEAR(product[static_cast<size_t>(i * 3 + j)], x[static_cast<size_t>(i * width + n + j)], 1e-9) << n;
      EXPECT_NEAR(std::log(std::abs(facts[static_cast<size_t>(matrix * 4)])), facts[static_cast<size_t>(matrix * 4 + 1)], 1e-9);
      EXPECT_EQ(facts[static_cast<size_t>(matrix * 4)] < 0, facts[static_cast<size_t>(matrix * 4 + 2)] < 0);
      EXPECT_EQ(facts[static_cast<size_t>(matrix * 4 + 3)], 0);
    }
  }
}

TEST(Routines, SingularMatricesAreReportedWhereTheyAreChecked) {
  std::vector<double> x{1, 2, 2, 4}, none, facts(4);
  graphc_status_slot status = run(elimination(1, 2, 2, true, false), {x.data(), none.data(), facts.data()});
  EXPECT_EQ(status.code, GRAPHC_STATUS_NONE);
  EXPECT_EQ(facts, (std::vector<double>{0, -std::numeric_limits<double>::infinity(), 0, 2}));
  status = run(elimination(1, 2, 2, true, true), {x.data(), none.data(), facts.data()});
  EXPECT_EQ(status.code, GRAPHC_STATUS_SINGULAR_MATRIX);
  EXPECT_EQ(status.value, 2);
  EXPECT_EQ(status.extent, 2);
}

TEST(Routines, CholeskyFactorizesAndReportsWhatIsNotPositiveDefinite) {
  const std::vector<RoutineBuffer> buffers{{DType::F64, {2, 2, 2}}, {DType::F64, {2, 2, 2}}, {DType::F64, {2, 1, 1}}};
  std::vector<double> x{4, nan, 2, 5, 1, 0, 3, 9}, factor(8), facts(2);
  EXPECT_EQ(run(prepareRoutine("cholesky", options({1, 0}), buffers), {x.data(), factor.data(), facts.data()}).code, GRAPHC_STATUS_NONE);
  EXPECT_EQ((std::vector<double>{factor.begin(), factor.begin() + 4}), (std::vector<double>{2, 0, 1, 2}));
  EXPECT_EQ(facts, (std::vector<double>{0, 2}));
  EXPECT_EQ(factor[4], 1);
  EXPECT_TRUE(std::isnan(factor[7]));
  const graphc_status_slot status = run(prepareRoutine("cholesky", options({1, 1}), buffers), {x.data(), factor.data(), facts.data()});
  EXPECT_EQ(status.code, GRAPHC_STATUS_NOT_POSITIVE_DEFINITE);
  EXPECT_EQ(status.value, 2);
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
  const std::vector<RoutineBuffer> wide{{DType::F64, {3, 2}}, {DType::F64, {3, 0}}, {DType::F64, {1, 4}}}, floats{{DType::F32, {2, 2}}, {DType::F32, {2, 2}}, {DType::F32, {1, 1}}};
  EXPECT_THROW(prepareRoutine("eliminate", options({0, 1, 0}), wide), Failure);
  EXPECT_THROW(prepareRoutine("cholesky", options({0, 0}), floats), Failure);
  EXPECT_THROW(prepareRoutine("cholesky", options({1, 0}), std::vector<RoutineBuffer>{{DType::F64, {2, 2}}, {DType::F64, {2, 2}}, {DType::F64, {1, 1}}}), Failure);
}

} // namespace
