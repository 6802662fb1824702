// GEMM for f32 on the CUDA cores: products and sums in full f32, as eager's (tf32 off) are.
//
// Input and output: as gemm_mma.cuh, with f32 operands.
//
// 256 threads compute a 128x128 tile, 8x8 sums each (two groups of four rows and columns, 64 apart, so that a quarter
// warp's 16-byte loads are either one address or contiguous). k-slices of 8 go through registers into two buffers that
// hold k-rows of 128 values, so one barrier per slice is enough: the next slice is fetched before the current one is
// multiplied and stored after it.
//
//   gc_gemm_fma<Body, true, true>(args);      // 34,816 bytes of dynamic shared memory
#pragma once

#include "gemm_epilogue.cuh"

struct gc_fma_config {
  static constexpr int tile = 128, depth = 8, threads = 256;
  static constexpr int pitch = tile + 4; // in floats; keeps rows 16-byte aligned and spreads the transposing stores
  static constexpr int sliceFloats = depth * pitch;
  static constexpr int stagedRows = 64, stagedPitch = tile + 8;
  static constexpr int sharedBytes = stagedRows * stagedPitch * 4;
  static_assert(4 * sliceFloats * 4 <= sharedBytes, "two slices of A and of B");
};

// One operand's share of a slice: each thread carries four values that are neighbours in memory.
template <bool KMajor> struct gc_fma_operand {
  using config = gc_fma_config;
  const float *base; // the tile's first row
  gc_i64 stride, total;
  int rows; // of the tile
  bool aligned;

  // K contiguous: threads 2r and 2r+1 take the halves of row r. Otherwise each warp takes one k-row.
  static GC_DEVICE int row() { return KMajor ? gc_thread() / 2 : gc_thread() % 32 * 4; }
  static GC_DEVICE int depth() { return KMajor ? gc_thread() % 2 * 4 : gc_thread() / 32; }

  GC_DEVICE void fetch(float (&v)[4], gc_i64 slice) const {
    const gc_i64 from = slice * config::depth;
    const int here = total - from < config::depth ? (int)(total - from) : config::depth;
    const float *source = base + (KMajor ? row() * stride + from + depth() : (from + depth()) * stride + row());
    const bool inside = KMajor ? row() < rows : depth() < here;
    const int left = KMajor ? here - depth() : rows - row();
    if (inside && left >= 4 && aligned) {
      gc_load_elements<float, 4, gc_read_only>(v, source);
      return;
    }
    GC_UNROLL
    for (int i = 0; i < 4; ++i)
      v[i] = inside && i < left ? gc_bits_float(gc_load_global<gc_u32, gc_read_only>(source + i)) : 0.0f;
  }

  static GC_DEVICE void store(float *slice, const float (&v)[4]) {
    if constexpr (KMajor) {
      GC_UNROLL
      for (int i = 0; i < 4; ++i)
        gc_store_shared(slice + (depth() + i) * config::pitch + row(), gc_float_bits(v[i]));
    } else {
      gc_bits16 raw;
      gc_copy_bits(&raw, v, sizeof raw);
      gc_store_shared(slice + depth() * config::pitch + row(), raw);
    }
  }
};

GC_DEVICE void gc_fma_load4(float *v, const float *p) {
  const gc_bits16 raw = gc_load_shared<gc_bits16>(p);
  gc_copy_bits(v, &raw, sizeof raw);
}

// Adds one slice's products. Thread t owns rows 4*(t/16) + {0..3, 64..67} and columns 4*(t%16) + {0..3, 64..67}.
GC_DEVICE void gc_fma_multiply(float (&d)[8][8], const float *sliceA, const float *sliceB) {
  const int row = gc_thread() / 16 * 4, column = gc_thread() % 16 * 4;
  GC_UNROLL
  for (int k = 0; k < gc_fma_config::depth; ++k) {
    float a[8], b[8];
    GC_UNROLL
    for (int h = 0; h < 2; ++h) {
      gc_fma_load4(a + h * 4, sliceA + k * gc_fma_config::pitch + row + h * 64);
      gc_fma_load4(b + h * 4, sliceB + k * gc_fma_config::pitch + column + h * 64);
    }
    GC_UNROLL
    for (int i = 0; i < 8; ++i)
      GC_UNROLL
      for (int j = 0; j < 8; ++j)
        d[i][j] = gc_fma(a[i], b[j], d[i][j]);
  }
}

template <bool KMajorA, bool KMajorB>
GC_DEVICE void gc_fma_run(float (&d)[8][8], const gc_fma_operand<KMajorA> &a, const gc_fma_operand<KMajorB> &b,
                          gc_i64 depth) {
  using config = gc_fma_config;
  float *shared = (float *)gc_shared();
  const gc_i64 slices = (depth + config::depth - 1) / config::depth;
  float nextA[4], nextB[4];
  for (gc_i64 s = 0; s < slices; ++s) {
    float *sliceA = shared + (s & 1) * 2 * config::sliceFloats, *sliceB = sliceA + config::sliceFloats;
    if (s == 0) {
      a.fetch(nextA, 0);
      b.fetch(nextB, 0);
    }
    a.store(sliceA, nextA);
    b.store(sliceB, nextB);
    gc_sync_block();
    if (s + 1 < slices) {
      a.fetch(nextA, s + 1);
      b.fetch(nextB, s + 1);
    }
    gc_fma_multiply(d, sliceA, sliceB);
  }
}

// Writes rows 64*half..64*half+63 of the tile.
GC_DEVICE void gc_fma_stage(float *staged, const float (&d)[8][8], int half) {
  const int row = gc_thread() / 16 * 4, column = gc_thread() % 16 * 4;
  GC_UNROLL
  for (int i = 0; i < 4; ++i)
    GC_UNROLL
    for (int h = 0; h < 2; ++h) {
      gc_bits16 raw;
      GC_UNROLL
      for (int j = 0; j < 4; ++j)
        raw.word[j] = gc_float_bits(half ? d[4 + i][h * 4 + j] : d[i][h * 4 + j]);
      gc_store_shared(staged + (row + i) * gc_fma_config::stagedPitch + column + h * 64, raw);
    }
}

template <class Body, bool KMajorA, bool KMajorB> GC_DEVICE void gc_gemm_fma(const gc_kernel_args &args) {
  using config = gc_fma_config;
  const gc_gemm_problem p = Body(args).problem();
  const gc_gemm_tiles<config::tile, config::tile> tiles(p);
  for (gc_i64 t = gc_block(); t < tiles.count; t += gc_block_count()) {
    const gc_gemm_tile tile = tiles.at(t);
    const float *a = (const float *)p.a + Body(args).batchA(tile.batch), *b = (const float *)p.b + Body(args).batchB(tile.batch);
    float d[8][8] = {};
    gc_fma_run<KMajorA, KMajorB>(d,
                                 {KMajorA ? a + tile.m * p.strideA : a + tile.m, p.strideA, p.k,
                                  gc_at_most(p.m - tile.m, config::tile),
                                  gc_aligned(a, 16) && gc_aligned(p.strideA * 4, 16)},
                                 {KMajorB ? b + tile.n * p.strideB : b + tile.n, p.strideB, p.k,
                                  gc_at_most(p.n - tile.n, config::tile),
                                  gc_aligned(b, 16) && gc_aligned(p.strideB * 4, 16)},
                                 p.k);
    float *staged = (float *)gc_shared();
    GC_ROLLED
    for (int half = 0; half < 2; ++half) {
      gc_sync_block();
      gc_fma_stage(staged, d, half);
      gc_sync_block();
      const gc_gemm_tile part = {tile.batch, tile.m + half * config::stagedRows, tile.n};
      gc_run_epilogue<Body, config::stagedRows, config::tile, config::stagedPitch, config::threads>(args, p, part,
                                                                                                 staged);
    }
    gc_sync_block();
  }
}
