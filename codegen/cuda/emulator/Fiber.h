// Fibers: stacks with guard pages and a context switch that saves only what the x86-64 ABI makes a callee save.
//
// Input: an entry function. Output: code that runs until it calls switchTo() and resumes there when switched back to.
// A switch costs a few nanoseconds (swapcontext makes two system calls and is about a hundred times slower).
//
//   FiberStacks stacks(256);
//   Context fiber = stacks.prepare(0, entry), self;
//   switchContext(self, fiber);     // runs entry(), which calls enteredFiber(self) first and never returns,
//                                   // until it calls switchContext(fiber, self)
#pragma once

#include <cstddef>

namespace graphc::simt {

/// Where a fiber, or the host thread's own stack, continues.
struct Context {
  void *stackPointer = nullptr;
  const void *bottom = nullptr; ///< lowest address and size of its stack, which AddressSanitizer wants to know
  size_t bytes = 0;
  void *fakeStack = nullptr;
};

/// Saves the running context in `from` and continues `to`; returns when something switches back to `from`.
void switchContext(Context &from, Context &to);

/// To be called first on a fresh fiber, with the context that switched to it.
void enteredFiber(Context &from);

/// `count` stacks in one mapping, each with an inaccessible page below it: an overflow is a SIGSEGV, not a corruption.
class FiberStacks {
public:
  explicit FiberStacks(size_t count);
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;

  /// Makes stack `index` start `entry` at the next switch to the returned context. What ran on it before is dropped
  /// without unwinding.
  Context prepare(size_t index, void (*entry)());

  static constexpr size_t stackBytes = 64 << 10;

private:
  size_t stackCount;
  std::byte *mapping;
};

} // namespace graphc::simt
