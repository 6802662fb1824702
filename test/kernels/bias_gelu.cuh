// The functor of the GEMM tests: a linear with bias and GELU. gemm_test.cpp and the planted bugs compile it with g++ for the emulator, nvrtc_test.cpp hands
// its text to NVRTC.
#ifndef GRAPHC_TEST_BIAS_GELU
#define GRAPHC_TEST_BIAS_GELU

/// d[b][m][n] = gelu(a . bm + bias[n]). dims: batches, m, n, k. pointers: a, b, bias, d.
template <class T, bool KMajorA, bool KMajorB, class Problem> struct BiasGelu {
  static constexpr int width = 4;
  gc_i64 batches, m, n, k;
  const T *a, *b;
  const float *bias;
  T *d;

  GC_DEVICE explicit BiasGelu(const gc_kernel_args &args)
      : batches(gc_dim(args, 0)), m(gc_dim(args, 1)), n(gc_dim(args, 2)), k(gc_dim(args, 3)),
        a(gc_pointer<const T>(args, 0)), b(gc_pointer<const T>(args, 1)), bias(gc_pointer<const float>(args, 2)),
        d(gc_pointer<T>(args, 3)) {}
  GC_DEVICE Problem problem() const { return {a, b, batches, m, n, k, KMajorA ? k : m, KMajorB ? k : n}; }
  GC_DEVICE gc_i64 batchA(gc_i64 i) const { return i * m * k; }
  GC_DEVICE gc_i64 batchB(gc_i64 i) const { return i * n * k; }
  GC_DEVICE bool wide() const { return n % width == 0 && gc_aligned(d, 16) && gc_aligned(bias, 16); }
  template <int N> GC_DEVICE void epilogue(gc_i64 batch, gc_i64 row, gc_i64 column, float (&sum)[N]) const {
    float add[N];
    gc_load_elements<float, N>(add, bias + column);
    GC_UNROLL
    for (int i = 0; i < N; ++i) {
      const float x = sum[i] + add[i];
      sum[i] = 0.5f * x * (1 + erff(x * 0.70710678f));
    }
    gc_store_elements<T, N>(d + (batch * m + row) * n + column, sum);
  }
};

#endif // GRAPHC_TEST_BIAS_GELU
