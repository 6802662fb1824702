// RUN: graphc-opt %s -o %t && graphc-opt %t | FileCheck %s
// The assembly forms with optional parts, and of the ops that no other test parses, survive a round trip.

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %m: tensor<5x7xi1>) {
  // CHECK: graph.scaled_dot_product_attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} causal scale 2.500000e-01 gqa : (
  %0 = graph.scaled_dot_product_attention %q, %k, %k mask %m causal scale 0.25 gqa : (tensor<2x4x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x8xf32>, tensor<5x7xi1>) -> tensor<2x4x5x8xf32>
  return
}

// CHECK-LABEL: @norms
func.func @norms(%x: tensor<2x4x3xf16>, %w: tensor<4xf16>) {
  // CHECK: graph.group_norm %{{.*}} bias %{{.*}} groups 2 eps 1.000000e-05 :
  %0 = graph.group_norm %x bias %w groups 2 eps 1.0e-5 : (tensor<2x4x3xf16>, tensor<4xf16>) -> tensor<2x4x3xf16>
  // CHECK: graph.batch_norm %{{.*}} mean %{{.*}} var %{{.*}} weight %{{.*}} eps
  %1 = graph.batch_norm %x mean %w var %w weight %w eps 1.0e-5 : (tensor<2x4x3xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<2x4x3xf16>
  // CHECK: graph.clamp %{{.*}} max %{{.*}} : (tensor<2x4x3xf16>, tensor<4x1xf16>)
  %2 = graph.reshape %w to [#graph.dim<4>, #graph.dim<1>] : (tensor<4xf16>) -> tensor<4x1xf16>
  %3 = graph.clamp %x max %2 : (tensor<2x4x3xf16>, tensor<4x1xf16>) -> tensor<2x4x3xf16>
  return
}

// CHECK-LABEL: @writes
func.func @writes(%b: tensor<5x3xf32>, %s: tensor<2x3xf32>, %i: tensor<2xi64>, %m: tensor<2x3xi64>) {
  // CHECK: graph.scatter %{{.*}}, %{{.*}}, %{{.*}} dim 0 amax exclude_self :
  %0 = graph.scatter %b, %m, %s dim 0 amax exclude_self : (tensor<5x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  // CHECK: graph.index_put %{{.*}}, %{{.*}}[%{{.*}}] at [0] accumulate :
  %1 = graph.index_put %b, %s [%i] at [0] accumulate : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<2xi64>) -> tensor<5x3xf32>
  // CHECK: graph.index_add %{{.*}}, %{{.*}}, %{{.*}} dim 0 :
  %2 = graph.index_add %b, %i, %s dim 0 : (tensor<5x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  // CHECK: graph.index_copy %{{.*}}, %{{.*}}, %{{.*}} dim 0 :
  %3 = graph.index_copy %b, %i, %s dim 0 : (tensor<5x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  // CHECK: graph.sort %{{.*}} dim 1 descending :
  %4:2 = graph.sort %b dim 1 descending : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<5x3xi64>)
  // CHECK: graph.topk %{{.*}} k 2 dim 1 smallest :
  %5:2 = graph.topk %b k 2 dim 1 smallest : (tensor<5x3xf32>) -> (tensor<5x2xf32>, tensor<5x2xi64>)
  return
}

// CHECK-LABEL: @recurrent
func.func @recurrent(%x: tensor<7x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<16x3xf32>, %u: tensor<16x4xf32>, %b: tensor<16xf32>, %c: tensor<2x4xf32>, %i: tensor<2x3xf32>) {
  // CHECK: graph.lstm %{{.*}} state %{{.*}}, %{{.*}} weights %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {biases, layers = 1 : i64} :
  %0:3 = graph.lstm %x state %h, %h weights %w, %u, %b, %b {layers = 1 : i64, biases} : (tensor<7x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<7x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  // CHECK: graph.lstm_cell %{{.*}} state %{{.*}}, %{{.*}} weights %{{.*}}, %{{.*}} biases %{{.*}}, %{{.*}} :
  %1:2 = graph.lstm_cell %i state %c, %c weights %w, %u biases %b, %b : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}
