// One warp or one block per row: reductions over an inner domain, softmax, norms.
//
// Input: Body, the generated functor:
//   explicit Body(const gc_kernel_args &)
//   gc_i64 units() const                  how many rows there are
//   static constexpr int width; bool wide() const      elements per thread and step where everything is aligned
//   template <int N, class Group> void row(gc_i64 row, const Group &group) const
// row() goes over the inner domain with group.lane(), group.size and folds with group.reduce<Op>(value), which gives the
// same bits to every thread of the group. Stages may keep what they read in registers between them.
// Output: what row stores. Groups stride over the grid, so any grid size gives the same result.
//
//   gc_rows<Body, 32, 256>(args);      // a warp per row; gc_rows<Body, 256, 256>: a block per row
#pragma once

#include "gc.h"

template <int Threads> struct gc_row_group {
  static constexpr int size = Threads;
  static_assert(Threads == 32 || Threads % 32 == 0, "a group is a warp or a block of whole warps");
  // One partial result per warp; 16 bytes take any element type and gc_indexed.
  static constexpr int sharedBytes = Threads == 32 ? 0 : Threads / 32 * 16;

  GC_DEVICE int lane() const { return gc_thread() % Threads; }

  template <class Op, class T> GC_DEVICE T reduce(T value) const {
    value = reduceWarp<Op>(value);
    if constexpr (Threads == 32)
      return value;
    else
      return reduceBlock<Op>(value);
  }

private:
  template <class Op, class T> static GC_DEVICE T reduceWarp(T value) {
    GC_UNROLL
    for (int mask = 16; mask > 0; mask /= 2)
      value = Op::combine(value, gc_shuffle_xor_value(value, mask));
    return value;
  }

  // Every thread folds the warps' partial results in the same order.
  template <class Op, class T> static GC_DEVICE T reduceBlock(T value) {
    gc_bits16 raw = {};
    gc_copy_bits(&raw, &value, sizeof value);
    if (gc_thread() % 32 == 0)
      gc_store_shared(gc_shared() + gc_thread() / 32 * 16, raw);
    gc_sync_block();
    GC_UNROLL
    for (int warp = 0; warp < Threads / 32; ++warp) {
      raw = gc_load_shared<gc_bits16>(gc_shared() + warp * 16);
      T other;
      gc_copy_bits(&other, &raw, sizeof other);
      value = warp == 0 ? other : Op::combine(value, other);
    }
    gc_sync_block();
    return value;
  }
};

template <class Body, int Group, int Threads> GC_DEVICE void gc_rows(const gc_kernel_args &args) {
  constexpr int perBlock = Threads / Group;
  static_assert(Group == 32 || Group == Threads, "a group is a warp or the block");
  const Body body(args);
  const gc_row_group<Group> group;
  const gc_i64 rows = body.units();
  const bool wide = Body::width > 1 && body.wide();
  GC_ROLLED
  for (gc_i64 row = (gc_i64)gc_block() * perBlock + gc_thread() / Group; row < rows;
       row += (gc_i64)gc_block_count() * perBlock)
    if (wide)
      body.template row<Body::width>(row, group);
    else
      body.template row<1>(row, group);
}
