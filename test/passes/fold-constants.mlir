// RUN: graphc-opt %s --graphc-fold-constants="max-elements=64" --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-fold-constants="max-elements=64" --graphc-fold-constants="max-elements=64" --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-fold-constants="max-elements=64" --split-input-file --remarks-filter=folding --remark-format=emitRemark 2>&1 >%t | FileCheck %s --check-prefix=WHY

// A small result is a constant in place; only what run time needs is made, and what nobody reads any more goes.
// CHECK-LABEL: module
// CHECK-NOT:     graph.parameter
// CHECK-LABEL: @small
// CHECK-NEXT:    %[[C:.*]] = graph.constant dense<[2.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    graph.add %arg0, %[[C]]
graph.parameter @w = dense<[1.0, -3.0]> : tensor<2xf32>
graph.parameter @unused = dense<[1.0, -3.0]> : tensor<2xf32>
func.func @small(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.get @w : tensor<2xf32>
  %0 = graph.add %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.add %x, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// A larger one is a parameter with the origin's name, also where the way to it leads through a view.
// CHECK:         graph.parameter @w$folded = dense_resource<w$folded> : tensor<5x4xf32>
// CHECK-NOT:     graph.parameter
// CHECK-LABEL: @large
// CHECK-NEXT:    %[[C:.*]] = graph.get @w$folded : tensor<5x4xf32>
// CHECK-NEXT:    return %[[C]]
graph.parameter @w = dense<2.0> : tensor<4x5xf32>
func.func @large() -> tensor<5x4xf32> {
  %w = graph.get @w : tensor<4x5xf32>
  %p = graph.permute %w [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %0 = graph.mul %p, %p : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

// A view of a parameter stays; so does what is too large.
// CHECK-LABEL: @refused
// CHECK:         graph.permute
// CHECK:         graph.mul
// WHY: graph.mul of constants is computed at run time: 100 elements are too many
graph.parameter @w = dense<2.0> : tensor<4x5xf32>
graph.parameter @v = dense<2.0> : tensor<100xf32>
func.func @refused() -> (tensor<5x4xf32>, tensor<100xf32>) {
  %w = graph.get @w : tensor<4x5xf32>
  %p = graph.permute %w [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %v = graph.get @v : tensor<100xf32>
  %0 = graph.mul %v, %v : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
  return %p, %0 : tensor<5x4xf32>, tensor<100xf32>
}

// -----

// Many folds: what was evaluated moves as it grows.
// CHECK-LABEL:    @many
// CHECK-COUNT-24: graph.constant dense<[8.000000e+00, 1.500000e+01]> : tensor<2xf32>
// CHECK-NEXT:     return
graph.parameter @a = dense<[2.0, 3.0]> : tensor<2xf32>
graph.parameter @b = dense<[4.0, 5.0]> : tensor<2xf32>
func.func @many() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = graph.get @a : tensor<2xf32>
  %b = graph.get @b : tensor<2xf32>
  %0 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %6 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %8 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %9 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %10 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %11 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %12 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %13 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %14 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %15 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %16 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %17 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %18 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %19 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %20 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %21 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %22 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %23 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
