// RUN: graphc-emit-cuda %s | FileCheck %s
// An MLP with softmax: which template each kernel takes. kernels-slice runs the text against the interpreter.

// CHECK: // k_linear_gelu: GEMM in full f32, epilogue width 4
// CHECK-NEXT: units * ceil(37 / 128) * ceil(96 / 128), 1 per block of 256 threads, 34816 bytes of shared memory
// CHECK: // k_linear: GEMM in full f32
// CHECK: // k_softmax: a warp per row, width 4, read once into registers
// CHECK: // k_mix: pointwise, width 4
// CHECK: #include "gemm_fma.cuh"
// CHECK: #include "pointwise.cuh"
// CHECK: #include "row_reduce.cuh"

// CHECK-LABEL: struct k_linear_gelu_body {
// CHECK: problem() const { return {in0 + (gc_i64)0, in1 + (gc_i64)0, (gc_i64)1, 37, 96, 64, 64, 64}; }
// CHECK: template <int N> GC_DEVICE void epilogue(
// CHECK: gc_load_elements<float, N>({{.*}}, in2 + (
// CHECK: gc_erf(
// CHECK: gc_store_elements<float, N>(out0 + (
// CHECK: GC_KERNEL(256, 1) k_linear_gelu(GC_ARGS args)
// CHECK: gc_gemm_fma<k_linear_gelu_body, true, true>(args);
kernel.func @linear_gelu(%x: tensor<37x64xf32>, %w: tensor<96x64xf32>, %bias: tensor<96xf32>) outs(%y: tensor<37x96xf32>) grid() {
  kernel.contract %x[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<37>] n [#graph.dim<96>] k [#graph.dim<64>] : tensor<37x64xf32>, tensor<96x64xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    %half = scalar.constant 5.000000e-01 : f32
    %one = scalar.constant 1.000000e+00 : f32
    %root = scalar.constant 0.707106769 : f32
    %b = kernel.load %bias[affine_map<(d0) -> (d0)>](%n) : tensor<96xf32> -> f32
    %s = scalar.add %acc, %b : f32
    %t = scalar.mul %s, %root : f32
    %e = scalar.erf %t : f32
    %u = scalar.add %e, %one : f32
    %h = scalar.mul %s, %half : f32
    %g = scalar.mul %h, %u : f32
    kernel.store %g, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<37x96xf32>
  }
}

kernel.func @linear(%x: tensor<37x96xf32>, %w: tensor<40x96xf32>, %bias: tensor<40xf32>) outs(%y: tensor<37x40xf32>) grid() {
  kernel.contract %x[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<37>] n [#graph.dim<40>] k [#graph.dim<96>] : tensor<37x96xf32>, tensor<40x96xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    %b = kernel.load %bias[affine_map<(d0) -> (d0)>](%n) : tensor<40xf32> -> f32
    %s = scalar.add %acc, %b : f32
    kernel.store %s, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<37x40xf32>
  }
}

// CHECK-LABEL: struct k_softmax_body {
// CHECK: template <int N, class Group> GC_DEVICE void row(
// CHECK: constexpr int items =
// CHECK: gc_load_elements<float, N>(c{{[0-9]+}}[item], in0 + (
// CHECK-NOT: gc_load
// CHECK: group.template reduce<gc_max_op>(
// CHECK: group.template reduce<gc_sum_op>(
// CHECK: gc_rows<k_softmax_body, 32, 256>(args);
kernel.func @softmax(%x: tensor<37x40xf32>) outs(%y: tensor<37x40xf32>) grid(%r : <37>) {
  %max = kernel.reduce [max] over (%k : <40>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<37x40xf32> -> f32
    kernel.yield %v : f32
  }
  %sum = kernel.reduce [sum] over (%k : <40>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<37x40xf32> -> f32
    %d = scalar.sub %v, %max : f32
    %e = scalar.exp %d : f32
    kernel.yield %e : f32
  }
  kernel.map (%k : <40>) {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<37x40xf32> -> f32
    %d = scalar.sub %v, %max : f32
    %e = scalar.exp %d : f32
    %q = scalar.div %e, %sum : f32
    kernel.store %q, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<37x40xf32>
  }
}

// CHECK-LABEL: struct k_mix_body {
// CHECK: static constexpr int width = 4;
// CHECK: gc_pointwise<k_mix_body, 256>(args);
kernel.func @mix(%x: tensor<37x40xf32>, %scale: tensor<40xf32>, %shift: tensor<37xf32>) outs(%y: tensor<37x40xf32>) grid(%i : <37>, %j : <40>) {
  %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : tensor<37x40xf32> -> f32
  %s = kernel.load %scale[affine_map<(d0) -> (d0)>](%j) : tensor<40xf32> -> f32
  %t = kernel.load %shift[affine_map<(d0) -> (d0)>](%i) : tensor<37xf32> -> f32
  %p = scalar.mul %v, %s : f32
  %q = scalar.add %p, %t : f32
  %r = scalar.tanh %q : f32
  kernel.store %r, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<37x40xf32>
}

func.func @main(%x: tensor<37x64xf32>, %w0: tensor<96x64xf32>, %b0: tensor<96xf32>, %w1: tensor<40x96xf32>, %b1: tensor<40xf32>,
                %scale: tensor<40xf32>, %shift: tensor<37xf32>) -> tensor<37x40xf32> {
  %h = kernel.launch @linear_gelu(%x, %w0, %b0) : (tensor<37x64xf32>, tensor<96x64xf32>, tensor<96xf32>) -> tensor<37x96xf32>
  %z = kernel.launch @linear(%h, %w1, %b1) : (tensor<37x96xf32>, tensor<40x96xf32>, tensor<40xf32>) -> tensor<37x40xf32>
  %p = kernel.launch @softmax(%z) : (tensor<37x40xf32>) -> tensor<37x40xf32>
  %y = kernel.launch @mix(%p, %scale, %shift) : (tensor<37x40xf32>, tensor<40xf32>, tensor<37xf32>) -> tensor<37x40xf32>
  return %y : tensor<37x40xf32>
}
