// The dims table of a plan: small postfix programs over int64, evaluated in order into values that kernels read.
//
//   DimTable table(plan);                       // the plan was checked (CheckPlan)
//   DimValues values = ...;                     // symbols in
//   table.evaluate(symbolValues, values);       // no allocation once the vectors have their size
#ifndef GRAPHC_RUNTIME_EXEC_DIMS_H
#define GRAPHC_RUNTIME_EXEC_DIMS_H

#include "runtime/plan/Plan_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A value, or the mark that it could not be computed (overflow, division by zero, a symbol that has no value now).
struct DimValue {
  int64_t value = 0;
  bool valid = true;
};

struct DimValues {
  std::vector<int64_t> values; // 0 where invalid
  std::vector<uint8_t> valid;
};

class DimTable {
public:
  explicit DimTable(const plan::Plan &plan);
  void evaluate(const std::vector<DimValue> &symbols, DimValues &out) const;

private:
  const plan::Plan &plan_;
};

/// The expression as infix text for messages: "B", "2*s0 + 1", "max(s0, 1)".
std::string dimText(const plan::Plan &plan, int32_t dim);

/// Most values on the stack of a program.
inline constexpr int maxDimStack = 64;

/// Whether entry `index` is a well-formed program: known ops, symbols and earlier dims only, never more than maxDimStack values,
/// one value at the end. Used by the loader.
bool isDimProgram(const plan::Plan &plan, uint32_t index);

/// The constant where the entry is one instruction Const, the symbol's index where it is one Symbol, else -1.
struct DimShape {
  bool isConstant = false;
  int64_t constant = -1;
  int32_t symbol = -1;
};
DimShape dimShape(const plan::Plan &plan, int32_t dim);

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_DIMS_H
