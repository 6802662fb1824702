/* What a compiled CPU kernel and the runtime agree on. C, and nothing included but stdint.h, so that generated code, hand
 * written test kernels and the runtime can all use it.
 *
 *   void kernel(const graphc_kernel_args *args, int64_t begin, int64_t end)      (System V x86-64 calling convention)
 *
 * A kernel does its work units [begin, end). A unit is one index of the kernel's flattened parallel grid or one tile; the
 * plan's launch step says how many there are. The result bits never depend on how the units are split over calls, and
 * units of one launch run at the same time on several threads. A kernel keeps no data of its own between calls.
 *
 *   void add(const graphc_kernel_args *args, int64_t begin, int64_t end) {        // out = a + b, one unit an element
 *     const float *a = args->pointers[0], *b = args->pointers[1];
 *     float *out = args->pointers[2];
 *     for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
 *   }
 *
 * Field offsets are part of the contract (generated code loads them by number) and are checked below.
 */
#ifndef GRAPHC_RUNTIME_PLAN_KERNELABI_H
#define GRAPHC_RUNTIME_PLAN_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when anything in this file changes meaning; a plan states the version its kernels were compiled for. Fields are
 * only ever appended to graphc_services, which does not raise it: a plan states how many service entries it needs. */
#define GRAPHC_KERNEL_ABI_VERSION 1

/* Codes of the status slot. 0 is success. */
enum graphc_status_code {
  GRAPHC_STATUS_NONE = 0,
  /* A data-dependent index lay outside its dim. value: the index, extent: the dim's size. The kernel clamps and goes on. */
  GRAPHC_STATUS_INDEX_OUT_OF_RANGE = 1,
  /* Integer division or remainder by zero. value: the dividend. The kernel yields 0 and goes on. */
  GRAPHC_STATUS_INTEGER_DIVISION_BY_ZERO = 2,
  /* The program's own `raise` or `assert`. value: index of the text in the plan's `messages`. */
  GRAPHC_STATUS_USER_ERROR = 3,
  /* A value outside what the operator accepts (a negative repeat count, a probability above 1). value: the value as an
   * integer, extent: the bound. */
  GRAPHC_STATUS_VALUE_OUT_OF_RANGE = 4,
  /* A size found at run time exceeds the bound the program was compiled with. value: the size, extent: the bound. */
  GRAPHC_STATUS_BOUND_EXCEEDED = 5,
  /* A matrix has no inverse. value: the column without a pivot, counted from 1, extent: the number of rows. */
  GRAPHC_STATUS_SINGULAR_MATRIX = 6,
  /* A matrix is not positive-definite. value: the order of the first leading minor that is not positive, extent: the number of rows. */
  GRAPHC_STATUS_NOT_POSITIVE_DEFINITE = 7
};

/* One slot a context. `step` is -1 until the first failure of a run: whoever changes it from -1 to its own step (atomic
 * compare-exchange, relaxed) owns the slot and then writes the other fields; all others leave it alone. The runtime reads
 * it after the run. graphc_services::report does this; generated code may do it inline. */
typedef struct graphc_status_slot {
  int64_t code;   /*  0: graphc_status_code */
  int64_t step;   /*  8: graphc_kernel_args::step of the failing launch, -1 when none */
  int64_t value;  /* 16 */
  int64_t extent; /* 24 */
} graphc_status_slot;

/* Functions that kernels may call: f64 transcendentals (what LLVM would turn into libm calls) and block copies. Every
 * vector register is clobbered by a call, as the calling convention says. All are pure but `report`, `copy`, `copy2d`
 * and `fill`. Errors of the f64 functions are libm's (glibc: below 1 ulp, tgamma and lgamma below 5, digamma and erfinv
 * below 4). Entries are 8 bytes each from offset 8 on, in this order; new ones are appended. */
typedef struct graphc_services {
  uint32_t version; /* 0: GRAPHC_KERNEL_ABI_VERSION */
  uint32_t count;   /* 4: number of entries below that this runtime has */
  double (*exp)(double);            /* entry  0, offset   8 */
  double (*exp2)(double);           /* entry  1, offset  16 */
  double (*expm1)(double);          /* entry  2, offset  24 */
  double (*log)(double);            /* entry  3, offset  32 */
  double (*log2)(double);           /* entry  4, offset  40 */
  double (*log10)(double);          /* entry  5, offset  48 */
  double (*log1p)(double);          /* entry  6, offset  56 */
  double (*sin)(double);            /* entry  7, offset  64 */
  double (*cos)(double);            /* entry  8, offset  72 */
  double (*tan)(double);            /* entry  9, offset  80 */
  double (*asin)(double);           /* entry 10, offset  88 */
  double (*acos)(double);           /* entry 11, offset  96 */
  double (*atan)(double);           /* entry 12, offset 104 */
  double (*sinh)(double);           /* entry 13, offset 112 */
  double (*cosh)(double);           /* entry 14, offset 120 */
  double (*tanh)(double);           /* entry 15, offset 128 */
  double (*asinh)(double);          /* entry 16, offset 136 */
  double (*acosh)(double);          /* entry 17, offset 144 */
  double (*atanh)(double);          /* entry 18, offset 152 */
  double (*erf)(double);            /* entry 19, offset 160 */
  double (*erfc)(double);           /* entry 20, offset 168 */
  double (*erfinv)(double);         /* entry 21, offset 176 */
  double (*lgamma)(double);         /* entry 22, offset 184: log|gamma|, thread safe */
  double (*tgamma)(double);         /* entry 23, offset 192 */
  double (*digamma)(double);        /* entry 24, offset 200: PyTorch's edge values (-inf at +0, NaN at negative integers) */
  double (*pow)(double, double);    /* entry 25, offset 208 */
  double (*atan2)(double, double);  /* entry 26, offset 216 */
  double (*fmod)(double, double);   /* entry 27, offset 224 */
  double (*hypot)(double, double);  /* entry 28, offset 232 */
  /* Copies `bytes` bytes; the blocks don't overlap. entry 29, offset 240 */
  void (*copy)(void *to, const void *from, int64_t bytes);
  /* Copies `rows` rows of `rowBytes` bytes; pitches are in bytes. entry 30, offset 248 */
  void (*copy2d)(void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes, int64_t rows);
  /* Writes `count` elements of `elementBytes` (1, 2, 4 or 8) bytes, each the low bytes of `bits`. entry 31, offset 256 */
  void (*fill)(void *to, uint64_t bits, int64_t elementBytes, int64_t count);
  /* Records a failure if the slot is still free. entry 32, offset 264 */
  void (*report)(graphc_status_slot *slot, int64_t step, int64_t code, int64_t value, int64_t extent);
} graphc_services;

#define GRAPHC_SERVICE_COUNT 33

/* Arguments of one launch, the same for all its chunks on one worker; read only. */
typedef struct graphc_kernel_args {
  /*  0: the kernel's inputs, then its outputs, in the order of the kernel's operands. Arena buffers, constants and state
   *     are 64-byte aligned (or as the plan's buffer says); inputs and outputs as the plan's buffer says. A buffer of 0
   *     bytes has a valid pointer that may not be dereferenced. */
  void *const *pointers;
  /*  8: the plan's dims table, evaluated for this run. */
  const int64_t *dims;
  /* 16 */
  graphc_status_slot *status;
  /* 24 */
  const graphc_services *services;
  /* 32: this worker's scratch of the size that the launch step states, 64-byte aligned, content undefined. */
  void *scratch;
  /* 40: 0 … workers-1. For scratch and statistics only; results must not depend on it. */
  int32_t worker;
  /* 44: index of the launch step in its variant, for the status slot. */
  int32_t step;
} graphc_kernel_args;

typedef void (*graphc_kernel)(const graphc_kernel_args *args, int64_t begin, int64_t end);

#ifdef __cplusplus
} /* extern "C" */

static_assert(sizeof(graphc_status_slot) == 32, "part of the kernel ABI");
static_assert(__builtin_offsetof(graphc_services, exp) == 8 && __builtin_offsetof(graphc_services, pow) == 208 &&
                  __builtin_offsetof(graphc_services, copy) == 240 && __builtin_offsetof(graphc_services, report) == 264 &&
                  sizeof(graphc_services) == 8 + 8 * GRAPHC_SERVICE_COUNT,
              "part of the kernel ABI");
static_assert(__builtin_offsetof(graphc_kernel_args, scratch) == 32 && __builtin_offsetof(graphc_kernel_args, worker) == 40 &&
                  __builtin_offsetof(graphc_kernel_args, step) == 44 && sizeof(graphc_kernel_args) == 48,
              "part of the kernel ABI");
#endif

#endif /* GRAPHC_RUNTIME_PLAN_KERNELABI_H */
