// See KernelInterpreter.h. A kernel's body is evaluated for a block of grid points ("lanes") at a time; inner domains are looped over, with every lane at
// the same inner index.
#include "ir/interpreter/KernelInterpreter.h"
#include "ir/interpreter/MatrixReader.h"
#include "ir/interpreter/Products.h"
#include "ir/interpreter/ScalarEval.h"
#include "ir/support/Check.h"
#include "ir/support/Location.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::interpreter;
using kernel::Monoid;

namespace {

constexpr int64_t blockSize = 4096;
constexpr int64_t matrixBlock = 1 << 17; // elements of a contraction's lhs that are read at a time

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

  /// The expression's value in every lane.
  std::vector<int64_t> evaluate(AffineExpr e, ArrayRef<const Lanes *> dims, size_t lanes) {
    if (auto constant = dyn_cast<AffineConstantExpr>(e))
      return std::vector<int64_t>(lanes, constant.getValue());
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      return {dims[dim.getPosition()]->ints.begin(), dims[dim.getPosition()]->ints.begin() + lanes};
    if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
      return std::vector<int64_t>(lanes, symbolValues[symbol.getPosition()]);
    auto binary = cast<AffineBinaryOpExpr>(e);
    std::vector<int64_t> a = evaluate(binary.getLHS(), dims, lanes), b = evaluate(binary.getRHS(), dims, lanes);
    if (e.getKind() != AffineExprKind::Add && e.getKind() != AffineExprKind::Mul)
      for (int64_t divisor : b)
        GRAPHC_CHECK(divisor > 0, "affine division by a divisor that is not positive");
    for (size_t i = 0; i < lanes; ++i)
      switch (e.getKind()) {
      case AffineExprKind::Add: a[i] += b[i]; break;
      case AffineExprKind::Mul: a[i] *= b[i]; break;
      case AffineExprKind::FloorDiv: a[i] = llvm::divideFloorSigned(a[i], b[i]); break;
      case AffineExprKind::CeilDiv: a[i] = llvm::divideCeilSigned(a[i], b[i]); break;
      default: a[i] = llvm::mod(a[i], b[i]);
      }
    return a;
  }

  SmallVector<const Lanes *> lanesOf(OperandRange operands) {
    return llvm::map_to_vector(operands, [&](Value v) { return static_cast<const Lanes *>(&at(v)); });
  }

  /// Row-major position of each lane's element; -1 where the mask doesn't hold. An index outside of the buffer is recorded: a kernel's
  /// access map must stay in bounds.
  std::vector<int64_t> positions(Operation *op, const Tensor &buffer, AffineMap map, std::optional<IntegerSet> mask, ArrayRef<const Lanes *> dims,
                                 size_t lanes) {
    std::vector<bool> active(lanes, true);
    for (unsigned i = 0; mask && i < mask->getNumConstraints(); ++i) {
      std::vector<int64_t> values = evaluate(mask->getConstraint(i), dims, lanes);
      for (size_t lane = 0; lane < lanes; ++lane)
        active[lane] = active[lane] && (mask->isEq(i) ? values[lane] == 0 : values[lane] >= 0);
    }
    std::vector<int64_t> result(lanes, 0);
    for (auto [d, e] : llvm::enumerate(map.getResults())) {
      std::vector<int64_t> indices = evaluate(e, dims, lanes);
      for (size_t lane = 0; lane < lanes; ++lane) {
        if (active[lane] && (indices[lane] < 0 || indices[lane] >= buffer.sizes[d])) {
          failure.record(op, "access map gives index " + std::to_string(indices[lane]) + " for dim " + std::to_string(d) + " of size " +
                                 std::to_string(buffer.sizes[d]));
          active[lane] = false;
        }
        result[lane] = active[lane] ? result[lane] * buffer.sizes[d] + indices[lane] : -1;
      }
    }
    for (size_t lane = 0; lane < lanes; ++lane)
      if (!active[lane])
        result[lane] = -1;
    return result;
  }

  void runLoad(kernel::LoadOp op) {
    Tensor &buffer = *buffers[op.getBuffer()];
    std::vector<int64_t> from = positions(op, buffer, op.getMap(), op.getMask(), lanesOf(op.getIndices()), count);
    if (failure.op)
      return;
    const Lanes *otherwise = op.getMask() ? &at(op.getOtherwise()) : nullptr;
    Lanes result(op.getType(), count);
    for (int64_t lane = 0; lane < count; ++lane) {
      const Lanes &source = from[lane] < 0 ? *otherwise : buffer.elements;
      int64_t p = from[lane] < 0 ? lane : from[lane];
      if (result.isFloat())
        result.floats[lane] = source.floats[p];
      else
        result.ints[lane] = source.ints[p];
    }
    set(op.getResult(), std::move(result));
  }

  void runStore(kernel::StoreOp op) {
    Tensor &buffer = *buffers[op.getBuffer()];
    std::vector<int64_t> to = positions(op, buffer, op.getMap(), op.getMask(), lanesOf(op.getIndices()), count);
    const Lanes &value = at(op.getValue());
    for (int64_t lane = 0; lane < count && !failure.op; ++lane) {
      if (to[lane] < 0)
        continue;
      if (value.isFloat())
        buffer.elements.floats[to[lane]] = value.floats[lane];
      else
        buffer.elements.ints[to[lane]] = value.ints[lane];
    }
  }

  void runIndexValue(kernel::IndexValueOp op) {
    Lanes result(op.getType(), 0);
    result.ints = evaluate(op.getMap().getResult(0), lanesOf(op.getIndices()), count);
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

  /// One operand of a contraction as a [rows, depth] matrix at the current grid point.
  struct MatrixAccess {
    Tensor *buffer;
    AffineMap map;
    std::optional<IntegerSet> mask;
    SmallVector<int64_t> rows, depth;
    std::optional<MatrixReader> reader; // where map and mask are linear
  };
  MatrixAccess openMatrix(Value source, AffineMap map, std::optional<IntegerSet> mask, ArrayRef<int64_t> rows, ArrayRef<int64_t> depth) {
    MatrixAccess access{buffers[source], map, mask, SmallVector<int64_t>(rows), SmallVector<int64_t>(depth), std::nullopt};
    access.reader = MatrixReader::create(map, mask, {getGridPoint(), symbolValues, rows, depth, access.buffer->sizes});
    return access;
  }
  SmallVector<int64_t> getGridPoint() {
    SmallVector<int64_t> point;
    for (unsigned d = 0; d < func.getNumGridDims(); ++d)
      point.push_back(at(func.getGridIndex(d)).ints[0]);
    return point;
  }

  /// Rows [first, first + rows) of the matrix.
  Lanes readRows(kernel::ContractOp op, const MatrixAccess &access, int64_t first, int64_t rows) {
    int64_t depth = volume(access.depth);
    Lanes result(access.buffer->elementType(), rows * depth);
    if (!access.reader)
      return readRowsByPoint(op, access, first * depth, std::move(result));
    const Lanes &elements = access.buffer->elements;
    std::string problem = result.isFloat() ? access.reader->read(elements.floats, first, rows, result.floats.data())
                                           : access.reader->read(elements.ints, first, rows, result.ints.data());
    if (!problem.empty())
      failure.record(op, problem);
    return result;
  }

  /// The same for any map, element by element from `start` on.
  Lanes readRowsByPoint(kernel::ContractOp op, const MatrixAccess &access, int64_t start, Lanes result) {
    Tensor &buffer = *access.buffer;
    SmallVector<int64_t> domain(access.rows);
    llvm::append_range(domain, access.depth);
    int64_t total = int64_t(result.size());
    unsigned grid = func.getNumGridDims();
    for (int64_t begin = 0; begin < total && !failure.op; begin += blockSize) {
      int64_t lanes = std::min(blockSize, total - begin);
      std::vector<Lanes> point(grid + domain.size(), Lanes(IndexType::get(op.getContext()), lanes));
      SmallVector<const Lanes *> dims;
      for (Lanes &one : point)
        dims.push_back(&one);
      for (unsigned d = 0; d < grid; ++d)
        point[d].ints.assign(lanes, at(func.getGridIndex(d)).ints[0]);
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t d = int64_t(domain.size()) - 1, rest = start + begin + lane; d >= 0; rest /= domain[d--])
          point[grid + d].ints[lane] = rest % domain[d];
      std::vector<int64_t> from = positions(op, buffer, access.map, access.mask, dims, lanes);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        if (from[lane] < 0)
          continue;
        if (result.isFloat())
          result.floats[begin + lane] = buffer.elements.floats[from[lane]];
        else
          result.ints[begin + lane] = buffer.elements.ints[from[lane]];
      }
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
    MatrixAccess lhs = openMatrix(op.getLhs(), op.getLhsMap(), op.getLhsMask(), m, k);
    Lanes rhs = op.getPanel() ? unpackPanels(op, columns, depth) : readRows(op, openMatrix(op.getRhs(), op.getRhsMap(), std::nullopt, n, k), 0, columns);
    SmallVector<int64_t> gridPoint = getGridPoint(), domain(m);
    llvm::append_range(domain, n);
    int64_t step = std::max<int64_t>(matrixBlock / std::max<int64_t>(depth, 1), 1);
    for (int64_t first = 0; first < rows && !failure.op; first += step) {
      int64_t taken = std::min(step, rows - first);
      Lanes products = multiplyRows(readRows(op, lhs, first, taken), rhs, {taken, columns, depth}, op.getBody().getArgument(0).getType());
      for (int64_t begin = 0, total = taken * columns; begin < total && !failure.op; begin += blockSize)
        runTail(op, products, begin, std::min(blockSize, total - begin), domain, first * columns, gridPoint);
    }
  }

  struct ProductSizes {
    int64_t rows, columns, depth;
  };
  /// [rows, columns] out of [rows, depth] and [columns, depth], rounded once.
  Lanes multiplyRows(const Lanes &lhs, const Lanes &rhs, const ProductSizes &sizes, Type type) {
    Lanes products(type, sizes.rows * sizes.columns);
    if (failure.op)
      return products;
    if (products.isFloat())
      multiply(lhs.floats.data(), rhs.floats.data(), sizes.rows, sizes.columns, sizes.depth, products.floats.data());
    for (double &product : products.floats)
      product = roundFloat(product, type, precision);
    for (int64_t i = 0; i < int64_t(products.ints.size()); ++i)
      products.ints[i] = dot(lhs, i / sizes.columns * sizes.depth, rhs, i % sizes.columns * sizes.depth, sizes.depth, type);
    return products;
  }

  /// The contraction's body for products [begin, begin + lanes), the first of which is point `offset` of the domain.
  void runTail(kernel::ContractOp op, const Lanes &products, int64_t begin, int64_t lanes, ArrayRef<int64_t> domain, int64_t offset,
               ArrayRef<int64_t> gridPoint) {
    count = lanes;
    Lanes acc(products.type, count);
    for (int64_t lane = 0; lane < count; ++lane)
      copyLane(products, begin + lane, acc, lane);
    for (auto [d, index] : llvm::enumerate(gridPoint))
      setIndex(func.getGridIndex(d), std::vector<int64_t>(count, index));
    for (Operation &constant : func.getBody().front())
      if (&constant != op)
        runOp(&constant); // once more, for this many lanes
    Block &body = op.getBody().front();
    set(body.getArgument(0), std::move(acc));
    SmallVector<BlockArgument> indices(body.getArguments().drop_front());
    setPoint(indices, domain, offset + begin, count);
    runBlock(body);
  }

  static void copyLane(const Lanes &from, int64_t i, Lanes &to, int64_t j) {
    if (to.isFloat())
      to.floats[j] = from.floats[i];
    else
      to.ints[j] = from.ints[i];
  }

  static int64_t dot(const Lanes &lhs, int64_t row, const Lanes &rhs, int64_t column, int64_t depth, Type type) {
    int64_t sum = 0;
    for (int64_t p = 0; p < depth; ++p)
      sum += lhs.ints[row + p] * rhs.ints[column + p];
    return wrapInt(sum, type);
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
