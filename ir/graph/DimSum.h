// Canonical form of sums and products of dim expressions, so that equal sizes that were computed in different ways are one attribute:
//
//   (S + 2) - 3        ->  S - 1            B*S + S*B  ->  2*B*S
//   (4*B) floordiv 4   ->  B                (6*B + 3) mod 3  ->  0
#ifndef GRAPHC_IR_GRAPH_DIMSUM_H
#define GRAPHC_IR_GRAPH_DIMSUM_H

#include "ir/graph/Dim.h"

namespace graphc::graph {

/// `lhs kind rhs` in canonical form, for +, -, * and for floordiv, ceildiv and mod by a positive constant; null where there is nothing to simplify, and where a
/// coefficient would overflow.
DimAttr simplifySum(DimKind kind, DimAttr lhs, DimAttr rhs);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_DIMSUM_H
