// RUN: %status 1 graphc-emit-cuda %s 2>&1 | FileCheck %s
// Packed weights belong to the CPU's schedules.

// CHECK: error: packed right operands (panel 16) are a CPU layout; a CUDA kernel takes the plain operand
kernel.func @packed(%a: tensor<4x8xf32>, %w: tensor<1x8x16xf32>) outs(%y: tensor<4x16xf32>) grid() {
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k, 0)>] m [#graph.dim<4>] n [#graph.dim<16>] k [#graph.dim<8>] {panel = 16 : i64} : tensor<4x8xf32>, tensor<1x8x16xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(m, n) -> (m, n)>](%m, %n) : f32, tensor<4x16xf32>
  }
}
