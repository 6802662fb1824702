// view(dtype) of whole numbers: the same bytes as numbers of another size.
//
// `x.view(torch.uint8)` of i32[.., n] is u8[.., 4 n]: element 4 i + k is byte k of x[.., i], the lowest first, as memory holds it.
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static int64_t bitsOf(ScalarType type) { return 8 * int64_t(scalarTypeSize(type)); }
static bool isWhole(ScalarType type) { return !isFloat(type) && type != ScalarType::Bool; }

/// 0, width, 2 width, …: where the parts of a number begin.
static Value partShifts(Emitter &e, ScalarType type, int64_t count, int64_t width) {
  std::vector<Val> shifts;
  for (int64_t i = 0; i < count; ++i)
    shifts.push_back(i * width);
  return e.constant({count}, type, shifts);
}

/// [.., n] of wide numbers to [.., n * parts].
static Value split(Emitter &e, Value x, ScalarType to) {
  int64_t count = bitsOf(e.dtype(x)) / bitsOf(to);
  SmallVector<DimAttr> dims = e.dims(x), columns = dims;
  columns.push_back(e.dim(1));
  dims.back() = dims.back() * count;
  Value parts = e.create<graph::ShrOp>(e.reshape(x, columns), partShifts(e, e.dtype(x), count, bitsOf(to)));
  return e.reshape(e.cast(parts, to), dims);
}

/// [.., n * parts] of narrow numbers to [.., n].
static Value join(Emitter &e, Value x, ScalarType to) {
  int64_t width = bitsOf(e.dtype(x)), count = bitsOf(to) / width;
  SmallVector<DimAttr> dims = e.dims(x), columns = dims;
  dims.back() = columns.back() = graph::floorDiv(dims.back(), count);
  columns.push_back(e.dim(count));
  Value mask = e.constant(to, Val((int64_t(1) << width) - 1));
  Value parts = e.create<graph::BitwiseAndOp>(e.cast(e.reshape(x, columns), to), mask);
  parts = e.create<graph::ShlOp>(parts, partShifts(e, to, count, width));
  return e.create<graph::SumOp>(parts, SmallVector<int64_t>{int64_t(dims.size())}, false);
}

static Value reinterpreted(Emitter &e, Value x, ScalarType to) {
  int64_t from = bitsOf(e.dtype(x)), wanted = bitsOf(to);
  return from == wanted ? e.cast(x, to) : from > wanted ? split(e, x, to) : join(e, x, to);
}

/// The strides and the offset in elements of another size; nullopt where they aren't whole numbers of these.
static std::optional<SmallVector<DimAttr>> rescaled(Call &call, ArrayRef<DimAttr> strides, int64_t from, int64_t to) {
  SmallVector<DimAttr> result;
  for (DimAttr stride : strides) {
    if (from < to && (!stride.isConstant() || stride.getValue() % (to / from)))
      return std::nullopt;
    result.push_back(from < to ? call.e.dim(stride.getValue() / (to / from)) : stride * (from / to));
  }
  return result;
}

Tensor builder::viewAs(Call &call, const Tensor &x, ScalarType to) {
  ScalarType own = scalarType(x->type.getElementType());
  if (own == to)
    return call.run.alias(x);
  if (!isWhole(own) || !isWhole(to)) {
    call.fail("a view of " + Twine(scalarTypeName(own)) + " as " + scalarTypeName(to) + "; only whole numbers can be viewed as another dtype, and only as whole numbers");
    return x;
  }
  int64_t from = bitsOf(own), wanted = bitsOf(to), last = x->type.getRank() - 1;
  SmallVector<DimAttr> places = x->strides;
  places.push_back(x->offset);
  if (from != wanted) {
    DimAttr size = last < 0 ? DimAttr() : graph::getDim(x->type, last);
    bool fits = size && graph::isConstant(x->strides[last], 1) && (from > wanted || (size.isConstant() && size.getValue() % (wanted / from) == 0));
    SmallVector<DimAttr> outer(places);
    if (fits)
      outer.erase(outer.begin() + last);
    std::optional<SmallVector<DimAttr>> scaled = fits ? rescaled(call, outer, from, wanted) : std::nullopt;
    if (!scaled) {
      call.fail("a view of " + Twine(scalarTypeName(own)) + " as " + scalarTypeName(to) + " needs a last dim of stride 1 whose size and whose rows' places are whole numbers of " +
                scalarTypeName(to));
      return x;
    }
    places = *scaled;
    places.insert(places.begin() + last, call.e.dim(1));
  }
  ViewStep step;
  step.apply = [to](Emitter &e, Value base) { return reinterpreted(e, base, to); };
  step.scatter = [own](Emitter &e, Value, Value view) { return reinterpreted(e, view, own); };
  return call.run.view(x, std::move(step), ArrayRef(places).drop_back(), places.back());
}
