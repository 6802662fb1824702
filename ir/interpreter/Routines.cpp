// See Routines.h. Rows are taken one by one; what a routine does to one row is written out plainly.
#include "ir/interpreter/Routines.h"
#include "ir/support/Location.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace graphc;
using namespace graphc::interpreter;
using kernel::Routine;

namespace {

/// A line of a tensor's elements along one dim.
struct Row {
  size_t start, stride;
  size_t at(int64_t i) const { return start + size_t(i) * stride; }
};

/// The elements before and after `dim` in row-major order.
struct Lines {
  int64_t outer = 1, extent = 1, inner = 1;
  Lines(ArrayRef<int64_t> sizes, int64_t dim) : extent(sizes[dim]) {
    for (int64_t size : sizes.take_front(dim))
      outer *= size;
    for (int64_t size : sizes.drop_front(dim + 1))
      inner *= size;
  }
  int64_t count() const { return outer * inner; }
  Row operator[](int64_t number) const { return {size_t(number / inner * extent * inner + number % inner), size_t(inner)}; }
};

/// An element, whatever its kind.
struct Element {
  double real = 0;
  int64_t integer = 0;
  bool isFloat = false;
  bool isNan() const { return isFloat && std::isnan(real); }
  bool operator<(const Element &other) const { return isFloat ? real < other.real : integer < other.integer; }
};

Element get(const Tensor &tensor, size_t at) {
  if (tensor.elements.isFloat())
    return {tensor.elements.floats[at], 0, true};
  return {0, tensor.elements.ints[at], false};
}

void set(Tensor &tensor, size_t at, const Element &element, Precision precision) {
  if (tensor.elements.isFloat())
    tensor.elements.floats[at] = roundFloat(element.real, tensor.elementType(), precision);
  else
    tensor.elements.ints[at] = wrapInt(element.integer, tensor.elementType());
}

int64_t wrappingProduct(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
int64_t wrappingSum(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }

Element combineScan(Routine routine, const Element &a, const Element &b) {
  Element result = a;
  switch (routine) {
  case Routine::cumsum:
    result.real = a.real + b.real;
    result.integer = wrappingSum(a.integer, b.integer);
    break;
  case Routine::cumprod:
    result.real = a.real * b.real;
    result.integer = wrappingProduct(a.integer, b.integer);
    break;
  default: { // logcumsumexp
    double high = std::max(a.real, b.real), low = std::min(a.real, b.real);
    bool isNan = std::isnan(a.real) || std::isnan(b.real), isSame = low == high && std::isinf(low);
    result.real = isNan ? std::nan("") : isSame ? high : high + std::log1p(std::exp(low - high));
  }
  }
  return result;
}

void scanRow(Routine routine, const Tensor &x, Row row, int64_t extent, Tensor &y, Precision precision) {
  Element total;
  for (int64_t i = 0; i < extent; ++i) {
    Element element = get(x, row.at(i));
    total = i == 0 ? element : combineScan(routine, total, element);
    set(y, row.at(i), total, precision);
  }
}

void extremeRow(bool largest, const Tensor &x, Row row, int64_t extent, Tensor &values, Tensor &positions, Precision precision) {
  int64_t best = 0;
  for (int64_t i = 0; i < extent; ++i) {
    Element element = get(x, row.at(i)), old = get(x, row.at(best));
    bool loses = largest ? element < old : old < element;
    if (element.isNan() || (!old.isNan() && !loses))
      best = i;
    set(values, row.at(i), get(x, row.at(best)), precision);
    positions.elements.ints[row.at(i)] = best;
  }
}

void sortRow(bool descending, const Tensor &x, Row from, int64_t extent, Row to, int64_t count, Tensor &values, Tensor &positions, Precision precision) {
  std::vector<int64_t> order(extent);
  std::iota(order.begin(), order.end(), 0);
  auto less = [](const Element &a, const Element &b) { return b.isNan() ? !a.isNan() : a < b; };
  llvm::stable_sort(order, [&](int64_t i, int64_t j) {
    Element a = get(x, from.at(i)), b = get(x, from.at(j));
    return descending ? less(b, a) : less(a, b);
  });
  for (int64_t i = 0; i < count; ++i) {
    set(values, to.at(i), get(x, from.at(order[i])), precision);
    positions.elements.ints[to.at(i)] = order[i];
  }
}

//===-- scatter ----------------------------------------------------------------------------===//

enum How { Put, Sum, Product, Largest, Smallest };

Element combineWrite(int64_t how, const Element &old, const Element &value, bool isBool) {
  Element result = value;
  switch (how) {
  case Sum:
    result.real = old.real + value.real;
    result.integer = isBool ? (old.integer | value.integer) : wrappingSum(old.integer, value.integer);
    break;
  case Product:
    result.real = old.real * value.real;
    result.integer = wrappingProduct(old.integer, value.integer);
    break;
  case Largest: return old.isNan() || (!value.isNan() && !(old < value)) ? old : value;
  case Smallest: return old.isNan() || (!value.isNan() && !(value < old)) ? old : value;
  default: break;
  }
  return result;
}

llvm::Expected<Tensor> scatter(kernel::RoutineOp op, ArrayRef<const Tensor *> inputs, Precision precision) {
  const Tensor &indices = *inputs[1], &source = *inputs[2];
  Tensor result = *inputs[0];
  int64_t dim = op.getConfig()[0], how = op.getConfig()[1], rank = result.sizes.size();
  bool excludeSelf = op.getConfig()[2] != 0, isBool = result.elementType().isInteger(1);
  std::vector<bool> written(size_t(result.numElements()), false);
  SmallVector<int64_t> index(rank, 0);
  for (int64_t number = 0; number < source.numElements(); ++number) {
    int64_t rest = number;
    for (int64_t d = rank; d-- > 0; rest /= source.sizes[d])
      index[d] = rest % source.sizes[d];
    size_t from = 0; // indices of size 1 count for all of the source there
    for (int64_t d = 0; d < rank; ++d)
      from = from * size_t(indices.sizes[d]) + size_t(indices.sizes[d] == 1 ? 0 : index[d]);
    int64_t place = indices.elements.ints[from];
    if (place < 0 || place >= result.sizes[dim])
      return llvm::createStringError(describeLocation(op.getLoc()) + ": index " + std::to_string(place) + " is out of range for size " +
                                     std::to_string(result.sizes[dim]));
    index[dim] = place;
    size_t at = 0;
    for (int64_t d = 0; d < rank; ++d)
      at = at * size_t(result.sizes[d]) + size_t(index[d]);
    Element value = get(source, number);
    bool replaces = how == Put || (excludeSelf && !written[at]);
    set(result, at, replaces ? value : combineWrite(how, get(result, at), value, isBool), precision);
    written[at] = true;
  }
  return result;
}

} // namespace

llvm::Expected<std::vector<Tensor>> graphc::interpreter::evaluateRoutine(kernel::RoutineOp op, ArrayRef<const Tensor *> inputs,
                                                                        ArrayRef<SmallVector<int64_t>> sizes, Precision precision) {
  Routine routine = op.getRoutine();
  std::vector<Tensor> results;
  if (routine == Routine::scatter) {
    llvm::Expected<Tensor> result = scatter(op, inputs, precision);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
    return results;
  }
  for (auto [value, size] : llvm::zip(op.getOutputs(), sizes))
    results.emplace_back(cast<RankedTensorType>(value.getType()).getElementType(), size);
  const Tensor &x = *inputs[0];
  int64_t dim = op.getConfig()[0];
  Lines from(x.sizes, dim), to(sizes[0], dim);
  for (int64_t number = 0; number < from.count(); ++number) {
    if (routine == Routine::sort)
      sortRow(op.getConfig()[1] != 0, x, from[number], from.extent, to[number], to.extent, results[0], results[1], precision);
    else if (routine == Routine::cummax || routine == Routine::cummin)
      extremeRow(routine == Routine::cummax, x, from[number], from.extent, results[0], results[1], precision);
    else
      scanRow(routine, x, from[number], from.extent, results[0], precision);
  }
  return results;
}
