// Part 0 of the generated op definitions, with the pointwise ops' bodies.
#include "ir/graph/GraphSupport.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_DEFS_0
#include "ir/graph/GraphOps.cpp.inc"
