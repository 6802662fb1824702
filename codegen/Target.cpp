// The parts of the target interface that belong to no target: see Target.h.
#include "codegen/Target.h"

using namespace graphc;

unsigned codegen::DimsTable::getIndex(graph::DimAttr dim) {
  auto [it, isNew] = indices.try_emplace(dim, static_cast<unsigned>(dims.size()));
  if (isNew)
    dims.push_back(dim);
  return it->second;
}
