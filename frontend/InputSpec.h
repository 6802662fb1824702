// What the caller says of a model's arguments: dtypes and dims of tensors, values of the others.
//
//   InputSpec{"x", ScalarType::F32, {{.symbol = "B"}, {.value = 3}}}      x=f32[B,3]
//   BindSpec{"sr", "16000"}                                              sr=16000
#ifndef GRAPHC_FRONTEND_INPUTSPEC_H
#define GRAPHC_FRONTEND_INPUTSPEC_H

#include "frontend/SourceGraph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::frontend {

/// One dim: a number (symbol empty), or a symbol with its range.
struct DimSpec {
  int64_t value = 0;
  std::string symbol;
  int64_t min = 1;            // of a symbol
  std::optional<int64_t> max; // of a symbol; none: unbounded

  bool isSymbol() const { return !symbol.empty(); }
};

/// A tensor argument. The name is the model's or `in0`, `in1`, … by position among the plan's inputs; "xs.0" inside of a container.
struct InputSpec {
  std::string name;
  ScalarType dtype = ScalarType::F32;
  std::vector<DimSpec> dims;
};

/// The value of another argument, as text: read as the argument's type (int, float, bool, str, list, None).
struct BindSpec {
  std::string name, text;
};

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_INPUTSPEC_H
