// See Convolutions.h.
//
//   convolution x[1, 3, S], padding [1]   ->   pad x low [0, 0, 1] high [0, 0, 1]; convolution, padding [0]
#include "passes/decompose/Convolutions.h"
#include "ir/graph/Infer.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

static Value padFirst(ConvolutionOp op) {
  OpBuilder b(op);
  Type element = tensorType(op.getX()).getElementType();
  Attribute zero = b.getZeroAttr(element);
  SmallVector<int64_t> pads = {0, 0};
  llvm::append_range(pads, op.getPadding());
  ArrayAttr around = makeDimArray(op.getContext(), ArrayRef<int64_t>(pads));
  Value value = ConstantOp::create(b, op.getLoc(), DenseElementsAttr::get(RankedTensorType::get({}, element), zero));
  Value padded = PadOp::create(b, op.getLoc(), op.getX(), value, around, around);
  SmallVector<int64_t> none(op.getPadding().size(), 0);
  return ConvolutionOp::create(b, op.getLoc(), padded, op.getWeight(), op.getBias(), op.getStride(), none, op.getDilation(), op.getGroups());
}

FailureOr<Value> graphc::decomposeSymbolicConvolution(Operation *op) {
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    for (auto [i, padding] : llvm::enumerate(convolution.getPadding()))
      if (padding > 0 && !getDim(tensorType(convolution.getX()), i + 2).isConstant())
        return padFirst(convolution);
    return Value();
  }
  auto transposed = dyn_cast<ConvTransposeOp>(op);
  for (int64_t d = 2; transposed && d < tensorType(transposed.getX()).getRank(); ++d)
    if (DimAttr dim = getDim(tensorType(transposed.getX()), d); !dim.isConstant())
      return op->emitError("a transposed convolution over the symbolic dim '")
             << dim.str() << "' can't be compiled: expected numbers for its spatial dims; give them in --input";
  return Value();
}
