// Which Python frame a node's location names: the innermost one outside torch's own files.
//
// Input: file names and, for traced and exported models, stack traces as text. Output: SourceLocation fields. For example
// "/usr/lib/python3/site-packages/torch/nn/modules/conv.py" is torch's own, "project/model.py" is not. Both readers use it.
#ifndef GRAPHC_FRONTEND_LOCATION_H
#define GRAPHC_FRONTEND_LOCATION_H

#include "frontend/SourceGraph.h"

#include <string_view>

namespace graphc::frontend {

/// Whether the file belongs to the torch package (torch/nn/…, torch/_tensor.py, …), by its path alone.
bool isTorchFile(std::string_view file);

/// The frames of a traced node's text, innermost first: lines of the form "file.py(12): function". Empty when the text is
/// something else.
std::vector<SourceLocation> parseTracedFrames(std::string_view text);

/// The frames of a Python traceback ("  File \"model.py\", line 12, in forward\n    source line"), innermost first.
std::vector<SourceLocation> parseTraceback(std::string_view text);

/// The first frame outside torch's own files; nullopt when there is none.
std::optional<SourceLocation> innermostUserFrame(const std::vector<SourceLocation> &innermostFirst);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_LOCATION_H
