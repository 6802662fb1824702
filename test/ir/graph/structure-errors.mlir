// RUN: graphc-opt %s -verify-diagnostics -split-input-file -allow-unregistered-dialect
// What parameters, states, guards, encodings and dim expressions refuse.

func.func @no_parameter() {
  // expected-error @+1 {{names @w, which is no graph.parameter}}
  %0 = graph.get @w : tensor<2xf32>
  return
}

// -----

graph.parameter @w = dense<1.0> : tensor<2xf32>
func.func @other_type() {
  // expected-error @+1 {{has type 'tensor<3xf32>', the parameter 'tensor<2xf32>'}}
  %0 = graph.get @w : tensor<3xf32>
  return
}

// -----

// expected-error @+1 {{resource has 4 bytes, its type needs 8}}
graph.parameter @w = dense_resource<short> : tensor<2xf32>
{-# dialect_resources: { builtin: { short: "0x0400000000000000" } } #-}

// -----

func.func @no_state() {
  // expected-error @+1 {{names @s, which is no graph.state}}
  %0 = graph.read_state @s : tensor<2xf32>
  return
}

// -----

graph.state @s attribute "hidden" = dense<0.0> : tensor<2xf32>
func.func @state_type(%x: tensor<2xf64>) {
  // expected-error @+1 {{element type differs from the state's, 'f32'}}
  graph.write_state @s, %x : tensor<2xf64>
  return
}

// -----

func.func @predicate() {
  // expected-error @+1 {{unknown predicate '~'}}
  graph.guard <1> "~" <2>, "odd"
  return
}

// -----

// expected-error @+1 {{#graph.info has 1 dims, the tensor has rank 2}}
func.func @info_rank(%x: tensor<?x4xf32, #graph.info<dims = [B]>>) {
  return
}

// -----

// expected-error @+1 {{dim 1 of #graph.info is 5, the tensor's type says 4}}
func.func @info_dim(%x: tensor<?x4xf32, #graph.info<dims = [B, 5]>>) {
  return
}

// -----

// expected-error @+1 {{order of #graph.info is not a permutation of the tensor's dims}}
func.func @info_order(%x: tensor<2x4xf32, #graph.info<order = [1, 1]>>) {
  return
}

// -----

// -----

// expected-error @+1 {{bad dim expression '(B + 1': expected ')'}}
"test.dims"() {a = #graph.dim<"(B + 1">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'B + ': expected a number, a symbol or '('}}
"test.dims"() {a = #graph.dim<"B + ">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'B + 99999999999999999999': '99999999999999999999' is not a number that fits 64 bits}}
"test.dims"() {a = #graph.dim<"B + 99999999999999999999">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'sqrt(B, 2)': unknown function 'sqrt'}}
"test.dims"() {a = #graph.dim<"sqrt(B, 2)">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'min(B)': expected ','}}
"test.dims"() {a = #graph.dim<"min(B)">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'min(B, 2': expected ')'}}
"test.dims"() {a = #graph.dim<"min(B, 2">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'select(B, 1, 2)': expected a comparison}}
"test.dims"() {a = #graph.dim<"select(B, 1, 2)">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'select(B > 1, 2)': expected ','}}
"test.dims"() {a = #graph.dim<"select(B > 1, 2)">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'select(B > 1, 2, 3': expected ')'}}
"test.dims"() {a = #graph.dim<"select(B > 1, 2, 3">} : () -> ()

// -----

// expected-error @+1 {{bad dim expression 'B 1': unexpected '1'}}
"test.dims"() {a = #graph.dim<"B 1">} : () -> ()
