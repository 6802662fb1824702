// RUN: graphc-opt %s --graphc-decompose --split-input-file | FileCheck %s
// Over symbolic dims: a padded convolution pads first, a symbolic weight multiplies windows, a transposed convolution becomes a convolution.

// CHECK-LABEL: func.func @convolution
// CHECK:         %[[PADDED:.*]] = graph.pad %arg0, %{{.*}} low [#graph.dim<0>, #graph.dim<0>, #graph.dim<1>] high [#graph.dim<0>, #graph.dim<0>, #graph.dim<1>]
// CHECK:         graph.convolution %[[PADDED]], %arg1 stride [2] padding [0] dilation [1]
// CHECK-SAME:      -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "(((S - 1) floordiv 2) + 1)"]>>
graph.symbol @S min 1 from "input x, dim 2"
func.func @convolution(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, %w: tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "(S - 1) floordiv 2 + 1"]>> {
  %0 = graph.convolution %x, %w stride [2] padding [1] dilation [1] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "(S - 1) floordiv 2 + 1"]>>
  return %0 : tensor<1x4x?xf32, #graph.info<dims = [1, 4, "(S - 1) floordiv 2 + 1"]>>
}

// -----

// A symbolic batch alone changes nothing.
// CHECK-LABEL: func.func @batch
// CHECK-NOT:     graph.pad
// CHECK:         graph.convolution %arg0, %arg1 stride [1] padding [1] dilation [1]
graph.symbol @B min 1 from "input x, dim 0"
func.func @batch(%x: tensor<?x3x8xf32, #graph.info<dims = [B, 3, 8]>>, %w: tensor<4x3x3xf32>) -> tensor<?x4x8xf32, #graph.info<dims = [B, 4, 8]>> {
  %0 = graph.convolution %x, %w stride [1] padding [1] dilation [1] : (tensor<?x3x8xf32, #graph.info<dims = [B, 3, 8]>>, tensor<4x3x3xf32>) -> tensor<?x4x8xf32, #graph.info<dims = [B, 4, 8]>>
  return %0 : tensor<?x4x8xf32, #graph.info<dims = [B, 4, 8]>>
}

// -----

// Windows that touch without overlapping stay.
// CHECK-LABEL: func.func @disjoint
// CHECK:         graph.conv_transpose
graph.symbol @S min 1 from "input x, dim 2"
func.func @disjoint(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, %w: tensor<3x4x2xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>> {
  %0 = graph.conv_transpose %x, %w stride [2] padding [0] dilation [1] output_padding [0] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<3x4x2xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>>
  return %0 : tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>>
}

// -----

// A constant weight [3, 4, 4] of stride 2: 8 outputs (2 phases of 4) with 2 taps, then interleaved.
// CHECK-LABEL: func.func @phases
// CHECK:         %[[PADDED:.*]] = graph.pad %arg0, %{{.*}} low [#graph.dim<0>, #graph.dim<0>, #graph.dim<1>] high [#graph.dim<0>, #graph.dim<0>, #graph.dim<1>]
// CHECK:         %[[BOTH:.*]] = graph.convolution %[[PADDED]], %{{.*}} stride [1] padding [0] dilation [1]
// CHECK-SAME:      tensor<8x3x2xf32>) -> tensor<1x8x?xf32, #graph.info<dims = [1, 8, "(S + 1)"]>>
// CHECK:         graph.reshape %[[BOTH]] to [#graph.dim<1>, #graph.dim<1>, #graph.dim<2>, #graph.dim<4>, #graph.dim<"(S + 1)">]
// CHECK:         graph.permute %{{.*}} [0, 1, 3, 4, 2]
// CHECK:         graph.slice
graph.symbol @S min 1 from "input x, dim 2"
graph.parameter @w = dense<1.0> : tensor<3x4x4xf32>
func.func @phases(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>> {
  %w = graph.get @w : tensor<3x4x4xf32>
  %0 = graph.conv_transpose %x, %w stride [2] padding [1] dilation [1] output_padding [0] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<3x4x4xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>>
  return %0 : tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>>
}

// -----

// A weight that is an input: zeros between x's elements, the weight reversed.
// CHECK-LABEL: func.func @spread
// CHECK-DAG:     graph.flip %{{.*}} [2]
// CHECK-DAG:     graph.pad %{{.*}} low [#graph.dim<0>, #graph.dim<0>, #graph.dim<0>, #graph.dim<0>] high [#graph.dim<0>, #graph.dim<0>, #graph.dim<0>, #graph.dim<1>]
// CHECK:         graph.convolution %{{.*}}, %{{.*}} stride [1] padding [0] dilation [1]
graph.symbol @S min 1 from "input x, dim 2"
func.func @spread(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, %w: tensor<3x4x3xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S + 1"]>> {
  %0 = graph.conv_transpose %x, %w stride [2] padding [0] dilation [1] output_padding [0] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<3x4x3xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S + 1"]>>
  return %0 : tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S + 1"]>>
}

// -----

// CHECK-LABEL: func.func @symbolic_weight
// CHECK:         %[[WINDOWS:.*]] = graph.as_strided
// CHECK:         graph.matmul
// CHECK-NOT:     graph.convolution
graph.symbol @S min 1 from "input x, dim 2"
graph.symbol @K min 1 from "input w, dim 2"
func.func @symbolic_weight(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, %w: tensor<4x3x?xf32, #graph.info<dims = [4, 3, K]>>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "S - K + 1"]>> {
  %0 = graph.convolution %x, %w stride [1] padding [0] dilation [1] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<4x3x?xf32, #graph.info<dims = [4, 3, K]>>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "S - K + 1"]>>
  return %0 : tensor<1x4x?xf32, #graph.info<dims = [1, 4, "S - K + 1"]>>
}

// -----

// CHECK-LABEL: func.func @features
// CHECK:         %[[SIZE:.*]] = graph.iota
// CHECK:         graph.rsqrt
graph.symbol @E min 1 from "input q, dim 1"
func.func @features(%q: tensor<3x?xf32, #graph.info<dims = [3, E]>>) -> tensor<3x?xf32, #graph.info<dims = [3, E]>> {
  %0 = graph.scaled_dot_product_attention %q, %q, %q : (tensor<3x?xf32, #graph.info<dims = [3, E]>>, tensor<3x?xf32, #graph.info<dims = [3, E]>>, tensor<3x?xf32, #graph.info<dims = [3, E]>>) -> tensor<3x?xf32, #graph.info<dims = [3, E]>>
  return %0 : tensor<3x?xf32, #graph.info<dims = [3, E]>>
}
