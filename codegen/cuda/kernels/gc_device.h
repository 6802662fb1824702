// The gc_* intrinsics as inline PTX, for sm_80 and up, without any CUDA header (those cost most of a compile's time).
// gc_host.h has the same functions for the CPU; nothing outside these two files contains assembly.
#pragma once

#define GC_DEVICE __device__ __forceinline__
// `blocks` of `threads` fit one multiprocessor: bounds the registers.
#define GC_KERNEL(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)
#define GC_ARGS const __grid_constant__ gc_kernel_args
#define GC_UNROLL _Pragma("unroll")
#define GC_ROLLED _Pragma("unroll 1")
// Source positions exist on the host only, where faults and the access lint name them.
#define GC_SITE
#define GC_AT

extern __shared__ __align__(1024) gc_u8 gc_shared_memory[];

// Where a thread is. All kernels use one-dimensional blocks and grids.
GC_DEVICE gc_u32 gc_thread() { return threadIdx.x; }
GC_DEVICE gc_u32 gc_block() { return blockIdx.x; }
GC_DEVICE gc_u32 gc_thread_count() { return blockDim.x; }
GC_DEVICE gc_u32 gc_block_count() { return gridDim.x; }
GC_DEVICE gc_u8 *gc_shared() { return gc_shared_memory; }

GC_DEVICE gc_u32 gc_shared_address(const void *p) { return (gc_u32)__cvta_generic_to_shared(p); }
GC_DEVICE gc_u64 gc_global_address(const void *p) { return (gc_u64)__cvta_generic_to_global(p); }

// The same pointer, known to lie in global memory: loads and stores through it need not ask which memory they go to.
GC_DEVICE void *gc_known_global(void *p) {
  __builtin_assume(__isGlobal(p));
  return p;
}

// Bit casts. gc_copy_bits is memcpy of a constant size between objects of one thread.
GC_DEVICE void gc_copy_bits(void *to, const void *from, int bytes) { memcpy(to, from, bytes); }
GC_DEVICE gc_u32 gc_float_bits(float v) { return __float_as_uint(v); }
GC_DEVICE float gc_bits_float(gc_u32 v) { return __uint_as_float(v); }

// Global memory: Bits is an integer of 1, 2, 4 or 8 bytes, gc_bits8 or gc_bits16, and the address a multiple of its size.
template <class Bits, gc_hint Hint = gc_keep> GC_DEVICE Bits gc_load_global(const void *p) {
  const gc_u64 a = gc_global_address(p);
  if constexpr (Hint == gc_keep) {
    return *(const Bits *)p;
  } else if constexpr (sizeof(Bits) == 16) {
    Bits v;
    if constexpr (Hint == gc_stream)
      asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
          : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
          : "l"(a));
    else
      asm("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];"
          : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
          : "l"(a));
    return v;
  } else if constexpr (sizeof(Bits) == 8) {
    gc_u32 low, high;
    asm("ld.global.nc.v2.u32 {%0,%1}, [%2];" : "=r"(low), "=r"(high) : "l"(a));
    const gc_u64 both = (gc_u64)high << 32 | low;
    Bits v;
    memcpy(&v, &both, 8);
    return v;
  } else if constexpr (sizeof(Bits) == 4) {
    gc_u32 v;
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(a));
    return (Bits)v;
  } else if constexpr (sizeof(Bits) == 2) {
    gc_u16 v;
    asm("ld.global.nc.u16 %0, [%1];" : "=h"(v) : "l"(a));
    return (Bits)v;
  } else {
    gc_u32 v;
    asm("ld.global.nc.u8 %0, [%1];" : "=r"(v) : "l"(a));
    return (Bits)v;
  }
}
template <class Bits> GC_DEVICE void gc_store_global(void *p, Bits v) { *(Bits *)p = v; }

// Shared memory, same sizes.
template <class Bits> GC_DEVICE Bits gc_load_shared(const void *p) { return *(const Bits *)p; }
template <class Bits> GC_DEVICE void gc_store_shared(void *p, Bits v) { *(Bits *)p = v; }

// Meeting points.
GC_DEVICE void gc_sync_block() { __syncthreads(); }
GC_DEVICE void gc_sync_warp() { __syncwarp(); }
// `id` must be a compile-time constant (1..15): with a run-time one ptxas reserves all sixteen.
GC_DEVICE void gc_sync_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
GC_DEVICE gc_u32 gc_shuffle_xor(gc_u32 v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
GC_DEVICE gc_u32 gc_shuffle(gc_u32 v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }

// Asynchronous copies into shared memory: 16 or 4 bytes, of which the first `valid` come from `global` (a multiple of
// the size) and the rest are zero.
GC_DEVICE void gc_copy_async16(void *shared, const void *global, int valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(gc_shared_address(shared)),
               "l"(gc_global_address(global)), "r"(valid)
               : "memory");
}
GC_DEVICE void gc_copy_async4(void *shared, const void *global, int valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(gc_shared_address(shared)),
               "l"(gc_global_address(global)), "r"(valid)
               : "memory");
}
GC_DEVICE void gc_copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most Pending committed groups of this thread are in flight.
template <int Pending> GC_DEVICE void gc_copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory"); }

// Four 8x8 matrices of 16-bit elements; lane l gives the address of row l%8 of matrix l/8. Transposed: each matrix is.
GC_DEVICE void gc_load_matrix(gc_u32 (&r)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(gc_shared_address(p))
               : "memory");
}
GC_DEVICE void gc_load_matrix_transposed(gc_u32 (&r)[4], const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(gc_shared_address(p))
               : "memory");
}

// d += a * b on the tensor cores, f32 accumulation: 16x8x16 for 16-bit elements, 16x8x8 for tf32.
GC_DEVICE void gc_mma(float (&d)[4], const gc_u32 (&a)[4], gc_u32 b0, gc_u32 b1, gc_bfloat) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
GC_DEVICE void gc_mma(float (&d)[4], const gc_u32 (&a)[4], gc_u32 b0, gc_u32 b1, gc_half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
GC_DEVICE void gc_mma_tf32(float (&d)[4], const gc_u32 (&a)[4], gc_u32 b0, gc_u32 b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// f32 to the nearest tf32 (ties away from zero), as f32 bits.
GC_DEVICE gc_u32 gc_to_tf32(float v) {
  gc_u32 r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
}

// 16-bit floats, rounding to nearest even.
GC_DEVICE float gc_widen(gc_bfloat v) { return __uint_as_float((gc_u32)v.bits << 16); }
GC_DEVICE float gc_widen(gc_half v) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits));
  return r;
}
GC_DEVICE gc_bfloat gc_round_bfloat(float v) {
  gc_bfloat r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
  return r;
}
GC_DEVICE gc_half gc_round_half(float v) {
  gc_half r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
  return r;
}

// Correctly rounded, never contracted or flushed.
GC_DEVICE float gc_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GC_DEVICE double gc_fma(double a, double b, double c) { return __fma_rn(a, b, c); }

// Records the run's first failure.
GC_DEVICE void gc_record_failure(const gc_kernel_args &args, gc_i64 code, gc_i64 value, gc_i64 extent) {
  const gc_u64 before = atomicCAS((gc_u64 *)&args.status->step, ~0ull, (gc_u64)args.step);
  if (before != ~0ull)
    return;
  args.status->code = code;
  args.status->value = value;
  args.status->extent = extent;
}
