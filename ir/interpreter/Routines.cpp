// See Routines.h. Rows, or matrices, are taken one by one; what a routine does to one is written out plainly.
#include "ir/interpreter/Routines.h"
#include "ir/support/Location.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
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

//===-- matrices ---------------------------------------------------------------------------===//

/// [n, width] matrices in row-major order.
using Rows = std::vector<std::vector<double>>;

/// Determinant, logarithm of its size, its sign, number of the first zero pivot.
using Facts = std::array<double, 4>;

Facts eliminate(Rows &rows, bool pivots) {
  Facts facts = {1, 0, 1, 0};
  auto isLarger = [](double a, double b) { return !std::isnan(b) && (std::isnan(a) || a > b); };
  for (size_t k = 0; k < rows.size(); ++k) {
    size_t best = k;
    for (size_t i = k; pivots && i < rows.size(); ++i)
      if (isLarger(std::abs(rows[i][k]), std::abs(rows[best][k])))
        best = i;
    std::swap(rows[k], rows[best]);
    double pivot = rows[k][k], turn = best != k ? -1 : 1;
    facts[0] *= turn * pivot;
    facts[1] += std::log(std::abs(pivot));
    facts[2] *= pivot == 0 ? 0 : pivot < 0 ? -turn : turn;
    facts[3] = pivot == 0 && facts[3] == 0 ? double(k + 1) : facts[3];
    for (size_t j = rows[k].size(); j-- > k;)
      rows[k][j] /= pivots && pivot == 0 ? 1 : pivot;
    for (size_t i = pivots ? 0 : k + 1; i < rows.size(); ++i)
      if (i != k)
        for (size_t j = rows[i].size(); j-- > k;)
          rows[i][j] -= rows[i][k] * rows[k][j];
  }
  return facts;
}

/// The lower factor in place of the matrix; gives the order of the first leading minor that is not positive, or 0.
Facts factorize(Rows &rows) {
  Facts facts = {0, 0, 0, 0};
  for (size_t k = 0; k < rows.size(); ++k) {
    for (size_t j = 0; j < k; ++j)
      for (size_t i = k; i < rows.size(); ++i)
        rows[i][k] -= rows[i][j] * rows[k][j];
    facts[0] = facts[0] == 0 && !(rows[k][k] > 0) ? double(k + 1) : facts[0];
    double root = rows[k][k] > 0 ? std::sqrt(rows[k][k]) : std::nan("");
    rows[k][k] = root;
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i][k] = i < k ? 0 : i == k ? root : rows[i][k] / root;
  }
  return facts;
}

llvm::Error evaluateMatrices(kernel::RoutineOp op, const Tensor &x, std::vector<Tensor> &results) {
  bool isElimination = op.getRoutine() == Routine::eliminate;
  int64_t n = x.sizes[x.sizes.size() - 2], width = x.sizes.back(), first = isElimination ? n : 0, count = results[1].sizes.back();
  for (int64_t number = 0; number < results[1].numElements() / count; ++number) {
    Rows rows;
    for (int64_t i = 0; i < n; ++i) {
      auto from = x.elements.floats.begin() + (number * n + i) * width;
      rows.emplace_back(from, from + width);
    }
    Facts facts = isElimination ? eliminate(rows, op.getConfig()[1] != 0) : factorize(rows);
    for (int64_t i = 0; i < n; ++i)
      std::copy(rows[i].begin() + first, rows[i].end(), results[0].elements.floats.begin() + (number * n + i) * (width - first));
    std::copy_n(facts.begin(), count, results[1].elements.floats.begin() + number * count);
    if (double bad = isElimination ? facts[3] : facts[0]; bad != 0 && op.getConfig().back() != 0)
      return llvm::createStringError(describeLocation(op.getLoc()) + (isElimination ? ": a matrix is singular at column " : ": a matrix is not positive-definite at row ") +
                                     std::to_string(int64_t(bad)));
  }
  return llvm::Error::success();
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
  if (routine == Routine::eliminate || routine == Routine::cholesky) {
    if (llvm::Error error = evaluateMatrices(op, x, results))
      return error;
    return results;
  }
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
