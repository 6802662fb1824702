// RUN: graphc-opt %s --graphc-outline-kernels --verify-diagnostics
// An op that no kernel can be made of is named at its own line.
func.func @refs(%x: tensor<5xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{no kernel can be made of graph.ref.create: it says neither an element nor a contraction}}
  %0 = graph.ref.create %x : tensor<5xf32> -> !graph.ref<tensor<5xf32>>
  // expected-error @+1 {{no kernel can be made of graph.ref.read}}
  %1 = graph.ref.read %0 : !graph.ref<tensor<5xf32>> -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
