// What no loop nest over elements expresses well: scans, stable sorts and selections, scattered writes, linear systems. Steps of the plan that call the library "graphc".
//
//   RoutineCall call = prepareRoutine({"sort", config, buffers});   // when an instance is built; throws Failure where the step makes no sense
//   call.kernel(&args, begin, end);                                 // args->pointers[0] is &call, then come the step's buffers
//
// A routine runs as a kernel does: rows (all dims but one) are its work units, so threads share them, and results never depend on how. Nothing is allocated in a run.
//
// Functions, their buffers and config bytes (`dim` counts the logical dims; buffers are row-major):
//   cumsum, cumprod, logcumsumexp   [x, result]                     dim
//   cummax, cummin                  [x, values, positions]          dim           the last of equal elements; NaN wins
//   sort                            [x, values, positions]          dim, descending: 0 or 1    stable, NaN is largest; the results may be shorter along dim
//   scatter                         [indices, source, result]       dim, how, exclude_self     how: 0 put, 1 sum, 2 prod, 3 amax, 4 amin; the result starts as the base;
//                                                                                              indices of size 1 in other dims count for all of the source there
//   eliminate                       [x, solution, facts]            dim, pivot, check          f64 matrices [.., n, n + m] whose rows are dim: graph.eliminate
//   cholesky                        [x, factor, facts]              dim, check                 f64 matrices [.., n, n]: graph.cholesky
#ifndef GRAPHC_RUNTIME_EXEC_ROUTINES_H
#define GRAPHC_RUNTIME_EXEC_ROUTINES_H

#include "runtime/plan/KernelAbi.h"
#include "runtime/plan/Plan_generated.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

struct RoutineBuffer {
  plan::DType dtype;
  std::vector<int64_t> dims;
};

struct RoutineCall {
  graphc_kernel kernel = nullptr;
  int64_t units = 0, chunk = 1;
  uint64_t scratchBytes = 0; // of one worker
  // The first buffer as [outer, extent, inner] around the dim; `count`: the results' extent.
  int64_t outer = 0, extent = 0, inner = 0, count = 0;
  bool flag = false; // descending, exclude_self, or check
  bool pivot = false;
  uint8_t how = 0;
  // Scatter: dims of the source, strides of indices (0 where they repeat) and result, both 0 along the dim itself; a unit is `columns` neighbours of the inner dims.
  std::vector<int64_t> dims, indexStrides, resultStrides;
  int64_t dim = 0, columns = 1, indexStep = 0, resultStep = 0, resultExtent = 0;
};

/// The call that a routine's kernel runs.
inline const RoutineCall &callOf(const graphc_kernel_args *args) { return *static_cast<const RoutineCall *>(args->pointers[0]); }

/// Whether this runtime has the function.
bool isRoutine(std::string_view function);
/// Checks dtypes, ranks and sizes; throws an internal Failure where they don't fit the function.
RoutineCall prepareRoutine(std::string_view function, std::span<const uint8_t> config, std::span<const RoutineBuffer> buffers);

// By family; null where the dtype is not one of theirs.
graphc_kernel scanKernel(std::string_view function, plan::DType dtype);
graphc_kernel sortKernel(plan::DType dtype);
graphc_kernel scatterKernel(plan::DType dtype, plan::DType index);
graphc_kernel matrixKernel(std::string_view function, plan::DType dtype);

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_ROUTINES_H
