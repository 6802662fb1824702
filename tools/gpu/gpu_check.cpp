// gpu_check: runs the kernels of bundles on this machine's GPU, compares with the expected values, then times them.
//
//   gpu_check BUNDLE…          a line per checked buffer and per step; exit 0: all equal, 1: something differs or a bundle is
//                              damaged, 4: no driver, no GPU, or no cubin for it
//
// GRAPHC_CUDA_DRIVER names another library than libcuda.so.1. Nothing is built or downloaded. Times are of small test shapes
// with warm caches: they say that a kernel runs, not how fast it could.
#include "codegen/cuda/kernels/gc_types.h"
#include "tools/gpu/Bundle.h"
#include "tools/gpu/Driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace graphc::gpu;

namespace {

constexpr int timedRuns = 21, warmRuns = 3;

struct Device {
  Driver driver;
  int major = 0, minor = 0, multiprocessors = 0;

  /// The architecture of the cubin that runs here; sm_80 code runs on every 8.x.
  std::string arch() const { return major == 9 && minor == 0 ? "sm_90a" : major == 8 ? "sm_80" : ""; }
};

[[noreturn]] void quit(int status, const std::string &text) {
  std::fprintf(stderr, "gpu_check: %s\n", text.c_str());
  std::exit(status);
}

Device openDevice() {
  Device device;
  Driver &driver = device.driver;
  const char *library = std::getenv("GRAPHC_CUDA_DRIVER");
  std::string error;
  if (!driver.load(library ? library : "libcuda.so.1", error))
    quit(4, "no CUDA driver: nothing was run (" + error + ")");
  if (driver.init(0) != 0)
    quit(4, "no CUDA driver: nothing was run (cuInit failed)");
  int ordinal = 0, version = 0;
  if (driver.deviceGet(&ordinal, 0) != 0)
    quit(4, "no GPU: nothing was run");
  char name[128] = {};
  driver.check(driver.deviceGetName(name, sizeof name, ordinal), "cuDeviceGetName");
  driver.check(driver.driverGetVersion(&version), "cuDriverGetVersion");
  driver.check(driver.deviceGetAttribute(&device.major, attributeMajor, ordinal), "cuDeviceGetAttribute");
  driver.check(driver.deviceGetAttribute(&device.minor, attributeMinor, ordinal), "cuDeviceGetAttribute");
  driver.check(driver.deviceGetAttribute(&device.multiprocessors, attributeMultiprocessors, ordinal), "cuDeviceGetAttribute");
  Handle context = nullptr;
  driver.check(driver.primaryContextRetain(&context, ordinal), "cuDevicePrimaryCtxRetain");
  driver.check(driver.contextSetCurrent(context), "cuCtxSetCurrent");
  std::printf("device: %s, compute capability %d.%d, %d multiprocessors; driver supports CUDA %d.%d\n", name, device.major,
              device.minor, device.multiprocessors, version / 1000, version % 1000 / 10);
  return device;
}

class CaseRunner {
public:
  CaseRunner(const Device &device, const Bundle &bundle, Handle module, const BundleCase &data)
      : driver(device.driver), bundle(bundle), module(module), data(data) {}
  ~CaseRunner() {
    for (DevicePointer pointer : allocations)
      driver.memFree(pointer);
  }

  /// Number of buffers that differ.
  int run() {
    uploadBuffers();
    for (const BundleStep &step : data.steps)
      prepare(step);
    for (Launch &launch : launches)
      start(launch);
    driver.check(driver.contextSynchronize(), "running case " + data.name);
    const int wrong = checkBuffers() + checkStatus();
    for (Launch &launch : launches)
      time(launch);
    return wrong;
  }

private:
  struct Launch {
    const BundleStep *step;
    Handle function = nullptr;
    gc_kernel_args args = {};
  };

  DevicePointer allocate(size_t bytes, const void *content) {
    DevicePointer pointer = 0;
    driver.check(driver.memAlloc(&pointer, std::max<size_t>(bytes, 16)), "cuMemAlloc");
    allocations.push_back(pointer);
    if (content && bytes)
      driver.check(driver.copyToDevice(pointer, content, bytes), "cuMemcpyHtoD");
    return pointer;
  }

  void uploadBuffers() {
    for (const BundleBuffer &buffer : data.buffers) {
      if (buffer.source >= 0) {
        pointers[buffer.id] = pointers[buffer.source] + buffer.offsetBytes();
        continue;
      }
      std::string error;
      std::vector<std::byte> content(buffer.bytes(), std::byte(0xff));
      if (buffer.file != "-")
        content = readBundleFile(bundle, buffer.file, int64_t(buffer.bytes()), error);
      if (!error.empty())
        quit(1, error);
      pointers[buffer.id] = allocate(buffer.bytes(), content.data());
    }
    const gc_status_slot clean = {0, -1, 0, 0};
    status = allocate(sizeof clean, &clean);
  }

  void prepare(const BundleStep &step) {
    Launch launch;
    launch.step = &step;
    driver.check(driver.moduleGetFunction(&launch.function, module, step.kernel.c_str()), "kernel " + step.kernel);
    driver.check(driver.functionSetAttribute(launch.function, attributeDynamicSharedBytes, int(step.sharedBytes)),
                 "shared memory of " + step.kernel);
    std::vector<DevicePointer> table;
    for (int id : step.buffers)
      table.push_back(pointers[id]);
    launch.args.pointers = reinterpret_cast<void *const *>(allocate(table.size() * sizeof table[0], table.data()));
    launch.args.dims =
        reinterpret_cast<const gc_i64 *>(allocate(step.dims.size() * sizeof step.dims[0], step.dims.data()));
    launch.args.status = reinterpret_cast<gc_status_slot *>(status);
    launch.args.step = int(launches.size());
    launches.push_back(launch);
  }

  void start(Launch &launch) {
    void *parameters[] = {&launch.args};
    driver.check(driver.launchKernel(launch.function, launch.step->blocks, 1, 1, launch.step->threads, 1, 1,
                                     launch.step->sharedBytes, nullptr, parameters, nullptr),
                 "launch of " + launch.step->kernel);
  }

  int checkBuffers() {
    int wrong = 0;
    for (const auto &[id, file] : data.checks) {
      const BundleBuffer &buffer = *data.find(id);
      std::string error;
      const std::vector<std::byte> expected = readBundleFile(bundle, file, int64_t(buffer.bytes()), error);
      if (!error.empty())
        quit(1, error);
      std::vector<std::byte> actual(buffer.bytes());
      if (!actual.empty())
        driver.check(driver.copyFromDevice(actual.data(), pointers[id], actual.size()), "cuMemcpyDtoH");
      const Judgement judgement = judge(buffer.type, actual, expected);
      std::printf("%s: buffer %d (%s, %lld elements): %s, error %.3g, tolerance %.3g\n", data.name.c_str(), id,
                  buffer.type.c_str(), (long long)buffer.count, judgement.ok() ? "equal" : "DIFFERS", judgement.error,
                  judgement.tolerance);
      wrong += !judgement.ok();
    }
    return wrong;
  }

  int checkStatus() {
    gc_status_slot slot;
    driver.check(driver.copyFromDevice(&slot, status, sizeof slot), "cuMemcpyDtoH");
    if (slot.step == -1)
      return 0;
    std::printf("%s: step %lld FAILED with status %lld, value %lld, extent %lld\n", data.name.c_str(), slot.step, slot.code,
                slot.value, slot.extent);
    return 1;
  }

  void time(Launch &launch) {
    Handle begin = nullptr, end = nullptr;
    driver.check(driver.eventCreate(&begin, 0), "cuEventCreate");
    driver.check(driver.eventCreate(&end, 0), "cuEventCreate");
    std::vector<float> times;
    for (int i = 0; i < warmRuns + timedRuns; ++i) {
      driver.check(driver.eventRecord(begin, nullptr), "cuEventRecord");
      start(launch);
      driver.check(driver.eventRecord(end, nullptr), "cuEventRecord");
      driver.check(driver.eventSynchronize(end), "cuEventSynchronize");
      float milliseconds = 0;
      driver.check(driver.eventElapsed(&milliseconds, begin, end), "cuEventElapsedTime");
      if (i >= warmRuns)
        times.push_back(milliseconds * 1000);
    }
    std::nth_element(times.begin(), times.begin() + timedRuns / 2, times.end());
    std::printf("%s: %s: %.1f us (median of %d, %u blocks)\n", data.name.c_str(), launch.step->kernel.c_str(),
                times[timedRuns / 2], timedRuns, launch.step->blocks);
  }

  const Driver &driver;
  const Bundle &bundle;
  Handle module;
  const BundleCase &data;
  std::map<int, DevicePointer> pointers;
  std::vector<DevicePointer> allocations;
  std::vector<Launch> launches;
  DevicePointer status = 0;
};

int runBundle(const Device &device, const std::string &folder) {
  Bundle bundle;
  std::string error;
  if (!readBundle(folder, bundle, error))
    quit(1, error);
  auto cubin = bundle.cubins.find(device.arch());
  if (cubin == bundle.cubins.end())
    quit(4, folder + " has no cubin for compute capability " + std::to_string(device.major) + "." +
                std::to_string(device.minor) + ": nothing was run");
  const std::vector<std::byte> image = readBundleFile(bundle, cubin->second, -1, error);
  if (!error.empty())
    quit(1, error);
  Handle module = nullptr;
  device.driver.check(device.driver.moduleLoadData(&module, image.data()), "loading " + cubin->second);
  int wrong = 0;
  for (const BundleCase &data : bundle.cases)
    wrong += CaseRunner(device, bundle, module, data).run();
  std::printf("%s: %zu cases, %d buffers differ\n", folder.c_str(), bundle.cases.size(), wrong);
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    quit(2, "usage: gpu_check BUNDLE…");
  const Device device = openDevice();
  int wrong = 0;
  for (int i = 1; i < argc; ++i)
    wrong += runBundle(device, argv[i]);
  std::printf("gpu_check: %s\n", wrong ? "FAILED" : "all equal");
  return wrong ? 1 : 0;
}
