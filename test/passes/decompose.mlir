// RUN: graphc-opt %s --graphc-decompose --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-decompose --graphc-decompose --split-input-file | FileCheck %s

// CHECK-LABEL: @attention
// CHECK:         %[[KT:.*]] = graph.permute %arg1 [0, 1, 3, 2]
// CHECK:         %[[S:.*]] = graph.matmul %arg0, %[[KT]]
// CHECK:         %[[C:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         %[[M:.*]] = graph.mul %[[S]], %[[C]]
// CHECK:         %[[A:.*]] = graph.add %[[M]], %arg3
// CHECK:         %[[P:.*]] = graph.softmax %[[A]] dim 3
// CHECK:         %[[O:.*]] = graph.matmul %[[P]], %arg2 {graph.value = 5 : i64}
// CHECK:         return %[[O]]
func.func @attention(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x6xf32>, %m: tensor<3x5xf32>) -> tensor<1x2x3x6xf32> {
  %0 = graph.scaled_dot_product_attention %q, %k, %v mask %m {graph.value = 5 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>, tensor<3x5xf32>) -> tensor<1x2x3x6xf32>
  return %0 : tensor<1x2x3x6xf32>
}

// -----

// Causal attention compares positions; a bool mask gives 0 where nothing takes part; grouped heads repeat.
// CHECK-LABEL: @masks
// CHECK:         graph.expand
// CHECK:         %[[L:.*]] = graph.le
// CHECK:         graph.where %[[L]]
// CHECK-NOT:     graph.any
// CHECK:         graph.softmax
// CHECK:         graph.where %arg3
// CHECK:         %[[P:.*]] = graph.softmax
// CHECK:         %[[ANY:.*]] = graph.any %arg3 [1] keepdim
// CHECK:         graph.where %[[ANY]], %[[P]]
func.func @masks(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> (tensor<1x4x3x4xf32>, tensor<1x2x3x4xf32>) {
  %0 = graph.scaled_dot_product_attention %q, %k, %v causal gqa : (tensor<1x4x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x4x3x4xf32>
  %1 = graph.scaled_dot_product_attention %k, %k, %v mask %m : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<3x3xi1>) -> tensor<1x2x3x4xf32>
  return %0, %1 : tensor<1x4x3x4xf32>, tensor<1x2x3x4xf32>
}

// -----

// The input's gates of all steps are one product; each step adds its own.
// CHECK-LABEL: @lstm
// CHECK:         %[[X:.*]] = graph.linear %arg0, %arg3 : (tensor<2x1x3xf32>, tensor<16x3xf32>) -> tensor<2x1x16xf32>
// CHECK:         graph.linear %{{.*}}, %arg4 : (tensor<1x4xf32>, tensor<16x4xf32>) -> tensor<1x16xf32>
// CHECK-COUNT-3: graph.sigmoid
// CHECK:         graph.linear %{{.*}}, %arg4
// CHECK:         graph.concat
// CHECK-NOT:     graph.lstm
func.func @lstm(%x: tensor<2x1x3xf32>, %h: tensor<1x1x4xf32>, %c: tensor<1x1x4xf32>, %wi: tensor<16x3xf32>, %wh: tensor<16x4xf32>) -> (tensor<2x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %y, %hn, %cn = graph.lstm %x state %h, %c weights %wi, %wh {layers = 1 : i64} : (tensor<2x1x3xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>) -> (tensor<2x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>)
  return %y, %hn, %cn : tensor<2x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// -----

// CHECK-LABEL: @cells
// CHECK-NOT:     graph.gru_cell
// CHECK-NOT:     graph.lstm_cell
// CHECK:         return
func.func @cells(%x: tensor<1x3xf32>, %h: tensor<1x4xf32>, %wi: tensor<12x3xf32>, %wh: tensor<12x4xf32>, %wi4: tensor<16x3xf32>, %wh4: tensor<16x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %0 = graph.gru_cell %x state %h weights %wi, %wh : (tensor<1x3xf32>, tensor<1x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> tensor<1x4xf32>
  %1, %2 = graph.lstm_cell %x state %h, %h weights %wi4, %wh4 : (tensor<1x3xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
  return %0, %1, %2 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// Pools whose windows are single elements pick them.
// CHECK-LABEL: @unit_pools
// CHECK-NEXT:    graph.slice %arg0 from [#graph.dim<0>, #graph.dim<0>, #graph.dim<0>, #graph.dim<0>] size [#graph.dim<1>, #graph.dim<4>, #graph.dim<3>, #graph.dim<2>] step [1, 1, 2, 3] {graph.value = 7 : i64}
// CHECK-NEXT:    graph.slice {{.*}} step [1, 1, 2, 3]
// CHECK-NEXT:    graph.avg_pool
func.func @unit_pools(%x: tensor<1x4x6x5xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>) {
  %0 = graph.avg_pool %x {kernel = array<i64: 1, 1>, stride = array<i64: 2, 3>, padding = array<i64: 0, 0>, graph.value = 7 : i64} : (tensor<1x4x6x5xf32>) -> tensor<1x4x3x2xf32>
  %1 = graph.max_pool %x {kernel = array<i64: 1, 1>, stride = array<i64: 2, 3>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x5xf32>) -> tensor<1x4x3x2xf32>
  %2 = graph.avg_pool %x {kernel = array<i64: 1, 1>, stride = array<i64: 2, 3>, padding = array<i64: 0, 0>, divisor = 2 : i64} : (tensor<1x4x6x5xf32>) -> tensor<1x4x3x2xf32>
  return %0, %1, %2 : tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>
}
