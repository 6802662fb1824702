// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What contractions refuse.

func.func @linear(%x: tensor<2x3xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{linear: x has 3 features, the weight takes 4}}
  %0 = graph.linear %x, %w : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @bias(%x: tensor<2x3xf32>, %w: tensor<5x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{bias is 'tensor<3xf32>', expected shape [5]}}
  %0 = graph.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<5x3xf32>, tensor<3xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @element(%x: tensor<2x3xf32>, %w: tensor<5x3xf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{operands have element types 'f32' and 'f16'; expected one}}
  %0 = graph.linear %x, %w : (tensor<2x3xf32>, tensor<5x3xf16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @matmul(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{matmul: lhs has 3 columns, rhs 4 rows}}
  %0 = graph.matmul %x, %y : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @batch(%x: tensor<2x3x4xf32>, %y: tensor<3x4x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims 2 and 3 can't be broadcast together}}
  %0 = graph.matmul %x, %y : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x3x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{x has 3 channels; a weight of [4, 2, 3] in 2 groups takes 4 and gives a multiple of the groups}}
  %0 = graph.convolution %x, %w stride [1] padding [0] dilation [1] {groups = 2 : i64} : (tensor<1x3x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @kernel(%x: tensor<1x3x2xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a kernel that reaches over 5 elements is larger than the padded dim 2 of 4}}
  %0 = graph.convolution %x, %w stride [1] padding [1] dilation [2] : (tensor<1x3x2xf32>, tensor<4x3x3xf32>) -> tensor<1x4x0xf32>
  return
}

// -----

func.func @lists(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{stride, padding and dilation have one entry for each of the 1 spatial dims, found 2}}
  %0 = graph.convolution %x, %w stride [1, 1] padding [0] dilation [1] : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @transpose_empty(%x: tensor<1x3x1xf32>, %w: tensor<3x4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the result's dim 2 would have 0 elements, it needs at least 1}}
  %0 = graph.conv_transpose %x, %w stride [1] padding [1] dilation [1] output_padding [0] : (tensor<1x3x1xf32>, tensor<3x4x2xf32>) -> tensor<1x4x0xf32>
  return
}

// -----

func.func @output_padding(%x: tensor<1x3x4xf32>, %w: tensor<3x4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{output_padding 2 must be smaller than the stride 2 or the dilation 1}}
  %0 = graph.conv_transpose %x, %w stride [2] padding [0] dilation [1] output_padding [2] : (tensor<1x3x4xf32>, tensor<3x4x2xf32>) -> tensor<1x4x10xf32>
  return
}

// -----

func.func @attention(%q: tensor<2x3x4xf32>, %k: tensor<2x5x6xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{query [2, 3, 4], key [2, 5, 6] and value [2, 5, 6] don't fit: expected [..., l, e], [..., s, e], [..., s, f]}}
  %0 = graph.scaled_dot_product_attention %q, %k, %k : (tensor<2x3x4xf32>, tensor<2x5x6xf32>, tensor<2x5x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @mask(%q: tensor<2x3x4xf32>, %m: tensor<4x3xi1>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{mask 'tensor<4x3xi1>' must be bool or 'f32' and broadcast to [2, 3, 3]}}
  %0 = graph.scaled_dot_product_attention %q, %q, %q mask %m : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4x3xi1>) -> tensor<2x3x4xf32>
  return
}
