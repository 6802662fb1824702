// Loads the driver's functions. See Driver.h.
#include "tools/gpu/Driver.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace graphc::gpu {

bool Driver::load(const char *library, std::string &error) {
  void *handle = dlopen(library, RTLD_NOW);
  if (!handle) {
    error = dlerror();
    return false;
  }
  auto find = [&](const char *name, auto &function) {
    void *symbol = dlsym(handle, name);
    if (!symbol && error.empty())
      error = std::string(library) + " has no function " + name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find("cuInit", init);
  find("cuDriverGetVersion", driverGetVersion);
  find("cuDeviceGet", deviceGet);
  find("cuDeviceGetName", deviceGetName);
  find("cuDeviceGetAttribute", deviceGetAttribute);
  find("cuDevicePrimaryCtxRetain", primaryContextRetain);
  find("cuCtxSetCurrent", contextSetCurrent);
  find("cuCtxSynchronize", contextSynchronize);
  find("cuModuleLoadData", moduleLoadData);
  find("cuModuleGetFunction", moduleGetFunction);
  find("cuFuncSetAttribute", functionSetAttribute);
  find("cuMemAlloc_v2", memAlloc);
  find("cuMemFree_v2", memFree);
  find("cuMemcpyHtoD_v2", copyToDevice);
  find("cuMemcpyDtoH_v2", copyFromDevice);
  find("cuMemsetD8_v2", fill);
  find("cuLaunchKernel", launchKernel);
  find("cuEventCreate", eventCreate);
  find("cuEventRecord", eventRecord);
  find("cuEventSynchronize", eventSynchronize);
  find("cuEventElapsedTime", eventElapsed);
  find("cuGetErrorName", errorName);
  return error.empty();
}

void Driver::check(Result result, const std::string &what) const {
  if (result == 0)
    return;
  const char *name = nullptr;
  errorName(result, &name);
  std::fprintf(stderr, "gpu_check: %s: %s (%d)\n", what.c_str(), name ? name : "unknown error", result);
  std::exit(4);
}

} // namespace graphc::gpu
