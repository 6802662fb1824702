// Typed vector access over the gc_* loads and stores: N consecutive elements of T as the type they are computed with.
//
//   float x[8];
//   gc_load_elements<gc_bfloat, 8>(x, pointer);   // one 16-byte load; the address must be a multiple of the bytes moved
//   gc_store_elements<gc_bfloat, 8>(pointer, x);
#pragma once

template <int Bytes> struct gc_bits_type;
template <> struct gc_bits_type<1> {
  using type = gc_u8;
};
template <> struct gc_bits_type<2> {
  using type = gc_u16;
};
template <> struct gc_bits_type<4> {
  using type = gc_u32;
};
template <> struct gc_bits_type<8> {
  using type = gc_bits8;
};
template <> struct gc_bits_type<16> {
  using type = gc_bits16;
};
template <int Bytes> using gc_bits = typename gc_bits_type<Bytes>::type;

// Memory to compute type and back; narrowing rounds to nearest even.
template <class T> GC_DEVICE T gc_widen(T v) { return v; }
GC_DEVICE bool gc_widen(gc_bool v) { return v.value != 0; }

template <class T> struct gc_narrow_to {
  static GC_DEVICE T from(T v) { return v; }
};
template <> struct gc_narrow_to<gc_half> {
  static GC_DEVICE gc_half from(float v) { return gc_round_half(v); }
};
template <> struct gc_narrow_to<gc_bfloat> {
  static GC_DEVICE gc_bfloat from(float v) { return gc_round_bfloat(v); }
};
template <> struct gc_narrow_to<gc_bool> {
  static GC_DEVICE gc_bool from(bool v) { return {(gc_u8)v}; }
};

template <class T, int N, gc_hint Hint = gc_keep>
GC_DEVICE void gc_load_elements(gc_compute<T> (&out)[N], const T *p GC_SITE) {
  constexpr int bytes = N * (int)sizeof(T) < 16 ? N * (int)sizeof(T) : 16;
  constexpr int each = bytes / (int)sizeof(T);
  GC_UNROLL
  for (int i = 0; i < N; i += each) {
    const gc_bits<bytes> raw = gc_load_global<gc_bits<bytes>, Hint>(p + i GC_AT);
    T part[each];
    gc_copy_bits(part, &raw, bytes);
    GC_UNROLL
    for (int k = 0; k < each; ++k)
      out[i + k] = gc_widen(part[k]);
  }
}

template <class T, int N> GC_DEVICE void gc_store_elements(T *p, const gc_compute<T> (&in)[N] GC_SITE) {
  constexpr int bytes = N * (int)sizeof(T) < 16 ? N * (int)sizeof(T) : 16;
  constexpr int each = bytes / (int)sizeof(T);
  GC_UNROLL
  for (int i = 0; i < N; i += each) {
    T part[each];
    GC_UNROLL
    for (int k = 0; k < each; ++k)
      part[k] = gc_narrow_to<T>::from(in[i + k]);
    gc_bits<bytes> raw;
    gc_copy_bits(&raw, part, bytes);
    gc_store_global(p + i, raw GC_AT);
  }
}

// One element.
template <class T> GC_DEVICE gc_compute<T> gc_load_element(const T *p GC_SITE) {
  gc_compute<T> v[1];
  gc_load_elements<T, 1>(v, p GC_AT);
  return v[0];
}
template <class T> GC_DEVICE void gc_store_element(T *p, gc_compute<T> v GC_SITE) {
  const gc_compute<T> one[1] = {v};
  gc_store_elements<T, 1>(p, one GC_AT);
}

template <class T> GC_DEVICE T *gc_pointer(const gc_kernel_args &args, int index) {
  return (T *)gc_known_global(args.pointers[index]);
}
GC_DEVICE gc_i64 gc_dim(const gc_kernel_args &args, int index) { return args.dims[index]; }

// True when `bytes` (a power of two) divides the value, an address or a stride in bytes.
GC_DEVICE bool gc_aligned(const void *p, gc_u32 bytes) { return ((gc_u64)p & (bytes - 1)) == 0; }
GC_DEVICE bool gc_aligned(gc_i64 value, gc_u32 bytes) { return ((gc_u64)value & (bytes - 1)) == 0; }

// Shuffles of any value of up to 16 bytes.
template <class T> GC_DEVICE T gc_shuffle_xor_value(T v, int mask GC_SITE) {
  constexpr int words = (sizeof(T) + 3) / 4;
  gc_u32 word[words] = {};
  gc_copy_bits(word, &v, sizeof v);
  GC_UNROLL
  for (gc_u32 &w : word)
    w = gc_shuffle_xor(w, mask GC_AT);
  gc_copy_bits(&v, word, sizeof v);
  return v;
}
