// RUN: graphc-kernel-run %s --tolerance 1e-2
// A tail of one 16-bit lane in its own unit: the store must not touch the next element, which is the next row's first.

kernel.func @softmax_tanh(%arg0: tensor<33x17xbf16>) outs(%arg1: tensor<33x17xbf16>) grid(%arg2 : <17>) {
  %0 = kernel.reduce [max] over (%arg3 : <33>) -> f32 {
    %2 = kernel.load %arg0[affine_map<(d0, d1) -> (d1, d0)>] (%arg2, %arg3) : tensor<33x17xbf16> -> bf16
    %3 = scalar.cast %2 : bf16 to f32
    kernel.yield %3 : f32
  }
  %1 = kernel.reduce [sum] over (%arg3 : <33>) -> f32 {
    %2 = kernel.load %arg0[affine_map<(d0, d1) -> (d1, d0)>] (%arg2, %arg3) : tensor<33x17xbf16> -> bf16
    %3 = scalar.cast %2 : bf16 to f32
    %4 = scalar.sub %3, %0 : f32
    %5 = scalar.exp %4 : f32
    kernel.yield %5 : f32
  }
  kernel.map (%arg3 : <33>) {
    %2 = kernel.load %arg0[affine_map<(d0, d1) -> (d1, d0)>] (%arg2, %arg3) : tensor<33x17xbf16> -> bf16
    %3 = scalar.cast %2 : bf16 to f32
    %4 = scalar.sub %3, %0 : f32
    %5 = scalar.exp %4 : f32
    %6 = scalar.div %5, %1 : f32
    %7 = scalar.tanh %6 : f32
    %8 = scalar.cast %7 : f32 to bf16
    kernel.store %8, %arg1[affine_map<(d0, d1) -> (d1, d0)>] (%arg2, %arg3) : bf16, tensor<33x17xbf16>
  }
}
