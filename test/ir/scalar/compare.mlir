// RUN: graphc-opt %s | graphc-opt | FileCheck %s
// Comparisons survive a round trip with each predicate, also as an attribute of its own.

// CHECK-LABEL: kernel.func @compare
// CHECK: scalar.compare eq %{{.*}}, %{{.*}} : f32
// CHECK: scalar.compare ne
// CHECK: scalar.compare lt
// CHECK: scalar.compare le
// CHECK: scalar.compare gt
// CHECK: scalar.compare ge %{{.*}}, %{{.*}} {note = #scalar<predicate lt>} : f32
kernel.func @compare() outs() grid() {
  %x = scalar.constant 1.0 : f32
  %0 = scalar.compare eq %x, %x : f32
  %1 = scalar.compare ne %x, %x : f32
  %2 = scalar.compare lt %x, %x : f32
  %3 = scalar.compare le %x, %x : f32
  %4 = scalar.compare gt %x, %x : f32
  %5 = scalar.compare ge %x, %x {note = #scalar<predicate lt>} : f32
}
