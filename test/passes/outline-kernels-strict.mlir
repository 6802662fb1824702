// RUN: graphc-opt %s --graphc-fuse-kernels --graphc-outline-kernels=strict=true | FileCheck %s
// RUN: graphc-opt %s --graphc-fuse-kernels --graphc-outline-kernels | FileCheck %s --check-prefix=DEFAULT
// With strict, what one op gives the next inside a kernel is rounded to its 16-bit type and widened again; without, only stores round. A view rounds
// nothing, nor does arithmetic in f32.

// CHECK-LABEL: kernel.func @add_sub(
// CHECK:         %[[X:.*]] = scalar.cast %{{.*}} : f16 to f32
// CHECK:         %[[SUM:.*]] = scalar.add %[[X]], %{{.*}} : f32
// CHECK-NEXT:    %[[NARROW:.*]] = scalar.cast %[[SUM]] : f32 to f16
// CHECK-NEXT:    %[[WIDE:.*]] = scalar.cast %[[NARROW]] : f16 to f32
// CHECK:         %[[RESULT:.*]] = scalar.sub %[[WIDE]]
// CHECK-NEXT:    %[[STORED:.*]] = scalar.cast %[[RESULT]] : f32 to f16
// CHECK-NEXT:    kernel.store %[[STORED]]
// DEFAULT-LABEL: kernel.func @add_sub(
// DEFAULT:         %[[SUM:.*]] = scalar.add
// DEFAULT:         scalar.sub %[[SUM]]
func.func @chain(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %0 = graph.add %x, %y : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  %1 = graph.sub %0, %y : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  return %1 : tensor<8xf16>
}

// The sum of a contraction is an op's result like others.
// CHECK-LABEL: kernel.func @linear_relu(
// CHECK:         ^bb0(%[[ACC:.*]]: f32,
// CHECK-NEXT:    %[[NARROW:.*]] = scalar.cast %[[ACC]] : f32 to bf16
// CHECK-NEXT:    scalar.cast %[[NARROW]] : bf16 to f32
// CHECK:         kernel.store
// DEFAULT-LABEL: kernel.func @linear_relu(
// DEFAULT:         ^bb0(%[[ACC:.*]]: f32,
// DEFAULT-NOT:     scalar.cast %[[ACC]]
func.func @contraction(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>) -> tensor<4x16xbf16> {
  %0 = graph.linear %x, %w : (tensor<4x8xbf16>, tensor<16x8xbf16>) -> tensor<4x16xbf16>
  %1 = graph.relu %0 : (tensor<4x16xbf16>) -> tensor<4x16xbf16>
  return %1 : tensor<4x16xbf16>
}

// CHECK-LABEL: kernel.func @neg(
// CHECK:         scalar.cast %{{.*}} : f16 to f32
// CHECK-NEXT:    scalar.neg
// CHECK-NEXT:    %[[NARROW:.*]] = scalar.cast %{{.*}} : f32 to f16
// CHECK-NEXT:    kernel.store %[[NARROW]]
func.func @view(%x: tensor<4x8xf16>) -> tensor<8x4xf16> {
  %0 = graph.permute %x [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %1 = graph.neg %0 : (tensor<8x4xf16>) -> tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}

// CHECK-LABEL: kernel.func @mul_add(
// CHECK-NOT:     scalar.cast
// CHECK:         kernel.store
func.func @full(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.mul %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.add %0, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
