// Inputs and outputs of `run` and `bench`; see Feed.h.
#include "tools/graphc/Feed.h"
#include "tools/driver/Failure.h"
#include "tools/npz/Npz.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <random>

namespace graphc::cli {
namespace {

using driver::ExitStatus;
using driver::failure;

// The C API, the plan and SourceGraph number dtypes alike.
npz::ScalarType scalarType(graphc_dtype dtype) { return static_cast<npz::ScalarType>(dtype); }
static_assert(static_cast<int>(npz::ScalarType::U8) == GRAPHC_U8 && static_cast<int>(npz::ScalarType::I64) == GRAPHC_I64 &&
              static_cast<int>(npz::ScalarType::F16) == GRAPHC_F16 && static_cast<int>(npz::ScalarType::F64) == GRAPHC_F64 &&
              static_cast<int>(npz::ScalarType::Bool) == GRAPHC_BOOL);

bool isPositional(llvm::StringRef name, llvm::StringRef prefix) {
  unsigned index = 0;
  return name.consume_front(prefix) && !name.getAsInteger(10, index);
}

std::string inputList(const graphc::Model &model) {
  std::string text;
  for (uint32_t i = 0; i < model.inputCount(); ++i)
    text += (i ? ", " : "") + describeTensor(model.input(i));
  return text.empty() ? "no inputs" : text;
}

llvm::Error unknownArrays(const graphc::Model &model, const std::vector<npz::NamedArray> &arrays,
                          const std::vector<bool> &used) {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!used[i] && !isPositional(arrays[i].name, "out"))
      return failure(ExitStatus::Model, "the array '" + arrays[i].name + "' is for no input: the model takes " +
                                            inputList(model));
  return llvm::Error::success();
}

npz::Array randomArray(const graphc::TensorInfo &info, std::mt19937_64 &engine) {
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < info.rank; ++i)
    shape.push_back(info.dims[i].value >= 0 ? info.dims[i].value : std::max<int64_t>(info.dims[i].min, 1));
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int64_t> integer(0, info.dtype == GRAPHC_BOOL ? 1 : 99);
  bool isFloat = info.dtype >= GRAPHC_F16 && info.dtype <= GRAPHC_F64;
  npz::Array wide = npz::Array::zeros(isFloat ? npz::ScalarType::F64 : npz::ScalarType::I64, shape);
  for (size_t at = 0; at < wide.data.size(); at += sizeof(double)) {
    double number = isFloat ? normal(engine) : 0;
    int64_t whole = isFloat ? 0 : integer(engine);
    std::memcpy(wide.data.data() + at, isFloat ? static_cast<void *>(&number) : &whole, sizeof(double));
  }
  return llvm::cantFail(npz::convert(wide, scalarType(info.dtype), info.name)); // float to float, integer to integer
}

/// Elements in logical order, whatever the strides.
npz::Array denseCopy(const graphc::Tensor &tensor) {
  npz::Array array = npz::Array::zeros(scalarType(tensor.dtype()), tensor.dims());
  size_t size = npz::elementSize(array.dtype), rank = tensor.dims().size();
  std::vector<int64_t> index(rank, 0);
  const std::byte *source = static_cast<const std::byte *>(tensor.rawData());
  for (size_t to = 0; to < array.data.size(); to += size) {
    int64_t from = 0;
    for (size_t i = 0; i < rank; ++i)
      from += index[i] * tensor.strides()[i];
    std::memcpy(array.data.data() + to, source + from * static_cast<int64_t>(size), size);
    for (size_t i = rank; i-- > 0 && ++index[i] == array.shape[i];)
      index[i] = 0;
  }
  return array;
}

} // namespace

llvm::Expected<std::vector<npz::NamedArray>> readArrays(const std::string &npzPath, const std::vector<std::string> &data) {
  std::vector<npz::NamedArray> arrays;
  if (!npzPath.empty()) {
    llvm::Expected<std::vector<npz::NamedArray>> file = npz::readNpz(npzPath);
    if (!file)
      return file.takeError();
    arrays = std::move(*file);
  }
  for (const std::string &text : data) {
    auto [name, path] = llvm::StringRef(text).split('=');
    if (name.empty() || path.empty())
      return failure(ExitStatus::Usage, "--data '" + text + "': expected NAME=FILE.npy");
    if (llvm::any_of(arrays, [&](const npz::NamedArray &entry) { return entry.name == name; }))
      return failure(ExitStatus::Usage, "--data '" + text + "': '" + name.str() + "' is given twice");
    llvm::Expected<npz::Array> array = npz::readNpy(path.str());
    if (!array)
      return array.takeError();
    arrays.push_back({name.str(), std::move(*array)});
  }
  return arrays;
}

llvm::Expected<Feed> Feed::fromArrays(const graphc::Model &model, std::vector<npz::NamedArray> arrays) {
  Feed feed;
  std::vector<bool> used(arrays.size(), false);
  for (uint32_t i = 0; i < model.inputCount(); ++i) {
    graphc::TensorInfo info = model.input(i);
    std::string position = "in" + std::to_string(i);
    auto find = [&](const std::string &name) {
      return llvm::find_if(arrays, [&](const npz::NamedArray &entry) { return entry.name == name; });
    };
    auto found = find(info.name);
    if (found == arrays.end())
      found = find(position);
    if (found == arrays.end())
      return failure(ExitStatus::Model, "no array for the input " + describeTensor(info) + ": name it '" + info.name +
                                            "' or '" + position + "' in the file of --inputs, or say --data " + info.name +
                                            "=FILE.npy");
    used[static_cast<size_t>(found - arrays.begin())] = true;
    llvm::Expected<npz::Array> array =
        npz::convert(found->array, scalarType(info.dtype), "the array '" + found->name + "'");
    if (!array)
      return array.takeError();
    feed.inputs.push_back(std::move(*array));
  }
  if (llvm::Error error = unknownArrays(model, arrays, used))
    return error;
  return feed;
}

Feed Feed::random(const graphc::Model &model) {
  Feed feed;
  std::mt19937_64 engine(0);
  for (uint32_t i = 0; i < model.inputCount(); ++i)
    feed.inputs.push_back(randomArray(model.input(i), engine));
  return feed;
}

void Feed::bind(graphc::Context &context) const {
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    void *data = const_cast<std::byte *>(inputs[i].data.data()); // read only, unless the model writes its inputs
    context.setInput(i, graphc::Tensor(data, context.model().input(i).dtype, inputs[i].shape));
  }
}

std::vector<npz::NamedArray> readOutputs(const graphc::Context &context) {
  std::vector<npz::NamedArray> outputs;
  for (uint32_t i = 0; i < context.model().outputCount(); ++i)
    outputs.push_back({context.model().output(i).name, denseCopy(context.output(i))});
  return outputs;
}

std::string describeTensor(const graphc::TensorInfo &info) {
  std::string text = std::string(info.name) + " = " + graphc_dtype_name(info.dtype) + "[";
  for (uint32_t i = 0; i < info.rank; ++i) {
    const graphc_dim &dim = info.dims[i];
    text += i ? "," : "";
    text += dim.value >= 0 || !dim.symbol ? std::to_string(dim.value) : dim.symbol;
  }
  return text + "]";
}

} // namespace graphc::cli
