// RUN: graphc-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// Routines print and parse as they are; what doesn't fit one is refused.

// CHECK-LABEL: func.func @sort
// CHECK:         kernel.routine sort(%arg0) [1, 0] : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
func.func @sort(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %0:2 = kernel.routine sort(%x) [1, 0] : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return %0#0 : tensor<3x2xf32>
}

// -----

func.func @results(%x: tensor<3x4xf32>) {
  // expected-error @below {{sort takes 1 operands and 2 options and gives 2 results}}
  %0 = kernel.routine sort(%x) [1, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @options(%x: tensor<3x4xf32>) {
  // expected-error @below {{cumsum takes 1 operands and 1 options and gives 1 results}}
  %0 = kernel.routine cumsum(%x) [1, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @dim(%x: tensor<3x4xf32>) {
  // expected-error @below {{dim 2 is outside 'tensor<3x4xf32>'}}
  %0 = kernel.routine cumsum(%x) [2] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
