// Views: operators whose result shares memory with their argument in eager PyTorch.
//
// Each says the view's value, how a write through it changes its base, and its eager strides and offset. For example
// `x[1]` is slice + reshape, its write a slice_scatter, its offset stride(0).
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static DimAttr zero(Call &call) { return call.e.dim(int64_t(0)); }
static DimAttr one(Call &call) { return call.e.dim(int64_t(1)); }

/// A view that keeps all elements under another shape; its write reshapes back.
static Tensor reshapeView(Call &call, const Tensor &x, SmallVector<DimAttr> shape, ArrayRef<DimAttr> strides) {
  ViewStep step;
  step.apply = [shape](Emitter &e, Value base) { return e.reshape(base, shape); };
  step.scatter = [](Emitter &e, Value base, Value view) { return e.reshape(view, e.dims(base)); };
  return call.run.view(x, std::move(step), strides, x->offset);
}

static Tensor permuteView(Call &call, const Tensor &x, SmallVector<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  SmallVector<DimAttr> strides;
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[order[i]] = int64_t(i);
    strides.push_back(x->strides[order[i]]);
  }
  ViewStep step;
  step.apply = [order](Emitter &e, Value base) { return e.permute(base, order); };
  step.scatter = [inverse](Emitter &e, Value, Value view) { return e.permute(view, inverse); };
  return call.run.view(x, std::move(step), strides, x->offset);
}

Tensor builder::sliceView(Call &call, const Tensor &x, int64_t d, DimAttr start, DimAttr size, int64_t stride) {
  ViewStep step;
  step.apply = [=](Emitter &e, Value base) { return e.slice(base, d, start, size, stride); };
  step.scatter = [=](Emitter &e, Value base, Value view) { return e.sliceScatter(base, view, d, start, stride); };
  SmallVector<DimAttr> strides = x->strides;
  DimAttr offset = x->offset + start * strides[d];
  strides[d] = strides[d] * call.e.dim(stride);
  return call.run.view(x, std::move(step), strides, offset);
}

Tensor builder::selectView(Call &call, const Tensor &x, int64_t d, DimAttr index) {
  ViewStep step;
  step.apply = [=](Emitter &e, Value base) {
    SmallVector<DimAttr> shape = e.dims(base);
    shape.erase(shape.begin() + d);
    return e.reshape(e.slice(base, d, index, e.dim(int64_t(1))), shape);
  };
  step.scatter = [=](Emitter &e, Value base, Value view) {
    SmallVector<DimAttr> shape = e.dims(base);
    shape[d] = e.dim(int64_t(1));
    return e.sliceScatter(base, e.reshape(view, shape), d, index);
  };
  SmallVector<DimAttr> strides = x->strides;
  DimAttr offset = x->offset + index * strides[d];
  strides.erase(strides.begin() + d);
  return call.run.view(x, std::move(step), strides, offset);
}

static SmallVector<DimAttr> dimsOf(const Tensor &x) { return graph::getDims(x->type); }

/// start or end of a slice, resolved: negative from the end, clamped into [0, size].
static DimAttr sliceBound(Call &call, DimAttr bound, DimAttr size) {
  if (bound.isConstant() && bound.getValue() < 0)
    bound = size + bound;
  if (bound.isConstant() && bound.getValue() >= INT64_MAX / 2)
    return size;
  return call.run.smaller(call.run.larger(bound, zero(call)), size);
}

static void convertSlice(Call &call) {
  Tensor x = call.tensor("self");
  int64_t rank = x->type.getRank(), d = call.dimIndex("dim", rank, 0), step = call.integer("step", 1);
  if (step < 1)
    call.fail("a slice with step " + llvm::Twine(step));
  if (call.failed() || rank == 0)
    return call.fail("a slice of a 0-d tensor");
  DimAttr size = dimsOf(x)[d];
  DimAttr start = call.given("start") ? sliceBound(call, call.dim("start"), size) : zero(call);
  DimAttr end = call.given("end") ? sliceBound(call, call.dim("end"), size) : size;
  DimAttr length = call.run.larger(end - start, zero(call));
  if (step > 1)
    length = graph::floorDiv(length + (step - 1), step);
  if (!call.failed())
    call.give(Val(sliceView(call, x, d, start, length, step)));
}

static void convertSelect(Call &call) {
  Tensor x = call.tensor("self");
  int64_t rank = x->type.getRank(), d = call.dimIndex("dim", rank);
  DimAttr index = call.dim("index");
  if (call.failed() || rank == 0)
    return call.fail("select of a 0-d tensor");
  DimAttr size = dimsOf(x)[d];
  if (index.isConstant() && index.getValue() < 0)
    index = size + index;
  using graph::DimPredicate;
  if (call.run.proved(DimPredicate::Lt, index, size) == false || call.run.proved(DimPredicate::Ge, index, zero(call)) == false)
    return call.fail("index " + index.str() + " is out of range for size " + size.str());
  if (!call.run.proved(DimPredicate::Lt, index, size))
    call.run.guard(index, "<", size, "index " + index.str() + " must be below the size " + size.str());
  if (!call.run.proved(DimPredicate::Ge, index, zero(call)))
    call.run.guard(index, ">=", zero(call), "index " + index.str() + " must not be negative");
  call.give(Val(selectView(call, x, d, index)));
}

/// narrow from a place that is data: its elements are gathered, with a check.
static void narrowByTensor(Call &call, const Tensor &x, int64_t d) {
  Expr start(call, call.e.cast(call.value("start"), ScalarType::I64)), from = call.failed() ? start : start.reshape({});
  Expr size(call, call.e.dimTensor(graph::getDim(x->type, d), ScalarType::I64));
  from = where(from < 0.0, from + size, from);
  Expr index = from + positions(call, call.dim("length"), 0, 1);
  call.give(call.e.create<graph::IndexSelectOp>(call.run.read(x), Value(index), d));
}

static void convertNarrow(Call &call) {
  Tensor x = call.tensor("self");
  int64_t d = call.dimIndex("dim", x->type.getRank());
  const Tensor *given = call.find("start") ? call.find("start")->get<Tensor>() : nullptr;
  if (given && ((*given)->type.getRank() != 0 || isFloat(scalarType((*given)->type.getElementType())) || (*given)->type.getElementType().isInteger(1)))
    return call.fail("narrow from a tensor of rank " + llvm::Twine((*given)->type.getRank()) + "; expected a 0-d one of integers");
  if (given && !(*given)->knownNumber() && !call.failed() && x->type.getRank() > 0)
    return narrowByTensor(call, x, d);
  DimAttr start = call.dim("start"), length = call.dim("length");
  if (call.failed() || x->type.getRank() == 0)
    return;
  if (start.isConstant() && start.getValue() < 0)
    start = dimsOf(x)[d] + start;
  if (call.run.proved(graph::DimPredicate::Le, start + length, dimsOf(x)[d]) == false)
    return call.fail("narrow beyond the end of dim " + llvm::Twine(d));
  call.give(Val(sliceView(call, x, d, start, length, 1)));
}

static void convertPermute(Call &call) {
  Tensor x = call.tensor("self");
  SmallVector<int64_t> order;
  SmallVector<bool> seen(x->type.getRank(), false);
  for (int64_t d : call.integers("dims"))
    order.push_back(call.normalizeDim(d, x->type.getRank()));
  for (int64_t d : order) {
    if (call.failed() || order.size() != seen.size() || seen[d])
      return call.fail("permute needs each dim once");
    seen[d] = true;
  }
  call.give(Val(permuteView(call, x, order)));
}

static Tensor swapDims(Call &call, const Tensor &x, int64_t a, int64_t b) {
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < x->type.getRank(); ++d)
    order.push_back(d == a ? b : d == b ? a : d);
  return permuteView(call, x, order);
}

static void convertTranspose(Call &call) {
  Tensor x = call.tensor("self");
  bool byAxis = call.find("axis0") != nullptr;
  int64_t a = call.dimIndex(byAxis ? "axis0" : "dim0", x->type.getRank()), b = call.dimIndex(byAxis ? "axis1" : "dim1", x->type.getRank());
  if (!call.failed())
    call.give(Val(swapDims(call, x, a, b)));
}

/// t, mT: the last two dims swapped; T of any rank: all reversed.
static void convertT(Call &call) {
  Tensor x = call.tensor(call.first());
  int64_t rank = x->type.getRank();
  bool reverse = call.op() == "aten::numpy_T";
  if (rank < 2)
    return call.give(Val(call.run.alias(x)));
  if (rank > 2 && (call.op() == "aten::t" || call.op() == "aten::t_copy"))
    return call.fail("t of a tensor of rank " + llvm::Twine(rank) + " (eager refuses it too); use mT or transpose");
  if (!reverse)
    return call.give(Val(swapDims(call, x, rank - 2, rank - 1)));
  SmallVector<int64_t> order;
  for (int64_t d = rank; d-- > 0;)
    order.push_back(d);
  call.give(Val(permuteView(call, x, order)));
}

static void convertMovedim(Call &call) {
  Tensor x = call.tensor("self");
  int64_t rank = x->type.getRank();
  std::vector<int64_t> from = call.integers("source"), to = call.integers("destination");
  SmallVector<int64_t> order(rank, -1), rest;
  if (from.size() != to.size())
    return call.fail("movedim needs as many destinations as sources");
  for (size_t i = 0; i < from.size(); ++i) {
    from[i] = call.normalizeDim(from[i], rank);
    int64_t place = call.normalizeDim(to[i], rank);
    if (!call.failed() && (order[place] >= 0 || llvm::is_contained(order, from[i])))
      call.fail("movedim with a dim that occurs twice");
    if (!call.failed())
      order[place] = from[i];
  }
  for (int64_t d = 0, next = 0; d < rank && !call.failed(); ++d) {
    if (order[d] >= 0)
      continue;
    while (llvm::is_contained(from, next))
      ++next;
    order[d] = next++;
  }
  if (!call.failed())
    call.give(Val(permuteView(call, x, order)));
}

static void convertUnsqueeze(Call &call) {
  Tensor x = call.tensor("self");
  int64_t rank = x->type.getRank(), d = call.dimIndex("dim", rank + 1);
  if (call.failed())
    return;
  SmallVector<DimAttr> shape = dimsOf(x), strides = x->strides;
  DimAttr stride = d < rank ? shape[d] * strides[d] : one(call);
  shape.insert(shape.begin() + d, one(call));
  strides.insert(strides.begin() + d, stride);
  call.give(Val(reshapeView(call, x, shape, strides)));
}

static void convertSqueeze(Call &call) {
  Tensor x = call.tensor("self");
  bool namesNone = call.given("dim") && call.find("dim")->is<List>() && call.find("dim")->as<List>()->elements.empty();
  std::vector<int64_t> which = namesNone ? std::vector<int64_t>() : call.dimIndices("dim", x->type.getRank());
  SmallVector<DimAttr> shape, strides, dims = dimsOf(x);
  for (size_t d = 0; d < dims.size(); ++d) {
    bool asked = llvm::is_contained(which, int64_t(d));
    // A symbolic size that may be 1 and must not vanish silently: squeezing is decided for sizes other than 1, by a guard.
    bool isOne = dims[d].isConstant() ? dims[d].getValue() == 1 : asked && call.run.decide(graph::DimPredicate::Eq, dims[d], one(call)).value_or(false);
    if (asked && isOne)
      continue;
    shape.push_back(dims[d]);
    strides.push_back(x->strides[d]);
  }
  call.give(Val(reshapeView(call, x, shape, strides)));
}

static void expandTo(Call &call, const Tensor &x, ArrayRef<DimAttr> sizes) {
  SmallVector<DimAttr> dims = dimsOf(x), shape(sizes), strides(sizes.size(), zero(call));
  if (sizes.size() < dims.size())
    return call.fail("expand to fewer dims than the tensor has");
  size_t added = sizes.size() - dims.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    bool keep = sizes[i].isConstant() && sizes[i].getValue() == -1;
    if (i < added) {
      if (keep)
        return call.fail("expand with -1 for a dim that the tensor lacks");
      continue;
    }
    DimAttr own = dims[i - added];
    shape[i] = keep ? own : sizes[i];
    if (!graph::isConstant(own, 1) || graph::isConstant(shape[i], 1))
      strides[i] = x->strides[i - added];
  }
  unifyExpand(call, dims, shape);
  if (call.failed() || call.run.stopped())
    return;
  ViewStep step;
  step.apply = [shape](Emitter &e, Value base) { return e.expand(base, shape); };
  if (ArrayRef<DimAttr>(shape) == ArrayRef<DimAttr>(dims))
    step.scatter = [](Emitter &, Value, Value view) { return view; };
  call.give(Val(call.run.view(x, std::move(step), strides, x->offset)));
}
static void convertExpand(Call &call) { expandTo(call, call.tensor("self"), call.dims("size")); }
static void convertExpandAs(Call &call) { expandTo(call, call.tensor("self"), dimsOf(call.tensor("other"))); }

static std::optional<bool> isSize(DimAttr dim, int64_t value) {
  return dim.isConstant() ? std::optional(dim.getValue() == value) : std::nullopt;
}

/// The strides of `x` under another shape, where it can be viewed so (PyTorch's computeStride); empty optional where not.
static std::optional<SmallVector<DimAttr>> viewStrides(Call &call, const Tensor &x, ArrayRef<DimAttr> shape) {
  SmallVector<DimAttr> dims = dimsOf(x), result(shape.size(), one(call));
  if (isRowMajor(*x) || hasZero(dims)) {
    contiguousStrides(shape, result);
    return result;
  }
  auto isFixed = [](DimAttr dim) { return dim.isConstant(); };
  if (!llvm::all_of(dims, isFixed) || !llvm::all_of(x->strides, isFixed) || !llvm::all_of(shape, isFixed))
    return std::nullopt;
  int64_t view = int64_t(shape.size()) - 1, chunkStride = x->strides.back().getValue(), tensorCount = 1, viewCount = 1;
  for (int64_t d = int64_t(dims.size()) - 1; d >= 0; --d) {
    tensorCount *= dims[d].getValue();
    bool ends = d == 0 || (dims[d - 1].getValue() != 1 && x->strides[d - 1].getValue() != tensorCount * chunkStride);
    if (!ends)
      continue;
    while (view >= 0 && (viewCount < tensorCount || shape[view].getValue() == 1)) {
      result[view] = call.e.dim(viewCount * chunkStride);
      viewCount *= shape[view--].getValue();
    }
    if (viewCount != tensorCount)
      return std::nullopt;
    if (d > 0) {
      chunkStride = x->strides[d - 1].getValue();
      tensorCount = viewCount = 1;
    }
  }
  return view < 0 ? std::optional(result) : std::nullopt;
}

/// The wanted shape with its -1 resolved; checks the number of elements where it is known.
std::optional<SmallVector<DimAttr>> builder::resolveShape(Call &call, const Tensor &x, ArrayRef<DimAttr> wanted) {
  SmallVector<DimAttr> shape(wanted), dims = dimsOf(x), left = dims;
  int64_t open = -1;
  DimAttr product = one(call), total = graph::getNumElements(x->type);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (isSize(shape[i], -1).value_or(false)) {
      if (open >= 0)
        return call.fail("a shape with two -1"), std::nullopt;
      open = int64_t(i);
      continue;
    }
    product = product * shape[i];
    // Equal sizes cancel: what is left over is the open dim, also for symbols.
    if (auto equal = llvm::find(left, shape[i]); equal != left.end())
      *equal = one(call);
    else
      left.push_back(DimAttr());
  }
  if (open >= 0 && isSize(product, 0).value_or(false))
    return call.fail("-1 in a shape of no elements is ambiguous"), std::nullopt;
  if (open >= 0) {
    bool cancelled = llvm::none_of(left, [](DimAttr d) { return !d; });
    DimAttr rest = one(call);
    for (DimAttr d : left)
      rest = cancelled ? rest * d : rest;
    if (!cancelled && product.isConstant() && product.getValue() > 0)
      rest = graph::floorDiv(total, product.getValue());
    else if (!cancelled)
      rest = DimAttr::binary(graph::DimKind::FloorDiv, total, product);
    shape[open] = rest;
    product = product * rest;
  }
  if (product != total && product.isConstant() && total.isConstant())
    return call.fail("shape of " + product.str() + " elements for a tensor of " + total.str()), std::nullopt;
  return shape;
}

/// view() must alias; reshape() copies where it can't.
static void reshapeTo(Call &call, const Tensor &x, ArrayRef<DimAttr> wanted, bool mayCopy) {
  std::optional<SmallVector<DimAttr>> shape = call.failed() ? std::nullopt : resolveShape(call, x, wanted);
  if (!shape)
    return;
  if (std::optional<SmallVector<DimAttr>> strides = viewStrides(call, x, *shape)) {
    Tensor view = reshapeView(call, x, *shape, *strides);
    if (mayCopy)
      call.run.noteSharing(x, view);
    return call.give(Val(view));
  }
  if (!mayCopy && !call.run.knowsStrides(x)) { // eager's allowed it when the program was made, or will
    SmallVector<DimAttr> rowMajor;
    contiguousStrides(*shape, rowMajor);
    return call.give(Val(reshapeView(call, x, *shape, rowMajor)));
  }
  bool decidable = x->type.hasStaticShape();
  if (!mayCopy && decidable)
    return call.fail("view() of a tensor whose strides don't allow that shape (eager refuses it too); use reshape()");
  Tensor copy = call.run.fresh(call.e.reshape(call.run.read(x), *shape));
  copy->storage->isEagerOrder = true;
  call.run.noteSharing(x, copy);
  call.give(Val(copy));
}
static void convertView(Call &call) {
  if (call.find("dtype")) {
    Tensor x = call.tensor("self");
    ScalarType type = call.dtype("dtype", ScalarType::F32);
    return call.failed() ? void() : call.give(Val(viewAs(call, x, type)));
  }
  reshapeTo(call, call.tensor("self"), call.dims("size"), false);
}
static void convertReshape(Call &call) { reshapeTo(call, call.tensor("self"), call.dims(call.find("shape") ? "shape" : "size"), true); }
static void convertViewAs(Call &call) { reshapeTo(call, call.tensor("self"), dimsOf(call.tensor("other")), true); }

static void convertFlatten(Call &call) {
  Tensor x = call.tensor("self");
  SmallVector<DimAttr> dims = dimsOf(x), shape;
  int64_t rank = int64_t(dims.size()), first = call.dimIndex("start_dim", rank, 0), last = call.dimIndex("end_dim", rank, -1);
  if (call.failed() || first > last)
    return call.fail("flatten from a later to an earlier dim");
  DimAttr merged = one(call);
  for (int64_t d = 0; d < rank; ++d) {
    if (d < first || d > last)
      shape.push_back(dims[d]);
    else
      merged = merged * dims[d];
    if (d == last)
      shape.push_back(merged);
  }
  if (rank == 0)
    shape.push_back(one(call));
  reshapeTo(call, x, shape, true);
}

static void convertUnflatten(Call &call) {
  Tensor x = call.tensor("self");
  int64_t d = call.dimIndex("dim", x->type.getRank());
  std::vector<DimAttr> sizes = call.dims("sizes");
  if (call.failed() || x->type.getRank() == 0)
    return;
  SmallVector<DimAttr> shape = dimsOf(x);
  DimAttr known = one(call), whole = shape[d];
  for (DimAttr size : sizes)
    known = isSize(size, -1).value_or(false) ? known : known * size;
  bool infers = llvm::any_of(sizes, [](DimAttr size) { return isSize(size, -1).value_or(false); });
  if ((infers && isSize(known, 0).value_or(false)) || (known.isConstant() && known.getValue() < 0))
    return call.fail("unflatten into sizes of " + known.str() + " elements");
  for (DimAttr &size : sizes)
    if (isSize(size, -1).value_or(false))
      size = DimAttr::binary(graph::DimKind::FloorDiv, whole, known);
  shape.erase(shape.begin() + d);
  shape.insert(shape.begin() + d, sizes.begin(), sizes.end());
  reshapeTo(call, x, shape, false);
}

/// base with `view` [others…, n] on the diagonal of dims a and b.
static Value writeDiagonal(Emitter &e, Value base, Value view, int64_t offset, int64_t a, int64_t b) {
  int64_t rank = e.rank(base), last = rank - 2, along = offset >= 0 ? a : b; // element k stands in row k, or for a diagonal below in column k
  SmallVector<DimAttr> none(rank - 1, e.dim(int64_t(0))), behind = none, shape;
  behind[last] = e.dim(base, along) - e.dim(view, last);
  Value lines = e.create<graph::PadOp>(view, e.constant(e.dtype(view), 0.0), e.dimArray(none), e.dimArray(behind));
  shape = e.dims(lines);
  shape.push_back(e.dim(int64_t(1)));
  SmallVector<int64_t> order;
  for (int64_t d = 0, next = 0; d < rank; ++d)
    order.push_back(d == along ? last : d == a || d == b ? last + 1 : next++);
  Value i = e.positions(e.dim(base, a), a, rank), j = e.positions(e.dim(base, b), b, rank);
  Value isDiagonal = e.create<graph::EqOp>(e.create<graph::AddOp>(i, e.constant(ScalarType::I64, double(offset))), j);
  return e.create<graph::WhereOp>(isDiagonal, e.permute(e.reshape(lines, shape), order), base);
}

Tensor builder::diagonalView(Call &call, const Tensor &x, int64_t offset, int64_t a, int64_t b) {
  SmallVector<DimAttr> strides;
  for (int64_t d = 0; d < x->type.getRank(); ++d)
    if (d != a && d != b)
      strides.push_back(x->strides[d]);
  strides.push_back(x->strides[a] + x->strides[b]);
  DimAttr start = x->offset + (offset >= 0 ? x->strides[b] * offset : x->strides[a] * -offset);
  ViewStep step;
  step.apply = [=](Emitter &e, Value base) { return e.create<graph::DiagonalOp>(base, offset, a, b); };
  step.scatter = [=](Emitter &e, Value base, Value view) { return writeDiagonal(e, base, view, offset, a, b); };
  return call.run.view(x, std::move(step), strides, start);
}

static void convertDiagonal(Call &call) {
  Tensor x = call.tensor("self");
  int64_t rank = x->type.getRank(), offset = call.integer("offset", 0), a = call.dimIndex("dim1", rank, 0), b = call.dimIndex("dim2", rank, 1);
  if (call.failed() || rank < 2 || a == b)
    return call.fail("diagonal needs two different dims");
  call.give(Val(diagonalView(call, x, offset, a, b)));
}

/// x.unfold(d, size, step): windows along d as a new last dim.
static void convertUnfold(Call &call) {
  Tensor x = call.tensor("self");
  if (x->type.getRank() == 0 && call.integer("size") == 1) // one window of the one element
    return call.give(Val(reshapeView(call, x, {one(call)}, {one(call)})));
  int64_t rank = x->type.getRank(), d = call.dimIndex("dimension", rank), size = call.integer("size"), step = call.integer("step");
  if (call.failed() || rank == 0 || step < 1 || size < 0)
    return call.fail("unfold needs a dim, a size of at least 0 and a step of at least 1");
  SmallVector<DimAttr> sizes = dimsOf(x), rowMajor, strides = x->strides;
  contiguousStrides(sizes, rowMajor);
  DimAttr inner = rowMajor[d], innerEager = strides[d];
  sizes[d] = graph::floorDiv(sizes[d] - size, step) + 1;
  rowMajor[d] = rowMajor[d] * step;
  strides[d] = strides[d] * step;
  sizes.push_back(call.e.dim(size));
  rowMajor.push_back(inner);
  strides.push_back(innerEager);
  ViewStep window;
  window.apply = [=](Emitter &e, Value base) {
    return e.create<graph::AsStridedOp>(base, e.dimArray(sizes), e.dimArray(rowMajor), e.dim(int64_t(0)));
  };
  call.give(Val(call.run.view(x, std::move(window), strides, x->offset)));
}

static void convertAsStrided(Call &call) {
  Tensor x = call.tensor("self");
  SmallVector<DimAttr> sizes = llvm::to_vector(call.dims("size")), strides = llvm::to_vector(call.dims("stride"));
  DimAttr offset = call.given("storage_offset") ? call.dim("storage_offset") : x->offset;
  if (call.failed() || sizes.size() != strides.size())
    return call.fail("as_strided needs one stride a dim");
  DimAttr last = offset, total = graph::getNumElements(call.run.storageType(x));
  for (size_t d = 0; d < sizes.size(); ++d)
    last = last + (sizes[d] - 1) * strides[d];
  if (call.run.proved(graph::DimPredicate::Lt, last, total) == false)
    return call.fail("as_strided reaches element " + last.str() + " of a storage of " + total.str());
  ViewStep step;
  step.apply = [=](Emitter &e, Value base) { return e.create<graph::AsStridedOp>(base, e.dimArray(sizes), e.dimArray(strides), offset); };
  call.give(Val(call.run.storageView(x, std::move(step), strides, offset)));
}

/// detach, alias, …: another name for the same elements.
static void convertAlias(Call &call) { call.give(Val(call.run.alias(call.tensor(call.first())))); }

/// For .pt2's eval-mode graphs and scripts: dropout returns its argument itself.
static void convertDropout(Call &call) {
  bool train = call.boolean("train", false);
  if (train && call.number("p", 0.5) != 0)
    return call.fail("dropout in training mode needs random numbers, which are not supported");
  call.give(call.argument(0));
  if (call.op() == "aten::native_dropout") {
    Value x = call.value(call.first());
    call.give(call.e.expand(call.e.constant(ScalarType::Bool, 1.0), call.e.dims(x)));
  }
}

void builder::addViews(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"slice", convertSlice},       {"select", convertSelect},       {"narrow", convertNarrow},       {"permute", convertPermute},
      {"transpose", convertTranspose}, {"swapaxes", convertTranspose}, {"swapdims", convertTranspose}, {"t", convertT},
      {"numpy_T", convertT},         {"mT", convertT},                {"adjoint", convertT},
      {"mH", convertT},                {"matrix_H", convertT},           {"movedim", convertMovedim},
      {"moveaxis", convertMovedim},  {"unsqueeze", convertUnsqueeze}, {"squeeze", convertSqueeze},     {"expand", convertExpand},
      {"broadcast_to", convertExpand}, {"expand_as", convertExpandAs}, {"view", convertView},          {"_unsafe_view", convertReshape},
      {"reshape", convertReshape},   {"view_as", convertViewAs},      {"reshape_as", convertViewAs},   {"flatten", convertFlatten},
      {"unflatten", convertUnflatten}, {"diagonal", convertDiagonal}, {"unfold", convertUnfold},       {"as_strided", convertAsStrided},
      {"detach", convertAlias},        {"alias", convertAlias},
      {"dropout", convertDropout},     {"feature_dropout", convertDropout}, {"alpha_dropout", convertDropout},
      {"feature_alpha_dropout", convertDropout},
      {"native_dropout", convertDropout}};
  for (const auto &[name, conversion] : entries)
    if (conversion)
      table.add(("aten::" + name).str(), conversion);
  table.add("prim::data", convertAlias);
  addPieces(table);
  addShapes(table);
}
