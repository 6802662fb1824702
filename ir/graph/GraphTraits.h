// What every graph op says about itself; passes ask these through GraphOpInterface and never list op names.
#ifndef GRAPHC_IR_GRAPH_GRAPHTRAITS_H
#define GRAPHC_IR_GRAPH_GRAPHTRAITS_H

namespace graphc::graph {

/// How an op takes part in fusion.
enum class FusionKind {
  Pointwise,   // one output element from the same (broadcast) element of the inputs
  Reduction,   // folds some dims with a monoid
  Normalization, // row statistics, then one element per input element: softmax, layer_norm, …
  View,        // moves elements, computes nothing
  Contraction, // sums products: matmul, linear, convolution, attention
  Window,      // a small window of the input per output element: pooling, depthwise convolution, resize
  Scan,        // cumulative along a dim
  Sort,        // sort, topk
  Gather,      // data-dependent indices
  Source,      // constants, parameters, ranges
  Opaque,      // a kernel of its own, or control
};

/// What autocast does with the op's floating operands (formats.md section 8).
enum class AutocastClass { Low, Fp32, Promote, Match };

/// How the op meets memory layouts.
enum class LayoutBehaviour { Agnostic, PrefersChannelsLast, FixesOrder };

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_GRAPHTRAITS_H
