// RUN: graphc-opt %s -verify-diagnostics -split-input-file
// What pointwise ops refuse.

func.func @shapes(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims 3 and 4 can't be broadcast together (shape [4] with [2, 3])}}
  %0 = graph.add %x, %y : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @element_types(%x: tensor<2xf32>, %y: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{operands have element types 'f32' and 'i64'; expected one: importing casts to the promoted type}}
  %0 = graph.mul %x, %y : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @bool_sub(%x: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = graph.sub %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @integer_exp(%x: tensor<2xi64>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 16-bit float}}
  %0 = graph.exp %x : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @result(%x: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  %0 = graph.lt %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

graph.symbol @A min 1 from "input x, dim 0"
graph.symbol @B min 1 from "input y, dim 0"
func.func @unproved(%x: tensor<?xf32, #graph.info<dims = [A]>>, %y: tensor<?xf32, #graph.info<dims = [B]>>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{dims A and B can't be broadcast together}}
  %0 = graph.add %x, %y : (tensor<?xf32, #graph.info<dims = [A]>>, tensor<?xf32, #graph.info<dims = [B]>>) -> tensor<?xf32, #graph.info<dims = [A]>>
  return
}

// -----

// Another physical order of the result is no error: layouts are chosen after inference.
func.func @order(%x: tensor<2x3x4x5xf32>) {
  %0 = graph.relu %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32, #graph.info<order = [0, 2, 3, 1]>>
  return
}
