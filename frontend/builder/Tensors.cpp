// Aliases and in-place writes, resolved while importing.
//
// Each storage has a current value; a tensor is a chain of views of it. A write through a view is carried back to the storage,
// step by step (slice: insert the slice; permute: permute back), and gives it a new version; a tensor whose version is older
// replays its chain when it is read. So `b = a[0]; b.add_(1); return a` becomes
//   %b = select a[0]; %b2 = add %b, 1; %a2 = insert %b2 into a at 0
#include "frontend/builder/Run.h"
#include "ir/support/Check.h"
#include "ir/support/Offsets.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

void builder::contiguousStrides(ArrayRef<DimAttr> dims, SmallVectorImpl<DimAttr> &strides) {
  strides.assign(dims.size(), DimAttr());
  if (dims.empty())
    return;
  DimAttr one = DimAttr::constant(dims[0].getContext(), 1), product = one;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = product;
    DimAttr least = dims[d].isConstant() ? DimAttr::constant(dims[0].getContext(), std::max<int64_t>(dims[d].getValue(), 1)) : dims[d];
    product = product * least;
  }
}

bool builder::hasStrides(const TensorState &tensor, ArrayRef<DimAttr> strides) {
  return llvm::all_of(llvm::zip_equal(graph::getDims(tensor.type), tensor.strides, strides), [](auto dim) {
    auto [size, own, wanted] = dim;
    return own == wanted || graph::isConstant(size, 1);
  });
}

bool builder::isRowMajor(const TensorState &tensor) {
  SmallVector<DimAttr> rowMajor;
  contiguousStrides(graph::getDims(tensor.type), rowMajor);
  return hasStrides(tensor, rowMajor);
}

bool builder::hasZero(ArrayRef<DimAttr> dims) {
  return llvm::any_of(dims, [](DimAttr size) { return graph::isConstant(size, 0); });
}

Tensor Run::fresh(Value value, ArrayRef<DimAttr> strides) {
  auto tensor = std::make_shared<TensorState>();
  tensor->storage = std::make_shared<StorageCell>();
  tensor->storage->value = value;
  tensor->cached = value;
  tensor->type = e.type(value);
  tensor->offset = e.dim(int64_t(0));
  if (strides.empty())
    contiguousStrides(graph::getDims(tensor->type), tensor->strides);
  else {
    tensor->storage->isEagerOrder = true;
    SmallVector<DimAttr> rowMajor;
    contiguousStrides(graph::getDims(tensor->type), rowMajor);
    tensor->strides.assign(strides.begin(), strides.end());
    tensor->storage->isContiguous = rowMajor == tensor->strides;
  }
  return tensor;
}

Tensor Run::knownScalar(ScalarType type, const Val &number) {
  auto tensor = std::make_shared<TensorState>();
  tensor->storage = std::make_shared<StorageCell>();
  tensor->type = RankedTensorType::get({}, elementType(program.context, type));
  tensor->offset = e.dim(int64_t(0));
  tensor->known = number;
  tensor->storage->load = [type, number](Emitter &emitter) { return emitter.scalarTensor(number, type); };
  return tensor;
}

Tensor Run::alias(const Tensor &tensor) {
  auto copy = std::make_shared<TensorState>(*tensor);
  copy->isNumber = false;
  return copy;
}

/// What the whole storage holds now.
static Value storageValue(Run &run, StorageCell &cell) {
  if (!cell.value && cell.load)
    cell.value = cell.load(run.e);
  return cell.value;
}

Tensor Run::view(const Tensor &base, ViewStep step, ArrayRef<DimAttr> strides, DimAttr offset) {
  Value value = read(base);
  value = value ? step.apply(e, value) : value;
  auto tensor = std::make_shared<TensorState>();
  tensor->storage = base->storage;
  tensor->steps = base->steps;
  tensor->steps.push_back(std::move(step));
  tensor->cached = value;
  tensor->version = base->storage->version;
  tensor->type = e.type(value);
  tensor->strides.assign(strides.begin(), strides.end());
  tensor->offset = offset;
  tensor->requiresGrad = base->requiresGrad;
  tensor->side = base->side;
  return tensor;
}

Tensor Run::storageView(const Tensor &base, ViewStep step, ArrayRef<DimAttr> strides, DimAttr offset) {
  if (!base->storage->isContiguous)
    e.fail("as_strided of a tensor whose memory is not in row-major order");
  if (storageType(base).getElementType() != base->type.getElementType())
    e.fail("as_strided of a tensor that is viewed as another dtype");
  requireOrder(*base->storage);
  auto whole = std::make_shared<TensorState>();
  whole->storage = base->storage;
  whole->requiresGrad = base->requiresGrad;
  return view(whole, std::move(step), strides, offset);
}

Value Run::read(const Tensor &tensor) {
  StorageCell &cell = *tensor->storage;
  noteSharedRead(*tensor);
  if (tensor->cached && tensor->version == cell.version)
    return tensor->cached;
  Value value = storageValue(*this, cell);
  for (const ViewStep &step : tensor->steps)
    value = value ? step.apply(e, value) : value;
  tensor->cached = value;
  tensor->version = cell.version;
  return value;
}

/// The places in the storage of the view's elements, in their order; nullopt for symbolic sizes and more than a million elements.
static std::optional<std::vector<int64_t>> listPositions(const Tensor &tensor) {
  bool fixed = tensor->type.hasStaticShape() && tensor->offset.isConstant() && tensor->type.getNumElements() <= 1 << 20 &&
               llvm::all_of(tensor->strides, [](DimAttr stride) { return stride.isConstant(); });
  if (!fixed)
    return std::nullopt;
  auto strides = llvm::map_to_vector(tensor->strides, [](DimAttr stride) { return stride.getValue(); });
  return tabulateOffsets(tensor->offset.getValue(), tensor->type.getShape(), strides);
}

/// Whether views of equal sizes and strides, apart by `delta`, may share elements: delta is a number of steps along a dim that is that long.
static bool meetsAlongDim(const Run &run, const Tensor &view, DimAttr delta) {
  for (auto [size, stride] : llvm::zip_equal(graph::getDims(view->type), view->strides)) {
    DimAttr zero = DimAttr::constant(delta.getContext(), 0);
    int64_t steps = delta == stride || delta == zero - stride ? 1 : 0;
    if (delta.isConstant() && stride.isConstant() && stride.getValue() != 0 && delta.getValue() % stride.getValue() == 0)
      steps = std::abs(delta.getValue() / stride.getValue());
    if (steps > 0 && run.proved(graph::DimPredicate::Gt, size, DimAttr::constant(delta.getContext(), steps)).value_or(true))
      return true;
  }
  return false;
}

bool Run::overlapsPartly(const Tensor &a, const Tensor &b) const {
  if (a->storage != b->storage || a->type.getElementType() != b->type.getElementType())
    return false;
  bool sameForm = graph::getDims(a->type) == graph::getDims(b->type) && a->strides == b->strides;
  if (sameForm && a->offset == b->offset)
    return false;
  std::optional<std::vector<int64_t>> ofA = listPositions(a), ofB = listPositions(b);
  if (!ofA || !ofB)
    return sameForm && meetsAlongDim(*this, a, b->offset - a->offset);
  llvm::DenseSet<int64_t> places(ofA->begin(), ofA->end());
  return llvm::any_of(*ofB, [&](int64_t place) { return places.contains(place); });
}

/// The storage's value with the elements that `tensor` views replaced, by their positions in memory.
Value Run::scatterStrided(const Tensor &tensor, Value value) {
  Value base = storageValue(*this, *tensor->storage);
  if (base && e.type(base).getElementType() != tensor->type.getElementType()) {
    e.fail("writes through such a view of a tensor that is viewed as another dtype");
    return {};
  }
  std::optional<std::vector<int64_t>> positions = listPositions(tensor);
  bool fixed = base && e.type(base).hasStaticShape() && positions;
  if (!fixed || !tensor->storage->isContiguous || e.type(base).getNumElements() > 1 << 20 || tensor->type.getNumElements() == 0) {
    e.fail("writes through a view whose elements' positions in memory can't be listed (symbolic sizes, or more than a million elements)");
    return {};
  }
  // Which element of the view lands on each element of the storage.
  int64_t count = e.type(base).getNumElements();
  std::vector<Val> source(count, Val(int64_t(0))), written(count, Val(false));
  for (auto [i, at] : llvm::enumerate(*positions)) {
    GRAPHC_CHECK(at >= 0 && at < count, "a view reaches beyond its storage");
    if (written[at].as<bool>()) {
      e.fail("writes to a view whose elements overlap in memory, where the order of the writes decides; clone() the view first");
      return {};
    }
    source[at] = int64_t(i);
    written[at] = true;
  }
  Value elements = e.reshape(value, {e.dim(tensor->type.getNumElements())});
  Value moved = e.create<graph::IndexSelectOp>(elements, e.constant({count}, ScalarType::I64, source), int64_t(0));
  Value result = e.create<graph::WhereOp>(e.constant({count}, ScalarType::Bool, written), moved, e.reshape(base, {e.dim(count)}));
  return e.reshape(result, e.dims(base));
}

RankedTensorType Run::storageType(const Tensor &tensor) { return e.type(storageValue(*this, *tensor->storage)); }

void Run::write(const Tensor &tensor, Value value) {
  if (tensor->type.hasStaticShape() && tensor->type.getNumElements() == 0)
    return;
  StorageCell &cell = *tensor->storage;
  if (cell.origin == StorageCell::Origin::Constant)
    return e.fail("writes to a constant of the program");
  noteWrite(cell);
  if (e.failed() || program.restart)
    return;
  noteSharedWrite(*tensor);
  for (auto [size, stride] : llvm::zip_equal(graph::getDims(tensor->type), tensor->strides))
    if (stride.isConstant() && stride.getValue() == 0 && !(size.isConstant() && size.getValue() <= 1))
      return e.fail("writes to an expanded tensor: several of its elements are one memory location (eager PyTorch refuses it too); "
                    "clone() it first");
  bool allScatter = llvm::all_of(tensor->steps, [](const ViewStep &step) { return bool(step.scatter); });
  if (!allScatter) {
    value = scatterStrided(tensor, value);
    if (!value)
      return e.fail("the written value could not be made");
    cell.value = value;
    ++cell.version;
    return;
  }
  // The chain's intermediate values, then back from the last view to the storage.
  SmallVector<Value> chain{storageValue(*this, cell)};
  for (const ViewStep &step : tensor->steps)
    chain.push_back(chain.back() ? step.apply(e, chain.back()) : Value());
  for (size_t i = tensor->steps.size(); i-- > 0;) {
    value = value && chain[i] ? tensor->steps[i].scatter(e, chain[i], value) : Value();
  }
  if (!value)
    return e.fail("the written value could not be made");
  cell.value = value;
  ++cell.version;
}
