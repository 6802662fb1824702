// Stable sorts of rows, and selections of their first elements; see Routines.h.
//
// A row is copied to (key, position) arrays in the worker's scratch and merge-sorted there; for a few first elements of a long row a heap of those is kept instead.
#include "runtime/exec/RoutineElements.h"
#include "runtime/exec/Routines.h"

#include <algorithm>

namespace graphc::runtime {
namespace {

template <typename T> struct Entry {
  ComputeType<T> key;
  int64_t position;
};

/// Whether a comes before b in the order; NaN is largest. Equal keys: by position, so that the order is total and sorts are stable.
template <typename T, bool descending> bool comesBefore(const Entry<T> &a, const Entry<T> &b) {
  const bool aNan = isNan(a.key), bNan = isNan(b.key);
  const bool less = descending ? (aNan ? !bNan : !bNan && a.key > b.key) : (bNan ? !aNan : !aNan && a.key < b.key);
  if (less)
    return true;
  const bool greater = descending ? (bNan ? !aNan : !aNan && a.key < b.key) : (aNan ? !bNan : !bNan && a.key > b.key);
  return !greater && a.position < b.position;
}

constexpr int64_t runLength = 16;

template <typename E, typename Before> void insertionSort(E *entries, int64_t n, Before before) {
  for (int64_t i = 1; i < n; ++i) {
    const E entry = entries[i];
    int64_t j = i;
    for (; j > 0 && before(entry, entries[j - 1]); --j)
      entries[j] = entries[j - 1];
    entries[j] = entry;
  }
}

/// Sorts `entries`, with `other` for merging; gives the one of the two that holds the result.
template <typename E, typename Before> E *mergeSort(E *entries, E *other, int64_t n, Before before) {
  for (int64_t i = 0; i < n; i += runLength)
    insertionSort(entries + i, std::min(runLength, n - i), before);
  for (int64_t width = runLength; width < n; width *= 2) {
    for (int64_t i = 0; i < n; i += 2 * width) {
      const int64_t middle = std::min(i + width, n), end = std::min(i + 2 * width, n);
      std::merge(entries + i, entries + middle, entries + middle, entries + end, other + i, before);
    }
    std::swap(entries, other);
  }
  return entries;
}

/// The first `count` entries in order: a heap whose top is the last of them.
template <typename T, typename Before> void selectFirst(const T *x, int64_t stride, int64_t n, Entry<T> *heap, int64_t count, Before before) {
  int64_t size = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Entry<T> entry{x[i * stride], i};
    if (size < count) {
      heap[size++] = entry;
      std::push_heap(heap, heap + size, before);
    } else if (before(entry, heap[0])) {
      std::pop_heap(heap, heap + size, before);
      heap[size - 1] = entry;
      std::push_heap(heap, heap + size, before);
    }
  }
  std::sort_heap(heap, heap + size, before);
}

template <typename T, bool descending> void sortRow(const RoutineCall &call, const T *x, T *values, int64_t *positions, void *scratch) {
  const auto before = comesBefore<T, descending>;
  auto *entries = static_cast<Entry<T> *>(scratch);
  if (call.count < call.extent / 8) {
    selectFirst(x, call.inner, call.extent, entries, call.count, before);
  } else {
    for (int64_t i = 0; i < call.extent; ++i)
      entries[i] = {x[i * call.inner], i};
    entries = mergeSort(entries, entries + call.extent, call.extent, before);
  }
  for (int64_t i = 0; i < call.count; ++i) {
    values[i * call.inner] = x[entries[i].position * call.inner];
    positions[i * call.inner] = entries[i].position;
  }
}

template <typename T> void sortRows(const graphc_kernel_args *args, int64_t begin, int64_t end) {
  static_assert(sizeof(Entry<T>) <= 16, "scratch is counted in 16-byte entries");
  const RoutineCall &call = callOf(args);
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t outer = unit / call.inner, inner = unit % call.inner;
    const T *x = static_cast<const T *>(args->pointers[1]) + outer * call.extent * call.inner + inner;
    const int64_t to = outer * call.count * call.inner + inner;
    T *values = static_cast<T *>(args->pointers[2]) + to;
    int64_t *positions = static_cast<int64_t *>(args->pointers[3]) + to;
    if (call.flag)
      sortRow<T, true>(call, x, values, positions, args->scratch);
    else
      sortRow<T, false>(call, x, values, positions, args->scratch);
  }
}

} // namespace

graphc_kernel sortKernel(plan::DType dtype) {
  return dispatch(dtype, []<typename T>() -> graphc_kernel { return sortRows<T>; });
}

} // namespace graphc::runtime
