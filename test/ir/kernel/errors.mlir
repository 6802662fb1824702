// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What the kernel dialect's verifiers and parsers refuse.

#one = affine_map<(d0) -> (d0)>
#two = affine_map<(d0, d1) -> (d0, d1)>
kernel.func @rank(%x: tensor<4x4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{access map gives 1 coordinates, the buffer has rank 2}}
  %v = kernel.load %x[#one](%i) : tensor<4x4xf32> -> f32
}

// -----

#two = affine_map<(d0, d1) -> (d0)>
kernel.func @operands(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{access map and mask take as many dims as there are index operands (1)}}
  %v = kernel.load %x[#two](%i) : tensor<4xf32> -> f32
}

// -----

#symbol = affine_map<(d0)[s0] -> (d0 + s0)>
kernel.func @symbols(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{access map or mask uses more symbols than the kernel has (0)}}
  %v = kernel.load %x[#symbol](%i) : tensor<4xf32> -> f32
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @load_type(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{loads 'f64' from a buffer of 'f32'}}
  %v = kernel.load %x[#one](%i) : tensor<4xf32> -> f64
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @mask(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  %zero = scalar.constant 0.0 : f64
  // expected-error @+1 {{a mask and an 'else' value of the element type come together}}
  %v = kernel.load %x[#one](%i) mask affine_set<(d0) : (d0 >= 0)> else %zero : f64 : tensor<4xf32> -> f32
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @store_type(%x: tensor<4xf32>) outs(%y: tensor<4xf64>) grid(%i : <4>) {
  %v = kernel.load %x[#one](%i) : tensor<4xf32> -> f32
  // expected-error @+1 {{stores 'f32' to a buffer of 'f64'}}
  kernel.store %v, %y[#one](%i) : f32, tensor<4xf64>
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @store_input(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  %v = kernel.load %x[#one](%i) : tensor<4xf32> -> f32
  // expected-error @+1 {{stores to something that is not an output of the kernel}}
  kernel.store %v, %x[#one](%i) : f32, tensor<4xf32>
}

// -----

kernel.func @monoid(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{unknown monoid 'mean': expected sum, prod, max, min, any, all, argmax or argmin}}
  %s = kernel.reduce [mean] over (%k : <4>) -> f32 {
  }
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @arity(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{its monoids take and give 2 values}}
  %s = kernel.reduce [argmax] over (%k : <4>) -> f32 {
    %v = kernel.load %x[#one](%k) : tensor<4xf32> -> f32
    kernel.yield %v : f32
  }
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @yields(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  // expected-error @+1 {{yields other types than its results have}}
  %s = kernel.reduce [sum] over (%k : <4>) -> f64 {
    %v = kernel.load %x[#one](%k) : tensor<4xf32> -> f32
    kernel.yield %v : f32
  }
}

// -----

kernel.func @lhs(%a: tensor<4x16xf32>, %w: tensor<32x16xf32>) outs(%y: tensor<4x32xf32>) grid() {
  // expected-error @+1 {{lhs map must take grid, m and k indices to the lhs's dims}}
  kernel.contract %a[affine_map<(m) -> (m, 0)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<4>] n [#graph.dim<32>] k [#graph.dim<16>] : tensor<4x16xf32>, tensor<32x16xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
  }
}

// -----

kernel.func @rhs(%a: tensor<4x16xf32>, %w: tensor<32x16xf32>) outs(%y: tensor<4x32xf32>) grid() {
  // expected-error @+1 {{rhs map must take grid, n and k indices to the rhs's dims}}
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n)>] m [#graph.dim<4>] n [#graph.dim<32>] k [#graph.dim<16>] : tensor<4x16xf32>, tensor<32x16xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
  }
}

// -----

kernel.func @epilogue(%a: tensor<4x16xf32>, %w: tensor<32x16xf32>) outs(%y: tensor<4x32xf32>) grid() {
  // expected-error @+1 {{epilogue takes the accumulator, then m and n indices}}
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<4>] n [#graph.dim<32>] k [#graph.dim<16>] : tensor<4x16xf32>, tensor<32x16xf32> {
  ^bb0(%acc: f32, %m: index):
  }
}

// -----

kernel.func @again(%a: tensor<4x16xf32>, %w: tensor<32x16xf32>) outs(%y: tensor<4x32xf32>) grid() {
  // expected-error @+1 {{epilogue is of single elements, and has a reduction}}
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<4>] n [#graph.dim<32>] k [#graph.dim<16>] : tensor<4x16xf32>, tensor<32x16xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    %s = kernel.reduce [sum] over (%k : <4>) -> f32 {
      kernel.yield %acc : f32
    }
    kernel.store %s, %y[affine_map<(m, n) -> (m, n)>] (%m, %n) : f32, tensor<4x32xf32>
  }
}

// -----

// expected-error @+1 {{a kernel.contract stands alone in its kernel}}
kernel.func @alone(%a: tensor<4x16xf32>, %w: tensor<32x16xf32>) outs(%y: tensor<4x32xf32>) grid() {
  kernel.map (%k : <4>) {
  }
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>] m [#graph.dim<4>] n [#graph.dim<32>] k [#graph.dim<16>] : tensor<4x16xf32>, tensor<32x16xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
  }
}

// -----

func.func @nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{launches @missing, which is no kernel.func}}
  %0 = kernel.launch @missing(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#one = affine_map<(d0) -> (d0)>
kernel.func @copy(%x: tensor<4xf32>) outs(%y: tensor<4xf32>) grid(%i : <4>) {
  %v = kernel.load %x[#one](%i) : tensor<4xf32> -> f32
  kernel.store %v, %y[#one](%i) : f32, tensor<4xf32>
}
func.func @types(%x: tensor<5xf32>) {
  // expected-error @+1 {{operand or result types differ from the kernel's}}
  %0 = kernel.launch @copy(%x) : (tensor<5xf32>) -> tensor<4xf32>
  return
}
