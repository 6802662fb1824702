// What the emulator tests share: buffers in both element type and double, launches, comparison with a double reference.
//
//   Buffer<gc_bfloat> a(m * k), out(m * n);
//   a.randomize(1);
//   LaunchReport report = launchKernel({a.region("a", false), out.region("out", true)}, {m, n, k},
//                                      {.grid = {2}, .block = {256}, .sharedBytes = 49152}, kernel);
//   EXPECT_EQ(report.error, "");
//   EXPECT_LE(relativeError(out, reference), tolerance);
#pragma once

#include "codegen/cuda/emulator/Launch.h"
#include "codegen/cuda/kernels/gc.h"

#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace graphc::test {

/// One kernel argument: elements of T, `offset` elements past a 64-byte boundary (to test misaligned operands).
template <class T> class Buffer {
public:
  explicit Buffer(size_t count, size_t offset = 0) : storage(count + offset + 64), shift(offset), size(count) {}

  T *data() { return storage.data() + align() + shift; }
  const T *data() const { return const_cast<Buffer *>(this)->data(); }
  size_t count() const { return size; }

  /// Normal random values, rounded to T.
  Buffer &randomize(unsigned seed, double scale = 1) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < size; ++i)
      data()[i] = gc_narrow_to<T>::from(static_cast<gc_compute<T>>(normal(generator) * scale));
    return *this;
  }
  double at(size_t i) const { return static_cast<double>(gc_widen(data()[i])); }
  simt::MemoryRegion region(const char *name, bool writable) const {
    return {data(), size * sizeof(T), name, writable};
  }

private:
  size_t align() const {
    const auto address = reinterpret_cast<uintptr_t>(storage.data());
    return (64 - address % 64) % 64 / sizeof(T);
  }
  std::vector<T> storage;
  size_t shift, size;
};

/// Launches `kernel(args)` with these pointers and dims; the pointer and dims tables are not checked regions.
template <class Kernel>
simt::LaunchReport launchKernel(const std::vector<simt::MemoryRegion> &buffers, const std::vector<gc_i64> &dims,
                                simt::LaunchOptions options, Kernel kernel) {
  std::vector<void *> pointers;
  for (const simt::MemoryRegion &buffer : buffers)
    pointers.push_back(const_cast<void *>(buffer.begin));
  gc_status_slot status = {0, -1, 0, 0};
  const gc_kernel_args args = {pointers.data(), dims.data(), &status, 0};
  options.memory = buffers;
  simt::LaunchReport report = simt::launch(options, [&] { kernel(args); });
  if (report.error.empty() && status.step != -1)
    report.error = "status: code " + std::to_string(status.code) + ", value " + std::to_string(status.value);
  return report;
}

/// rms of the difference over rms of the reference; infinite where only one of the two is finite.
template <class T> double relativeError(const Buffer<T> &actual, const std::vector<double> &expected) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isfinite(expected[i]) != std::isfinite(actual.at(i)))
      return INFINITY;
    if (!std::isfinite(expected[i]))
      continue;
    difference += (actual.at(i) - expected[i]) * (actual.at(i) - expected[i]);
    size += expected[i] * expected[i];
  }
  return expected.empty() ? 0 : std::sqrt(difference / std::max(size, 1e-300));
}

/// Seeds every test runs with: in order, then adversarial.
inline const std::vector<uint64_t> allSeeds = {0, 1, 2};

} // namespace graphc::test
