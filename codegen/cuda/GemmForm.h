// Recognises contractions that are (batched) matrix products with strides, which the GEMM templates compute.
//
// Input: a kernel.contract. Output: sizes and strides, or why it is none: maps that are not linear, a mask, dims that don't
// collapse into one m or k, an operand in which neither dimension is contiguous, an element type without a template.
//
//   lhs (b, m, k) -> (b, m, k) on 2x64x32, rhs (b, n, k) -> (n, k) on 48x32
//     ->  m 64, n 48, k 32, lhs: k contiguous, stride 32, batch stride 2048; rhs: k contiguous, stride 32, batch stride 0
#pragma once

#include "ir/kernel/Kernel.h"

#include <string>
#include <variant>

namespace graphc::cuda {

struct GemmOperand {
  bool kMajor = true;                        ///< k is contiguous; else m (or n) is
  graph::DimAttr stride;                     ///< of the dimension that isn't contiguous
  graph::DimAttr offset;                     ///< of the first element
  llvm::SmallVector<graph::DimAttr> batch;   ///< by grid dim
};

struct GemmForm {
  graph::DimAttr m, n, k;
  GemmOperand a, b;
};

struct NoGemm {
  std::string reason;
};

std::variant<GemmForm, NoGemm> recognizeGemm(kernel::ContractOp op);

} // namespace graphc::cuda
