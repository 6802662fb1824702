// RUN: graphc-opt %s --graphc-outline-kernels --mlir-print-debuginfo | graphc-plan - | FileCheck %s
// Two variants of a model with state: buffers, steps, outputs in place, state written last and from copies where the state that holds a value is replaced.

// CHECK:      plan target null levels null entry forward
// CHECK-NEXT: symbol B InputDim 0 dim 0
// CHECK-NEXT: input x f32[B,4]
// CHECK-NEXT: output y f32[B,4]
// CHECK-NEXT: output out1 f32[4]
// CHECK-NEXT: state a f32[4] initial 0
// CHECK-NEXT: state b f32[4] initial 0
// CHECK-NEXT: constant 0 f32[4] 16 bytes "model.a"
// CHECK-NEXT: constant 1 f32[4,4] 64 bytes "w"
// CHECK-NEXT: kernel 0 linear_relu
// CHECK-NEXT: kernel 1 relu
// CHECK-NEXT: kernel 2 add
graph.symbol @B min 1 max 64 from "input x, dim 0"
graph.parameter @w = dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<4x4xf32>
graph.state @a attribute "model.a" = dense<0.0> : tensor<4xf32>
graph.state @b attribute "model.b" = dense<0.0> : tensor<4xf32>

// CHECK:      variant 0 "forward" next [1]
// CHECK-NEXT:   guard B Le 64 "batch too large"
// CHECK-NEXT:   buffer 0 input 0 f32[B,4] "x"
// CHECK-NEXT:   buffer 1 constant 1 f32[4,4] "w"
// CHECK-NEXT:   buffer 2 output 0 f32[B,4] "linear_relu"
// CHECK-NEXT:   buffer 3 state 0 f32[4] "a"
// CHECK-NEXT:   buffer 4 state 1 f32[4] "b"
// CHECK-NEXT:   buffer 5 output 1 f32[4] "copy"
// CHECK-NEXT:   buffer 6 arena steps 2..4 f32[4] "copy"
// CHECK-NEXT:   step 0 launch linear_relu(0, 1, 2) units 1 values [12, 13], model.py:3, model.py:4
// The second output is the old content of a.
// CHECK-NEXT:   step 1 copy 3 to 5
// The states swap: a's old content goes to b after a has been written.
// CHECK-NEXT:   step 2 copy 3 to 6
// CHECK-NEXT:   step 3 write state 0 from 4
// CHECK-NEXT:   step 4 write state 1 from 6
// CHECK-NEXT:   output 0 is buffer 2
// CHECK-NEXT:   output 1 is buffer 5
func.func @forward(%x: tensor<?x4xf32, #graph.info<dims = [B, 4]>> {graph.name = "x"}) -> (tensor<?x4xf32, #graph.info<dims = [B, 4]>> {graph.name = "y"}, tensor<4xf32>) attributes {graph.next = 1 : i64} {
  graph.guard <B> "<=" <64>, "batch too large"
  %w = graph.get @w : tensor<4x4xf32>
  %0 = graph.linear %x, %w {graph.group = 0 : i64, graph.value = 12 : i64} : (tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<4x4xf32>) -> tensor<?x4xf32, #graph.info<dims = [B, 4]>> loc("model.py":3:1)
  %1 = graph.relu %0 {graph.group = 0 : i64, graph.value = 13 : i64} : (tensor<?x4xf32, #graph.info<dims = [B, 4]>>) -> tensor<?x4xf32, #graph.info<dims = [B, 4]>> loc("model.py":4:1)
  %a = graph.read_state @a : tensor<4xf32>
  %b = graph.read_state @b : tensor<4xf32>
  graph.write_state @a, %b : tensor<4xf32>
  graph.write_state @b, %a : tensor<4xf32>
  return %1, %a : tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<4xf32>
}

// An input that is returned stays where it is.
// CHECK:      variant 1 "second"
// CHECK-NEXT:   buffer 0 input 0 f32[B,4] "x"
// CHECK-NEXT:   buffer 1 state 0 f32[4] "a"
// CHECK-NEXT:   buffer 2 output 1 f32[4] "relu"
// CHECK-NEXT:   step 0 launch relu(1, 2) units 4
// CHECK-NEXT:   step 1 write state 1 from 2
// CHECK-NEXT:   output 0 is buffer 0
// CHECK-NEXT:   output 1 is buffer 2
func.func @second(%x: tensor<?x4xf32, #graph.info<dims = [B, 4]>>) -> (tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<4xf32>) {
  %a = graph.read_state @a : tensor<4xf32>
  %0 = graph.relu %a : (tensor<4xf32>) -> tensor<4xf32>
  graph.write_state @b, %0 : tensor<4xf32>
  return %x, %0 : tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<4xf32>
}

// Launches write into the buffer of their join, which is the output itself.
// CHECK:      variant 2 "joined"
// CHECK-NEXT:   buffer 0 input 0 f32[B,4] "x"
// CHECK-NEXT:   buffer 1 state 0 f32[4] "a"
// CHECK-NEXT:   buffer 2 output 1 f32[8] "join"
// CHECK-NEXT:   buffer 3 in 2 f32[4] "relu"
// CHECK-NEXT:   buffer 4 in 2 at 16 f32[4] "add"
// CHECK-NEXT:   step 0 launch relu(1, 3) units 4
// CHECK-NEXT:   step 1 launch add(1, 4) units 4
// CHECK-NEXT:   output 0 is buffer 0
// CHECK-NEXT:   output 1 is buffer 2
func.func @joined(%x: tensor<?x4xf32, #graph.info<dims = [B, 4]>>) -> (tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<8xf32>) {
  %a = graph.read_state @a : tensor<4xf32>
  %0 = graph.relu %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.concat %0, %1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %x, %2 : tensor<?x4xf32, #graph.info<dims = [B, 4]>>, tensor<8xf32>
}
