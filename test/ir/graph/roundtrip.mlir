// RUN: graphc-opt %s | graphc-opt | FileCheck %s
// Symbols, parameters, encodings and one op of each family survive a round trip.

// CHECK: graph.symbol @B min 1 max 64 from "input x, dim 0"
graph.symbol @B min 1 max 64 from "input x, dim 0"
graph.parameter @w = dense<1.0> : tensor<8x4xf32>
// CHECK: graph.state @h attribute "hidden"
graph.state @h attribute "hidden" = dense<0.0> : tensor<2xf32>

// CHECK-LABEL: @forward
func.func @forward(%x: tensor<?x4xf32, #graph.info<dims = [B, 4]>>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>> {
  // CHECK: graph.guard <B> "<=" <64>
  graph.guard <B> "<=" <64>, "batch too large"
  %w = graph.get @w : tensor<8x4xf32>
  // CHECK: graph.linear {{.*}} -> tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  %0 = graph.linear %x, %w : (tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<8x4xf32>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  %1 = graph.relu %0 : (tensor<?x8xf32, #graph.info<dims = [B, 8]>>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  %2 = graph.softmax %1 dim 1 : (tensor<?x8xf32, #graph.info<dims = [B, 8]>>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  return %2 : tensor<?x8xf32, #graph.info<dims = [B, 8]>>
}

// CHECK-LABEL: @permuted
func.func @permuted(%x: tensor<1x64x7x7xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x7x7x64xf32> {
  // CHECK: graph.permute %{{.*}} [0, 2, 3, 1]
  %0 = graph.permute %x [0, 2, 3, 1] : (tensor<1x64x7x7xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x7x7x64xf32>
  return %0 : tensor<1x7x7x64xf32>
}
