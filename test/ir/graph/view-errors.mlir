// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What ops that move elements refuse.

func.func @permute(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 1 is listed twice}}
  %0 = graph.permute %x [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @permute_rank(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims has 1 entries, the operand rank 2}}
  %0 = graph.permute %x [0] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reshape(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the operand has 6 elements, the shape [4, 2] has 8}}
  %0 = graph.reshape %x to [#graph.dim<4>, #graph.dim<2>] : (tensor<2x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @expand(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{shape [2, 3] does not expand to [2, 4]}}
  %0 = graph.expand %x to [#graph.dim<2>, #graph.dim<4>] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @slice(%x: tensor<8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice of dim 0 from 3, size 3, step 3 leaves the dim's 8 elements}}
  %0 = graph.slice %x from [#graph.dim<3>] size [#graph.dim<3>] step [3] : (tensor<8xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_step(%x: tensor<8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{step of dim 0 is 0, it must be 1 or more}}
  %0 = graph.slice %x from [#graph.dim<0>] size [#graph.dim<3>] step [0] : (tensor<8xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<8xf32>, %v: tensor<f16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the pad value is 'tensor<f16>', expected a 0-d tensor of 'f32'}}
  %0 = graph.pad %x, %v low [#graph.dim<1>] high [#graph.dim<1>] : (tensor<8xf32>, tensor<f16>) -> tensor<10xf32>
  return
}

// -----

func.func @pad_crop(%x: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 0 of 2 padded by -2 and -1 has no size}}
  %0 = graph.pad %x, %v low [#graph.dim<-2>] high [#graph.dim<-1>] : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

func.func @reflect(%x: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a pad of 3 is too large for dim 1 of 3}}
  %0 = graph.pad_reflect %x low [0, 3] high [0, 0] : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @circular(%x: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a pad of 4 is too large for dim 1 of 3}}
  %0 = graph.pad_circular %x low [0, 4] high [0, 0] : (tensor<1x3xf32>) -> tensor<1x7xf32>
  return
}

// -----

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{concat along dim 1: dim 0 is 2 and 3}}
  %0 = graph.concat %x, %y dim 1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dim 1 is outside the operand's rank 1}}
  %0 = graph.concat %x dim 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @as_strided(%x: tensor<4x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{as_strided reaches element 16 of a tensor of 16}}
  %0 = graph.as_strided %x sizes [#graph.dim<3>] strides [#graph.dim<8>] offset <0> : (tensor<4x4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_scatter(%x: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the value's dim 0 reaches element 4 of 4}}
  %0 = graph.slice_scatter %x, %v from [#graph.dim<0>] step [2] : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a range of 'i64' has integral start and step}}
  %0 = graph.iota {start = 0.5, step = #graph.dim<1>, size = #graph.dim<3>, dtype = i64} : () -> tensor<3xi64>
  return
}

// -----

func.func @tril(%x: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{needs rank 2 or more, found 'tensor<4xf32>'}}
  %0 = graph.tril %x {diagonal = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
