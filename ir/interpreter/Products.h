// The one loop of the interpreter that is worth tuning: products of matrices in double.
//
//   multiply(lhs, rhs, 2, 3, k, out);      out[i * 3 + j] = sum over p of lhs[i * k + p] * rhs[j * k + p]
#ifndef GRAPHC_IR_INTERPRETER_PRODUCTS_H
#define GRAPHC_IR_INTERPRETER_PRODUCTS_H

#include <cstddef>

namespace graphc::interpreter {

/// lhs is [rows, depth], rhs is [columns, depth], out [rows, columns], all row-major. Sums are in double, in an order that depends on
/// depth only (and on whether the machine has fused multiply-add).
void multiply(const double *lhs, const double *rhs, size_t rows, size_t columns, size_t depth, double *out);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_PRODUCTS_H
