// Parser of `--input` and `--bind`; see InputSpec.h. One pass from left to right; messages quote the text and what is wrong.
#include "tools/driver/InputSpec.h"
#include "tools/driver/Failure.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace graphc::driver {
namespace {

using frontend::ScalarType;

struct DtypeName {
  const char *name;
  ScalarType type;
};
constexpr DtypeName dtypeNames[] = {
    {"f32", ScalarType::F32}, {"f64", ScalarType::F64}, {"f16", ScalarType::F16}, {"bf16", ScalarType::BF16},
    {"i64", ScalarType::I64}, {"i32", ScalarType::I32}, {"i16", ScalarType::I16}, {"i8", ScalarType::I8},
    {"u8", ScalarType::U8},   {"bool", ScalarType::Bool}};

llvm::Error malformed(llvm::StringRef text, const llvm::Twine &what) {
  return failure(ExitStatus::Usage, ("--input '" + text + "': " + what +
                                     "; expected NAME=DTYPE[DIM,…], such as 'x=f32[B,3,224,224]'")
                                        .str());
}

bool isIdentifier(llvm::StringRef text) {
  if (text.empty() || !(llvm::isAlpha(text.front()) || text.front() == '_'))
    return false;
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::optional<ScalarType> dtypeFromName(llvm::StringRef name) {
  for (const DtypeName &entry : dtypeNames)
    if (name == entry.name)
      return entry.type;
  return std::nullopt;
}

/// LO..HI, LO.. or ..HI behind a symbol's colon.
llvm::Error parseRange(llvm::StringRef text, llvm::StringRef range, DimSpec &dim) {
  auto [low, high] = range.split("..");
  int64_t value = 0;
  if (!range.contains(".."))
    return malformed(text, "'" + range + "' is no range LO..HI");
  if (!low.empty() && (low.getAsInteger(10, dim.min) || dim.min < 0))
    return malformed(text, "'" + low + "' is no lower bound");
  if (!high.empty()) {
    if (high.getAsInteger(10, value) || value < dim.min)
      return malformed(text, "'" + high + "' is no upper bound of a dim of at least " + llvm::Twine(dim.min));
    dim.max = value;
  }
  return llvm::Error::success();
}

llvm::Expected<DimSpec> parseDim(llvm::StringRef text, llvm::StringRef word) {
  DimSpec dim;
  if (!word.getAsInteger(10, dim.value)) {
    if (dim.value < 0)
      return malformed(text, "the dim " + word + " is negative");
    return dim;
  }
  auto [symbol, range] = word.split(':');
  if (!isIdentifier(symbol.trim()))
    return malformed(text, "'" + word + "' is neither a number nor a symbol");
  dim.symbol = symbol.trim().str();
  if (word.contains(':'))
    if (llvm::Error error = parseRange(text, range.trim(), dim))
      return error;
  return dim;
}

bool sameRange(const DimSpec &a, const DimSpec &b) { return a.min == b.min && a.max == b.max; }
bool hasRange(const DimSpec &dim) { return dim.min != 1 || dim.max; }

std::string rangeText(const DimSpec &dim) {
  return std::to_string(dim.min) + ".." + (dim.max ? std::to_string(*dim.max) : "");
}

} // namespace

llvm::Expected<InputSpec> parseInputSpec(llvm::StringRef text) {
  InputSpec spec;
  size_t equals = text.rfind('=');
  if (equals == llvm::StringRef::npos || text.substr(0, equals).trim().empty())
    return malformed(text, "there is no name before '='");
  spec.name = text.substr(0, equals).trim().str();
  llvm::StringRef type = text.substr(equals + 1).trim();
  size_t open = type.find('[');
  std::optional<ScalarType> dtype = dtypeFromName(type.substr(0, open).trim());
  if (!dtype)
    return malformed(text, "'" + type.substr(0, open) +
                               "' is no dtype (f32 f64 f16 bf16 i64 i32 i16 i8 u8 bool)");
  spec.dtype = *dtype;
  if (open == llvm::StringRef::npos || !type.ends_with("]"))
    return malformed(text, "the dims are not in [ ]");
  llvm::StringRef dims = type.slice(open + 1, type.size() - 1).trim();
  if (dims.empty())
    return spec;
  llvm::SmallVector<llvm::StringRef> words;
  dims.split(words, ',');
  for (llvm::StringRef word : words) {
    llvm::Expected<DimSpec> dim = parseDim(text, word.trim());
    if (!dim)
      return dim.takeError();
    spec.dims.push_back(std::move(*dim));
  }
  return spec;
}

llvm::Expected<BindSpec> parseBindSpec(llvm::StringRef text) {
  auto [name, value] = text.split('=');
  if (name.trim().empty() || !text.contains('='))
    return failure(ExitStatus::Usage, ("--bind '" + text + "': expected NAME=VALUE, such as 'sr=16000'").str());
  return BindSpec{name.trim().str(), value.str()};
}

llvm::Error unifySymbols(std::vector<InputSpec> &inputs) {
  std::map<std::string, DimSpec> ranges;
  std::map<std::string, bool> names;
  for (const InputSpec &input : inputs) {
    if (!names.emplace(input.name, true).second)
      return failure(ExitStatus::Usage, "--input '" + input.name + "' is given twice");
    for (const DimSpec &dim : input.dims) {
      if (!dim.isSymbol())
        continue;
      auto [known, isNew] = ranges.emplace(dim.symbol, dim);
      if (isNew || !hasRange(dim) || sameRange(known->second, dim))
        continue;
      if (hasRange(known->second))
        return failure(ExitStatus::Usage, "the symbol " + dim.symbol + " has two ranges, " + rangeText(known->second) +
                                              " and " + rangeText(dim) + ": state it once");
      known->second = dim;
    }
  }
  for (InputSpec &input : inputs)
    for (DimSpec &dim : input.dims)
      if (dim.isSymbol())
        dim = ranges.at(dim.symbol);
  return llvm::Error::success();
}

std::string toString(const InputSpec &spec) {
  std::string text = spec.name + "=";
  for (const DtypeName &entry : dtypeNames)
    if (entry.type == spec.dtype)
      text += entry.name;
  text += '[';
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    const DimSpec &dim = spec.dims[i];
    text += i ? "," : "";
    text += dim.isSymbol() ? dim.symbol : std::to_string(dim.value);
    if (dim.isSymbol() && hasRange(dim))
      text += ":" + rangeText(dim);
  }
  return text + "]";
}

} // namespace graphc::driver
