// RUN: graphc-opt %s -canonicalize | FileCheck %s
// Folds keep every bit: x * 1 goes, x + 0 stays for floats (it would turn -0 into +0).

// CHECK-LABEL: @identities
func.func @identities(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %izero = graph.constant dense<0> : tensor<i64>
  %0 = graph.mul %x, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = graph.div %0, %one : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: %[[SUM:.*]] = graph.add %arg0, %{{.*}} : (tensor<2x3xf32>, tensor<f32>)
  %2 = graph.add %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = graph.sub %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %4 = graph.add %izero, %i : (tensor<i64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  %n = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = graph.neg %n : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: return %arg0, %[[SUM]], %arg0, %arg1, %arg0
  return %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
}

// x * 1 that broadcasts x stays.
// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: graph.mul
  %one = graph.constant dense<1.0> : tensor<2x1xf32>
  %0 = graph.mul %x, %one : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A cast to the same type goes; one through f16 rounds and stays.
// CHECK-LABEL: @casts
func.func @casts(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.cast %x to f32 : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: graph.cast %arg0 to f16
  // CHECK: %[[BACK:.*]] = graph.cast %{{.*}} to f32
  %1 = graph.cast %x to f16 : (tensor<2xf32>) -> tensor<2xf16>
  %2 = graph.cast %1 to f32 : (tensor<2xf16>) -> tensor<2xf32>
  // CHECK: return %arg0, %[[BACK]]
  return %0, %2 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @powers
func.func @powers(%x: tensor<2xf32>, %i: tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %minus = graph.constant dense<-1.0> : tensor<f32>
  %three = graph.constant dense<3> : tensor<i64>
  %odd = graph.constant dense<2.5> : tensor<f32>
  // CHECK-DAG: graph.mul %arg0, %arg0
  // CHECK-DAG: graph.sqrt %arg0
  // CHECK-DAG: graph.reciprocal %arg0
  // CHECK-DAG: %[[SQUARE:.*]] = graph.mul %arg1, %arg1
  // CHECK-DAG: graph.mul %[[SQUARE]], %arg1
  // CHECK-DAG: graph.pow %arg0
  %0 = graph.pow %x, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.pow %x, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = graph.pow %x, %minus : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = graph.pow %i, %three : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %4 = graph.pow %x, %odd : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xf32>
}

// CHECK-LABEL: @views
func.func @views(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<24xf32>, tensor<2x3x4xf32>, tensor<5x2x3x4xf32>) {
  %0 = graph.permute %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.permute %0 [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[FLAT:.*]] = graph.reshape %arg0 to [#graph.dim<24>]
  %2 = graph.reshape %x to [#graph.dim<6>, #graph.dim<4>] : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %3 = graph.reshape %2 to [#graph.dim<24>] : (tensor<6x4xf32>) -> tensor<24xf32>
  %4 = graph.slice %x from [#graph.dim<0>, #graph.dim<0>, #graph.dim<0>] size [#graph.dim<2>, #graph.dim<3>, #graph.dim<4>] step [1, 1, 1] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[WIDE:.*]] = graph.expand %arg0 to
  // CHECK-NOT: graph.expand
  %5 = graph.expand %4 to [#graph.dim<1>, #graph.dim<2>, #graph.dim<3>, #graph.dim<4>] : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %6 = graph.expand %5 to [#graph.dim<5>, #graph.dim<2>, #graph.dim<3>, #graph.dim<4>] : (tensor<1x2x3x4xf32>) -> tensor<5x2x3x4xf32>
  // CHECK: return %arg0, %[[FLAT]], %arg0, %[[WIDE]]
  return %1, %3, %4, %6 : tensor<2x3x4xf32>, tensor<24xf32>, tensor<2x3x4xf32>, tensor<5x2x3x4xf32>
}
