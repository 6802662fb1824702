// See KernelInterpreter.h. A kernel's body is evaluated for a block of grid points ("lanes") at a time; inner domains are looped over, with every lane at
// the same inner index.
#include "ir/interpreter/KernelInterpreter.h"
#include "ir/interpreter/ScalarEval.h"
#include "ir/support/Check.h"
#include "ir/support/Location.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::interpreter;
using kernel::Monoid;

namespace {

constexpr int64_t blockSize = 4096;

/// a combined with b by the monoid, per lane; argmax and argmin combine (value, index) pairs.
class Accumulator {
public:
  Accumulator(Monoid monoid, ArrayRef<Type> types, size_t count, Precision precision)
      : monoid(monoid), types(types.begin(), types.end()), precision(precision) {
    for (Type type : types)
      state.emplace_back(isa<FloatType>(type) ? Type(Float64Type::get(type.getContext())) : type, count);
    Lanes &first = state[0];
    TypedAttr neutral = kernel::getNeutralElement(monoid, types[0]);
    if (first.isFloat())
      first.floats.assign(count, cast<FloatAttr>(neutral).getValueAsDouble());
    else
      first.ints.assign(count, wrapInt(static_cast<int64_t>(cast<IntegerAttr>(neutral).getValue().getZExtValue()), types[0]));
    started.assign(count, false);
  }

  void add(ArrayRef<const Lanes *> x) {
    Lanes &a = state[0];
    for (size_t i = 0; i < a.size(); ++i) {
      if (kernel::getArity(monoid) == 2)
        addPair(x, i);
      else if (a.isFloat())
        a.floats[i] = combineFloat(a.floats[i], x[0]->floats[i]);
      else
        a.ints[i] = wrapInt(combineInt(a.ints[i], x[0]->ints[i]), types[0]);
    }
  }

  Lanes take(unsigned k) {
    for (double &value : state[k].floats)
      value = roundFloat(value, types[k], precision);
    state[k].type = types[k];
    return std::move(state[k]);
  }

private:
  /// The first index of the extreme wins; NaN is more extreme than anything.
  void addPair(ArrayRef<const Lanes *> x, size_t i) {
    Lanes &a = state[0];
    bool better;
    if (a.isFloat()) {
      double old = a.floats[i], value = x[0]->floats[i];
      better = !std::isnan(old) && (std::isnan(value) || (monoid == Monoid::argmax ? value > old : value < old));
    } else {
      better = monoid == Monoid::argmax ? x[0]->ints[i] > a.ints[i] : x[0]->ints[i] < a.ints[i];
    }
    if (started[i] && !better)
      return;
    started[i] = true;
    if (a.isFloat())
      a.floats[i] = x[0]->floats[i];
    else
      a.ints[i] = x[0]->ints[i];
    state[1].ints[i] = x[1]->ints[i];
  }

  double combineFloat(double a, double b) {
    switch (monoid) {
    case Monoid::sum: return a + b;
    case Monoid::prod: return a * b;
    case Monoid::max: return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
    case Monoid::min: return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
    default: GRAPHC_CHECK(false, "monoid of floats"); return 0;
    }
  }
  int64_t combineInt(int64_t a, int64_t b) {
    bool isBool = types[0].isInteger(1);
    switch (monoid) {
    case Monoid::sum: return isBool ? a | b : static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case Monoid::prod: return isBool ? a & b : static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Monoid::max: return std::max(a, b);
    case Monoid::min: return std::min(a, b);
    case Monoid::any: return a || b;
    case Monoid::all: return a && b;
    default: GRAPHC_CHECK(false, "monoid of ints"); return 0;
    }
  }

  Monoid monoid;
  SmallVector<Type> types;
  Precision precision;
  SmallVector<Lanes> state;
  std::vector<bool> started;
};

class KernelRun {
public:
  KernelRun(kernel::FuncOp func, ArrayRef<const Tensor *> inputs, const llvm::StringMap<int64_t> &symbols, Precision precision)
      : func(func), symbols(symbols), precision(precision) {
    for (auto [i, tensor] : llvm::enumerate(inputs))
      buffers[func.getInput(i)] = const_cast<Tensor *>(tensor);
  }

  llvm::Expected<std::vector<Tensor>> run() {
    for (Attribute symbol : func.getSymbols())
      symbolValues.push_back(value(cast<graph::DimAttr>(symbol)));
    outputs.reserve(func.getNumOutputs());
    for (unsigned i = 0; i < func.getNumOutputs(); ++i) {
      auto type = cast<RankedTensorType>(func.getOutput(i).getType());
      SmallVector<int64_t> sizes;
      for (graph::DimAttr dim : graph::getDims(type))
        sizes.push_back(value(dim));
      outputs.emplace_back(type.getElementType(), sizes);
      buffers[func.getOutput(i)] = &outputs.back();
    }
    runGrid();
    if (failure.op)
      return llvm::createStringError(describeLocation(failure.op->getLoc()) + ": " + failure.message);
    return std::move(outputs);
  }

private:
  int64_t value(graph::DimAttr dim) {
    std::optional<int64_t> result = dim.evaluate(symbols);
    if (!result)
      failure.record(func, "dim " + dim.str() + " has no value");
    return result.value_or(0);
  }
  SmallVector<int64_t> values(ArrayAttr dims) {
    return llvm::map_to_vector(dims, [&](Attribute dim) { return value(cast<graph::DimAttr>(dim)); });
  }

  Lanes &at(Value v) { return env.find(v)->second; }
  void set(Value v, Lanes lanes) { env[v] = std::move(lanes); }
  void setIndex(Value v, std::vector<int64_t> indices) {
    Lanes lanes(IndexType::get(func.getContext()), 0);
    lanes.ints = std::move(indices);
    set(v, std::move(lanes));
  }

  /// Sets index arguments to the coordinates of flat points [begin, begin + count) of a domain.
  void setPoint(ArrayRef<BlockArgument> arguments, ArrayRef<int64_t> extents, int64_t begin, int64_t points) {
    std::vector<std::vector<int64_t>> coordinates(extents.size(), std::vector<int64_t>(points));
    for (int64_t p = 0; p < points; ++p) {
      int64_t rest = begin + p;
      for (size_t d = extents.size(); d-- > 0; rest /= extents[d])
        coordinates[d][p] = rest % extents[d];
    }
    for (auto [argument, c] : llvm::zip(arguments, coordinates))
      setIndex(argument, std::move(c));
  }
  void setUniform(Block::BlockArgListType arguments, ArrayRef<int64_t> extents, int64_t point) {
    for (size_t d = extents.size(); d-- > 0; point /= extents[d])
      setIndex(arguments[d], std::vector<int64_t>(count, point % extents[d]));
  }

  static int64_t volume(ArrayRef<int64_t> extents) {
    int64_t result = 1;
    for (int64_t extent : extents)
      result *= std::max<int64_t>(extent, 0);
    return result;
  }

  void runGrid() {
    SmallVector<int64_t> grid = values(func.getGrid());
    SmallVector<BlockArgument> indices;
    for (unsigned i = 0; i < func.getNumGridDims(); ++i)
      indices.push_back(func.getGridIndex(i));
    bool contracts = func.getRoot() == kernel::FuncOp::Root::Contraction;
    int64_t total = volume(grid), step = contracts ? 1 : blockSize;
    for (int64_t begin = 0; begin < total && !failure.op; begin += step) {
      count = std::min(step, total - begin);
      setPoint(indices, grid, begin, count);
      runBlock(func.getBody().front());
    }
  }

  void runBlock(Block &block) {
    for (Operation &op : block)
      runOp(&op);
  }

  void runOp(Operation *op) {
    if (failure.op)
      return;
    llvm::TypeSwitch<Operation *>(op)
        .Case<kernel::LoadOp>([&](auto load) { runLoad(load); })
        .Case<kernel::StoreOp>([&](auto store) { runStore(store); })
        .Case<kernel::IndexValueOp>([&](auto index) { runIndexValue(index); })
        .Case<kernel::CheckIndexOp>([&](auto check) { runCheckIndex(check); })
        .Case<kernel::ReduceOp>([&](auto reduce) { runReduce(reduce); })
        .Case<kernel::MapOp>([&](auto map) { runMap(map); })
        .Case<kernel::ContractOp>([&](auto contract) { runContract(contract); })
        .Case<kernel::YieldOp>([](auto) {})
        .Default([&](Operation *) {
          SmallVector<const Lanes *> operands;
          for (Value operand : op->getOperands())
            operands.push_back(&at(operand));
          set(op->getResult(0), evaluateScalar(op, operands, count, precision, failure));
        });
  }

  //===-- accesses ---------------------------------------------------------------===//

  int64_t evaluate(AffineExpr e, ArrayRef<const Lanes *> dims, size_t lane) {
    if (auto constant = dyn_cast<AffineConstantExpr>(e))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      return dims[dim.getPosition()]->ints[lane];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
      return symbolValues[symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(e);
    int64_t a = evaluate(binary.getLHS(), dims, lane), b = evaluate(binary.getRHS(), dims, lane);
    switch (e.getKind()) {
    case AffineExprKind::Add: return a + b;
    case AffineExprKind::Mul: return a * b;
    default: break;
    }
    GRAPHC_CHECK(b > 0, "affine division by a divisor that is not positive");
    switch (e.getKind()) {
    case AffineExprKind::FloorDiv: return llvm::divideFloorSigned(a, b);
    case AffineExprKind::CeilDiv: return llvm::divideCeilSigned(a, b);
    default: return llvm::mod(a, b);
    }
  }

  SmallVector<const Lanes *> lanesOf(OperandRange operands) {
    return llvm::map_to_vector(operands, [&](Value v) { return static_cast<const Lanes *>(&at(v)); });
  }

  bool holds(std::optional<IntegerSet> mask, ArrayRef<const Lanes *> dims, size_t lane) {
    if (!mask)
      return true;
    for (unsigned i = 0; i < mask->getNumConstraints(); ++i) {
      int64_t v = evaluate(mask->getConstraint(i), dims, lane);
      if (mask->isEq(i) ? v != 0 : v < 0)
        return false;
    }
    return true;
  }

  /// Row-major position of the element, or -1 (recorded: a kernel's access map must stay in bounds).
  int64_t position(Operation *op, const Tensor &buffer, AffineMap map, ArrayRef<const Lanes *> dims, size_t lane) {
    int64_t result = 0;
    for (auto [d, e] : llvm::enumerate(map.getResults())) {
      int64_t index = evaluate(e, dims, lane);
      if (index < 0 || index >= buffer.sizes[d]) {
        failure.record(op, "access map gives index " + std::to_string(index) + " for dim " + std::to_string(d) + " of size " +
                               std::to_string(buffer.sizes[d]));
        return -1;
      }
      result = result * buffer.sizes[d] + index;
    }
    return result;
  }

  void runLoad(kernel::LoadOp op) {
    Tensor &buffer = *buffers[op.getBuffer()];
    SmallVector<const Lanes *> dims = lanesOf(op.getIndices());
    Lanes result(op.getType(), count);
    for (int64_t lane = 0; lane < count && !failure.op; ++lane) {
      const Lanes *from = &buffer.elements;
      int64_t p = lane;
      if (holds(op.getMask(), dims, lane))
        p = position(op, buffer, op.getMap(), dims, lane);
      else
        from = &at(op.getOtherwise());
      if (p < 0)
        break;
      if (result.isFloat())
        result.floats[lane] = from->floats[p];
      else
        result.ints[lane] = from->ints[p];
    }
    set(op.getResult(), std::move(result));
  }

  void runStore(kernel::StoreOp op) {
    Tensor &buffer = *buffers[op.getBuffer()];
    SmallVector<const Lanes *> dims = lanesOf(op.getIndices());
    const Lanes &value = at(op.getValue());
    for (int64_t lane = 0; lane < count && !failure.op; ++lane) {
      int64_t p = holds(op.getMask(), dims, lane) ? position(op, buffer, op.getMap(), dims, lane) : -1;
      if (p < 0)
        continue;
      if (value.isFloat())
        buffer.elements.floats[p] = value.floats[lane];
      else
        buffer.elements.ints[p] = value.ints[lane];
    }
  }

  void runIndexValue(kernel::IndexValueOp op) {
    SmallVector<const Lanes *> dims = lanesOf(op.getIndices());
    Lanes result(op.getType(), count);
    for (int64_t lane = 0; lane < count; ++lane)
      result.ints[lane] = evaluate(op.getMap().getResult(0), dims, lane);
    set(op.getResult(), std::move(result));
  }

  void runCheckIndex(kernel::CheckIndexOp op) {
    int64_t extent = value(op.getExtent());
    std::vector<int64_t> indices = at(op.getValue()).ints;
    for (int64_t &index : indices) {
      int64_t wrapped = op.getWrap() && index < 0 ? index + extent : index;
      if (wrapped < 0 || wrapped >= extent)
        failure.record(op, "index " + std::to_string(index) + " is out of range for a dim of size " + std::to_string(extent));
      index = wrapped;
    }
    setIndex(op.getResult(), std::move(indices));
  }

  //===-- stages -------------------------------------------------------------------===//

  void runReduce(kernel::ReduceOp op) {
    SmallVector<Accumulator> accumulators;
    SmallVector<Type> types(op.getResultTypes());
    SmallVector<Monoid> monoids = kernel::getMonoids(op);
    unsigned first = 0;
    for (Monoid monoid : monoids) {
      accumulators.emplace_back(monoid, ArrayRef(types).slice(first, kernel::getArity(monoid)), count, precision);
      first += kernel::getArity(monoid);
    }
    SmallVector<int64_t> extents = values(op.getExtents());
    Block &body = op.getBody().front();
    for (int64_t point = 0, total = volume(extents); point < total && !failure.op; ++point) {
      setUniform(body.getArguments(), extents, point);
      runBlock(body);
      if (failure.op)
        return;
      SmallVector<const Lanes *> yielded;
      for (Value v : body.getTerminator()->getOperands())
        yielded.push_back(&at(v));
      first = 0;
      for (auto [monoid, accumulator] : llvm::zip(monoids, accumulators)) {
        accumulator.add(ArrayRef(yielded).slice(first, kernel::getArity(monoid)));
        first += kernel::getArity(monoid);
      }
    }
    first = 0;
    for (auto [monoid, accumulator] : llvm::zip(monoids, accumulators))
      for (unsigned k = 0; k < kernel::getArity(monoid); ++k)
        set(op.getResult(first++), accumulator.take(k));
  }

  void runMap(kernel::MapOp op) {
    SmallVector<int64_t> extents = values(op.getExtents());
    Block &body = op.getBody().front();
    for (int64_t point = 0, total = volume(extents); point < total && !failure.op; ++point) {
      setUniform(body.getArguments(), extents, point);
      runBlock(body);
    }
  }

  /// Elements of one contraction operand as a [rows, depth] matrix of lanes at the current grid point.
  Lanes readMatrix(kernel::ContractOp op, Value source, AffineMap map, std::optional<IntegerSet> mask, ArrayRef<int64_t> rows,
                   ArrayRef<int64_t> depth) {
    Tensor &buffer = *buffers[source];
    SmallVector<int64_t> domain(rows);
    llvm::append_range(domain, depth);
    int64_t total = volume(domain);
    Lanes result(buffer.elementType(), total);
    unsigned grid = func.getNumGridDims();
    std::vector<Lanes> point(grid + domain.size(), Lanes(IndexType::get(op.getContext()), 1));
    SmallVector<const Lanes *> dims;
    for (Lanes &lanes : point)
      dims.push_back(&lanes);
    for (unsigned d = 0; d < grid; ++d)
      point[d].ints[0] = at(func.getGridIndex(d)).ints[0];
    for (int64_t p = 0; p < total && !failure.op; ++p) {
      int64_t rest = p;
      for (size_t d = domain.size(); d-- > 0; rest /= domain[d])
        point[grid + d].ints[0] = rest % domain[d];
      int64_t from = holds(mask, dims, 0) ? position(op, buffer, map, dims, 0) : -1;
      if (from < 0)
        continue;
      if (result.isFloat())
        result.floats[p] = buffer.elements.floats[from];
      else
        result.ints[p] = buffer.elements.ints[from];
    }
    return result;
  }

  /// The rhs as [n, k], out of panels [n/panel, k, panel].
  Lanes unpackPanels(kernel::ContractOp op, int64_t n, int64_t k) {
    const Lanes &packed = buffers[op.getRhs()]->elements;
    int64_t panel = op.getPanel();
    Lanes result(packed.type, n * k);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < k; ++p) {
        int64_t from = (j / panel * k + p) * panel + j % panel;
        if (result.isFloat())
          result.floats[j * k + p] = packed.floats[from];
        else
          result.ints[j * k + p] = packed.ints[from];
      }
    return result;
  }

  void runContract(kernel::ContractOp op) {
    SmallVector<int64_t> m = values(op.getMExtents()), n = values(op.getNExtents()), k = values(op.getKExtents());
    int64_t rows = volume(m), columns = volume(n), depth = volume(k);
    Lanes lhs = readMatrix(op, op.getLhs(), op.getLhsMap(), op.getLhsMask(), m, k);
    Lanes rhs = op.getPanel() ? unpackPanels(op, columns, depth) : readMatrix(op, op.getRhs(), op.getRhsMap(), std::nullopt, n, k);
    Block &body = op.getBody().front();
    Type type = body.getArgument(0).getType();
    SmallVector<int64_t> gridPoint, domain(m);
    for (unsigned d = 0; d < func.getNumGridDims(); ++d)
      gridPoint.push_back(at(func.getGridIndex(d)).ints[0]);
    llvm::append_range(domain, n);
    for (int64_t begin = 0, total = rows * columns; begin < total && !failure.op; begin += blockSize) {
      count = std::min(blockSize, total - begin);
      Lanes acc(type, count);
      for (int64_t lane = 0; lane < count; ++lane)
        dot(acc, lane, lhs, (begin + lane) / columns * depth, rhs, (begin + lane) % columns * depth, depth);
      for (auto [d, index] : llvm::enumerate(gridPoint))
        setIndex(func.getGridIndex(d), std::vector<int64_t>(count, index));
      for (Operation &constant : func.getBody().front())
        if (&constant != op)
          runOp(&constant); // once more, for this many lanes
      set(body.getArgument(0), std::move(acc));
      SmallVector<BlockArgument> indices(body.getArguments().drop_front());
      setPoint(indices, domain, begin, count);
      runBlock(body);
    }
  }

  void dot(Lanes &acc, int64_t lane, const Lanes &lhs, int64_t row, const Lanes &rhs, int64_t column, int64_t depth) {
    if (!acc.isFloat()) {
      int64_t sum = 0;
      for (int64_t p = 0; p < depth; ++p)
        sum += lhs.ints[row + p] * rhs.ints[column + p];
      acc.ints[lane] = wrapInt(sum, acc.type);
      return;
    }
    double sum = 0;
    for (int64_t p = 0; p < depth; ++p)
      sum += lhs.floats[row + p] * rhs.floats[column + p];
    acc.floats[lane] = roundFloat(sum, acc.type, precision);
  }

  kernel::FuncOp func;
  const llvm::StringMap<int64_t> &symbols;
  Precision precision;
  llvm::DenseMap<Value, Tensor *> buffers;
  std::vector<Tensor> outputs;
  SmallVector<int64_t> symbolValues;
  llvm::DenseMap<Value, Lanes> env;
  int64_t count = 0;
  Failure failure;
};

} // namespace

llvm::Expected<std::vector<Tensor>> graphc::interpreter::interpretKernel(kernel::FuncOp func, ArrayRef<const Tensor *> inputs,
                                                                         const llvm::StringMap<int64_t> &symbols, Precision precision) {
  return KernelRun(func, inputs, symbols, precision).run();
}
