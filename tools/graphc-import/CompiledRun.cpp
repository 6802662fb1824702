// Implements CompiledRun.h.
#include "tools/graphc-import/CompiledRun.h"

#include "runtime/graphc.hpp"
#include "tools/graphc/Feed.h"
#include "tools/npz/Npz.h"

using namespace graphc;

namespace {

llvm::Error runOnce(Context &context, const std::string &in, const std::string &out) {
  llvm::Expected<std::vector<npz::NamedArray>> arrays = npz::readNpz(in);
  if (!arrays)
    return arrays.takeError();
  llvm::Expected<cli::Feed> feed = cli::Feed::fromArrays(context.model(), std::move(*arrays));
  if (!feed)
    return feed.takeError();
  feed->bind(context);
  context.run();
  std::vector<npz::NamedArray> outputs = cli::readOutputs(context);
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i].name = "out" + std::to_string(i);
  for (uint32_t i = 0; i < context.model().inputCount(); ++i)
    if (context.model().input(i).is_mutated)
      outputs.push_back({"in" + std::to_string(i), feed->arrays()[i]});
  return npz::writeNpz(out, outputs);
}

} // namespace

llvm::Error graphc::compiledRuns(const driver::CompileOptions &options,
                                 const std::vector<std::pair<std::string, std::string>> &runs) {
  llvm::Expected<driver::CompileResult> result = driver::compile(options);
  if (!result)
    return result.takeError();
  try {
    Model model(result->artifact.get(), result->artifactBytes);
    Context context(model);
    for (const auto &[in, out] : runs)
      if (llvm::Error error = runOnce(context, in, out))
        return error;
  } catch (const Error &error) {
    std::string where = error.file.empty() ? "" : " (" + error.file + ":" + std::to_string(error.line) + ")";
    return llvm::createStringError(std::string(error.what()) + where);
  }
  return llvm::Error::success();
}
