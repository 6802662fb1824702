// RUN: graphc-opt %s --graphc-decompose --split-input-file --verify-diagnostics | FileCheck %s
// Over symbolic dims: a padded convolution pads first; what has no kernel there is refused at its line.

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

graph.symbol @S min 1 from "input x, dim 2"
func.func @transposed(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, %w: tensor<3x4x2xf32>) {
  // expected-error @+1 {{a transposed convolution over the symbolic dim 'S' can't be compiled: expected numbers for its spatial dims; give them in --input}}
  %0 = graph.conv_transpose %x, %w stride [2] padding [0] dilation [1] output_padding [0] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<3x4x2xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "2 * S"]>>
  return
}

// -----

graph.symbol @E min 1 from "input q, dim 1"
func.func @features(%q: tensor<3x?xf32, #graph.info<dims = [3, E]>>) {
  // expected-error @+1 {{attention over 'E' features can't be compiled: expected a number of features, or a scale}}
  %0 = graph.scaled_dot_product_attention %q, %q, %q : (tensor<3x?xf32, #graph.info<dims = [3, E]>>, tensor<3x?xf32, #graph.info<dims = [3, E]>>, tensor<3x?xf32, #graph.info<dims = [3, E]>>) -> tensor<3x?xf32, #graph.info<dims = [3, E]>>
  return
}
