// RUN: graphc-opt %s --graphc-outline-kernels --split-input-file --verify-diagnostics | FileCheck %s
// Outlining what is outlined changes nothing.
// RUN: graphc-opt %s --graphc-outline-kernels --split-input-file --verify-diagnostics -o %t
// RUN: graphc-opt %t --graphc-outline-kernels --split-input-file | FileCheck %s

// A contraction takes its group's pointwise ops as its epilogue; a symbolic dim is an extent of m.
// CHECK-LABEL: func.func @epilogue
// CHECK:         %[[Y:.*]] = kernel.launch @[[K:linear_relu]](%arg0, %{{.*}}, %{{.*}})
// CHECK:         return %[[Y]]
// CHECK:       kernel.func @[[K]]({{.*}}) grid()
// CHECK:         kernel.contract %{{.*}} m [#graph.dim<B>] n [#graph.dim<8>] k [#graph.dim<4>]
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[M:.*]]: index, %[[N:.*]]: index):
// CHECK-NEXT:      %[[BIAS:.*]] = kernel.load %{{.*}} (%[[N]])
// CHECK-NEXT:      %[[SUM:.*]] = scalar.add %[[ACC]], %[[BIAS]]
// CHECK:           %[[MAX:.*]] = scalar.select %{{.*}}, %{{.*}}, %[[SUM]]
// CHECK-NEXT:      kernel.store %[[MAX]], %{{.*}} (%[[M]], %[[N]])
graph.symbol @B min 1 max 64 from "input x, dim 0"
graph.parameter @w = dense<1.0> : tensor<8x4xf32>
graph.parameter @b = dense<1.0> : tensor<8xf32>
func.func @epilogue(%x: tensor<?x4xf32, #graph.info<dims = [B, 4]>>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>> {
  %w = graph.get @w : tensor<8x4xf32>
  %b = graph.get @b : tensor<8xf32>
  %0 = graph.linear %x, %w bias %b {graph.group = 0 : i64} : (tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  %1 = graph.relu %0 {graph.group = 0 : i64} : (tensor<?x8xf32, #graph.info<dims = [B, 8]>>) -> tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  return %1 : tensor<?x8xf32, #graph.info<dims = [B, 8]>>
}

// -----

// A row's statistics are computed once a row: the row's dim is inside a kernel.map.
// CHECK-LABEL: func.func @rows
// CHECK:       kernel.func @relu_softmax({{.*}}) grid(%[[R:.*]] : <3>)
// CHECK:         %[[MAX:.*]] = kernel.reduce [max] over (%{{.*}} : <8>)
// CHECK:         %[[SUM:.*]] = kernel.reduce [sum] over (%{{.*}} : <8>)
// CHECK:         kernel.map (%[[C:.*]] : <8>)
// CHECK:           kernel.store %{{.*}} (%[[R]], %[[C]])
func.func @rows(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = graph.relu %x {graph.group = 0 : i64} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %1 = graph.softmax %0 dim 1 {graph.group = 0 : i64} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// A permutation that moves nothing is an alias; one that moves is a kernel without its dims of size 1; constants are part of their kernels.
// CHECK-LABEL: func.func @views
// CHECK:         %[[A:.*]] = kernel.alias %arg0 at 0
// CHECK:         %[[P:.*]] = kernel.launch @permute(%arg0)
// CHECK:         %[[D:.*]] = kernel.launch @add()
// CHECK:         return %[[A]], %[[P]], %[[D]]
// CHECK:       kernel.func @permute({{.*}}) grid(%{{.*}} : <7>, %{{.*}} : <64>, %{{.*}} : <7>)
// CHECK:       kernel.func @add()
// CHECK:         %[[C:.*]] = scalar.constant 2.0
// CHECK:         scalar.add %[[C]], %[[C]] : f32
// CHECK:         scalar.cast %{{.*}} : f32 to f16
func.func @views(%x: tensor<1x64x7x7xf32, #graph.info<order = [0, 2, 3, 1]>>) -> (tensor<1x7x7x64xf32>, tensor<7x64x1x7xf32>, tensor<1x64x7x7xf16>) {
  %h = graph.constant dense<2.0> : tensor<1x64x7x7xf16>
  %0 = graph.permute %x [0, 2, 3, 1] : (tensor<1x64x7x7xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x7x7x64xf32>
  %1 = graph.permute %x [2, 1, 0, 3] : (tensor<1x64x7x7xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<7x64x1x7xf32>
  %2 = graph.add %h, %h : (tensor<1x64x7x7xf16>, tensor<1x64x7x7xf16>) -> tensor<1x64x7x7xf16>
  return %0, %1, %2 : tensor<1x7x7x64xf32>, tensor<7x64x1x7xf32>, tensor<1x64x7x7xf16>
}

// -----

// Equal kernels are one; what nobody uses is gone.
// CHECK-LABEL: func.func @shared
// CHECK:         kernel.launch @relu(%arg0)
// CHECK:         kernel.launch @relu(%
// CHECK-NOT:     kernel.launch
// CHECK:       kernel.func @relu
// CHECK-NOT:   kernel.func
func.func @shared(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = graph.relu %x : (tensor<5xf32>) -> tensor<5xf32>
  %1 = graph.relu %0 : (tensor<5xf32>) -> tensor<5xf32>
  %2 = graph.add %0, %1 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @two_outputs
// CHECK:         %[[O:.*]]:2 = kernel.launch @relu_add(%arg0)
// CHECK:         return %[[O]]#0, %[[O]]#1
func.func @two_outputs(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = graph.relu %x {graph.group = 7 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  %1 = graph.add %0, %x {graph.group = 7 : i64} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}

// -----

// What launches write one after the other is joined without a copy; a part that is an input, or that is joined already, is copied.
// CHECK-LABEL: func.func @joins
// CHECK:         %[[A:.*]] = kernel.launch @relu(%arg0)
// CHECK:         %[[B:.*]] = kernel.launch @add(%arg0)
// CHECK:         %[[J:.*]] = kernel.join %[[A]], %[[B]] : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK:         %[[C:.*]] = kernel.launch @concat(%[[A]], %arg0)
// CHECK:         return %[[J]], %[[C]]
func.func @joins(%x: tensor<1x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = graph.relu %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = graph.add %x, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = graph.concat %0, %1 dim 0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %3 = graph.concat %0, %x dim 0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>
}
