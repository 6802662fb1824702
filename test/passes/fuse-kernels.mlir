// RUN: graphc-opt %s --graphc-fuse-kernels --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-fuse-kernels --graphc-fuse-kernels --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-fuse-kernels --split-input-file --remarks-filter=fusion --remark-format=emitRemark 2>&1 >%t | FileCheck %s --check-prefix=WHY

// Bias, activation and residual are the contraction's epilogue; softmax and what follows it are a row kernel; both read what the epilogue wrote.
// CHECK-LABEL: @mlp
// CHECK:         graph.linear {{.*}} {graph.group = [[A:.*]] : i64}
// CHECK:         graph.relu {{.*}} {graph.group = [[A]] : i64}
// CHECK:         graph.add {{.*}} {graph.group = [[A]] : i64}
// CHECK:         graph.softmax {{.*}} {graph.group = [[B:.*]] : i64}
// CHECK:         graph.mul {{.*}} {graph.group = [[B]] : i64}
// WHY: graph.softmax stays apart from graph.add: a row kernel takes in pointwise ops only
graph.parameter @w = dense<1.0> : tensor<8x4xf32>
func.func @mlp(%x: tensor<3x4xf32>, %r: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %w = graph.get @w : tensor<8x4xf32>
  %0 = graph.linear %x, %w : (tensor<3x4xf32>, tensor<8x4xf32>) -> tensor<3x8xf32>
  %1 = graph.relu %0 : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %2 = graph.add %1, %r : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %3 = graph.softmax %2 dim 1 : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %4 = graph.mul %3, %2 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %4 : tensor<3x8xf32>
}

// -----

// Two contractions are two kernels; the sum joins the first.
// CHECK-LABEL: @two
// CHECK:         graph.linear %arg0, {{.*}} {graph.group = [[A:.*]] : i64}
// CHECK-NOT:     graph.linear {{.*}} {graph.group
// CHECK:         graph.add {{.*}} {graph.group = [[A]] : i64}
// WHY: graph.add stays apart from graph.linear: a kernel has one contraction
graph.parameter @w = dense<1.0> : tensor<8x4xf32>
func.func @two(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x8xf32> {
  %w = graph.get @w : tensor<8x4xf32>
  %0 = graph.linear %x, %w : (tensor<3x4xf32>, tensor<8x4xf32>) -> tensor<3x8xf32>
  %1 = graph.linear %y, %w : (tensor<3x4xf32>, tensor<8x4xf32>) -> tensor<3x8xf32>
  %2 = graph.add %0, %1 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}

// -----

// A contraction reads through a permutation that leaves its sums along memory, and writes through another.
// CHECK-LABEL: @views
// CHECK:         graph.permute {{.*}} {graph.group = [[A:.*]] : i64}
// CHECK:         graph.linear {{.*}} {graph.group = [[A]] : i64}
// CHECK:         graph.permute {{.*}} {graph.group = [[A]] : i64}
graph.parameter @w = dense<1.0> : tensor<8x4xf32>
func.func @views(%y: tensor<5x3x4xf32>) -> tensor<8x3x5xf32> {
  %w = graph.get @w : tensor<8x4xf32>
  %0 = graph.permute %y [1, 0, 2] : (tensor<5x3x4xf32>) -> tensor<3x5x4xf32>
  %1 = graph.linear %0, %w : (tensor<3x5x4xf32>, tensor<8x4xf32>) -> tensor<3x5x8xf32>
  %2 = graph.permute %1 [2, 0, 1] : (tensor<3x5x8xf32>) -> tensor<8x3x5xf32>
  return %2 : tensor<8x3x5xf32>
}

// -----

// One that would make the sums jump is a copy of its own.
// CHECK-LABEL: @jumps
// CHECK:         graph.permute %arg0 [1, 0] : 
// CHECK:         graph.linear %{{[0-9]+}}, %{{[0-9]+}} :
graph.parameter @w = dense<1.0> : tensor<8x4xf32>
func.func @jumps(%y: tensor<4x3xf32>) -> tensor<3x8xf32> {
  %w = graph.get @w : tensor<8x4xf32>
  %0 = graph.permute %y [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = graph.linear %0, %w : (tensor<3x4xf32>, tensor<8x4xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// A view with two readers is cloned for each.
// CHECK-LABEL: @cloned
// CHECK:         %[[P:.*]] = graph.permute {{.*}} {graph.group = [[B:.*]] : i64}
// CHECK-NEXT:    %[[Q:.*]] = graph.permute {{.*}} {graph.group = [[A:.*]] : i64}
// CHECK-NEXT:    graph.relu %[[Q]] {graph.group = [[A]] : i64}
// CHECK-NEXT:    graph.softmax %[[P]] dim 1 {graph.group = [[B]] : i64}
func.func @cloned(%x: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = graph.permute %x [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = graph.relu %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = graph.softmax %0 dim 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// relu is an operand of the product, so it can't be computed in its epilogue.
// CHECK-LABEL: @operand
// CHECK:         graph.relu %arg0 :
// CHECK:         graph.linear {{.*}} {graph.group = [[B:.*]] : i64}
// CHECK:         graph.add {{.*}} {graph.group = [[B]] : i64}
// WHY: graph.add stays apart from graph.relu: an operand of the contraction would be computed, not read
func.func @operand(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.linear %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.add %2, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// What lies between two ops keeps them apart: with the product outside, relu and add in one kernel would go in a circle.
// CHECK-LABEL: @circle
// CHECK:         graph.relu %arg0 :
// CHECK:         graph.softmax {{.*}} {graph.group = [[B:.*]] : i64}
// CHECK:         graph.add {{.*}} {graph.group = [[B]] : i64}
// WHY: graph.add stays apart from graph.relu: something between the two needs one and is needed by the other
func.func @circle(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.linear %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.softmax %1 dim 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.add %2, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// A root of four elements is not taken for each of 65536; nor are four repeated elements found by a division each time.
// CHECK-LABEL: @few
// CHECK:         %[[R:.*]] = graph.rsqrt %arg1 :
// CHECK:         %[[E:.*]] = graph.expand %arg2
// CHECK-NOT:     graph.group
// CHECK:         %[[V:.*]] = graph.reshape %[[E]]
// CHECK-NOT:     graph.group
// CHECK:         graph.mul %arg0, %[[R]] {graph.group = [[A:.*]] : i64}
// CHECK:         graph.add %{{.*}}, %[[V]] {graph.group = [[A]] : i64}
// WHY: graph.mul stays apart from graph.rsqrt: it would be computed for every element it is broadcast to, and has few of its own (cost 4)
func.func @few(%x: tensor<4x16384xf32>, %v: tensor<4x1xf32>, %g: tensor<2x1xf32>) -> tensor<4x16384xf32> {
  %0 = graph.rsqrt %v : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = graph.expand %g to [#graph.dim<2>, #graph.dim<2>] : (tensor<2x1xf32>) -> tensor<2x2xf32>
  %2 = graph.reshape %1 to [#graph.dim<4>, #graph.dim<1>] : (tensor<2x2xf32>) -> tensor<4x1xf32>
  %3 = graph.mul %x, %0 : (tensor<4x16384xf32>, tensor<4x1xf32>) -> tensor<4x16384xf32>
  %4 = graph.add %3, %2 : (tensor<4x16384xf32>, tensor<4x1xf32>) -> tensor<4x16384xf32>
  return %4 : tensor<4x16384xf32>
}

// -----

// Of a chain of views that two kernels read through its end, each gets a chain of its own: no view in the middle stays an output of another shape.
// CHECK-LABEL: @chain
// CHECK:         %[[E:.*]] = graph.expand %arg0 {{.*}} {graph.group = [[A:.*]] : i64}
// CHECK:         graph.reshape %[[E]] {{.*}} {graph.group = [[A]] : i64}
// CHECK:         %[[F:.*]] = graph.expand %arg0 {{.*}} {graph.group = [[B:.*]] : i64}
// CHECK:         graph.reshape %[[F]] {{.*}} {graph.group = [[B]] : i64}
// CHECK:         graph.mul {{.*}} {graph.group = [[A]] : i64}
func.func @chain(%w: tensor<1x1x4x8xf32>, %x: tensor<2x12x8xf32>, %y: tensor<2x12x8xf32>) -> (tensor<2x12x8xf32>, tensor<2x12x8xf32>) {
  %0 = graph.expand %w to [#graph.dim<2>, #graph.dim<3>, #graph.dim<4>, #graph.dim<8>] : (tensor<1x1x4x8xf32>) -> tensor<2x3x4x8xf32>
  %1 = graph.reshape %0 to [#graph.dim<2>, #graph.dim<12>, #graph.dim<8>] : (tensor<2x3x4x8xf32>) -> tensor<2x12x8xf32>
  %2 = graph.add %x, %1 : (tensor<2x12x8xf32>, tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
  %3 = graph.softmax %2 dim 2 : (tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
  %4 = graph.mul %y, %1 : (tensor<2x12x8xf32>, tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
  return %3, %4 : tensor<2x12x8xf32>, tensor<2x12x8xf32>
}

// -----

// A depthwise convolution between default orders: both conversions stay kernels of their own, so that its lanes run along channels.
// CHECK-LABEL: @depthwise
// CHECK:         graph.permute %arg0 [0, 1, 2, 3] : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32, #graph.info<order = [0, 2, 3, 1]>>
// CHECK:         graph.convolution {{.*}} {graph.group = [[A:.*]] : i64, groups = 4 : i64}
// CHECK:         graph.relu {{.*}} {graph.group = [[A]] : i64}
// CHECK:         graph.permute %{{.*}} [0, 1, 2, 3] : {{.*}} -> tensor<1x4x3x3xf32>
// CHECK-NOT:     graph.group
// CHECK:         return
func.func @depthwise(%x: tensor<1x4x5x5xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %0 = graph.permute %x [0, 1, 2, 3] : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32, #graph.info<order = [0, 2, 3, 1]>>
  %1 = graph.convolution %0, %w stride [1, 1] padding [0, 0] dilation [1, 1] {groups = 4 : i64} : (tensor<1x4x5x5xf32, #graph.info<order = [0, 2, 3, 1]>>, tensor<4x1x3x3xf32>) -> tensor<1x4x3x3xf32, #graph.info<order = [0, 2, 3, 1]>>
  %2 = graph.relu %1 : (tensor<1x4x3x3xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x4x3x3xf32, #graph.info<order = [0, 2, 3, 1]>>
  %3 = graph.permute %2 [0, 1, 2, 3] : (tensor<1x4x3x3xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x4x3x3xf32>
  return %3 : tensor<1x4x3x3xf32>
}

// -----

// What folds by itself (a window here) stays out of a contraction's kernel, and out of a convolution's along channels.
// CHECK-LABEL: @folds
// CHECK:         graph.avg_pool %arg2 {graph.group = [[A:[0-9]+]] : i64,
// CHECK:         graph.relu {{.*}} {graph.group = [[A]] : i64}
// CHECK:         graph.matmul %arg0, %arg1 {graph.group = [[B:.*]] : i64}
// CHECK:         graph.add {{.*}} {graph.group = [[B]] : i64}
// CHECK:         graph.convolution {{.*}} {graph.group = [[C:.*]] : i64, groups = 4 : i64}
// CHECK-NEXT:    graph.max_pool %arg2 {dilation
// CHECK-NEXT:    graph.add {{.*}} {graph.group = [[C]] : i64}
// WHY: graph.add stays apart from graph.relu: a contraction's kernel folds nothing else
// WHY: graph.add stays apart from graph.max_pool: a convolution along channels has a kernel of its own
func.func @folds(%a: tensor<1x4x5x6xf32>, %b: tensor<1x4x6x5xf32>, %x: tensor<1x4x5x5xf32>, %w: tensor<4x1x3x3xf32>) -> (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) {
  %0 = graph.avg_pool %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1>} : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %1 = graph.relu %0 : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %2 = graph.matmul %a, %b : (tensor<1x4x5x6xf32>, tensor<1x4x6x5xf32>) -> tensor<1x4x5x5xf32>
  %3 = graph.add %2, %1 : (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %4 = graph.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 4 : i64} : (tensor<1x4x5x5xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x5x5xf32>
  %5 = graph.max_pool %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %6 = graph.add %4, %5 : (tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return %3, %6 : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>
}

// -----

// A product and its transpose meet in a subtraction, which would need one of the two again: it stays apart.
// CHECK-LABEL: @skew
// CHECK:         graph.matmul %arg0, %arg0 :
// CHECK:         graph.sub
func.func @skew(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = graph.matmul %x, %x : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = graph.permute %0 [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = graph.sub %1, %0 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %2 : tensor<3x3xf32>
}

// -----

// Dims that split each other's: the reshape's indices aren't proved to be the contraction's own, whose elements would be computed again.
// CHECK-LABEL: @splits
// CHECK:         graph.relu {{.*}} {graph.group
// CHECK:         graph.reshape {{.*}} to [#graph.dim<3>, #graph.dim<7>, #graph.dim<27>] :
func.func @splits(%x: tensor<7x7x17xf32>, %w: tensor<9x7x3xf32>) -> tensor<3x7x27xf32> {
  %0 = graph.convolution %x, %w stride [2] padding [1] dilation [1] : (tensor<7x7x17xf32>, tensor<9x7x3xf32>) -> tensor<7x9x9xf32>
  %1 = graph.relu %0 : (tensor<7x9x9xf32>) -> tensor<7x9x9xf32>
  %2 = graph.reshape %1 to [#graph.dim<3>, #graph.dim<7>, #graph.dim<27>] : (tensor<7x9x9xf32>) -> tensor<3x7x27xf32>
  return %2 : tensor<3x7x27xf32>
}
