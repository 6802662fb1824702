// The scalar dialect's ops as functions, the same text for NVRTC and for g++: generated bodies call these by name.
//
// Every function is total: edge values are those of ir/scalar/ScalarOps.td. Integers wrap. Error bounds of the device's
// single-precision functions are within that table (CUDA's documented maxima: exp 2 ulp, log 1, tanh 2, erf 2, pow 4, …).
#pragma once

// Status codes, as runtime/plan/KernelAbi.h numbers them.
enum : gc_i64 { gc_status_index_out_of_range = 1, gc_status_integer_division_by_zero = 2 };

// Wrapping arithmetic: signed overflow is undefined in C++, so it goes through unsigned.
template <class T> struct gc_unsigned_type;
template <> struct gc_unsigned_type<gc_u8> {
  using type = gc_u32;
};
template <> struct gc_unsigned_type<gc_i8> {
  using type = gc_u32;
};
template <> struct gc_unsigned_type<gc_i16> {
  using type = gc_u32;
};
template <> struct gc_unsigned_type<gc_i32> {
  using type = gc_u32;
};
template <> struct gc_unsigned_type<gc_i64> {
  using type = gc_u64;
};
template <class T> using gc_unsigned = typename gc_unsigned_type<T>::type;

GC_DEVICE float gc_add(float a, float b) { return a + b; }
GC_DEVICE double gc_add(double a, double b) { return a + b; }
GC_DEVICE bool gc_add(bool a, bool b) { return a | b; }
template <class T> GC_DEVICE T gc_add(T a, T b) { return (T)((gc_unsigned<T>)a + (gc_unsigned<T>)b); }
GC_DEVICE float gc_sub(float a, float b) { return a - b; }
GC_DEVICE double gc_sub(double a, double b) { return a - b; }
GC_DEVICE bool gc_sub(bool a, bool b) { return a ^ b; }
template <class T> GC_DEVICE T gc_sub(T a, T b) { return (T)((gc_unsigned<T>)a - (gc_unsigned<T>)b); }
GC_DEVICE float gc_mul(float a, float b) { return a * b; }
GC_DEVICE double gc_mul(double a, double b) { return a * b; }
GC_DEVICE bool gc_mul(bool a, bool b) { return a & b; }
template <class T> GC_DEVICE T gc_mul(T a, T b) { return (T)((gc_unsigned<T>)a * (gc_unsigned<T>)b); }
template <class T> GC_DEVICE T gc_div(T a, T b) { return a / b; }

GC_DEVICE float gc_neg(float v) { return -v; }
GC_DEVICE double gc_neg(double v) { return -v; }
GC_DEVICE bool gc_neg(bool v) { return v; }
template <class T> GC_DEVICE T gc_neg(T v) { return (T)(0 - (gc_unsigned<T>)v); }
GC_DEVICE float gc_abs(float v) { return fabsf(v); }
GC_DEVICE double gc_abs(double v) { return fabs(v); }
GC_DEVICE bool gc_abs(bool v) { return v; }
template <class T> GC_DEVICE T gc_abs(T v) { return v < 0 ? gc_neg(v) : v; }

// NaN from either side wins.
template <class T> GC_DEVICE T gc_max(T a, T b) { return a != a ? a : b != b ? b : a > b ? a : b; }
template <class T> GC_DEVICE T gc_min(T a, T b) { return a != a ? a : b != b ? b : a < b ? a : b; }

// Integer division. The most negative value divided by -1 is itself (its negation wraps).
template <class T> GC_DEVICE T gc_int_div(const gc_kernel_args &args, T a, T b) {
  if (b == 0) {
    gc_record_failure(args, gc_status_integer_division_by_zero, (gc_i64)a, 0);
    return 0;
  }
  return b == (T)-1 && (T)-1 < 0 ? gc_neg(a) : (T)(a / b);
}
template <class T> GC_DEVICE T gc_int_rem(const gc_kernel_args &args, T a, T b) {
  if (b == 0) {
    gc_record_failure(args, gc_status_integer_division_by_zero, (gc_i64)a, 0);
    return 0;
  }
  return b == (T)-1 && (T)-1 < 0 ? (T)0 : (T)(a % b);
}
template <class T> GC_DEVICE T gc_int_floor_div(const gc_kernel_args &args, T a, T b) {
  const T quotient = gc_int_div(args, a, b);
  if (b == 0 || (b == (T)-1 && (T)-1 < 0))
    return quotient;
  return a % b != 0 && ((a < 0) != (b < 0)) ? (T)(quotient - 1) : quotient;
}
GC_DEVICE bool gc_int_div(const gc_kernel_args &args, bool a, bool b) { return gc_int_div<gc_u8>(args, a, b); }
GC_DEVICE bool gc_int_rem(const gc_kernel_args &args, bool a, bool b) { return gc_int_rem<gc_u8>(args, a, b); }
GC_DEVICE bool gc_int_floor_div(const gc_kernel_args &args, bool a, bool b) { return gc_int_div<gc_u8>(args, a, b); }

template <class T> GC_DEVICE T gc_and(T a, T b) { return (T)(a & b); }
template <class T> GC_DEVICE T gc_or(T a, T b) { return (T)(a | b); }
template <class T> GC_DEVICE T gc_xor(T a, T b) { return (T)(a ^ b); }
template <class T> GC_DEVICE T gc_shl(T a, T b) {
  return b < 0 || (gc_u64)b >= sizeof(T) * 8 ? (T)0 : (T)((gc_unsigned<T>)a << b);
}
template <class T> GC_DEVICE T gc_shr(T a, T b) {
  return b < 0 || (gc_u64)b >= sizeof(T) * 8 ? (T)(a < 0 ? -1 : 0) : (T)(a >> b);
}
GC_DEVICE bool gc_shl(bool a, bool b) { return a & !b; }
GC_DEVICE bool gc_shr(bool a, bool b) { return a & !b; }

// Functions of one and of two floats: name, single-precision name, double-precision name.
#define GC_MATH_UNARY(X)                                                                                               \
  X(exp, expf, exp) X(exp2, exp2f, exp2) X(expm1, expm1f, expm1) X(log, logf, log) X(log2, log2f, log2)               \
  X(log10, log10f, log10) X(log1p, log1pf, log1p) X(sin, sinf, sin) X(cos, cosf, cos) X(tan, tanf, tan)               \
  X(asin, asinf, asin) X(acos, acosf, acos) X(atan, atanf, atan) X(sinh, sinhf, sinh) X(cosh, coshf, cosh)            \
  X(tanh, tanhf, tanh) X(asinh, asinhf, asinh) X(acosh, acoshf, acosh) X(atanh, atanhf, atanh) X(erf, erff, erf)      \
  X(erfc, erfcf, erfc) X(sqrt, sqrtf, sqrt) X(floor, floorf, floor) X(ceil, ceilf, ceil) X(trunc, truncf, trunc)      \
  X(round_even, rintf, rint)
#define GC_MATH_BINARY(X)                                                                                              \
  X(pow, powf, pow) X(atan2, atan2f, atan2) X(fmod, fmodf, fmod) X(copysign, copysignf, copysign)
#define GC_DEFINE_UNARY(name, single, both)                                                                            \
  GC_DEVICE float gc_##name(float v) { return ::single(v); }                                                           \
  GC_DEVICE double gc_##name(double v) { return ::both(v); }
#define GC_DEFINE_BINARY(name, single, both)                                                                           \
  GC_DEVICE float gc_##name(float a, float b) { return ::single(a, b); }                                               \
  GC_DEVICE double gc_##name(double a, double b) { return ::both(a, b); }
GC_MATH_UNARY(GC_DEFINE_UNARY)
GC_MATH_BINARY(GC_DEFINE_BINARY)
// Two correctly rounded steps: within 1.5 ulp.
GC_DEVICE float gc_rsqrt(float v) { return 1.0f / gc_sqrt(v); }
GC_DEVICE double gc_rsqrt(double v) { return 1.0 / gc_sqrt(v); }

// Float to integer as x86's cvttss2si and cvttsd2si: out of range and NaN give the most negative value.
GC_DEVICE gc_i32 gc_truncate32(float v) {
  return v >= -2147483648.0f && v < 2147483648.0f ? (gc_i32)v : (gc_i32)0x80000000u;
}
GC_DEVICE gc_i32 gc_truncate32(double v) {
  return v > -2147483649.0 && v < 2147483648.0 ? (gc_i32)v : (gc_i32)0x80000000u;
}
template <class F> GC_DEVICE gc_i64 gc_truncate64(F v) {
  return v >= (F)-9223372036854775808.0 && v < (F)9223372036854775808.0 ? (gc_i64)v
                                                                       : (gc_i64)0x8000000000000000ull;
}

// scalar.cast: gc_cast<To>(v). 16-bit floats are kept as the f32 that they equal.
template <class To> struct gc_cast_to {
  template <class From> static GC_DEVICE To from(From v) { return (To)v; }
};
template <> struct gc_cast_to<bool> {
  template <class From> static GC_DEVICE bool from(From v) { return v != 0; }
};
#define GC_CAST_FROM_FLOAT(To, truncate)                                                                               \
  template <> struct gc_cast_to<To> {                                                                                  \
    template <class From> static GC_DEVICE To from(From v) { return (To)v; }                                           \
    static GC_DEVICE To from(float v) { return (To)truncate(v); }                                                      \
    static GC_DEVICE To from(double v) { return (To)truncate(v); }                                                     \
  };
GC_CAST_FROM_FLOAT(gc_u8, gc_truncate32)
GC_CAST_FROM_FLOAT(gc_i8, gc_truncate32)
GC_CAST_FROM_FLOAT(gc_i16, gc_truncate32)
GC_CAST_FROM_FLOAT(gc_i32, gc_truncate32)
GC_CAST_FROM_FLOAT(gc_i64, gc_truncate64)
template <> struct gc_cast_to<gc_half> {
  template <class From> static GC_DEVICE float from(From v) { return gc_widen(gc_round_half((float)v)); }
};
template <> struct gc_cast_to<gc_bfloat> {
  template <class From> static GC_DEVICE float from(From v) { return gc_widen(gc_round_bfloat((float)v)); }
};
template <class To, class From> GC_DEVICE auto gc_cast(From v) { return gc_cast_to<To>::from(v); }

// Index arithmetic of access maps; the divisor is positive.
template <class T> GC_DEVICE T gc_floor_divide(T a, T b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
template <class T> GC_DEVICE T gc_ceil_divide(T a, T b) { return a >= 0 ? (a + b - 1) / b : -((-a) / b); }
template <class T> GC_DEVICE T gc_modulo(T a, T b) {
  const T r = a % b;
  return r < 0 ? r + b : r;
}

// kernel.check_index: an index out of data, clamped into [0, extent), the first failure recorded.
GC_DEVICE gc_i64 gc_check_index(const gc_kernel_args &args, gc_i64 value, gc_i64 extent, bool wrap) {
  const gc_i64 index = wrap && value < 0 ? value + extent : value;
  if (index >= 0 && index < extent)
    return index;
  gc_record_failure(args, gc_status_index_out_of_range, value, extent);
  return index < 0 || extent == 0 ? 0 : extent - 1;
}

// Monoids of kernel.reduce.
struct gc_sum_op {
  template <class T> static GC_DEVICE T combine(T a, T b) { return gc_add(a, b); }
};
struct gc_prod_op {
  template <class T> static GC_DEVICE T combine(T a, T b) { return gc_mul(a, b); }
};
struct gc_max_op {
  template <class T> static GC_DEVICE T combine(T a, T b) { return gc_max(a, b); }
};
struct gc_min_op {
  template <class T> static GC_DEVICE T combine(T a, T b) { return gc_min(a, b); }
};
struct gc_any_op {
  template <class T> static GC_DEVICE T combine(T a, T b) { return (T)(a | b); }
};
struct gc_all_op {
  template <class T> static GC_DEVICE T combine(T a, T b) { return (T)(a & b); }
};

// A value and where it stands, for argmax and argmin: the smallest index of the extreme value; NaN is extreme.
template <class T> struct gc_indexed {
  T value;
  gc_i64 index;
};
template <bool Largest> struct gc_arg_op {
  template <class T> static GC_DEVICE gc_indexed<T> combine(gc_indexed<T> a, gc_indexed<T> b) {
    const bool nanA = a.value != a.value, nanB = b.value != b.value;
    const bool ahead = nanA || nanB ? nanA && !nanB : Largest ? a.value > b.value : a.value < b.value;
    const bool level = nanA || nanB ? nanA && nanB : a.value == b.value;
    return ahead || (level && a.index <= b.index) ? a : b;
  }
};
