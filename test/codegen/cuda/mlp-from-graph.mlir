// RUN: graphc-opt %s --graphc-outline-kernels | graphc-emit-cuda - | FileCheck %s
// The kernel.funcs that outlining makes for every target, as CUDA: linear with its epilogue, softmax over rows, pointwise.
// kernels-emitted-graph runs them for several B against the interpreter.

// CHECK-DAG: // k_linear_relu: GEMM in full f32, epilogue width 4
// CHECK-DAG: // k_linear: GEMM in full f32, epilogue width 4
// CHECK-DAG: // k_softmax: a warp per row, width 4
// CHECK-DAG: // k_mul_add: pointwise, width 4
// CHECK: problem() const { return {in0 + (gc_i64)0, in1 + (gc_i64)0, (gc_i64)1, dim0, 96, 64, 64, 64}; }
graph.symbol @B min 0 max 4096 from "input x, dim 0"
graph.parameter @w0 = dense<1.0> : tensor<96x64xf32>
graph.parameter @b0 = dense<1.0> : tensor<96xf32>
graph.parameter @w1 = dense<1.0> : tensor<40x96xf32>
graph.parameter @b1 = dense<1.0> : tensor<40xf32>
graph.parameter @scale = dense<1.0> : tensor<40xf32>
func.func @mlp(%x: tensor<?x64xf32, #graph.info<dims = [B, 64]>>) -> tensor<?x40xf32, #graph.info<dims = [B, 40]>> {
  %w0 = graph.get @w0 : tensor<96x64xf32>
  %b0 = graph.get @b0 : tensor<96xf32>
  %w1 = graph.get @w1 : tensor<40x96xf32>
  %b1 = graph.get @b1 : tensor<40xf32>
  %scale = graph.get @scale : tensor<40xf32>
  %0 = graph.linear %x, %w0 bias %b0 {graph.group = 0 : i64} : (tensor<?x64xf32, #graph.info<dims = [B, 64]>>, tensor<96x64xf32>, tensor<96xf32>) -> tensor<?x96xf32, #graph.info<dims = [B, 96]>>
  %1 = graph.relu %0 {graph.group = 0 : i64} : (tensor<?x96xf32, #graph.info<dims = [B, 96]>>) -> tensor<?x96xf32, #graph.info<dims = [B, 96]>>
  %2 = graph.linear %1, %w1 bias %b1 : (tensor<?x96xf32, #graph.info<dims = [B, 96]>>, tensor<40x96xf32>, tensor<40xf32>) -> tensor<?x40xf32, #graph.info<dims = [B, 40]>>
  %3 = graph.softmax %2 dim 1 : (tensor<?x40xf32, #graph.info<dims = [B, 40]>>) -> tensor<?x40xf32, #graph.info<dims = [B, 40]>>
  %4 = graph.mul %3, %scale {graph.group = 1 : i64} : (tensor<?x40xf32, #graph.info<dims = [B, 40]>>, tensor<40xf32>) -> tensor<?x40xf32, #graph.info<dims = [B, 40]>>
  %5 = graph.add %4, %2 {graph.group = 1 : i64} : (tensor<?x40xf32, #graph.info<dims = [B, 40]>>, tensor<?x40xf32, #graph.info<dims = [B, 40]>>) -> tensor<?x40xf32, #graph.info<dims = [B, 40]>>
  return %5 : tensor<?x40xf32, #graph.info<dims = [B, 40]>>
}
