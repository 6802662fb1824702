// See IndexGroup.h.
#include "codegen/cpu/IndexGroup.h"

using namespace graphc;
using namespace graphc::cpu;
using graph::DimAttr;

IndexGroup::IndexGroup(IndexSpace &space, LaneEmitter &lanes, llvm::ArrayRef<unsigned> all, bool canMerge)
    : space(space), lanes(lanes), isMerged(canMerge), flatId(0) {
  for (unsigned id : all) {
    DimAttr extent = space.extent(id);
    (extent.isConstant() && extent.getValue() == 1 ? zero : ids).push_back(id);
  }
  if (ids.size() <= 1)
    return;
  DimAttr total = space.extent(ids[0]);
  for (unsigned id : llvm::drop_begin(ids))
    total = total * space.extent(id);
  if (!isMerged) {
    flatId = space.fresh(total);
    return;
  }
  for (unsigned id : llvm::ArrayRef(ids).drop_back())
    zero.push_back(id);
  space.setExtent(ids.back(), total);
  ids = {ids.back()};
}

bool IndexGroup::staysInside(unsigned width) const {
  DimAttr extent = isSimple() ? DimAttr() : space.extent(ids.back());
  return isSimple() || (extent.isConstant() && extent.getValue() % width == 0);
}

bool IndexGroup::hasConstantExtents() const {
  return llvm::all_of(ids, [&](unsigned id) { return space.extent(id).isConstant(); });
}

void IndexGroup::set(IndexLanes flat, bool isAligned) {
  for (unsigned id : zero)
    lanes.setIndex(id, IndexLanes::uniform(lanes.f.i64(0)));
  if (ids.size() == 1)
    lanes.setIndex(ids[0], flat);
  if (ids.size() <= 1)
    return;
  if (isAligned) {
    llvm::Value *rest = flat.base;
    for (size_t i = ids.size(); i-- > 0;) {
      llvm::Value *extent = lanes.f.dim(space.extent(ids[i])), *index = i == 0 ? rest : lanes.f.b.CreateURem(rest, extent);
      lanes.setIndex(ids[i], i + 1 == ids.size() ? IndexLanes::consecutive(index, flat.step) : IndexLanes::uniform(index));
      rest = lanes.f.b.CreateUDiv(rest, extent);
    }
    return;
  }
  lanes.setIndex(flatId, flat);
  IndexForm rest = space.index(flatId);
  for (size_t i = ids.size(); i-- > 0;) {
    DimAttr extent = space.extent(ids[i]);
    lanes.setIndex(ids[i], lanes.evaluate(i == 0 ? rest : space.mod(rest, extent)));
    rest = space.floorDiv(rest, extent);
  }
}
