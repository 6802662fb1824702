// What an emulated thread can do: the services that kernels/gc_host.h builds the gc_* intrinsics on.
//
// Input: calls from inside a kernel that launch() runs. Output: the effect, or a recorded fault that ends the launch.
// Every access and every meeting point takes the source line that made it, for fault texts and the access lint.
#pragma once

#include "codegen/cuda/emulator/Launch.h"

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>

namespace graphc::simt {

using Site = std::source_location;

const Dim3 &threadIndex();
const Dim3 &blockIndex();
const Dim3 &blockShape();
const Dim3 &gridShape();

/// The block's shared memory, 1024-byte aligned, all bytes 0xff (NaN) at the start.
std::byte *sharedMemory();

/// Check one access, feed lint and race check, and in adversarial mode let other threads run first. The caller moves
/// the bytes.
void touchShared(const void *address, size_t bytes, bool write, const Site &site);
void touchGlobal(const void *address, size_t bytes, bool write, const Site &site);

void syncBlock(const Site &site);
void syncWarp(const Site &site);
/// Barrier `id` (0..15) for `threads` threads, a multiple of 32.
void syncThreads(uint32_t id, uint32_t threads, const Site &site);

/// Blocks until all 32 lanes of the warp have come with the same `what`; the last to come runs `combine`, which sees
/// each lane's `input` by lane and writes results into them.
void warpCollective(const char *what, void *input, void (*combine)(void *const *lanes), const Site &site);

/// Copies `valid` bytes and zeros up to `bytes`, into shared memory, complete once waited for by this thread.
void copyAsync(void *shared, const void *global, size_t bytes, size_t valid, const Site &site);
void commitCopies();
/// Waits until at most `pending` committed groups of this thread are in flight.
void waitCopies(size_t pending);

/// Lets other threads run. `waitingFor` names what blocks this thread, for the deadlock report.
void yieldThread(const char *waitingFor, const Site &site);
/// Says that a waiting thread may go on: without any progress the launch is reported as deadlocked.
void noteProgress();

/// Records the fault and never returns to the kernel.
[[noreturn]] void fail(const std::string &text, const Site &site);

} // namespace graphc::simt
