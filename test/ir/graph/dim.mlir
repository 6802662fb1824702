// RUN: graphc-opt %s -allow-unregistered-dialect | FileCheck %s
// Dim expressions take one form, whatever way they were computed in; what can't be simplified stays.

graph.symbol @S min 1 from "input x, dim 1"
graph.symbol @B min 1 from "input x, dim 0"

// CHECK-LABEL: @forms
func.func @forms() {
  // CHECK: a0 = #graph.dim<"(S - 1)">
  // CHECK-SAME: a1 = #graph.dim<B>
  // CHECK-SAME: a2 = #graph.dim<0>
  // CHECK-SAME: a3 = #graph.dim<"(2 * (B * S))">
  // CHECK-SAME: a4 = #graph.dim<"((3 * B) + 6)">
  // CHECK-SAME: a5 = #graph.dim<"((S - 1) floordiv 2)">
  // CHECK-SAME: a6 = #graph.dim<"((2 * B) + 1)">
  // CHECK-SAME: a7 = #graph.dim<2>
  // CHECK-SAME: a8 = #graph.dim<"(3 - S)">
  // CHECK-SAME: a9 = #graph.dim<"(-1 * S)">
  "test.dims"() {
    a0 = #graph.dim<"(S + 2) - 3">, a1 = #graph.dim<"(4 * B) floordiv 4">, a2 = #graph.dim<"B - S - (B - S)">, a3 = #graph.dim<"B * S + S * B">,
    a4 = #graph.dim<"3 * (B + 2)">, a5 = #graph.dim<"(S + 2 - 3) floordiv 2">, a6 = #graph.dim<"1 + B * 2">, a7 = #graph.dim<"(6 * B + 5) mod 3">,
    a8 = #graph.dim<"3 - S">, a9 = #graph.dim<"0 - S">
  } : () -> ()
  // A symbolic divisor cancels where it is a product that divides every term.
  // CHECK: a0 = #graph.dim<12>
  // CHECK-SAME: a1 = #graph.dim<"(2 * S)">
  // CHECK-SAME: a2 = #graph.dim<"((4 * (B * S)) floordiv (8 * B))">
  // CHECK-SAME: a3 = #graph.dim<"(S floordiv B)">
  "test.dims"() {
    a0 = #graph.dim<"(384 * (S * B)) floordiv (32 * (B * S))">, a1 = #graph.dim<"(4 * S * B) floordiv (2 * B)">,
    a2 = #graph.dim<"(4 * S * B) floordiv (8 * B)">, a3 = #graph.dim<"S floordiv B">
  } : () -> ()
  // A product whose coefficient would overflow stays one.
  // CHECK: a0 = #graph.dim<"((2 * B) * 4611686018427387904)">
  "test.dims"() {a0 = #graph.dim<"4611686018427387904 * (2 * B)">} : () -> ()
  // CHECK: a0 = #graph.dim<"select(S > 4, min(7, B), (B ceildiv S))">
  "test.dims"() {a0 = #graph.dim<"select(S > 4, min(B, 7), B ceildiv S)">} : () -> ()
  return
}

// Inference over symbolic dims: padding and convolution.
// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, %w: tensor<4x3x3xf32>) {
  // CHECK: -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "(((S - 1) floordiv 2) + 1)"]>>
  %0 = graph.convolution %x, %w stride [2] padding [1] dilation [1] : (tensor<1x3x?xf32, #graph.info<dims = [1, 3, S]>>, tensor<4x3x3xf32>) -> tensor<1x4x?xf32, #graph.info<dims = [1, 4, "(S - 1) floordiv 2 + 1"]>>
  return
}

// CHECK-LABEL: @views
func.func @views(%x: tensor<?x?x4xf32, #graph.info<dims = [B, S, 4]>>) {
  // CHECK: -> tensor<?x4xf32, #graph.info<dims = ["(B * S)", 4]>>
  %0 = graph.reshape %x to [#graph.dim<"S * B">, #graph.dim<4>] : (tensor<?x?x4xf32, #graph.info<dims = [B, S, 4]>>) -> tensor<?x4xf32, #graph.info<dims = ["B * S", 4]>>
  // CHECK: -> tensor<?x?x4xf32, #graph.info<dims = [B, "(2 * S)", 4]>>
  %1 = graph.concat %x, %x dim 1 : (tensor<?x?x4xf32, #graph.info<dims = [B, S, 4]>>, tensor<?x?x4xf32, #graph.info<dims = [B, S, 4]>>) -> tensor<?x?x4xf32, #graph.info<dims = [B, "2 * S", 4]>>
  %2 = graph.mean %x [1] keepdim : (tensor<?x?x4xf32, #graph.info<dims = [B, S, 4]>>) -> tensor<?x1x4xf32, #graph.info<dims = [B, 1, 4]>>
  return
}
