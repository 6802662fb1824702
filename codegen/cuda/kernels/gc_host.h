// The gc_* intrinsics over the SIMT emulator: the same functions as gc_device.h, as C++ for the CPU. Accesses are
// checked and logged, collectives meet, asynchronous copies may land late (emulator/Launch.h says what is found).
#pragma once

#include "codegen/cuda/emulator/Matrix.h"
#include "codegen/cuda/emulator/Thread.h"
#include "gc_types.h"

#include <cmath>
#include <cstring>

#define GC_DEVICE inline
#define GC_KERNEL(threads, blocks) extern "C" void
#define GC_ARGS const gc_kernel_args
#define GC_UNROLL
#define GC_ROLLED
#define GC_SITE , const graphc::simt::Site &site = graphc::simt::Site::current()
#define GC_AT , site
// For functions without other parameters.
#define GC_SITE_ONLY const graphc::simt::Site &site = graphc::simt::Site::current()

GC_DEVICE gc_u32 gc_thread() { return graphc::simt::threadIndex().x; }
GC_DEVICE gc_u32 gc_block() { return graphc::simt::blockIndex().x; }
GC_DEVICE gc_u32 gc_thread_count() { return graphc::simt::blockShape().x; }
GC_DEVICE gc_u32 gc_block_count() { return graphc::simt::gridShape().x; }
GC_DEVICE gc_u8 *gc_shared() { return reinterpret_cast<gc_u8 *>(graphc::simt::sharedMemory()); }

GC_DEVICE void *gc_known_global(void *p) { return p; }
GC_DEVICE void gc_copy_bits(void *to, const void *from, int bytes) { std::memcpy(to, from, bytes); }
GC_DEVICE gc_u32 gc_float_bits(float v) {
  gc_u32 bits;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}
GC_DEVICE float gc_bits_float(gc_u32 bits) {
  float v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

template <class Bits, gc_hint Hint = gc_keep> GC_DEVICE Bits gc_load_global(const void *p GC_SITE) {
  graphc::simt::touchGlobal(p, sizeof(Bits), false GC_AT);
  Bits v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class Bits> GC_DEVICE void gc_store_global(void *p, Bits v GC_SITE) {
  graphc::simt::touchGlobal(p, sizeof(Bits), true GC_AT);
  std::memcpy(p, &v, sizeof v);
}
template <class Bits> GC_DEVICE Bits gc_load_shared(const void *p GC_SITE) {
  graphc::simt::touchShared(p, sizeof(Bits), false GC_AT);
  Bits v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class Bits> GC_DEVICE void gc_store_shared(void *p, Bits v GC_SITE) {
  graphc::simt::touchShared(p, sizeof(Bits), true GC_AT);
  std::memcpy(p, &v, sizeof v);
}

GC_DEVICE void gc_sync_block(GC_SITE_ONLY) { graphc::simt::syncBlock(site); }
GC_DEVICE void gc_sync_warp(GC_SITE_ONLY) { graphc::simt::syncWarp(site); }
GC_DEVICE void gc_sync_threads(int id, int threads GC_SITE) { graphc::simt::syncThreads(id, threads GC_AT); }
GC_DEVICE gc_u32 gc_shuffle_xor(gc_u32 v, int mask GC_SITE) {
  return graphc::simt::shuffle("gc_shuffle_xor", v, graphc::simt::laneIndex() ^ mask GC_AT);
}
GC_DEVICE gc_u32 gc_shuffle(gc_u32 v, int lane GC_SITE) {
  return graphc::simt::shuffle("gc_shuffle", v, lane & 31 GC_AT);
}

GC_DEVICE void gc_copy_async16(void *shared, const void *global, int valid GC_SITE) {
  graphc::simt::copyAsync(shared, global, 16, valid GC_AT);
}
GC_DEVICE void gc_copy_async4(void *shared, const void *global, int valid GC_SITE) {
  graphc::simt::copyAsync(shared, global, 4, valid GC_AT);
}
GC_DEVICE void gc_copy_commit() { graphc::simt::commitCopies(); }
template <int Pending> GC_DEVICE void gc_copy_wait() { graphc::simt::waitCopies(Pending); }

GC_DEVICE void gc_load_matrix(gc_u32 (&r)[4], const void *p GC_SITE) { graphc::simt::loadMatrix(r, p, false GC_AT); }
GC_DEVICE void gc_load_matrix_transposed(gc_u32 (&r)[4], const void *p GC_SITE) {
  graphc::simt::loadMatrix(r, p, true GC_AT);
}

GC_DEVICE void gc_mma(float (&d)[4], const gc_u32 (&a)[4], gc_u32 b0, gc_u32 b1, gc_bfloat GC_SITE) {
  graphc::simt::multiply16(d, a, b0, b1, graphc::simt::Element16::bfloat GC_AT);
}
GC_DEVICE void gc_mma(float (&d)[4], const gc_u32 (&a)[4], gc_u32 b0, gc_u32 b1, gc_half GC_SITE) {
  graphc::simt::multiply16(d, a, b0, b1, graphc::simt::Element16::half GC_AT);
}
GC_DEVICE void gc_mma_tf32(float (&d)[4], const gc_u32 (&a)[4], gc_u32 b0, gc_u32 b1 GC_SITE) {
  graphc::simt::multiplyTf32(d, a, b0, b1 GC_AT);
}
GC_DEVICE gc_u32 gc_to_tf32(float v) {
  const gc_u32 bits = gc_float_bits(v);
  if ((bits & 0x7f800000u) == 0x7f800000u)
    return bits;
  return (bits + 0x1000u) & 0xffffe000u;
}

GC_DEVICE float gc_widen(gc_bfloat v) { return graphc::simt::bfloatToFloat(v.bits); }
GC_DEVICE float gc_widen(gc_half v) { return graphc::simt::halfToFloat(v.bits); }
GC_DEVICE gc_bfloat gc_round_bfloat(float v) { return {graphc::simt::floatToBfloat(v)}; }
GC_DEVICE gc_half gc_round_half(float v) { return {graphc::simt::floatToHalf(v)}; }

GC_DEVICE float gc_fma(float a, float b, float c) { return std::fma(a, b, c); }
GC_DEVICE double gc_fma(double a, double b, double c) { return std::fma(a, b, c); }

GC_DEVICE void gc_record_failure(const gc_kernel_args &args, gc_i64 code, gc_i64 value, gc_i64 extent) {
  if (args.status->step != -1)
    return;
  *args.status = {code, args.step, value, extent};
}
