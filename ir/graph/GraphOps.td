//===- GraphOps.td - all ops of the graph dialect -------------------------===//
include "ir/graph/StructureOps.td"
include "ir/graph/PointwiseOps.td"
include "ir/graph/ViewOps.td"
include "ir/graph/ReductionOps.td"
include "ir/graph/ContractionOps.td"
