// RUN: graphc-opt %s --graphc-outline-kernels --verify-diagnostics
// Ops that no kernel can be made of are named at their own lines, all of them: here composite ops that were not decomposed before.
func.func @whole(%x: tensor<1x4xf32>, %h: tensor<1x8xf32>, %c: tensor<1x8xf32>, %wi: tensor<32x4xf32>, %wh: tensor<32x8xf32>, %b: tensor<32xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  // expected-error @+1 {{no kernel can be made of graph.lstm_cell: it says neither an element nor a contraction}}
  %0:2 = graph.lstm_cell %x state %h, %c weights %wi, %wh biases %b, %b : (tensor<1x4xf32>, tensor<1x8xf32>, tensor<1x8xf32>, tensor<32x4xf32>, tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>)
  // expected-error @+1 {{no kernel can be made of graph.lstm_cell}}
  %1:2 = graph.lstm_cell %x state %0#0, %0#1 weights %wi, %wh biases %b, %b : (tensor<1x4xf32>, tensor<1x8xf32>, tensor<1x8xf32>, tensor<32x4xf32>, tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>)
  return %1#0, %1#1 : tensor<1x8xf32>, tensor<1x8xf32>
}
