// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What reductions, normalisations and scans refuse.

func.func @order(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims must ascend, found 1 before 0}}
  %0 = graph.sum %x [1, 0] : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 1 is listed twice}}
  %0 = graph.mean %x [1, 1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @empty(%x: tensor<2x0xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the reduced dims of 'tensor<2x0xf32>' have no elements, and this reduction has no identity}}
  %0 = graph.amax %x [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  return
}

// -----

// No element of the result needs the identity.
func.func @empty_result(%x: tensor<0x0xf32>) {
  %0 = graph.amax %x [1] : (tensor<0x0xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @any(%x: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1-bit signless integer}}
  %0 = graph.any %x [0] : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @softmax(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 2 is outside the operand's rank 2}}
  %0 = graph.softmax %x dim 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm(%x: tensor<2x3xf32>, %w: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{weight is 'tensor<2xf32>', expected shape [3] of 'f32'}}
  %0 = graph.layer_norm %x weight %w over 1 eps 1.0e-5 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_dims(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{normalises 3 dims of an operand of rank 2}}
  %0 = graph.layer_norm %x over 3 eps 1.0e-5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @group_norm(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{3 channels are not divisible into 2 groups}}
  %0 = graph.group_norm %x groups 2 eps 1.0e-5 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @batch_norm(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{var is 'tensor<4xf32>', expected shape [3] of 'f32'}}
  %0 = graph.batch_norm %x mean %m var %v eps 1.0e-5 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}
