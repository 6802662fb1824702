// Transaction barriers and bulk copies, sm_90 and up: a thread starts a copy of many bytes into shared memory, and whoever
// needs them waits on a barrier that counts arrivals and bytes. For the device and for the emulator.
//
//   gc_u64 *full = (gc_u64 *)gc_shared();             // 8 bytes, aligned
//   if (gc_thread() == 0) gc_barrier_init(full, 1);   // one arrival completes a phase, once its bytes are there
//   gc_barrier_fence(); gc_sync_block();
//   if (gc_thread() == 0) {
//     gc_barrier_expect(full, bytes);                 // arrives, and announces the bytes
//     gc_bulk_copy(tile, source, bytes, full);        // multiples of 16, addresses too
//   }
//   gc_barrier_wait(full, 0);                         // phases alternate between parity 0 and 1
#pragma once

#include "gc.h"

#ifdef __CUDACC_RTC__

GC_DEVICE void gc_barrier_init(gc_u64 *barrier, gc_u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gc_shared_address(barrier)), "r"(arrivals) : "memory");
}
// Between initialisation and the block barrier after it: makes the barrier known to the unit that copies.
GC_DEVICE void gc_barrier_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;" ::: "memory");
}
GC_DEVICE void gc_barrier_arrive(gc_u64 *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(gc_shared_address(barrier)) : "memory");
}
GC_DEVICE void gc_barrier_expect(gc_u64 *barrier, gc_u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gc_shared_address(barrier)), "r"(bytes) : "memory");
}
GC_DEVICE void gc_barrier_wait(gc_u64 *barrier, gc_u32 parity) {
  asm volatile("{\n\t.reg .pred done;\n"
               "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t@!done bra.uni again;\n\t}" ::"r"(
                   gc_shared_address(barrier)),
               "r"(parity)
               : "memory");
}
GC_DEVICE void gc_bulk_copy(void *shared, const void *global, gc_u32 bytes, gc_u64 *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   gc_shared_address(shared)),
               "l"(gc_global_address(global)), "r"(bytes), "r"(gc_shared_address(barrier))
               : "memory");
}

#else

#include "codegen/cuda/emulator/Bulk.h"

GC_DEVICE void gc_barrier_init(gc_u64 *barrier, gc_u32 arrivals GC_SITE) {
  graphc::simt::initBarrier(barrier, arrivals GC_AT);
}
GC_DEVICE void gc_barrier_fence() {}
GC_DEVICE void gc_barrier_arrive(gc_u64 *barrier GC_SITE) { graphc::simt::arrive(barrier, 0 GC_AT); }
GC_DEVICE void gc_barrier_expect(gc_u64 *barrier, gc_u32 bytes GC_SITE) { graphc::simt::arrive(barrier, bytes GC_AT); }
GC_DEVICE void gc_barrier_wait(gc_u64 *barrier, gc_u32 parity GC_SITE) { graphc::simt::waitPhase(barrier, parity GC_AT); }
GC_DEVICE void gc_bulk_copy(void *shared, const void *global, gc_u32 bytes, gc_u64 *barrier GC_SITE) {
  graphc::simt::copyBulk(shared, global, bytes, barrier GC_AT);
}

#endif
