// The files of codegen/cuda/kernels that device code includes, embedded at build time.
//
//   for (const Template &t : templates()) …   {"gemm_mma.cuh", "// GEMM on the tensor cores …"}
#pragma once

#include <string>
#include <vector>

namespace graphc::cuda {

struct Template {
  std::string name; ///< as it is included
  std::string text;
};

const std::vector<Template> &templates();

} // namespace graphc::cuda
