// One thread per work unit, or per `width` neighbouring units: pointwise kernels, and small reductions done serially.
//
// Input: Body, the generated functor:
//   explicit Body(const gc_kernel_args &)
//   gc_i64 units() const                  how many units there are
//   static constexpr int width            units per thread where everything is aligned: 1, 2, 4 or 8
//   bool wide() const                     that is so, and width divides units()
//   template <int N> void run(gc_i64 unit) const      computes and stores units unit … unit + N - 1
// Output: what run stores. Threads stride over the grid, so any grid size gives the same result.
//
//   gc_pointwise<Body, 256>(args);
#pragma once

#include "gc.h"

template <class Body, int Threads> GC_DEVICE void gc_pointwise(const gc_kernel_args &args) {
  const Body body(args);
  const gc_i64 units = body.units();
  const gc_i64 first = (gc_i64)gc_block() * Threads + gc_thread(), step = (gc_i64)gc_block_count() * Threads;
  if (Body::width > 1 && body.wide()) {
    GC_ROLLED
    for (gc_i64 unit = first * Body::width; unit < units; unit += step * Body::width)
      body.template run<Body::width>(unit);
    return;
  }
  GC_ROLLED
  for (gc_i64 unit = first; unit < units; unit += step)
    body.template run<1>(unit);
}
