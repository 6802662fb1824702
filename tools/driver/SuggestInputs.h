// What to type when a TorchScript file is compiled without saying what its arguments are: the file has their names, and the
// layers they go into give a guess at dtypes and dims.
//
//   'resnet.pt': the dtype and dims of x are needed. Type, with the dims you use (a letter such as B is a dim that varies):
//     graphc resnet.pt --input 'x=f32[1,3,224,224]'
#ifndef GRAPHC_TOOLS_DRIVER_SUGGESTINPUTS_H
#define GRAPHC_TOOLS_DRIVER_SUGGESTINPUTS_H

#include "frontend/SourceGraph.h"
#include "tools/driver/Compiler.h"
#include <optional>
#include <string>

namespace graphc::driver {

/// The message for the arguments of `graph` that `options` says nothing about; nullopt where every argument is covered (by
/// --input or --bind under its name or position, or by a default value).
std::optional<std::string> suggestInputs(const frontend::SourceGraph &graph, const CompileOptions &options);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_SUGGESTINPUTS_H
