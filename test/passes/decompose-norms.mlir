// RUN: graphc-opt %s --graphc-decompose --graphc-fold-constants --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-decompose --graphc-fold-constants --graphc-decompose --split-input-file | FileCheck %s

// A norm over constants is a scale and a shift, as eager computes it: 1 / sqrt(4), 5 / sqrt(4); 0.5 - 1 * 0.5, 0.25 - 2 * 2.5.
// CHECK-LABEL: @batch_norm
// CHECK-DAG:     %[[SCALE:.*]] = graph.constant dense<{{\[\[}}5.000000e-01], [2.500000e+00]]> : tensor<2x1xf32>
// CHECK-DAG:     %[[SHIFT:.*]] = graph.constant dense<{{\[\[}}0.000000e+00], [-4.750000e+00]]> : tensor<2x1xf32>
// CHECK:         %[[X:.*]] = graph.mul %arg0, %[[SCALE]]
// CHECK-NEXT:    %[[Y:.*]] = graph.add %[[X]], %[[SHIFT]] {graph.value = 3 : i64}
// CHECK-NEXT:    return %[[Y]]
graph.parameter @mean = dense<[1.0, 2.0]> : tensor<2xf32>
graph.parameter @var = dense<[3.0, 3.0]> : tensor<2xf32>
graph.parameter @weight = dense<[1.0, 5.0]> : tensor<2xf32>
graph.parameter @bias = dense<[0.5, 0.25]> : tensor<2xf32>
func.func @batch_norm(%x: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %m = graph.get @mean : tensor<2xf32>
  %v = graph.get @var : tensor<2xf32>
  %w = graph.get @weight : tensor<2xf32>
  %b = graph.get @bias : tensor<2xf32>
  %0 = graph.batch_norm %x mean %m var %v weight %w bias %b eps 1.0 {graph.value = 3 : i64} : (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}

// -----

// CHECK-LABEL: @plain
// CHECK-DAG:     graph.constant dense<[-5.000000e-01, -1.000000e+00]>
// CHECK-NOT:     graph.batch_norm
graph.parameter @mean = dense<[1.0, 2.0]> : tensor<2xf32>
graph.parameter @var = dense<[3.0, 3.0]> : tensor<2xf32>
func.func @plain(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %m = graph.get @mean : tensor<2xf32>
  %v = graph.get @var : tensor<2xf32>
  %0 = graph.batch_norm %x mean %m var %v eps 1.0 : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Statistics that come from outside stay as they are; so do those of another type.
// CHECK-LABEL: @batch_norm_of_inputs
// CHECK:         graph.batch_norm
// CHECK:         graph.batch_norm
graph.parameter @mean = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @batch_norm_of_inputs(%x: tensor<3x2x4xf32>, %h: tensor<3x2xf16>, %v: tensor<2xf32>) -> (tensor<3x2x4xf32>, tensor<3x2xf16>) {
  %m = graph.get @mean : tensor<2xf32>
  %0 = graph.batch_norm %x mean %m var %v eps 1.0 : (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2x4xf32>
  %1 = graph.batch_norm %h mean %m var %m eps 1.0 : (tensor<3x2xf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf16>
  return %0, %1 : tensor<3x2x4xf32>, tensor<3x2xf16>
}

// -----

// Large groups: sums of 128 blocks of a channel, then of a group's.
// CHECK-LABEL: @group_norm
// CHECK:         %[[X:.*]] = graph.reshape %arg0 to {{.*}} -> tensor<2x8x128x32xf32>
// CHECK:         %[[S:.*]] = graph.sum %[[X]] [3] keepdim : {{.*}} -> tensor<2x8x128x1xf32>
// CHECK:         %[[G:.*]] = graph.reshape %[[S]] to {{.*}} -> tensor<2x2x512xf32>
// CHECK:         graph.sum %[[G]] [2] keepdim
// CHECK:         %[[D:.*]] = graph.sub %[[X]], %{{.*}} -> tensor<2x8x128x32xf32>
// CHECK:         graph.mul %[[D]], %[[D]]
// CHECK:         %[[N:.*]] = graph.mul %arg0, %{{.*}} : (tensor<2x8x64x64xf32>, tensor<2x8x1x1xf32>)
// CHECK:         graph.add %[[N]], %{{.*}} : (tensor<2x8x64x64xf32>, tensor<2x8x1x1xf32>)
func.func @group_norm(%x: tensor<2x8x64x64xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8x64x64xf32> {
  %0 = graph.group_norm %x weight %w bias %b groups 2 eps 1.0e-5 : (tensor<2x8x64x64xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x64x64xf32>
  return %0 : tensor<2x8x64x64xf32>
}

// -----

// Small groups, areas that can't be cut evenly and symbolic ones stay one kernel.
// CHECK-LABEL: @group_norm_small
// CHECK-COUNT-3: graph.group_norm
func.func @group_norm_small(%x: tensor<2x8x32x30xf32>, %y: tensor<2x2x8209xf32>, %z: tensor<?x8x64x64xf32, #graph.info<dims = [B, 8, 64, 64]>>) -> (tensor<2x8x32x30xf32>, tensor<2x2x8209xf32>, tensor<?x8x64x64xf32, #graph.info<dims = [B, 8, 64, 64]>>) {
  %0 = graph.group_norm %x groups 2 eps 1.0e-5 : (tensor<2x8x32x30xf32>) -> tensor<2x8x32x30xf32>
  %1 = graph.group_norm %y groups 2 eps 1.0e-5 : (tensor<2x2x8209xf32>) -> tensor<2x2x8209xf32>
  %2 = graph.group_norm %z groups 2 eps 1.0e-5 : (tensor<?x8x64x64xf32, #graph.info<dims = [B, 8, 64, 64]>>) -> tensor<?x8x64x64xf32, #graph.info<dims = [B, 8, 64, 64]>>
  return %0, %1, %2 : tensor<2x8x32x30xf32>, tensor<2x2x8209xf32>, tensor<?x8x64x64xf32, #graph.info<dims = [B, 8, 64, 64]>>
}
graph.symbol @B min 1 from "input z, dim 0"

// -----

// 16-bit statistics: eager computes scale and shift in f32 and rounds once, at the end.
// CHECK-LABEL: @batch_norm_f16
// CHECK:         graph.batch_norm
graph.parameter @mean = dense<[1.0, 2.0]> : tensor<2xf16>
func.func @batch_norm_f16(%x: tensor<3x2xf16>) -> tensor<3x2xf16> {
  %m = graph.get @mean : tensor<2xf16>
  %0 = graph.batch_norm %x mean %m var %m eps 1.0 : (tensor<3x2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<3x2xf16>
  return %0 : tensor<3x2xf16>
}
