// Fiber stacks and the x86-64 context switch. See Fiber.h.
#include "codegen/cuda/emulator/Fiber.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef __x86_64__
#error "the SIMT emulator's context switch is written for x86-64"
#endif

namespace graphc::simt {

extern "C" void graphc_simt_switch(void **from, void *to);

// Pushes the six callee-saved registers, swaps stacks, pops the other context's six and returns into it.
asm(R"(
  .text
  .globl graphc_simt_switch
  .type graphc_simt_switch, @function
graphc_simt_switch:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
  .size graphc_simt_switch, .-graphc_simt_switch
)");

namespace {
constexpr size_t guardBytes = 4096;
constexpr size_t slotBytes = guardBytes + FiberStacks::stackBytes;
constexpr size_t savedRegisters = 6;

/// Clears what abandoned frames left in AddressSanitizer's shadow. By hand, for __asan_unpoison_memory_region does nothing where user poisoning is off.
#ifdef __SANITIZE_ADDRESS__
[[gnu::no_sanitize_address]] void forgetFrames(std::byte *low, size_t bytes) {
  size_t scale = 0, offset = 0;
  __asan_get_shadow_mapping(&scale, &offset);
  auto *shadow = reinterpret_cast<volatile uint64_t *>((reinterpret_cast<uintptr_t>(low) >> scale) + offset);
  for (size_t i = 0; i < (bytes >> scale) / sizeof *shadow; ++i)
    shadow[i] = 0;
}
#else
void forgetFrames(std::byte *, size_t) {}
#endif
} // namespace

#ifdef __SANITIZE_ADDRESS__
void switchContext(Context &from, Context &to) {
  __sanitizer_start_switch_fiber(&from.fakeStack, to.bottom, to.bytes);
  graphc_simt_switch(&from.stackPointer, to.stackPointer);
  __sanitizer_finish_switch_fiber(from.fakeStack, nullptr, nullptr);
}

void enteredFiber(Context &from) { __sanitizer_finish_switch_fiber(nullptr, &from.bottom, &from.bytes); }
#else
void switchContext(Context &from, Context &to) { graphc_simt_switch(&from.stackPointer, to.stackPointer); }
void enteredFiber(Context &) {}
#endif

FiberStacks::FiberStacks(size_t count) : stackCount(count) {
  void *memory = mmap(nullptr, slotBytes * count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    std::abort();
  mapping = static_cast<std::byte *>(memory);
  for (size_t i = 0; i < count; ++i)
    if (mprotect(mapping + i * slotBytes + guardBytes, stackBytes, PROT_READ | PROT_WRITE))
      std::abort();
}

FiberStacks::~FiberStacks() {
  forgetFrames(mapping, slotBytes * stackCount);
  munmap(mapping, slotBytes * stackCount);
}

Context FiberStacks::prepare(size_t index, void (*entry)()) {
  std::byte *low = mapping + index * slotBytes + guardBytes;
  forgetFrames(low, stackBytes);
  // After the switch's `ret` the stack pointer is 8 below a multiple of 16, as at any function's entry.
  auto *top = reinterpret_cast<uint64_t *>(low + stackBytes) - 2;
  *--top = 0;
  *--top = reinterpret_cast<uint64_t>(entry);
  for (size_t i = 0; i < savedRegisters; ++i)
    *--top = 0;
  return {top, low, stackBytes, nullptr};
}

} // namespace graphc::simt
