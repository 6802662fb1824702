// RUN: graphc-opt %s --graphc-assign-layouts --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-assign-layouts --graphc-assign-layouts --split-input-file | FileCheck %s

// One conversion in, one out; the activation between two convolutions follows.
// CHECK-LABEL: @conv
// CHECK-NEXT:    %[[X:.*]] = graph.permute %arg0 [0, 1, 2, 3] : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32, #graph.info<order = [0, 2, 3, 1]>>
// CHECK-NEXT:    %[[A:.*]] = graph.convolution %[[X]], %arg1 {{.*}} -> tensor<1x4x8x8xf32, #graph.info<order = [0, 2, 3, 1]>>
// CHECK-NEXT:    %[[B:.*]] = graph.relu %[[A]] : {{.*}} -> tensor<1x4x8x8xf32, #graph.info<order = [0, 2, 3, 1]>>
// CHECK-NEXT:    %[[C:.*]] = graph.convolution %[[B]], %arg2 {{.*}} -> tensor<1x4x8x8xf32, #graph.info<order = [0, 2, 3, 1]>>
// CHECK-NEXT:    %[[D:.*]] = graph.permute %[[C]] [0, 1, 2, 3] : {{.*}} -> tensor<1x4x8x8xf32>
// CHECK-NEXT:    return %[[D]]
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = graph.convolution %1, %v stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// -----

// Heads are split without a copy: the permutation is an order, and products still sum along memory.
// CHECK-LABEL: @heads
// CHECK:         graph.permute %arg0 [0, 2, 1, 3] : {{.*}} -> tensor<1x2x3x4xf32, #graph.info<order = [0, 2, 1, 3]>>
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    return
func.func @heads(%x: tensor<1x3x2x4xf32>, %k: tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32> {
  %0 = graph.permute %x [0, 2, 1, 3] : (tensor<1x3x2x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = graph.matmul %0, %k : (tensor<1x2x3x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32>
  return %1 : tensor<1x2x3x5xf32>
}

// -----

// A product whose sums would jump gets a copy; weights keep their order (PackWeights reads through the permutation).
// CHECK-LABEL: @jumps
// CHECK:         %[[P:.*]] = graph.permute %arg0 [1, 0] : {{.*}} -> tensor<3x4xf32, #graph.info<order = [1, 0]>>
// CHECK:         %[[W:.*]] = graph.permute %{{.*}} [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %[[C:.*]] = graph.permute %[[P]] [0, 1] : {{.*}} -> tensor<3x4xf32>
// CHECK-NEXT:    graph.linear %[[C]], %[[W]]
graph.parameter @w = dense<1.0> : tensor<4x8xf32>
func.func @jumps(%y: tensor<4x3xf32>) -> tensor<3x8xf32> {
  %w = graph.get @w : tensor<4x8xf32>
  %0 = graph.permute %y [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %t = graph.permute %w [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = graph.linear %0, %t : (tensor<3x4xf32>, tensor<8x4xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// A reshape within the dims that stay together keeps its operand's order, where its memory is the same; one across channels doesn't.
// CHECK-LABEL: @blocks
// CHECK:         graph.reshape {{.*}} -> tensor<1x4x2x32xf32, #graph.info<order = [0, 2, 3, 1]>>
// CHECK:         graph.reshape {{.*}} -> tensor<1x2x16x8xf32>
func.func @blocks(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> (tensor<1x4x2x1xf32>, tensor<1x2x16x1xf32>) {
  %0 = graph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.reshape %0 to [#graph.dim<1>, #graph.dim<4>, #graph.dim<2>, #graph.dim<32>] : (tensor<1x4x8x8xf32>) -> tensor<1x4x2x32xf32>
  %2 = graph.sum %1 [3] keepdim : (tensor<1x4x2x32xf32>) -> tensor<1x4x2x1xf32>
  %3 = graph.reshape %0 to [#graph.dim<1>, #graph.dim<2>, #graph.dim<16>, #graph.dim<8>] : (tensor<1x4x8x8xf32>) -> tensor<1x2x16x8xf32>
  %4 = graph.sum %3 [3] keepdim : (tensor<1x2x16x8xf32>) -> tensor<1x2x16x1xf32>
  return %2, %4 : tensor<1x4x2x1xf32>, tensor<1x2x16x1xf32>
}
