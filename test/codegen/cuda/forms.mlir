// RUN: graphc-emit-cuda %s | FileCheck %s
// One kernel per form that the emitter has to cover; kernels-emitted-forms runs them against the interpreter, for several
// values of B.

// CHECK: // k_batched_bf16: GEMM on tensor cores, epilogue width 4
// CHECK: // k_shared_weights_f16: GEMM on tensor cores, epilogue width 2
// CHECK: // k_columns: GEMM in full f32
// CHECK: // k_dynamic_linear: GEMM in full f32, epilogue width 4
// CHECK: // k_conv3x3: one thread per element, the sum as a loop: the left operand is masked
// CHECK: // k_int8_matmul: one thread per element, the sum as a loop: no GEMM template for this element type
// CHECK: // k_layer_norm: a block per row, width 4, read once into registers
// CHECK: // k_dynamic_softmax: a block per row, width 4
// CHECK: // k_statistics: a warp per row
// CHECK: // k_column_sums: one thread per grid point, stages as loops: memory is contiguous along the grid
// CHECK: // k_pool: one thread per grid point, stages as loops: inner domains of at most 32 elements
// CHECK: // k_total: a block per row
// CHECK: // k_gather: pointwise, width 4
// CHECK: // k_nhwc: pointwise, width 4

// CHECK-LABEL: struct k_batched_bf16_body
// CHECK: GC_DEVICE gc_i64 batchB(gc_i64 batch) const {
// CHECK: gc_gemm_mma<k_batched_bf16_body, gc_bfloat, true, true>(args);
kernel.func @batched_bf16(%a: tensor<3x33x40xbf16>, %w: tensor<3x20x40xbf16>) outs(%y: tensor<3x33x20xbf16>) grid(%b : <3>) {
  kernel.contract %a[affine_map<(b, m, k) -> (b, m, k)>], %w[affine_map<(b, n, k) -> (b, n, k)>] m [#graph.dim<33>] n [#graph.dim<20>] k [#graph.dim<40>] : tensor<3x33x40xbf16>, tensor<3x20x40xbf16> {
  ^bb0(%acc: f32, %m: index, %n: index):
    %s = scalar.exp %acc : f32
    %r = scalar.cast %s : f32 to bf16
    kernel.store %r, %y[affine_map<(b, m, n) -> (b, m, n)>](%b, %m, %n) : bf16, tensor<3x33x20xbf16>
  }
}

// Two dims of m collapse; the weights are [k, n]; an odd leading dimension of the result.
kernel.func @shared_weights_f16(%a: tensor<5x7x24xf16>, %w: tensor<24x6xf16>) outs(%y: tensor<5x7x6xf16>) grid() {
  kernel.contract %a[affine_map<(m0, m1, k) -> (m0, m1, k)>], %w[affine_map<(n, k) -> (k, n)>] m [#graph.dim<5>, #graph.dim<7>] n [#graph.dim<6>] k [#graph.dim<24>] : tensor<5x7x24xf16>, tensor<24x6xf16> {
  ^bb0(%acc: f32, %m0: index, %m1: index, %n: index):
    %r = scalar.cast %acc : f32 to f16
    kernel.store %r, %y[affine_map<(a, b, n) -> (a, b, n)>](%m0, %m1, %n) : f16, tensor<5x7x6xf16>
  }
}

// Both operands contiguous in m and n, the result transposed.
kernel.func @columns(%a: tensor<31x12xf32>, %w: tensor<31x9xf32>) outs(%y: tensor<9x12xf32>) grid() {
  kernel.contract %a[affine_map<(m, k) -> (k, m)>], %w[affine_map<(n, k) -> (k, n)>] m [#graph.dim<12>] n [#graph.dim<9>] k [#graph.dim<31>] : tensor<31x12xf32>, tensor<31x9xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(m, n) -> (n, m)>](%m, %n) : f32, tensor<9x12xf32>
  }
}

// CHECK-LABEL: struct k_dynamic_linear_body
// CHECK: index dim0; // B
// CHECK: problem() const { return {in0 + (gc_i64)0, in1 + (gc_i64)0, (gc_i64)1, dim0, 8, 12, 12, 12}; }
kernel.func @dynamic_linear(%x: tensor<?x12xf32, #graph.info<dims = [B, 12]>>, %w: tensor<8x12xf32>) outs(%y: tensor<?x8xf32, #graph.info<dims = [B, 8]>>) grid() {
  kernel.contract %x[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<B>] n [#graph.dim<8>] k [#graph.dim<12>] : tensor<?x12xf32, #graph.info<dims = [B, 12]>>, tensor<8x12xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(m, n) -> (m, n)>](%m, %n) : f32, tensor<?x8xf32, #graph.info<dims = [B, 8]>>
  }
}

// A padded 3x3 convolution, NHWC.
kernel.func @conv3x3(%x: tensor<2x5x6x4xf32>, %w: tensor<8x3x3x4xf32>) outs(%y: tensor<2x5x6x8xf32>) grid(%b : <2>) {
  kernel.contract %x[affine_map<(b, h, w, r, s, c) -> (b, h + r - 1, w + s - 1, c)>], %w[affine_map<(b, n, r, s, c) -> (n, r, s, c)>] m [#graph.dim<5>, #graph.dim<6>] n [#graph.dim<8>] k [#graph.dim<3>, #graph.dim<3>, #graph.dim<4>] mask affine_set<(b, h, w, r, s, c) : (h + r - 1 >= 0, 5 - h - r >= 0, w + s - 1 >= 0, 6 - w - s >= 0)> : tensor<2x5x6x4xf32>, tensor<8x3x3x4xf32> {
  ^bb0(%acc: f32, %h: index, %v: index, %n: index):
    %zero = scalar.constant 0.000000e+00 : f32
    %r = scalar.max %acc, %zero : f32
    kernel.store %r, %y[affine_map<(b, h, w, n) -> (b, h, w, n)>](%b, %h, %v, %n) : f32, tensor<2x5x6x8xf32>
  }
}

kernel.func @int8_matmul(%a: tensor<9x16xi8>, %w: tensor<5x16xi8>) outs(%y: tensor<9x5xi32>) grid() {
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<9>] n [#graph.dim<5>] k [#graph.dim<16>] : tensor<9x16xi8>, tensor<5x16xi8> {
  ^bb0(%acc: i32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(m, n) -> (m, n)>](%m, %n) : i32, tensor<9x5xi32>
  }
}

// Mean and variance as two sums, over a row too long for a warp.
kernel.func @layer_norm(%x: tensor<5x1500xf32>, %g: tensor<1500xf32>) outs(%y: tensor<5x1500xf32>) grid(%r : <5>) {
  %count = scalar.constant 1.500000e+03 : f32
  %sum = kernel.reduce [sum] over (%k : <1500>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<5x1500xf32> -> f32
    kernel.yield %v : f32
  }
  %mean = scalar.div %sum, %count : f32
  %squares = kernel.reduce [sum] over (%k : <1500>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<5x1500xf32> -> f32
    %d = scalar.sub %v, %mean : f32
    %q = scalar.mul %d, %d : f32
    kernel.yield %q : f32
  }
  %var = scalar.div %squares, %count : f32
  %eps = scalar.constant 1.000000e-05 : f32
  %s = scalar.add %var, %eps : f32
  %rstd = scalar.rsqrt %s : f32
  kernel.map (%k : <1500>) {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<5x1500xf32> -> f32
    %w = kernel.load %g[affine_map<(d0) -> (d0)>](%k) : tensor<1500xf32> -> f32
    %d = scalar.sub %v, %mean : f32
    %n = scalar.mul %d, %rstd : f32
    %o = scalar.mul %n, %w : f32
    kernel.store %o, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<5x1500xf32>
  }
}

// Rows and row length from the dims table.
kernel.func @dynamic_softmax(%x: tensor<?x?xbf16, #graph.info<dims = [B, "3*B + 1"]>>) outs(%y: tensor<?x?xf32, #graph.info<dims = [B, "3*B + 1"]>>) grid(%r : <B>) {
  %max = kernel.reduce [max] over (%k : <"3*B + 1">) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<?x?xbf16, #graph.info<dims = [B, "3*B + 1"]>> -> bf16
    %f = scalar.cast %v : bf16 to f32
    kernel.yield %f : f32
  }
  %sum = kernel.reduce [sum] over (%k : <"3*B + 1">) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<?x?xbf16, #graph.info<dims = [B, "3*B + 1"]>> -> bf16
    %f = scalar.cast %v : bf16 to f32
    %d = scalar.sub %f, %max : f32
    %e = scalar.exp %d : f32
    kernel.yield %e : f32
  }
  kernel.map (%k : <"3*B + 1">) {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<?x?xbf16, #graph.info<dims = [B, "3*B + 1"]>> -> bf16
    %f = scalar.cast %v : bf16 to f32
    %d = scalar.sub %f, %max : f32
    %e = scalar.exp %d : f32
    %q = scalar.div %e, %sum : f32
    kernel.store %q, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<?x?xf32, #graph.info<dims = [B, "3*B + 1"]>>
  }
}

// Several monoids over a two-dimensional inner domain; the results are stored once per row.
kernel.func @statistics(%x: tensor<6x9x8xf32>) outs(%y: tensor<6xf32>, %i: tensor<6xi64>, %p: tensor<6xi1>, %q: tensor<6xf32>) grid(%r : <6>) {
  %zero = scalar.constant 0.000000e+00 : f32
  %three = scalar.constant 3.000000e+00 : f32
  %s:5 = kernel.reduce [sum, argmax, any, min] over (%a : <9>, %b : <8>) -> (f32, f32, i64, i1, f32) {
    %v = kernel.load %x[affine_map<(d0, d1, d2) -> (d0, d1, d2)>](%r, %a, %b) : tensor<6x9x8xf32> -> f32
    %at = kernel.index_value [affine_map<(d0, d1) -> (d0 * 8 + d1)>](%a, %b) : i64
    %big = scalar.compare gt %v, %three : f32
    kernel.yield %v, %v, %at, %big, %v : f32, f32, i64, i1, f32
  }
  kernel.store %s#0, %y[affine_map<(d0) -> (d0)>](%r) : f32, tensor<6xf32>
  kernel.store %s#2, %i[affine_map<(d0) -> (d0)>](%r) : i64, tensor<6xi64>
  kernel.store %s#3, %p[affine_map<(d0) -> (d0)>](%r) : i1, tensor<6xi1>
  kernel.store %s#4, %q[affine_map<(d0) -> (d0)>](%r) : f32, tensor<6xf32>
}

kernel.func @column_sums(%x: tensor<50x70xf32>) outs(%y: tensor<70xf32>) grid(%c : <70>) {
  %s = kernel.reduce [sum] over (%k : <50>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d1, d0)>](%c, %k) : tensor<50x70xf32> -> f32
    kernel.yield %v : f32
  }
  kernel.store %s, %y[affine_map<(d0) -> (d0)>](%c) : f32, tensor<70xf32>
}

// A padded 3x3 maximum.
kernel.func @pool(%x: tensor<8x9xf32>) outs(%y: tensor<8x9xf32>) grid(%i : <8>, %j : <9>) {
  %low = scalar.constant 0xFF800000 : f32
  %m = kernel.reduce [max] over (%a : <3>, %b : <3>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1, d2, d3) -> (d0 + d2 - 1, d1 + d3 - 1)>](%i, %j, %a, %b) mask affine_set<(d0, d1, d2, d3) : (d0 + d2 - 1 >= 0, 8 - d0 - d2 >= 0, d1 + d3 - 1 >= 0, 9 - d1 - d3 >= 0)> else %low : f32 : tensor<8x9xf32> -> f32
    kernel.yield %v : f32
  }
  kernel.store %m, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<8x9xf32>
}

kernel.func @total(%x: tensor<2500xf64>) outs(%y: tensor<f64>) grid() {
  %s = kernel.reduce [sum] over (%k : <2500>) -> f64 {
    %v = kernel.load %x[affine_map<(d0) -> (d0)>](%k) : tensor<2500xf64> -> f64
    %e = scalar.exp %v : f64
    kernel.yield %e : f64
  }
  kernel.store %s, %y[affine_map<() -> ()>]() : f64, tensor<f64>
}

kernel.func @gather(%ids: tensor<5xi64>, %t: tensor<10x6xf32>) outs(%y: tensor<5x8xf32>) grid(%i : <5>, %j : <8>) {
  %zero = scalar.constant 0.000000e+00 : f32
  %id = kernel.load %ids[affine_map<(d0) -> (d0)>](%i) : tensor<5xi64> -> i64
  %row = kernel.check_index %id in <10> wrap : i64
  %v = kernel.load %t[affine_map<(d0, d1) -> (d0, d1 - 1)>](%row, %j) mask affine_set<(d0, d1) : (d1 - 1 >= 0, 6 - d1 >= 0)> else %zero : f32 : tensor<10x6xf32> -> f32
  %w = scalar.neg %v : f32
  kernel.store %w, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<5x8xf32>
}

// A physical order other than the logical one: the grid runs over n, h, w, c.
kernel.func @nhwc(%x: tensor<2x4x3x5xf32, #graph.info<order = [0, 2, 3, 1]>>, %s: tensor<4xf32>) outs(%y: tensor<2x4x3x5xf16, #graph.info<order = [0, 2, 3, 1]>>) grid(%n : <2>, %h : <3>, %w : <5>, %c : <4>) {
  %v = kernel.load %x[affine_map<(n, h, w, c) -> (n, c, h, w)>](%n, %h, %w, %c) : tensor<2x4x3x5xf32, #graph.info<order = [0, 2, 3, 1]>> -> f32
  %k = kernel.load %s[affine_map<(d0) -> (d0)>](%c) : tensor<4xf32> -> f32
  %p = scalar.mul %v, %k : f32
  %r = scalar.cast %p : f32 to f16
  kernel.store %r, %y[affine_map<(n, h, w, c) -> (n, c, h, w)>](%n, %h, %w, %c) : f16, tensor<2x4x3x5xf16, #graph.info<order = [0, 2, 3, 1]>>
}

// Integers and booleans with their edge values.
kernel.func @integers(%a: tensor<2x65xi32>, %b: tensor<2x65xi32>) outs(%y: tensor<2x65xi32>, %z: tensor<2x65xi64>, %m: tensor<2x65xi1>, %u: tensor<2x65xui8>) grid(%i : <2>, %j : <65>) {
  %one = scalar.constant 1 : i32
  %two = scalar.constant 2 : i32
  %min = scalar.constant -2147483648 : i32
  %v = kernel.load %a[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : tensor<2x65xi32> -> i32
  %w = kernel.load %b[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : tensor<2x65xi32> -> i32
  %w1 = scalar.add %w, %one : i32
  %v2 = scalar.sub %v, %two : i32
  %q = scalar.int_floor_div %v2, %w1 : i32
  %r = scalar.int_rem %v2, %w1 : i32
  %o = scalar.add %min, %v2 : i32
  %sh = scalar.shr %o, %w : i32
  %x = scalar.xor %q, %sh : i32
  %t = scalar.mul %x, %r : i32
  kernel.store %t, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : i32, tensor<2x65xi32>
  %at = kernel.index_value [affine_map<(d0, d1) -> (d0 * 65 - d1)>](%i, %j) : i64
  %wide = scalar.cast %q : i32 to i64
  %sum = scalar.add %at, %wide : i64
  kernel.store %sum, %z[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : i64, tensor<2x65xi64>
  %less = scalar.compare lt %v2, %w : i32
  %odd = scalar.cast %r : i32 to i1
  %both = scalar.and %less, %odd : i1
  kernel.store %both, %m[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : i1, tensor<2x65xi1>
  %big = scalar.cast %o : i32 to f32
  %pick = scalar.select %less, %v2, %o : i32
  %byte = scalar.cast %pick : i32 to ui8
  kernel.store %byte, %u[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : ui8, tensor<2x65xui8>
}

// Nested stages: a reduce for every index of a map.
kernel.func @nested(%x: tensor<3x40x5xf32>) outs(%y: tensor<3x40xf32>) grid(%r : <3>) {
  %m = kernel.reduce [max] over (%k : <40>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1, 0)>](%r, %k) : tensor<3x40x5xf32> -> f32
    kernel.yield %v : f32
  }
  kernel.map (%k : <40>) {
    %s = kernel.reduce [prod] over (%c : <5>) -> f32 {
      %v = kernel.load %x[affine_map<(d0, d1, d2) -> (d0, d1, d2)>](%r, %k, %c) : tensor<3x40x5xf32> -> f32
      kernel.yield %v : f32
    }
    %d = scalar.sub %s, %m : f32
    kernel.store %d, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<3x40xf32>
  }
}

// Every element of an empty tensor, and an empty inner domain.
kernel.func @empty(%x: tensor<4x0xf32>) outs(%y: tensor<4x0xf32>, %s: tensor<4xf32>) grid(%r : <4>) {
  %sum = kernel.reduce [sum] over (%k : <0>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<4x0xf32> -> f32
    kernel.yield %v : f32
  }
  kernel.store %sum, %s[affine_map<(d0) -> (d0)>](%r) : f32, tensor<4xf32>
  kernel.map (%k : <0>) {
    kernel.store %sum, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<4x0xf32>
  }
}

// Named like a function of C.
kernel.func @exp(%x: tensor<70xf32>) outs(%y: tensor<70xf32>) grid(%i : <70>) {
  %v = kernel.load %x[affine_map<(d0) -> (d0)>](%i) : tensor<70xf32> -> f32
  %e = scalar.exp %v : f32
  kernel.store %e, %y[affine_map<(d0) -> (d0)>](%i) : f32, tensor<70xf32>
}
