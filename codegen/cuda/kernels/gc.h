// The gc_* intrinsics: gc_device.h under NVRTC, gc_host.h (the SIMT emulator) elsewhere, and what both share.
// Every kernel text starts with `#include "gc.h"`.
#pragma once

#include "gc_types.h"
#ifdef __CUDACC_RTC__
#include "gc_device.h"
#else
#include "gc_host.h"
#endif
#include "gc_element.h"
#include "gc_scalar.h"
