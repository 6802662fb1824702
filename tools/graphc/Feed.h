// Arrays for a model's inputs: from files, checked and converted, or made up for a benchmark; and its outputs as arrays.
//
//   std::vector<NamedArray> arrays = *readArrays("in.npz", {"y=y.npy"});
//   Feed feed = *Feed::fromArrays(model, arrays);      feed.bind(context);
#ifndef GRAPHC_TOOLS_GRAPHC_FEED_H
#define GRAPHC_TOOLS_GRAPHC_FEED_H

#include "runtime/graphc.hpp"
#include "tools/npz/Array.h"
#include <string>
#include <vector>

namespace graphc::cli {

/// The arrays of an .npz ("" for none) and of NAME=FILE.npy texts. Errors: those of npz, Usage for a text of another form or a
/// name given twice.
llvm::Expected<std::vector<npz::NamedArray>> readArrays(const std::string &npzPath, const std::vector<std::string> &data);

/// One array per input of the model, in its order.
class Feed {
public:
  /// Takes each input's array by the model's name for it or by position (in0, in1, …), converted to the input's dtype.
  /// Arrays named out0, out1, … are ignored (results stored beside the inputs). Errors (Model): an input without array, an
  /// array for no input, a conversion that npz::convert refuses.
  static llvm::Expected<Feed> fromArrays(const graphc::Model &model, std::vector<npz::NamedArray> arrays);

  /// Pseudo-random values of a fixed seed: floats normal, integers 0 to 99, symbolic dims at their minimum.
  static Feed random(const graphc::Model &model);

  /// Sets every input; the feed must outlive the context's runs.
  void bind(graphc::Context &context) const;

  const std::vector<npz::Array> &arrays() const { return inputs; }

private:
  std::vector<npz::Array> inputs;
};

/// The outputs of the context's last run, dense, under the model's names.
std::vector<npz::NamedArray> readOutputs(const graphc::Context &context);

/// "x = f32[B,3,224,224]": an input or output as messages and `inspect` show it.
std::string describeTensor(const graphc::TensorInfo &info);

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_FEED_H
