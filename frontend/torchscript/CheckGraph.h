// Whether a SourceGraph that came from another process is one: every id names something, every tensor lies in its storage, every
// enum has one of its values. A reader that a hostile model file took over could send anything.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_CHECKGRAPH_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_CHECKGRAPH_H

#include "frontend/SourceGraph.h"

namespace graphc::frontend::torchscript {

bool isConsistent(const SourceGraph &graph);

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_CHECKGRAPH_H
