// What passes ask of contractions beyond their interface.
#ifndef GRAPHC_IR_GRAPH_CONTRACTIONS_H
#define GRAPHC_IR_GRAPH_CONTRACTIONS_H

#include "ir/graph/Graph.h"

namespace graphc::graph {

/// Whether every element of the result is one product over the channels: windows that touch without overlapping.
bool hasDisjointWindows(ConvTransposeOp op);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_CONTRACTIONS_H
