// See Routines.h: which functions there are, and how a call's geometry follows from its buffers.
#include "runtime/exec/Routines.h"

#include "runtime/status/Failure.h"

#include <algorithm>

namespace graphc::runtime {
namespace {

using plan::DType;

enum class Family { None, Scan, ExtremeScan, Sort, Scatter, Eliminate, Cholesky };

Family familyOf(std::string_view function) {
  if (function == "cumsum" || function == "cumprod" || function == "logcumsumexp")
    return Family::Scan;
  if (function == "cummax" || function == "cummin")
    return Family::ExtremeScan;
  constexpr std::pair<std::string_view, Family> families[] = {{"sort", Family::Sort}, {"scatter", Family::Scatter}, {"eliminate", Family::Eliminate}, {"cholesky", Family::Cholesky}};
  for (const auto &[name, family] : families)
    if (function == name)
      return family;
  return Family::None;
}

[[noreturn]] void refuse(std::string_view function, const char *what) { throw internalFailure(text("a call of ", function, " has ", what)); }

int64_t product(std::span<const int64_t> dims) {
  int64_t total = 1;
  for (int64_t size : dims)
    total *= size; // sizes of buffers, whose product was checked when they were placed
  return total;
}

void setRows(RoutineCall &call, const RoutineBuffer &x, size_t dim) {
  const std::span<const int64_t> dims = x.dims;
  call.outer = product(dims.first(dim));
  call.extent = dims[dim];
  call.inner = product(dims.subspan(dim + 1));
}

/// A few thousand elements a chunk, so that small calls stay whole.
int64_t chunkFor(int64_t elementsOfUnit) { return std::max<int64_t>(1, 8192 / std::max<int64_t>(elementsOfUnit, 1)); }

RoutineCall prepareScan(std::string_view function, size_t dim, std::span<const RoutineBuffer> buffers) {
  RoutineCall call;
  for (const RoutineBuffer &buffer : buffers)
    if (buffer.dims != buffers[0].dims)
      refuse(function, "results of another shape");
  setRows(call, buffers[0], dim);
  if (buffers[1].dtype != buffers[0].dtype || (buffers.size() == 3 && buffers[2].dtype != DType::I64))
    refuse(function, "results of another dtype");
  call.kernel = scanKernel(function, buffers[0].dtype);
  call.units = call.outer * call.inner;
  call.chunk = chunkFor(call.extent);
  return call;
}

RoutineCall prepareSort(size_t dim, std::span<const RoutineBuffer> buffers, bool descending) {
  RoutineCall call;
  setRows(call, buffers[0], dim);
  std::vector<int64_t> dims = buffers[0].dims;
  dims[dim] = buffers[1].dims[dim];
  if (buffers[1].dims != dims || buffers[2].dims != dims || dims[dim] > call.extent)
    refuse("sort", "results of another shape");
  if (buffers[1].dtype != buffers[0].dtype || buffers[2].dtype != DType::I64)
    refuse("sort", "results of another dtype");
  call.kernel = sortKernel(buffers[0].dtype);
  call.count = dims[dim];
  call.flag = descending;
  call.units = call.outer * call.inner;
  call.chunk = chunkFor(call.extent);
  call.scratchBytes = static_cast<uint64_t>(call.extent) * 32; // keys and positions, twice
  return call;
}

/// Row-major strides; 0 for dims of size 1 where `repeats`.
std::vector<int64_t> stridesOf(std::span<const int64_t> dims, bool repeats) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * dims[d + 1];
  for (size_t d = 0; repeats && d < dims.size(); ++d)
    strides[d] = dims[d] == 1 ? 0 : strides[d];
  return strides;
}

/// How many neighbours in the inner dims share their indices and lie next to each other in the result too.
int64_t sharedColumns(const RoutineCall &call, const RoutineBuffer &indices, const RoutineBuffer &result) {
  for (size_t d = static_cast<size_t>(call.dim) + 1; d < call.dims.size(); ++d)
    if (indices.dims[d] != 1 || result.dims[d] != call.dims[d])
      return 1;
  return std::clamp<int64_t>(call.inner, 1, 256);
}

RoutineCall prepareScatter(size_t dim, std::span<const RoutineBuffer> buffers, uint8_t how, bool excludeSelf) {
  RoutineCall call;
  const RoutineBuffer &indices = buffers[0], &source = buffers[1], &result = buffers[2];
  const size_t rank = source.dims.size();
  if (indices.dims.size() != rank || result.dims.size() != rank || source.dtype != result.dtype || how > 4)
    refuse("scatter", "operands that don't fit");
  for (size_t d = 0; d < rank; ++d)
    if ((indices.dims[d] != source.dims[d] && (d == dim || indices.dims[d] != 1)) || (d != dim && source.dims[d] > result.dims[d]))
      refuse("scatter", "indices or a source that don't fit");
  setRows(call, source, dim);
  call.kernel = scatterKernel(result.dtype, indices.dtype);
  call.dims = source.dims;
  call.dim = static_cast<int64_t>(dim);
  call.resultExtent = result.dims[dim];
  call.indexStrides = stridesOf(indices.dims, true);
  call.resultStrides = stridesOf(result.dims, false);
  call.indexStep = stridesOf(indices.dims, false)[dim];
  call.resultStep = call.resultStrides[dim];
  call.indexStrides[dim] = call.resultStrides[dim] = 0;
  call.columns = sharedColumns(call, indices, result);
  call.how = how;
  call.flag = excludeSelf;
  call.units = call.extent == 0 || call.inner == 0 ? 0 : call.outer * ((call.inner - 1) / call.columns + 1);
  call.chunk = chunkFor(call.extent * call.columns);
  return call;
}

/// Matrices [.., n, n + m] with facts [.., 1, count] as the second result; a unit is a matrix.
RoutineCall prepareMatrices(std::string_view function, size_t dim, std::span<const RoutineBuffer> buffers, std::span<const uint8_t> config) {
  RoutineCall call;
  const bool eliminates = function == "eliminate";
  const std::vector<int64_t> &x = buffers[0].dims;
  if (dim + 2 != x.size())
    refuse(function, "a dim that is not that of the rows");
  std::vector<int64_t> first = x, second = x;
  second[dim] = 1;
  second[dim + 1] = eliminates ? 4 : 1;
  if (eliminates)
    first[dim + 1] -= x[dim];
  if (first[dim + 1] < 0 || (!eliminates && x[dim + 1] != x[dim]) || buffers[1].dims != first || buffers[2].dims != second)
    refuse(function, "matrices or results of other shapes");
  if (buffers[1].dtype != buffers[0].dtype || buffers[2].dtype != buffers[0].dtype)
    refuse(function, "results of another dtype");
  setRows(call, buffers[0], dim);
  call.kernel = matrixKernel(function, buffers[0].dtype);
  call.units = call.outer;
  call.chunk = chunkFor(call.extent * call.extent * call.inner);
  call.pivot = eliminates && config[1] != 0;
  call.flag = config.back() != 0;
  if (eliminates)
    call.scratchBytes = static_cast<uint64_t>(call.extent) * static_cast<uint64_t>(call.inner) * sizeof(double);
  return call;
}

size_t optionCount(Family family) {
  switch (family) {
  case Family::Sort:
  case Family::Cholesky: return 2;
  case Family::Scatter:
  case Family::Eliminate: return 3;
  default: return 1;
  }
}

} // namespace

bool isRoutine(std::string_view function) { return familyOf(function) != Family::None; }

RoutineCall prepareRoutine(std::string_view function, std::span<const uint8_t> config, std::span<const RoutineBuffer> buffers) {
  const Family family = familyOf(function);
  if (family == Family::None || buffers.size() != (family == Family::Scan ? 2 : 3) || config.size() != optionCount(family))
    refuse(function, "another number of buffers or options than it takes");
  const size_t dim = config[0];
  for (const RoutineBuffer &buffer : buffers)
    if (dim >= buffer.dims.size())
      refuse(function, "a dim that its buffers don't have");
  const bool isMatrix = family == Family::Eliminate || family == Family::Cholesky;
  RoutineCall call = isMatrix                    ? prepareMatrices(function, dim, buffers, config)
                     : family == Family::Sort    ? prepareSort(dim, buffers, config[1] != 0)
                     : family == Family::Scatter ? prepareScatter(dim, buffers, config[1], config[2] != 0)
                                                 : prepareScan(function, dim, buffers);
  if (!call.kernel)
    refuse(function, "a dtype that it doesn't take");
  return call;
}

} // namespace graphc::runtime
