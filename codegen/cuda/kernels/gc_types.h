// Types that kernels, generated text and their tests share, for NVRTC and for g++: no other header is needed.
//
//   gc_kernel_args   what every kernel gets: pointers (inputs, then outputs), the dims table, the status slot
//   gc_bits8/16      8 and 16 bytes moved by one instruction
//   gc_half, gc_bfloat, gc_bool   elements in memory; gc_compute<T> is the type in which they are computed with
#pragma once

using gc_i8 = signed char;
using gc_u8 = unsigned char;
using gc_i16 = short;
using gc_u16 = unsigned short;
using gc_i32 = int;
using gc_u32 = unsigned int;
using gc_i64 = long long;
using gc_u64 = unsigned long long;

struct alignas(8) gc_bits8 {
  gc_u32 word[2];
};
struct alignas(16) gc_bits16 {
  gc_u32 word[4];
};

struct gc_half {
  gc_u16 bits;
};
struct gc_bfloat {
  gc_u16 bits;
};
struct gc_bool {
  gc_u8 value;
};

template <class T> struct gc_compute_type {
  using type = T;
};
template <> struct gc_compute_type<gc_half> {
  using type = float;
};
template <> struct gc_compute_type<gc_bfloat> {
  using type = float;
};
template <> struct gc_compute_type<gc_bool> {
  using type = bool;
};
template <class T> using gc_compute = typename gc_compute_type<T>::type;

// First failure of a run: whoever changes `step` from -1 writes the rest. All zero but step = -1 before a run.
struct gc_status_slot {
  gc_i64 code;
  gc_i64 step;
  gc_i64 value;
  gc_i64 extent;
};

struct gc_kernel_args {
  void *const *pointers;
  const gc_i64 *dims;
  gc_status_slot *status;
  gc_i32 step; // for the status slot
};

// How a load uses the caches: as usual; through the read-only path, for memory that no thread of the kernel writes; or
// that and past the first-level cache, for what is read once.
enum gc_hint { gc_keep, gc_read_only, gc_stream };
