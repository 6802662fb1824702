// RUN: graphc-opt %s --graphc-outline-kernels --graphc-pack-weights="panel=2" --split-input-file | FileCheck %s
// RUN: graphc-opt %s --graphc-outline-kernels --graphc-pack-weights="panel=2" --graphc-pack-weights="panel=2" --split-input-file | FileCheck %s

// [3 x 2] becomes two panels of two columns, [panel][k][column], the last one padded with a zero; both launches share it and the plain weights are gone.
// Bytes of 1, 3, 2, 4 and 5, 0, 6, 0 as f32.
// CHECK-NOT:     graph.parameter @w =
// CHECK:         graph.parameter @w$panel2 {packing = "brgemm<nr=2>"} = dense_resource<[[BLOB:.*]]> : tensor<2x2x2xf32>
// CHECK-LABEL:   @shared
// CHECK:           %[[W:.*]] = graph.get @w$panel2 : tensor<2x2x2xf32>
// CHECK:           kernel.launch @linear(%arg0, %[[W]])
// CHECK:           kernel.launch @linear(%arg1, %{{.*}}) : (tensor<4x2xf32>, tensor<2x2x2xf32>)
// CHECK:         kernel.contract {{.*}} {panel = 2 : i64} : tensor<4x2xf32>, tensor<2x2x2xf32>
// CHECK:         [[BLOB]]: "0x400000000000803F000040400000004000008040
// CHECK-SAME:    0000A040000000000000C04000000000"
graph.parameter @w = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
func.func @shared(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = graph.get @w : tensor<3x2xf32>
  %0 = graph.linear %x, %w : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  %1 = graph.linear %y, %w : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// Weights seen through a permutation are packed from where they are.
// CHECK-LABEL:   @transposed
// CHECK:           kernel.launch @linear(%arg0, %{{.*}}) : (tensor<4x2xf32>, tensor<2x2x2xf32>)
// CHECK:         "0x400000000000803F000040400000004000008040
// CHECK-SAME:    0000A040000000000000C04000000000"
graph.parameter @w = dense<[[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]> : tensor<2x3xf32>
func.func @transposed(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %w = graph.get @w : tensor<2x3xf32>
  %p = graph.permute %w [1, 0] {graph.group = 0 : i64} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = graph.linear %x, %p {graph.group = 0 : i64} : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// A kernel that is launched with weights and with an input keeps its plain operand.
// CHECK:         graph.parameter @w =
// CHECK-LABEL:   @input
// CHECK-NOT:     panel
graph.parameter @w = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
func.func @input(%x: tensor<4x2xf32>, %v: tensor<3x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = graph.get @w : tensor<3x2xf32>
  %0 = graph.linear %x, %w : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  %1 = graph.linear %x, %v : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// The weights of a depthwise convolution get their channels last: [2, 1, 1, 3] of 1 … 6 is read as 1, 4, 2, 5, 3, 6; the bias stays.
// CHECK:         graph.parameter @w$last0 {packing = "last<0>"} = dense_resource<[[BLOB:.*]]> : tensor<1x1x3x2xf32>
// CHECK-LABEL:   @depthwise
// CHECK:           kernel.launch @convolution(%{{.*}}, %{{.*}}, %{{.*}}) : ({{.*}}, tensor<1x1x3x2xf32>, tensor<2xf32>)
// CHECK:         kernel.load %arg1[{{.*}}] {{.*}} : tensor<1x1x3x2xf32>
// CHECK:         [[BLOB]]: "0x400000000000803F0000804000000040
// CHECK-SAME:    0000A040000040400000C040
graph.parameter @w = dense<[[[[1.0, 2.0, 3.0]]], [[[4.0, 5.0, 6.0]]]]> : tensor<2x1x1x3xf32>
graph.parameter @b = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @depthwise(%x: tensor<1x2x4x5xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x2x4x3xf32, #graph.info<order = [0, 2, 3, 1]>> {
  %w = graph.get @w : tensor<2x1x1x3xf32>
  %b = graph.get @b : tensor<2xf32>
  %0 = graph.convolution %x, %w bias %b stride [1, 1] padding [0, 0] dilation [1, 1] {groups = 2 : i64} : (tensor<1x2x4x5xf32, #graph.info<order = [0, 2, 3, 1]>>, tensor<2x1x1x3xf32>, tensor<2xf32>) -> tensor<1x2x4x3xf32, #graph.info<order = [0, 2, 3, 1]>>
  return %0 : tensor<1x2x4x3xf32, #graph.info<order = [0, 2, 3, 1]>>
}

// -----

// A convolution over small groups is a reduction whose grid ends with (group, output): its weights get the outputs of all groups last.
// CHECK:         graph.parameter @w$last0 {packing = "last<0>"} = dense_resource<[[BLOB:.*]]> : tensor<2x1x3x4xf32>
// CHECK-LABEL:   @groups
// CHECK:           kernel.launch @convolution(%{{.*}}, %{{.*}}) : ({{.*}}, tensor<2x1x3x4xf32>)
// CHECK-NOT:     kernel.contract
// CHECK:         kernel.reduce [sum]
// CHECK:         [[BLOB]]: "0x400000000000803F0000E0400000504100009841
graph.parameter @w = dense<[[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]], [[[7.0, 8.0, 9.0]], [[10.0, 11.0, 12.0]]], [[[13.0, 14.0, 15.0]], [[16.0, 17.0, 18.0]]], [[[19.0, 20.0, 21.0]], [[22.0, 23.0, 24.0]]]]> : tensor<4x2x1x3xf32>
func.func @groups(%x: tensor<1x4x4x5xf32, #graph.info<order = [0, 2, 3, 1]>>) -> tensor<1x4x4x3xf32, #graph.info<order = [0, 2, 3, 1]>> {
  %w = graph.get @w : tensor<4x2x1x3xf32>
  %0 = graph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {groups = 2 : i64} : (tensor<1x4x4x5xf32, #graph.info<order = [0, 2, 3, 1]>>, tensor<4x2x1x3xf32>) -> tensor<1x4x4x3xf32, #graph.info<order = [0, 2, 3, 1]>>
  return %0 : tensor<1x4x4x3xf32, #graph.info<order = [0, 2, 3, 1]>>
}
