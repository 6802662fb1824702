// RUN: graphc-opt %s | graphc-opt | FileCheck %s
// The assembly forms of kernel.func and its stages survive a round trip.

// CHECK-LABEL: kernel.func @softmax(%{{.*}}: tensor<8x512xf32>) outs(%{{.*}}: tensor<8x512xf32>) grid(%{{.*}} : <8>)
kernel.func @softmax(%x: tensor<8x512xf32>) outs(%y: tensor<8x512xf32>) grid(%r : <8>) {
  // CHECK: kernel.reduce [max] over (%{{.*}} : <512>) -> f32
  %m = kernel.reduce [max] over (%k : <512>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<8x512xf32> -> f32
    kernel.yield %v : f32
  }
  %s = kernel.reduce [sum] over (%k : <512>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<8x512xf32> -> f32
    %d = scalar.sub %v, %m : f32
    %e = scalar.exp %d : f32
    kernel.yield %e : f32
  }
  // CHECK: kernel.map (%{{.*}} : <512>)
  kernel.map (%k : <512>) {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<8x512xf32> -> f32
    %d = scalar.sub %v, %m : f32
    %e = scalar.exp %d : f32
    %q = scalar.div %e, %s : f32
    kernel.store %q, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<8x512xf32>
  }
}

// CHECK-LABEL: kernel.func @linear
kernel.func @linear(%a: tensor<4x16xf32>, %w: tensor<32x16xf32>, %bias: tensor<32xf32>) outs(%y: tensor<4x32xf32>) grid() {
  // CHECK: kernel.contract
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<4>] n [#graph.dim<32>] k [#graph.dim<16>] : tensor<4x16xf32>, tensor<32x16xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    %b = kernel.load %bias[affine_map<(d0) -> (d0)>](%n) : tensor<32xf32> -> f32
    %s = scalar.add %acc, %b : f32
    kernel.store %s, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<4x32xf32>
  }
}

// A masked load reads a padded row; a checked index gathers.
// CHECK-LABEL: kernel.func @gather
kernel.func @gather(%ids: tensor<5xi64>, %t: tensor<100x64xf32>) outs(%y: tensor<5x66xf32>) grid(%i : <5>, %j : <66>) {
  %zero = scalar.constant 0.000000e+00 : f32
  %id = kernel.load %ids[affine_map<(d0) -> (d0)>](%i) : tensor<5xi64> -> i64
  // CHECK: kernel.check_index %{{.*}} in <100> wrap : i64
  %row = kernel.check_index %id in <100> wrap : i64
  // CHECK: kernel.load %{{.*}} mask #{{.*}} else %{{.*}} : f32
  %v = kernel.load %t[affine_map<(d0, d1) -> (d0, d1 - 1)>](%row, %j) mask affine_set<(d0, d1) : (d1 - 1 >= 0, 64 - d1 >= 0)> else %zero : f32 : tensor<100x64xf32> -> f32
  kernel.store %v, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<5x66xf32>
}
