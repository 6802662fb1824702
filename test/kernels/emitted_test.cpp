// Emitted kernels under the SIMT emulator against the interpreter's values: the text of graphc-emit-cuda, compiled by g++.
//
// GRAPHC_EMITTED_KERNELS is the generated include, GRAPHC_EMITTED_BUNDLE the folder with inputs and expected values. Every
// case runs in order and in adversarial orders, with the launch's own grid and with a single block.
#include "codegen/cuda/emulator/Launch.h"
#include "tools/gpu/Bundle.h"

#include <algorithm>
#include <gtest/gtest.h>

struct EmittedKernel {
  const char *name;
  void (*run)(const struct gc_kernel_args);
};
#include GRAPHC_EMITTED_KERNELS

using namespace graphc;

namespace {

class EmittedCase {
public:
  EmittedCase(const gpu::Bundle &bundle, const gpu::BundleCase &data) : bundle(bundle), data(data) {
    for (const gpu::BundleBuffer &buffer : data.buffers) {
      std::vector<std::byte> &memory = buffers[buffer.id];
      memory.assign(buffer.bytes() + 64, std::byte(0xff));
      if (buffer.file == "-" || buffer.source >= 0)
        continue;
      std::string error;
      const std::vector<std::byte> content = gpu::readBundleFile(bundle, buffer.file, int64_t(buffer.bytes()), error);
      EXPECT_EQ(error, "");
      std::ranges::copy(content, static_cast<std::byte *>(aligned(buffer.id)));
    }
  }

  std::string runStep(const gpu::BundleStep &step, uint64_t seed, bool oneBlock) {
    const EmittedKernel *kernel = nullptr;
    for (const EmittedKernel &candidate : emittedKernels)
      if (step.kernel == candidate.name)
        kernel = &candidate;
    if (!kernel)
      return "no kernel " + step.kernel;
    simt::LaunchOptions options = {.grid = {oneBlock ? 1 : step.blocks},
                                   .block = {step.threads},
                                   .sharedBytes = step.sharedBytes,
                                   .seed = seed};
    std::vector<void *> pointers;
    for (int id : step.buffers) {
      const gpu::BundleBuffer &buffer = *data.find(id);
      pointers.push_back(aligned(id));
      options.memory.push_back({aligned(id), buffer.bytes(), "buffer " + std::to_string(id), data.checks.count(id) != 0});
    }
    gc_status_slot status = {0, -1, 0, 0};
    const std::vector<gc_i64> dims(step.dims.begin(), step.dims.end());
    const gc_kernel_args args = {pointers.data(), dims.data(), &status, 0};
    const simt::LaunchReport report = simt::launch(options, [&] { kernel->run(args); });
    if (status.step != -1)
      return "status code " + std::to_string(status.code) + ", value " + std::to_string(status.value);
    return report.error;
  }

  void check() {
    for (const auto &[id, file] : data.checks) {
      const gpu::BundleBuffer &buffer = *data.find(id);
      std::string error;
      const std::vector<std::byte> expected = gpu::readBundleFile(bundle, file, int64_t(buffer.bytes()), error);
      EXPECT_EQ(error, "");
      const std::byte *begin = aligned(id);
      const gpu::Judgement judgement = gpu::judge(buffer.type, {begin, begin + buffer.bytes()}, expected);
      EXPECT_TRUE(judgement.ok()) << data.name << " buffer " << id << ": relative error " << judgement.error
                                  << ", tolerance " << judgement.tolerance;
    }
  }

private:
  std::byte *aligned(int id) {
    const gpu::BundleBuffer &buffer = *data.find(id);
    if (buffer.source >= 0)
      return aligned(buffer.source) + buffer.offsetBytes();
    std::byte *start = buffers[id].data();
    return start + (64 - reinterpret_cast<uintptr_t>(start) % 64) % 64;
  }
  const gpu::Bundle &bundle;
  const gpu::BundleCase &data;
  std::map<int, std::vector<std::byte>> buffers;
};

TEST(EmittedKernels, EqualTheInterpreter) {
  gpu::Bundle bundle;
  std::string error;
  ASSERT_TRUE(gpu::readBundle(GRAPHC_EMITTED_BUNDLE, bundle, error)) << error;
  ASSERT_FALSE(bundle.cases.empty());
  for (const gpu::BundleCase &data : bundle.cases)
    for (uint64_t seed : {0, 1, 2}) {
      EmittedCase run(bundle, data);
      ASSERT_FALSE(data.checks.empty());
      for (const gpu::BundleStep &step : data.steps)
        EXPECT_EQ(run.runStep(step, seed, seed == 2), "") << data.name << ", kernel " << step.kernel << ", seed " << seed;
      run.check();
    }
}

} // namespace
