// RUN: graphc-kernel-run %s --symbol B=5
// Pointwise, reductions and rows against the interpreter, on both levels.

kernel.func @add(%a: tensor<3x100xf32>, %b: tensor<3x100xf32>) outs(%y: tensor<3x100xf32>) grid(%i : <3>, %j : <100>) {
  %u = kernel.load %a[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : tensor<3x100xf32> -> f32
  %v = kernel.load %b[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : tensor<3x100xf32> -> f32
  %s = scalar.add %u, %v : f32
  kernel.store %s, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<3x100xf32>
}

kernel.func @softmax(%x: tensor<8x501xf32>) outs(%y: tensor<8x501xf32>) grid(%r : <8>) {
  %m = kernel.reduce [max] over (%k : <501>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<8x501xf32> -> f32
    kernel.yield %v : f32
  }
  %s = kernel.reduce [sum] over (%k : <501>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<8x501xf32> -> f32
    %d = scalar.sub %v, %m : f32
    %e = scalar.exp %d : f32
    kernel.yield %e : f32
  }
  kernel.map (%k : <501>) {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<8x501xf32> -> f32
    %d = scalar.sub %v, %m : f32
    %e = scalar.exp %d : f32
    %q = scalar.div %e, %s : f32
    kernel.store %q, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<8x501xf32>
  }
}

// Sum over the outer dim: lanes along the columns.
kernel.func @columns(%x: tensor<70x33xf32>) outs(%y: tensor<33xf32>) grid(%c : <33>) {
  %s = kernel.reduce [sum] over (%k : <70>) -> f32 {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d1, d0)>](%c, %k) : tensor<70x33xf32> -> f32
    kernel.yield %v : f32
  }
  kernel.store %s, %y[affine_map<(d0) -> (d0)>](%c) : f32, tensor<33xf32>
}

// A symbolic dim, a masked row (padding), a checked index.
kernel.func @gather(%ids: tensor<?xi64, #graph.info<dims = [B]>>, %t: tensor<10x64xf32>) outs(%y: tensor<?x66xf32, #graph.info<dims = [B, 66]>>)
    grid(%i : <B>, %j : <66>) {
  %zero = scalar.constant 0.000000e+00 : f32
  %id = kernel.load %ids[affine_map<(d0) -> (d0)>](%i) : tensor<?xi64, #graph.info<dims = [B]>> -> i64
  %row = kernel.check_index %id in <10> wrap : i64
  %v = kernel.load %t[affine_map<(d0, d1) -> (d0, d1 - 1)>](%row, %j) mask affine_set<(d0, d1) : (d1 - 1 >= 0, 64 - d1 >= 0)> else %zero : f32 : tensor<10x64xf32> -> f32
  kernel.store %v, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<?x66xf32, #graph.info<dims = [B, 66]>>
}

kernel.func @argmax(%x: tensor<4x37xf32>) outs(%y: tensor<4xi64>) grid(%r : <4>) {
  %m, %at = kernel.reduce [argmax] over (%k : <37>) -> (f32, i64) {
    %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<4x37xf32> -> f32
    %i = kernel.index_value[affine_map<(d0) -> (d0)>](%k) : i64
    kernel.yield %v, %i : f32, i64
  }
  kernel.store %at, %y[affine_map<(d0) -> (d0)>](%r) : i64, tensor<4xi64>
}
