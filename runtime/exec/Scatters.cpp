// Writes at places that data name, along one dim; see Routines.h.
//
// A unit is one line along the dim, or a few neighbours that share their indices, so two units never write the same element; writes within a line follow each other in order, and the last of equal places wins.
#include "runtime/exec/RoutineElements.h"
#include "runtime/exec/Routines.h"
#include "runtime/exec/Services.h"

#include <algorithm>
#include <limits>

namespace graphc::runtime {
namespace {

enum How : uint8_t { Put, Sum, Product, Largest, Smallest };

/// What combines with anything to that: where base elements that are written to don't take part.
template <typename T> T neutral(uint8_t how) {
  using C = ComputeType<T>;
  using Limits = std::numeric_limits<C>;
  switch (how) {
  case Product: return T(C(1));
  case Largest: return T(Limits::has_infinity ? C(-Limits::infinity()) : Limits::lowest());
  case Smallest: return T(Limits::has_infinity ? Limits::infinity() : Limits::max());
  default: return T(C(0));
  }
}

template <typename C> C combine(uint8_t how, C old, C value) {
  switch (how) {
  case Sum:
    if constexpr (std::is_same_v<C, bool>)
      return old || value;
    else if constexpr (std::is_integral_v<C>)
      return static_cast<C>(static_cast<uint64_t>(old) + static_cast<uint64_t>(value));
    else
      return old + value;
  case Product:
    if constexpr (std::is_same_v<C, bool>)
      return old && value;
    else if constexpr (std::is_integral_v<C>)
      return static_cast<C>(static_cast<uint64_t>(old) * static_cast<uint64_t>(value));
    else
      return old * value;
  case Largest: return isNan(old) || (!isNan(value) && !(value > old)) ? old : value;
  case Smallest: return isNan(old) || (!isNan(value) && !(value < old)) ? old : value;
  default: return value;
  }
}

/// Where a line's indices and results start.
struct Line {
  int64_t index = 0, result = 0;
};

Line lineAt(const RoutineCall &call, int64_t outer, int64_t inner) {
  Line line;
  for (size_t d = call.dims.size(); d-- > 0;) {
    if (static_cast<int64_t>(d) == call.dim)
      continue;
    int64_t &rest = static_cast<int64_t>(d) > call.dim ? inner : outer;
    line.index += rest % call.dims[d] * call.indexStrides[d];
    line.result += rest % call.dims[d] * call.resultStrides[d];
    rest /= call.dims[d];
  }
  return line;
}

template <typename T, typename I> void scatter(const graphc_kernel_args *args, int64_t begin, int64_t end) {
  const RoutineCall &call = callOf(args);
  const int64_t blocks = (call.inner - 1) / call.columns + 1;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t outer = unit / blocks, first = unit % blocks * call.columns, width = std::min(call.columns, call.inner - first);
    const Line line = lineAt(call, outer, first);
    const I *indices = static_cast<const I *>(args->pointers[1]) + line.index;
    const T *source = static_cast<const T *>(args->pointers[2]) + outer * call.extent * call.inner + first;
    T *result = static_cast<T *>(args->pointers[3]) + line.result;
    const auto isInside = [&](int64_t place) { return place >= 0 && place < call.resultExtent; };
    for (int64_t i = 0; call.flag && i < call.extent; ++i)
      if (const int64_t place = indices[i * call.indexStep]; isInside(place))
        std::fill_n(result + place * call.resultStep, width, neutral<T>(call.how));
    for (int64_t i = 0; i < call.extent; ++i) {
      const int64_t place = indices[i * call.indexStep];
      if (!isInside(place)) {
        args->services->report(args->status, args->step, GRAPHC_STATUS_INDEX_OUT_OF_RANGE, place, call.resultExtent);
        continue;
      }
      T *to = result + place * call.resultStep;
      for (int64_t j = 0; j < width; ++j)
        to[j] = T(combine<ComputeType<T>>(call.how, to[j], source[i * call.inner + j]));
    }
  }
}

} // namespace

graphc_kernel scatterKernel(plan::DType dtype, plan::DType index) {
  return dispatch(dtype, [&]<typename T>() -> graphc_kernel {
    if (index == plan::DType::I64)
      return scatter<T, int64_t>;
    return index == plan::DType::I32 ? scatter<T, int32_t> : nullptr;
  });
}

} // namespace graphc::runtime
