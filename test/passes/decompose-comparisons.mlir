// RUN: graphc-opt %s --graphc-decompose=routines=false --split-input-file | FileCheck %s
// Targets without routines: orders and scattered writes as comparisons and folds.

// A scattered write is a comparison of positions and a fold; indices are read through a checked gather.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT:     graph.scatter
// CHECK:         %[[CHECKED:.*]] = graph.index_select
// CHECK:         %[[HITS:.*]] = graph.eq
// CHECK:         graph.where %[[HITS]]
// CHECK:         graph.sum %{{.*}} [1]
// CHECK:         graph.add %arg0
func.func @scatter(%b: tensor<5xf32>, %i: tensor<3xi64>, %s: tensor<3xf32>) -> tensor<5xf32> {
  %0 = graph.scatter %b, %i, %s dim 0 sum : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @topk
// CHECK-NOT:     graph.topk
// CHECK:         %[[RANKS:.*]] = graph.sum
// CHECK:         %[[ORDER:.*]] = graph.sum
// CHECK:         graph.gather %{{.*}}, %[[ORDER]] dim 0
func.func @topk(%x: tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %0:2 = graph.topk %x k 2 dim 0 : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi64>
}
