// The part of the CUDA driver that gpu_check needs, loaded at run time: no CUDA header and no toolkit.
//
//   Driver driver;
//   if (!driver.load("libcuda.so.1")) …           // no driver on this machine
//   driver.check(driver.memAlloc(&pointer, bytes), "cuMemAlloc");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphc::gpu {

using DevicePointer = uint64_t;
using Handle = void *; ///< CUcontext, CUmodule, CUfunction, CUstream, CUevent
using Result = int;    ///< CUresult; 0 is success

/// CUdevice_attribute and CUfunction_attribute values used here.
constexpr int attributeMultiprocessors = 16, attributeMajor = 75, attributeMinor = 76;
constexpr int attributeDynamicSharedBytes = 8;

struct Driver {
  Result (*init)(unsigned);
  Result (*driverGetVersion)(int *);
  Result (*deviceGet)(int *, int);
  Result (*deviceGetName)(char *, int, int);
  Result (*deviceGetAttribute)(int *, int, int);
  Result (*primaryContextRetain)(Handle *, int);
  Result (*contextSetCurrent)(Handle);
  Result (*contextSynchronize)();
  Result (*moduleLoadData)(Handle *, const void *);
  Result (*moduleGetFunction)(Handle *, Handle, const char *);
  Result (*functionSetAttribute)(Handle, int, int);
  Result (*memAlloc)(DevicePointer *, size_t);
  Result (*memFree)(DevicePointer);
  Result (*copyToDevice)(DevicePointer, const void *, size_t);
  Result (*copyFromDevice)(void *, DevicePointer, size_t);
  Result (*fill)(DevicePointer, unsigned char, size_t);
  Result (*launchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **);
  Result (*eventCreate)(Handle *, unsigned);
  Result (*eventRecord)(Handle, Handle);
  Result (*eventSynchronize)(Handle);
  Result (*eventElapsed)(float *, Handle, Handle);
  Result (*errorName)(Result, const char **);

  /// False and a text in `error` when the library or one of its functions is missing.
  bool load(const char *library, std::string &error);
  /// Ends the process with status 4 and the error's name when `result` isn't success.
  void check(Result result, const std::string &what) const;
};

} // namespace graphc::gpu
