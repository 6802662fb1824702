/* Kernels of the runtime's tests, compiled to one image per CPU level (LEVEL is 3 or 4) as the CPU backend's are: freestanding,
 * without imports, writable data or relocations. Dims used: dims[0] is what each test's plan puts there. */
#include "runtime/plan/KernelAbi.h"

#define KERNEL(name) void name(const graphc_kernel_args *args, int64_t begin, int64_t end)

/* out[i] = a[i] + b[i]; a unit is an element. */
KERNEL(add_f32) {
  const float *a = args->pointers[0], *b = args->pointers[1];
  float *out = args->pointers[2];
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i] + b[i];
}

/* out[i] = a[i] + how far the two addresses are from a multiple of 64. */
KERNEL(misalignment_f32) {
  const float *a = args->pointers[0];
  float *out = args->pointers[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i] + (float)((uintptr_t)a % 64 + (uintptr_t)out % 64);
}

/* out[i] = 2 * a[i] */
KERNEL(double_f32) {
  const float *a = args->pointers[0];
  float *out = args->pointers[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] = 2 * a[i];
}

/* out[row] = sum over columns of exp(x[row, :]); a unit is a row of dims[0] columns. The row goes through the scratch. */
KERNEL(row_sum_exp_f32) {
  const int64_t columns = args->dims[0];
  const float *x = args->pointers[0];
  float *out = args->pointers[1];
  double *scratch = args->scratch;
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t c = 0; c < columns; ++c)
      scratch[c] = args->services->exp(x[row * columns + c]);
    double sum = 0;
    for (int64_t c = 0; c < columns; ++c)
      sum += scratch[c];
    out[row] = (float)sum;
  }
}

/* out[i] = table[index[i]], a table of dims[0] floats; an index outside is recorded and clamped. */
KERNEL(gather_f32) {
  const float *table = args->pointers[0];
  const int64_t *index = args->pointers[1];
  float *out = args->pointers[2];
  for (int64_t i = begin; i < end; ++i) {
    int64_t at = index[i];
    if (at < 0 || at >= args->dims[0]) {
      args->services->report(args->status, args->step, GRAPHC_STATUS_INDEX_OUT_OF_RANGE, at, args->dims[0]);
      at = at < 0 ? 0 : args->dims[0] - 1;
    }
    out[i] = table[at];
  }
}

/* Writes the level that this image was compiled for. */
KERNEL(level_i64) {
  for (int64_t i = begin; i < end; ++i)
    ((int64_t *)args->pointers[0])[i] = LEVEL;
}

/* out[i] = table-driven polynomial: exercises constant data in the image. */
static const float coefficients[4] = {1.0f, 0.5f, 0.25f, 0.125f};
KERNEL(poly_f32) {
  const float *a = args->pointers[0];
  float *out = args->pointers[1];
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i] * coefficients[i & 3];
}

/* One float too many. */
KERNEL(overrun_f32) {
  float *out = args->pointers[0];
  for (int64_t i = begin; i < end; ++i)
    out[i] = 1;
  out[end] = 1;
}

/* out[0] = a[0] + 1 on i64. */
KERNEL(increment_i64) {
  if (begin < end)
    ((int64_t *)args->pointers[1])[0] = ((const int64_t *)args->pointers[0])[0] + 1;
}

/* out[0] = a[0] < dims[1], a bool. */
KERNEL(less_i64) {
  if (begin < end)
    *(uint8_t *)args->pointers[1] = ((const int64_t *)args->pointers[0])[0] < args->dims[1];
}

/* Every unit gets the number of units of the call that did it. */
KERNEL(call_size_i64) {
  for (int64_t i = begin; i < end; ++i)
    ((int64_t *)args->pointers[0])[i] = end - begin;
}

/* x[i] += 1, in place. */
KERNEL(bump_f32) {
  float *x = args->pointers[0];
  for (int64_t i = begin; i < end; ++i)
    x[i] += 1;
}
