// Operators that are refused as a family, each with its reason: random numbers, sizes that depend on data, complex numbers, backward passes.
//
// `aten::randn` is refused with "random numbers are not supported"; any `aten::…_backward` with what to do instead.
#include "frontend/builder/Refusals.h"

#include "frontend/builder/Call.h"

using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using llvm::StringRef;

static void refuseRandom(Call &call) { call.fail("random numbers are not supported"); }
static void refuseDataDependent(Call &call) { call.fail("the result's size depends on data, which is not supported"); }
static void refuseComplex(Call &call) { call.fail("complex numbers are not supported; Fourier transforms can be written as matrix products with cos and sin"); }
static void refuseBackward(Call &call) { call.fail("a step of a backward pass; training is not supported: export the forward pass alone"); }

Conversion builder::findRefusal(StringRef op) {
  if (op.contains("_backward"))
    return refuseBackward;
  return op.starts_with("aten::_fft_") || op.starts_with("aten::fft_") ? refuseComplex : nullptr;
}

void builder::addRefusals(ConversionTable &table) {
  for (const char *name : {"rand", "randn", "randint", "rand_like", "randn_like", "randint_like", "randperm", "normal", "normal_", "uniform", "uniform_", "bernoulli",
                           "bernoulli_", "multinomial", "exponential_", "poisson"})
    table.refuse(std::string("aten::") + name, refuseRandom);
  for (const char *name : {"nonzero", "nonzero_numpy", "masked_select", "unique", "_unique2", "unique_dim", "unique_consecutive", "bincount", "argwhere"})
    table.refuse(std::string("aten::") + name, refuseDataDependent);
  for (const char *name : {"complex", "polar", "view_as_real", "view_as_complex", "stft", "istft"})
    table.refuse(std::string("aten::") + name, refuseComplex);
}
