// Transaction barriers (mbarrier) and bulk copies of the emulator, behind kernels/gc_bulk.h.
//
// A barrier's phase completes when all its arrivals have come and the bytes announced are there. Copies land at once with seed 0;
// otherwise their target reads as NaN and they land in random order, at the latest when every thread waits. Faults: a barrier used
// before it was initialised or initialised twice, more arrivals than it takes, misaligned or outside copies, a block that ends with
// copies in flight. A wrong parity or byte count shows as a deadlock or as a wrong result.
#pragma once

#include "codegen/cuda/emulator/Thread.h"

namespace graphc::simt {

void initBarrier(void *barrier, uint32_t arrivals, const Site &site);
/// One arrival, which announces `bytes` more bytes for this phase.
void arrive(void *barrier, uint32_t bytes, const Site &site);
/// Returns once the phase of the given parity is over.
void waitPhase(void *barrier, uint32_t parity, const Site &site);
void copyBulk(void *shared, const void *global, size_t bytes, void *barrier, const Site &site);

/// For the scheduler: lands one copy in flight, chosen by the block's random numbers; false where there is none.
bool landBulkCopy();

} // namespace graphc::simt
