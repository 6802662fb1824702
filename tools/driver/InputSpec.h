// What `--input` and `--bind` say: the dtype and dims of a model's tensor arguments, the values of its other arguments.
//
//   parseInputSpec("x=f32[B,3,224,224]")   name "x", F32, dims {symbol B, 3, 224, 224}
//   parseInputSpec("ids=i64[B:1..8,S]")    a symbol with a range; `B` alone means 1 or more, `B:0..` allows 0
//   parseInputSpec("t=f32[]")              a 0-d tensor
//   parseBindSpec("sr=16000")              name "sr", text "16000" (its type is the argument's)
#ifndef GRAPHC_TOOLS_DRIVER_INPUTSPEC_H
#define GRAPHC_TOOLS_DRIVER_INPUTSPEC_H

#include "frontend/InputSpec.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace graphc::driver {

using frontend::BindSpec;
using frontend::DimSpec;
using frontend::InputSpec;

/// Reads one `--input` value. Errors (ExitStatus::Usage) say where the text stops making sense.
llvm::Expected<InputSpec> parseInputSpec(llvm::StringRef text);

/// Reads one `--bind` value: NAME=VALUE, the value may be empty.
llvm::Expected<BindSpec> parseBindSpec(llvm::StringRef text);

/// A symbol has one range: occurrences after the first may repeat it or leave it out. Makes all occurrences equal, over
/// all inputs; errors where two ranges differ or a name is given twice.
llvm::Error unifySymbols(std::vector<InputSpec> &inputs);

/// The spec in the form parseInputSpec reads.
std::string toString(const InputSpec &spec);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_INPUTSPEC_H
