// RUN: graphc-kernel-run %s --symbol B=1 --symbol T=5
// RUN: graphc-kernel-run %s --symbol B=33 --symbol T=70
// RUN: graphc-kernel-run %s --symbol B=0 --symbol T=1
// Contractions with symbolic m and k.

kernel.func @linear(%a: tensor<?x20xf32, #graph.info<dims = [B, 20]>>, %w: tensor<2x20x32xf32>) outs(%y: tensor<?x40xf32, #graph.info<dims = [B, 40]>>) grid() {
  kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k, 0)>] m [#graph.dim<B>] n [#graph.dim<40>] k [#graph.dim<20>] {panel = 32 : i64} : tensor<?x20xf32, #graph.info<dims = [B, 20]>>, tensor<2x20x32xf32> {
  ^bb0(%acc: f32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<?x40xf32, #graph.info<dims = [B, 40]>>
  }
}
kernel.func @values(%p: tensor<?x?xf32, #graph.info<dims = [B, T]>>, %v: tensor<?x24xf32, #graph.info<dims = [T, 24]>>) outs(%y: tensor<?x24xf32, #graph.info<dims = [B, 24]>>) grid() {
  kernel.contract %p[affine_map<(m, k) -> (m, k)>], %v[affine_map<(n, k) -> (k, n)>] m [#graph.dim<B>] n [#graph.dim<24>] k [#graph.dim<T>] : tensor<?x?xf32, #graph.info<dims = [B, T]>>, tensor<?x24xf32, #graph.info<dims = [T, 24]>> {
  ^bb0(%acc: f32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<?x24xf32, #graph.info<dims = [B, 24]>>
  }
}
kernel.func @scores(%p: tensor<?x16xf32, #graph.info<dims = [B, 16]>>, %v: tensor<?x16xf32, #graph.info<dims = [T, 16]>>) outs(%y: tensor<?x?xf32, #graph.info<dims = [B, T]>>) grid() {
  kernel.contract %p[affine_map<(m, k) -> (m, k)>], %v[affine_map<(n, k) -> (n, k)>] m [#graph.dim<B>] n [#graph.dim<T>] k [#graph.dim<16>] : tensor<?x16xf32, #graph.info<dims = [B, 16]>>, tensor<?x16xf32, #graph.info<dims = [T, 16]>> {
  ^bb0(%acc: f32, %m: index, %n: index):
    kernel.store %acc, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<?x?xf32, #graph.info<dims = [B, T]>>
  }
}
