// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What pooling, resizing, gathers, scatters, sorts and recurrent ops refuse.

func.func @padding(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{kernel 2, stride 1, dilation 1, padding 2: expected positive numbers and a padding of at most half the kernel}}
  %0 = graph.max_pool %x {kernel = array<i64: 2>, stride = array<i64: 1>, padding = array<i64: 2>, dilation = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x11xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{takes [n, c, spatial…] with 1 to 3 spatial dims, found 'tensor<2x8xf32>'}}
  %0 = graph.avg_pool %x {kernel = array<i64: 2>, stride = array<i64: 1>, padding = array<i64: 0>} : (tensor<2x8xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @small(%x: tensor<1x2x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the result's dim 2 would have 0 elements, it needs at least 1}}
  %0 = graph.avg_pool %x {kernel = array<i64: 3>, stride = array<i64: 1>, padding = array<i64: 0>} : (tensor<1x2x2xf32>) -> tensor<1x2x0xf32>
  return
}

// -----

func.func @resize(%x: tensor<1x2x0xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 2 of the operand has no elements}}
  %0 = graph.upsample_nearest %x {output_size = [#graph.dim<4>]} : (tensor<1x2x0xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @bicubic(%x: tensor<1x2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{bicubic resizing takes 2 spatial dims, found 1}}
  %0 = graph.upsample_bicubic %x {output_size = [#graph.dim<4>]} : (tensor<1x2x3xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @gather(%x: tensor<2x3xf32>, %i: tensor<3x3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 0 of the indices is 3, larger than 2}}
  %0 = graph.gather %x, %i dim 1 : (tensor<2x3xf32>, tensor<3x3xi64>) -> tensor<3x3xf32>
  return
}

// -----

func.func @index(%x: tensor<2x3xf32>, %i: tensor<3xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{1 index tensors at 2 dims; expected as many, at least one}}
  %0 = graph.index %x[%i] at [0, 1] : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @index_put(%x: tensor<2x3xf32>, %v: tensor<4xf32>, %i: tensor<5xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{value 'tensor<4xf32>' must broadcast to [5, 3] of 'f32'}}
  %0 = graph.index_put %x, %v [%i] at [0] : (tensor<2x3xf32>, tensor<4xf32>, tensor<5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter(%x: tensor<2x3xf32>, %i: tensor<2x2xi64>, %s: tensor<2x2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{scatters 'i32' into 'f32'}}
  %0 = graph.scatter %x, %i, %s dim 1 sum : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x2xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_add(%x: tensor<2x3xf32>, %i: tensor<2xi64>, %s: tensor<3x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{don't fit dim 0 of 'tensor<2x3xf32>': expected 1-d indices and a source [2, 3]}}
  %0 = graph.index_add %x, %i, %s dim 0 : (tensor<2x3xf32>, tensor<2xi64>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @topk(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{k is 4, dim 1 has 3 elements}}
  %0:2 = graph.topk %x k 4 dim 1 : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @cell(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<16x3xf32>, %u: tensor<16x5xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{w_hh is 'tensor<16x5xf32>', expected shape [16, 4] of 'f32'}}
  %0:2 = graph.lstm_cell %x state %h, %h weights %w, %u : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x5xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @lstm(%x: tensor<7x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<16x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{has 1 weights, expected 2}}
  %0:3 = graph.lstm %x state %h, %h weights %w {layers = 1 : i64} : (tensor<7x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<16x3xf32>) -> (tensor<7x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
