// einsum and tensordot as permutes, reshapes and one batched matmul per operand.
//
// "bij,bjk->bik": labels in both operands and still needed are batch dims, labels in both and not needed any more are summed by
// the matmul, the others are rows and columns. Operands are combined from left to right.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {

/// A tensor whose dims are named; labels of "..." are '\1', '\2', … from the last dim.
struct Labelled {
  Value value;
  std::string labels;
};

std::string intersection(StringRef a, StringRef b) {
  std::string common;
  for (char c : a)
    if (b.contains(c))
      common += c;
  return common;
}

std::string without(StringRef a, StringRef b) {
  std::string rest;
  for (char c : a)
    if (!b.contains(c))
      rest += c;
  return rest;
}

Labelled permuted(Call &call, const Labelled &x, StringRef labels) {
  SmallVector<int64_t> order;
  for (char c : labels)
    order.push_back(int64_t(x.labels.find(c)));
  return {call.e.permute(x.value, order), labels.str()};
}

/// Sums over the labels that are not in `keep`; sums of integers are i64.
Labelled summed(Call &call, const Labelled &x, StringRef keep) {
  SmallVector<int64_t> dims;
  std::string labels;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (keep.contains(x.labels[d]))
      labels += x.labels[d];
    else
      dims.push_back(int64_t(d));
  }
  if (dims.empty())
    return x;
  Value value = call.e.cast(x.value, sumDtype(call.e.dtype(x.value)));
  return {call.e.create<graph::SumOp>(value, dims, false), labels};
}

DimAttr sizeOf(Call &call, const Labelled &x, StringRef labels) {
  DimAttr product = call.e.dim(int64_t(1));
  for (char c : labels)
    product = product * call.e.dim(x.value, int64_t(x.labels.find(c)));
  return product;
}

void appendSizes(Call &call, const Labelled &x, StringRef labels, SmallVectorImpl<DimAttr> &shape) {
  for (char c : labels)
    shape.push_back(call.e.dim(x.value, int64_t(x.labels.find(c))));
}

/// The dim of label `c`, of size 1, repeated.
Labelled widened(Call &call, const Labelled &x, char c, DimAttr size) {
  SmallVector<DimAttr> shape = call.e.dims(x.value);
  shape[x.labels.find(c)] = size;
  Labelled result = x;
  result.value = call.e.expand(x.value, shape);
  return result;
}

/// A label that occurs twice stands for a diagonal.
Labelled withoutRepeats(Call &call, Labelled x) {
  for (size_t first = 0; first < x.labels.size(); ++first) {
    size_t second = x.labels.find(x.labels[first], first + 1);
    if (second == std::string::npos)
      continue;
    char label = x.labels[first];
    unifyDims(call, call.e.dim(x.value, int64_t(first)), call.e.dim(x.value, int64_t(second)));
    x.value = call.e.create<graph::DiagonalOp>(x.value, int64_t(0), int64_t(first), int64_t(second));
    x.labels.erase(second, 1);
    x.labels.erase(first, 1);
    x.labels += label;
    first = size_t(-1);
  }
  return x;
}

/// The two operands combined; labels in neither `needed` nor the other operand are summed first.
Labelled contract(Call &call, Labelled a, Labelled b, StringRef needed) {
  a = summed(call, a, (needed + b.labels).str());
  b = summed(call, b, (needed + a.labels).str());
  ScalarType type = promoteTypes(call.e.dtype(a.value), call.e.dtype(b.value)); // one was summed
  a.value = call.e.cast(a.value, type);
  b.value = call.e.cast(b.value, type);
  std::string common = intersection(a.labels, b.labels), batch = intersection(common, needed), inner = without(common, needed);
  std::string rows = without(a.labels, common), columns = without(b.labels, common);
  for (char c : common) { // a size of 1 stands for any
    DimAttr left = sizeOf(call, a, StringRef(&c, 1)), right = sizeOf(call, b, StringRef(&c, 1));
    if (left != right && graph::isConstant(left, 1))
      a = widened(call, a, c, right);
    else if (left != right && graph::isConstant(right, 1))
      b = widened(call, b, c, left);
    else
      unifyDims(call, left, right);
  }
  if (call.failed() || call.run.stopped())
    return a;
  a = permuted(call, a, batch + rows + inner);
  b = permuted(call, b, batch + inner + columns);
  SmallVector<DimAttr> shape;
  appendSizes(call, a, batch + rows, shape);
  appendSizes(call, b, columns, shape);
  Value lhs = call.e.reshape(a.value, {sizeOf(call, a, batch), sizeOf(call, a, rows), sizeOf(call, a, inner)});
  Value rhs = call.e.reshape(b.value, {sizeOf(call, b, batch), sizeOf(call, b, inner), sizeOf(call, b, columns)});
  return {call.e.reshape(matmul(call, lhs, rhs), shape), batch + rows + columns};
}

/// The labels of one operand, "..." replaced by one label for each dim it covers; empty on a mismatch.
std::string operandLabels(Call &call, StringRef text, int64_t rank) {
  size_t dots = text.find("...");
  if (dots == StringRef::npos) {
    if (int64_t(text.size()) != rank)
      call.fail("einsum: '" + text + "' for a tensor of rank " + Twine(rank));
    return text.str();
  }
  int64_t covered = rank - int64_t(text.size() - 3);
  std::string labels = text.substr(0, dots).str();
  for (int64_t i = covered; i > 0; --i)
    labels += char(i);
  if (covered < 0)
    call.fail("einsum: '" + text + "' for a tensor of rank " + Twine(rank));
  return labels + text.substr(dots + 3).str();
}

/// The output's labels: as given, or every label that occurs once, sorted.
std::string outputLabels(StringRef equation, ArrayRef<Labelled> operands) {
  std::string ellipsis, once;
  for (char c = 8; c > 0; --c)
    if (llvm::any_of(operands, [&](const Labelled &x) { return StringRef(x.labels).contains(c); }))
      ellipsis += c;
  size_t arrow = equation.find("->");
  if (arrow != StringRef::npos) {
    std::string text = equation.substr(arrow + 2).str();
    if (size_t dots = text.find("..."); dots != std::string::npos)
      text.replace(dots, 3, ellipsis);
    return text;
  }
  std::map<char, int> counts;
  for (const Labelled &operand : operands)
    for (char c : operand.labels)
      ++counts[c];
  for (auto [label, count] : counts)
    if (count == 1 && label > 8)
      once += label;
  return ellipsis + once;
}

void giveEinsum(Call &call, std::vector<Labelled> operands, StringRef output) {
  for (Labelled &operand : operands)
    operand = withoutRepeats(call, operand);
  Labelled result = operands[0];
  for (size_t i = 1; i < operands.size() && !call.failed() && !call.run.stopped(); ++i) {
    std::string needed = output.str();
    for (size_t k = i + 1; k < operands.size(); ++k)
      needed += operands[k].labels;
    result = contract(call, result, operands[i], needed);
  }
  if (call.failed() || call.run.stopped())
    return;
  result = summed(call, result, output);
  if (result.labels.size() != output.size())
    return call.fail("einsum: the output names a label that no operand has");
  call.give(permuted(call, result, output).value);
}

} // namespace

void builder::convertEinsum(Call &call) {
  std::string equation = call.text("equation");
  llvm::erase(equation, ' ');
  std::vector<Value> tensors = call.values("tensors");
  SmallVector<StringRef> inputs;
  StringRef(equation).split("->").first.split(inputs, ',');
  if (inputs.size() != tensors.size() || tensors.empty())
    return call.fail("einsum: '" + equation + "' for " + Twine(tensors.size()) + " tensors");
  std::vector<Labelled> operands;
  for (size_t i = 0; i < tensors.size(); ++i)
    operands.push_back({tensors[i], operandLabels(call, inputs[i], call.e.rank(tensors[i]))});
  if (!call.failed())
    giveEinsum(call, operands, outputLabels(equation, operands));
}

void builder::convertTensordot(Call &call) {
  Value a = call.value("self"), b = call.value("other");
  std::vector<int64_t> left = call.integers("dims_self"), right = call.integers("dims_other");
  if (call.failed() || left.size() != right.size() || call.e.rank(a) + call.e.rank(b) > 40)
    return call.fail("tensordot needs as many dims of one tensor as of the other");
  std::string first, second, output;
  for (int64_t d = 0; d < call.e.rank(a); ++d)
    first += char('A' + d);
  for (int64_t d = 0; d < call.e.rank(b); ++d)
    second += char('a' + d);
  for (size_t i = 0; i < left.size(); ++i) {
    int64_t from = call.normalizeDim(left[i], call.e.rank(a)), to = call.normalizeDim(right[i], call.e.rank(b));
    if (!call.failed())
      second[to] = first[from];
  }
  output = without(first, second) + without(second, first);
  if (!call.failed())
    giveEinsum(call, {{a, first}, {b, second}}, output);
}
