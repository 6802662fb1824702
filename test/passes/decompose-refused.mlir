// RUN: graphc-opt %s --graphc-decompose="max-steps=4" --verify-diagnostics
func.func @long(%x: tensor<5x1x3xf32>, %h: tensor<1x1x4xf32>, %wi: tensor<12x3xf32>, %wh: tensor<12x4xf32>) -> (tensor<5x1x4xf32>, tensor<1x1x4xf32>) {
  // expected-error @+1 {{over '5' steps can't be compiled: expected a number of steps from 1 to 4}}
  %y, %hn = graph.gru %x state %h weights %wi, %wh {layers = 1 : i64} : (tensor<5x1x3xf32>, tensor<1x1x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<5x1x4xf32>, tensor<1x1x4xf32>)
  return %y, %hn : tensor<5x1x4xf32>, tensor<1x1x4xf32>
}
