// GEMM on the tensor cores for 16-bit elements, sm_80 and up: mma.sync m16n8k16 with f32 sums.
//
// Input: what gemm_epilogue.cuh describes; each operand with k contiguous (rows of A, or weights [N,K]) or with its
// other dimension contiguous (KMajor false). Sizes are run-time values; M, N and K may have any tail.
// Output: whatever the epilogue stores.
//
// 256 threads compute a 128x128 tile as 2x4 warps of 64x32. Three stages of k-slices of 32 arrive by cp.async (16 bytes,
// zero-filled past the edges; element by element where an operand isn't 16-byte aligned) and are read by ldmatrix. The
// 16-byte chunks of a row are swizzled by XOR so that neither writes nor ldmatrix reads meet in a bank. Blocks take
// tiles with a grid stride, so any grid size gives the same result.
//
// f32 operands take gemm_fma.cuh: tf32 keeps ten bits of mantissa and would miss eager's accuracy.
//
//   gc_gemm_mma<Body, gc_bfloat, true, true>(args);      // 48 KB of dynamic shared memory
#pragma once

#include "gemm_epilogue.cuh"

// A 128 x 32 slice of one operand in shared memory.
template <bool KMajor> struct gc_mma_slice {
  static constexpr int outer = 128, depth = 32, chunk = 8; // chunk: elements in 16 bytes
  static constexpr int bytes = outer * depth * 2;
  static constexpr int chunks = outer * depth / chunk;

  // Byte offset of the chunk that starts at (row, k): rows of 64 bytes, or k-rows of 256 bytes.
  static GC_DEVICE int offset(int row, int k) {
    if constexpr (KMajor)
      return row * 64 + ((k / chunk) ^ ((row >> 1) & 3)) * 16;
    else
      return k * 256 + ((row / chunk) ^ (k & 7)) * 16;
  }

  // Starts the copy of a slice whose first element `source` points at; `rows` and `total` are what is left of the
  // operand from there, capped at the slice's size.
  template <int Threads>
  static GC_DEVICE void load(gc_u8 *slice, const gc_u16 *source, gc_i64 stride, int rows, int total, bool aligned) {
    GC_UNROLL
    for (int i = 0; i < chunks / Threads; ++i) {
      const int c = gc_thread() + i * Threads;
      const int row = KMajor ? c / 4 : c % 16 * chunk, k = KMajor ? c % 4 * chunk : c / 16;
      const int left = KMajor ? total - k : rows - row;
      const bool inside = KMajor ? row < rows : k < total;
      const int valid = !inside || left <= 0 ? 0 : left < chunk ? left : chunk;
      const gc_u16 *from = valid ? source + (KMajor ? row * stride + k : k * stride + row) : source;
      gc_u8 *target = slice + offset(row, k);
      if (aligned)
        gc_copy_async16(target, from, valid * 2);
      else
        loadElements(target, from, valid);
    }
  }

  // Two elements at a time in a rolled loop: this path is rare and must not cost registers.
  static GC_DEVICE void loadElements(gc_u8 *target, const gc_u16 *source, int valid) {
    GC_ROLLED
    for (int e = 0; e < chunk; e += 2) {
      const gc_u32 low = e < valid ? gc_load_global<gc_u16, gc_read_only>(source + e) : 0;
      const gc_u32 high = e + 1 < valid ? gc_load_global<gc_u16, gc_read_only>(source + e + 1) : 0;
      gc_store_shared(target + e * 2, low | high << 16);
    }
  }

  // The fragment of A for rows row..row+15 and k..k+15.
  static GC_DEVICE void fragmentA(gc_u32 (&r)[4], const gc_u8 *slice, int row, int k) {
    const int lane = gc_thread() & 31, low = lane & 7, second = lane >> 3 & 1, third = lane >> 4;
    if constexpr (KMajor)
      gc_load_matrix(r, slice + offset(row + low + second * 8, k + third * 8));
    else
      gc_load_matrix_transposed(r, slice + offset(row + second * 8, k + low + third * 8));
  }

  // Two fragments of B: r[0], r[1] for columns row..row+7 and r[2], r[3] for row+8..row+15, k..k+15 each.
  static GC_DEVICE void fragmentB(gc_u32 (&r)[4], const gc_u8 *slice, int row, int k) {
    const int lane = gc_thread() & 31, low = lane & 7, second = lane >> 3 & 1, third = lane >> 4;
    if constexpr (KMajor)
      gc_load_matrix(r, slice + offset(row + low + third * 8, k + second * 8));
    else
      gc_load_matrix_transposed(r, slice + offset(row + third * 8, k + low + second * 8));
  }
};

struct gc_mma_config {
  static constexpr int tileM = 128, tileN = 128, depth = 32, stages = 3, threads = 256;
  static constexpr int sharedBytes = stages * (tileM + tileN) * depth * 2;
  // Staging for the epilogue, half a tile at a time: a pitch of 8 mod 32 words spreads the fragment stores over all
  // banks.
  static constexpr int stagedRows = 64, stagedPitch = tileN + 8;
  static_assert(stagedRows * stagedPitch * 4 <= sharedBytes, "the staged half tile reuses the slices");
};

template <class T, bool KMajorA, bool KMajorB> struct gc_mma_pipeline {
  using config = gc_mma_config;
  using sliceA = gc_mma_slice<KMajorA>;
  using sliceB = gc_mma_slice<KMajorB>;

  const gc_u16 *a, *b; // the tile's first row and column
  gc_i64 strideA, strideB, depth;
  int rowsA, rowsB; // of the tile
  bool alignedA, alignedB;

  static GC_DEVICE gc_u8 *stageA(gc_i64 slice) {
    return gc_shared() + slice % config::stages * (sliceA::bytes + sliceB::bytes);
  }
  static GC_DEVICE gc_u8 *stageB(gc_i64 slice) { return stageA(slice) + sliceA::bytes; }

  GC_DEVICE void load(gc_i64 slice) const {
    const gc_i64 from = slice * config::depth;
    const int left = depth - from < config::depth ? (int)(depth - from) : config::depth;
    sliceA::template load<config::threads>(stageA(slice), a + (KMajorA ? from : from * strideA), strideA, rowsA, left,
                                           alignedA);
    sliceB::template load<config::threads>(stageB(slice), b + (KMajorB ? from : from * strideB), strideB, rowsB, left,
                                           alignedB);
  }

  static GC_DEVICE void multiply(float (&d)[4][4][4], gc_i64 slice) {
    const int warp = gc_thread() / 32, rowA = warp / 4 * 64, rowB = warp % 4 * 32;
    GC_UNROLL
    for (int k = 0; k < config::depth; k += 16) {
      gc_u32 fragmentA[4][4], fragmentB[2][4];
      GC_UNROLL
      for (int i = 0; i < 4; ++i)
        sliceA::fragmentA(fragmentA[i], stageA(slice), rowA + i * 16, k);
      GC_UNROLL
      for (int j = 0; j < 2; ++j)
        sliceB::fragmentB(fragmentB[j], stageB(slice), rowB + j * 16, k);
      GC_UNROLL
      for (int i = 0; i < 4; ++i)
        GC_UNROLL
        for (int j = 0; j < 4; ++j)
          gc_mma(d[i][j], fragmentA[i], fragmentB[j / 2][j % 2 * 2], fragmentB[j / 2][j % 2 * 2 + 1], T());
    }
  }

  // All k-slices of the tile. Slot s is refilled two iterations after it was read, behind that iteration's barrier.
  GC_DEVICE void run(float (&d)[4][4][4]) const {
    const gc_i64 slices = (depth + config::depth - 1) / config::depth;
    GC_ROLLED
    for (int s = 0; s < config::stages - 1; ++s) {
      if (s < slices)
        load(s);
      gc_copy_commit();
    }
    for (gc_i64 s = 0; s < slices; ++s) {
      gc_copy_wait<config::stages - 2>();
      gc_sync_block();
      if (s + config::stages - 1 < slices)
        load(s + config::stages - 1);
      gc_copy_commit();
      multiply(d, s);
    }
  }
};

// Writes the sums of the warps of one half tile: fragment element (l/4 + 8h, 2*(l%4) + {0,1}) of each 16x8 block.
GC_DEVICE void gc_mma_stage(float *staged, const float (&d)[4][4][4]) {
  const int lane = gc_thread() & 31, column = gc_thread() / 32 % 4 * 32;
  GC_UNROLL
  for (int i = 0; i < 4; ++i)
    GC_UNROLL
    for (int j = 0; j < 4; ++j)
      GC_UNROLL
      for (int h = 0; h < 2; ++h) {
        const int row = i * 16 + h * 8 + lane / 4;
        const gc_bits8 pair = {{gc_float_bits(d[i][j][h * 2]), gc_float_bits(d[i][j][h * 2 + 1])}};
        gc_store_shared(staged + row * gc_mma_config::stagedPitch + column + j * 8 + lane % 4 * 2, pair);
      }
}

template <class Body, class T, bool KMajorA, bool KMajorB> GC_DEVICE void gc_gemm_mma(const gc_kernel_args &args) {
  using config = gc_mma_config;
  const gc_gemm_problem p = Body(args).problem();
  const gc_gemm_tiles<config::tileM, config::tileN> tiles(p);
  for (gc_i64 t = gc_block(); t < tiles.count; t += gc_block_count()) {
    const gc_gemm_tile tile = tiles.at(t);
    const gc_u16 *a = (const gc_u16 *)p.a + Body(args).batchA(tile.batch), *b = (const gc_u16 *)p.b + Body(args).batchB(tile.batch);
    const gc_mma_pipeline<T, KMajorA, KMajorB> pipeline = {
        KMajorA ? a + tile.m * p.strideA : a + tile.m,
        KMajorB ? b + tile.n * p.strideB : b + tile.n,
        p.strideA,
        p.strideB,
        p.k,
        gc_at_most(p.m - tile.m, config::tileM),
        gc_at_most(p.n - tile.n, config::tileN),
        gc_aligned(a, 16) && gc_aligned(p.strideA * 2, 16),
        gc_aligned(b, 16) && gc_aligned(p.strideB * 2, 16)};
    float d[4][4][4] = {};
    pipeline.run(d);
    float *staged = (float *)gc_shared();
    GC_ROLLED
    for (int half = 0; half < 2; ++half) {
      gc_sync_block();
      if ((int)gc_thread() / 128 == half)
        gc_mma_stage(staged, d);
      gc_sync_block();
      const gc_gemm_tile part = {tile.batch, tile.m + half * config::stagedRows, tile.n};
      gc_run_epilogue<Body, config::stagedRows, config::tileN, config::stagedPitch, config::threads>(args, p, part,
                                                                                                  staged);
    }
    gc_sync_block();
  }
}
