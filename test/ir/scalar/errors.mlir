// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What the scalar ops refuse: arithmetic in 16 bits, mixed types, floats where integers are meant and the other way round.

kernel.func @half() outs() grid() {
  %f = scalar.constant 1.5 : f32
  %h = scalar.cast %f : f32 to f16
  // expected-error @+1 {{operand #0 must be 32-bit float or 64-bit float}}
  %0 = scalar.add %h, %h : f16
}

// -----

kernel.func @integer() outs() grid() {
  %i = scalar.constant 1 : i32
  // expected-error @+1 {{operand #0 must be 32-bit float or 64-bit float}}
  %0 = scalar.exp %i : i32
}

// -----

kernel.func @bits() outs() grid() {
  %f = scalar.constant 1.5 : f32
  // expected-error @+1 {{operand #0 must be 1-bit signless integer}}
  %0 = scalar.xor %f, %f : f32
}

// -----

kernel.func @condition() outs() grid() {
  // expected-note @+1 {{prior use here}}
  %i = scalar.constant 1 : i32
  // expected-error @+1 {{use of value '%i' expects different type than prior uses}}
  %0 = scalar.select %i, %i, %i : i32
}
