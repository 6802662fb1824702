// RUN: graphc-opt %s --graphc-fuse-kernels --graphc-outline-kernels | FileCheck %s
// A 0-d tensor that is no constant is loaded through a map without results.

// CHECK-LABEL: func.func @scaled
// CHECK:       kernel.func @mul(%{{.*}}: tensor<3xf32>, %[[S:.*]]: tensor<f32>)
// CHECK:         kernel.load %[[S]][#{{.*}}] () : tensor<f32> -> f32
func.func @scaled(%x: tensor<3xf32>, %s: tensor<f32>) -> tensor<3xf32> {
  %0 = graph.mul %x, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
