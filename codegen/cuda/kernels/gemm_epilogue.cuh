// What both GEMM kernels share: the problem, the order of output tiles, and the epilogue's way through shared memory.
//
//   d[b][m][n] = epilogue(sum over k of a[b][m][k] * bm[b][n][k])
//
// Body, the generated functor, gives
//   static gc_gemm_problem problem(const gc_kernel_args &)     sizes, strides and base pointers
//   gc_i64 batchA(gc_i64 b), batchB(gc_i64 b)                  element offset of batch b in each operand
//   static constexpr int width; bool wide() const              columns per epilogue call, where the stores are aligned
//   template <int N> void epilogue(gc_i64 b, gc_i64 m, gc_i64 n, float (&sum)[N])     computes and stores N columns
// The epilogue runs in a rolled loop over a padded f32 copy of the accumulators in shared memory: its code exists once
// instead of once per fragment element, it compiles in half the time, and its loads and stores are whole rows.
#pragma once

#include "gc.h"

struct gc_gemm_problem {
  const void *a;
  const void *b;
  gc_i64 batches, m, n, k;
  // Distance in elements between neighbours in the dimension that is not contiguous.
  gc_i64 strideA, strideB;
};

struct gc_gemm_tile {
  gc_i64 batch, m, n; // first row and column
};

GC_DEVICE int gc_at_most(gc_i64 left, int limit) { return left < limit ? (int)left : limit; }

// Tiles in groups of eight tile rows, column by column within a group: the blocks that run together share operands in
// the second-level cache.
template <int TileM, int TileN> struct gc_gemm_tiles {
  gc_i64 rows, columns, count;

  GC_DEVICE gc_gemm_tiles(const gc_gemm_problem &p)
      : rows((p.m + TileM - 1) / TileM), columns((p.n + TileN - 1) / TileN), count(rows * columns * p.batches) {}

  GC_DEVICE gc_gemm_tile at(gc_i64 index) const {
    const gc_i64 group = 8;
    const gc_i64 perBatch = rows * columns;
    const gc_i64 batch = index / perBatch, inBatch = index % perBatch;
    const gc_i64 firstRow = inBatch / (group * columns) * group;
    const gc_i64 groupRows = rows - firstRow < group ? rows - firstRow : group;
    const gc_i64 inGroup = inBatch - firstRow * columns;
    return {batch, (firstRow + inGroup % groupRows) * TileM, inGroup / groupRows * TileN};
  }
};

// Runs the epilogue over a staged tile of Rows x Columns sums whose rows are Pitch floats apart. The functor is made
// here and not before the main loop, whose registers its fields would take.
template <class Body, int Rows, int Columns, int Pitch, int Threads>
GC_DEVICE void gc_run_epilogue(const gc_kernel_args &args, const gc_gemm_problem &p, const gc_gemm_tile &tile,
                               const float *staged) {
  constexpr int width = Body::width;
  constexpr int perRow = Columns / width;
  const Body body(args);
  const bool wide = body.wide();
  const int rows = gc_at_most(p.m - tile.m, Rows), columns = gc_at_most(p.n - tile.n, Columns);
  GC_ROLLED
  for (int i = gc_thread(); i < Rows * perRow; i += Threads) {
    const int row = i / perRow, column = i % perRow * width;
    if (row >= rows || column >= columns)
      continue;
    const gc_bits<width * 4> raw = gc_load_shared<gc_bits<width * 4>>(staged + row * Pitch + column);
    float sum[width];
    gc_copy_bits(sum, &raw, sizeof raw);
    const gc_i64 m = tile.m + row, n = tile.n + column;
    if (wide && column + width <= columns) {
      body.template epilogue<width>(tile.batch, m, n, sum);
      continue;
    }
    GC_UNROLL
    for (int v = 0; v < width; ++v) {
      float one[1] = {sum[v]};
      if (column + v < columns)
        body.template epilogue<1>(tile.batch, m, n + v, one);
    }
  }
}
