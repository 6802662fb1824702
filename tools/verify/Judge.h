// Whether numbers are right, as DESIGN section 7 has it: errors against fp64, beside eager's own, with a floor for each dtype.
//
//   Expectation expected = expect(exact, eager);          exact: computed in double; eager: what PyTorch says
//   Verdict verdict = judge(y, expected);                 verdict.right, verdict.ours.rms, verdict.allowed.rms
#ifndef GRAPHC_TOOLS_VERIFY_JUDGE_H
#define GRAPHC_TOOLS_VERIFY_JUDGE_H

#include "ir/interpreter/Tensor.h"

#include <optional>
#include <string>

namespace graphc::verify {

using interpreter::Tensor;

/// Floats: rms(y − r)/rms(r) and max |y − r|/(|r| + rms(r)), both infinite where NaN or infinity stand in other places. Others:
/// the share of unequal elements, twice.
struct Measure {
  double rms = 0, largest = 0;
};

/// Both tensors have the same sizes.
Measure measure(const Tensor &y, const Tensor &reference);

/// What a value should be.
struct Expectation {
  Tensor exact;                // in double
  std::optional<Tensor> eager; // integers and bools: PyTorch's, which counts as right too where it differs (ties of floats)
  Measure eagerError;
  mlir::Type dtype;            // eager's
  double slack = 1;            // by which the limits are wider, where `eager` is a stand-in
};

/// Where eager overflows (NaN, infinity) and double doesn't, eager's value is the exact one.
Expectation expect(Tensor exact, const Tensor &eager, double slack = 1);

struct Verdict {
  bool right = false;
  Measure ours, eager, allowed;
  double floor = 0, slack = 1; // of the limits; floor 0: integers, or dtype or shape differ
  std::string why;             // dtype or shape differ; empty where numbers decided

  /// How far it is beyond what is allowed; up to 1 is right. Infinite for unequal integers and wrong shapes.
  double ratio() const;
};

/// Sets the limits by another eager error than that of this one run (the largest of several runs says more where a tensor has few
/// elements) and decides anew.
void decide(Verdict &verdict, const Measure &eager);

Verdict judge(const Tensor &y, const Expectation &expected);

/// The floor of a dtype; 0 for integers and bools.
double getFloor(mlir::Type dtype);

/// "rms 2.0e+00 (eager 1.0e-07, allowed 1.2e-06), largest …", or why.
std::string describe(const Verdict &verdict);
/// "rms error 2.0e+00, largest 1.3e+00".
std::string describe(const Measure &measure);
/// "f32[1,64]".
std::string describeShape(const Tensor &tensor);

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_JUDGE_H
