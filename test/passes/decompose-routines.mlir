// RUN: graphc-opt %s --graphc-decompose --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-decompose --graphc-decompose --split-input-file | FileCheck %s
// Scans, sorts and scattered writes are routines of the runtime; a mean is two scatters and a division.

// CHECK-LABEL: func.func @scan
// CHECK:         kernel.routine cumsum(%{{.*}}) [1]
// CHECK:         kernel.routine cummax(%{{.*}}) [0]
// CHECK:         kernel.routine logcumsumexp(%{{.*}}) [1]
func.func @scan(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi64>, tensor<3x5xf32>) {
  %0 = graph.cumsum %x dim 1 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %1:2 = graph.cummax %x dim 0 : (tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  %2 = graph.logcumsumexp %x dim 1 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1#0, %1#1, %2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi64>, tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func.func @orders
// CHECK:         kernel.routine sort(%{{.*}}) [0, 1] : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
// CHECK:         kernel.routine sort(%{{.*}}) [0, 1] : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi64>)
func.func @orders(%x: tensor<5xf32>) -> (tensor<5xi64>, tensor<2xf32>) {
  %0:2 = graph.sort %x dim 0 descending : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  %1:2 = graph.topk %x k 2 dim 0 : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %0#1, %1#0 : tensor<5xi64>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @scatters
// CHECK:         kernel.routine scatter(%{{.*}}, %{{.*}}, %{{.*}}) [0, 1, 1]
// CHECK:         kernel.routine scatter(%{{.*}}, %{{.*}}, %{{.*}}) [0, 1, 0] : (tensor<5x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<5x4xf32>
func.func @scatters(%b: tensor<5xf32>, %i: tensor<3xi64>, %s: tensor<3xf32>, %m: tensor<5x4xf32>, %r: tensor<3x4xf32>) -> (tensor<5xf32>, tensor<5x4xf32>) {
  %0 = graph.scatter %b, %i, %s dim 0 sum exclude_self : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  %1 = graph.index_add %m, %i, %r dim 0 : (tensor<5x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5xf32>, tensor<5x4xf32>
}

// -----

// CHECK-LABEL: func.func @mean
// CHECK-COUNT-2: kernel.routine scatter
// CHECK:         graph.div
func.func @mean(%b: tensor<5xf32>, %i: tensor<3xi64>, %s: tensor<3xf32>) -> tensor<5xf32> {
  %0 = graph.scatter %b, %i, %s dim 0 mean : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
