// The inner loops keep their values in vector registers of the level's width: no vector touches the stack.
// RUN: graphc-kernel-run %s --emit asm --level x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: graphc-kernel-run %s --emit asm --level x86-64-v4 | not grep -E "rsp\S*\), *%%zmm|zmm[0-9]+, .*rsp\S*\)"
// RUN: graphc-kernel-run %s --emit asm --level x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: graphc-kernel-run %s --emit asm --level x86-64-v3 | not grep -E "rsp\S*\), *%%ymm|ymm[0-9]+, .*rsp\S*\)"

// V4-LABEL: linear:
// V4-COUNT-28: vfmadd{{.*}}%zmm
// V4-NOT: vfmadd
// V4-LABEL: relu:
// V4: vmovups %zmm
// V3-LABEL: linear:
// V3-COUNT-12: vfmadd{{.*}}%ymm
// V3-LABEL: relu:
// V3: vmovups %ymm
kernel.func @linear(%a: tensor<84x128xf32>, %w: tensor<2x128x32xf32>, %bias: tensor<64xf32>) outs(%y: tensor<84x64xf32>) grid() {
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k, 0)>] m [#graph.dim<84>] n [#graph.dim<64>] k [#graph.dim<128>] {panel = 32 : i64} : tensor<84x128xf32>, tensor<2x128x32xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    %b = kernel.load %bias[affine_map<(d0) -> (d0)>](%n) : tensor<64xf32> -> f32
    %s = scalar.add %acc, %b : f32
    kernel.store %s, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<84x64xf32>
  }
}
kernel.func @relu(%x: tensor<4x16x8x8xf32>) outs(%y: tensor<4x16x8x8xf32>) grid(%b : <4>, %c : <16>, %h : <8>, %w : <8>) {
  %v = kernel.load %x[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>](%b, %c, %h, %w) : tensor<4x16x8x8xf32> -> f32
  %z = scalar.constant 0.000000e+00 : f32
  %r = scalar.max %v, %z : f32
  kernel.store %r, %y[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>](%b, %c, %h, %w) : f32, tensor<4x16x8x8xf32>
}
