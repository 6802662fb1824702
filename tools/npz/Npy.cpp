// .npy reading and writing; see Npy.h. The header is a Python dict literal of three known keys in any order:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include "tools/npz/Npy.h"
#include "tools/driver/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <optional>

namespace graphc::npz {
namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr size_t magicSize = 6, alignment = 64;

struct Header {
  llvm::StringRef descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

llvm::Error broken(const std::string &what, const std::string &why) {
  return driver::failure(driver::ExitStatus::Model, what + " is no sound .npy array: " + why);
}

/// Takes the header literal apart; nullopt where it isn't one.
class HeaderParser {
public:
  explicit HeaderParser(llvm::StringRef text) : rest(text) {}

  std::optional<Header> parse() {
    Header header;
    bool haveDescr = false, haveOrder = false, haveShape = false;
    if (!eat("{"))
      return std::nullopt;
    while (!eat("}")) {
      std::optional<llvm::StringRef> key = quoted();
      if (!key || !eat(":"))
        return std::nullopt;
      bool known = *key == "descr"           ? (haveDescr = parseDescr(header))
                   : *key == "fortran_order" ? (haveOrder = parseOrder(header))
                   : *key == "shape"         ? (haveShape = parseShape(header))
                                             : false;
      if (!known)
        return std::nullopt;
      eat(",");
    }
    if (!haveDescr || !haveOrder || !haveShape || !rest.trim().empty())
      return std::nullopt;
    return header;
  }

private:
  bool eat(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<llvm::StringRef> quoted() {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    llvm::StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }
  bool parseDescr(Header &header) {
    std::optional<llvm::StringRef> text = quoted();
    if (text) {
      header.descr = *text;
      return true;
    }
    size_t end = rest.rfind(']'); // a structured dtype, kept as text for the message
    if (!rest.starts_with("[") || end == llvm::StringRef::npos)
      return false;
    header.descr = rest.substr(0, end + 1);
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool parseOrder(Header &header) {
    header.fortranOrder = eat("True");
    return header.fortranOrder || eat("False");
  }
  bool parseShape(Header &header) {
    if (!eat("("))
      return false;
    while (!eat(")")) {
      int64_t dim = 0;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, dim) || dim < 0)
        return false;
      header.shape.push_back(dim);
      rest.consume_front("L");
      if (!eat(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  llvm::StringRef rest;
};

struct Dtype {
  const char *name; // without the byte order
  ScalarType type;
};
constexpr Dtype dtypes[] = {{"b1", ScalarType::Bool}, {"u1", ScalarType::U8},  {"i1", ScalarType::I8},
                            {"i2", ScalarType::I16},  {"i4", ScalarType::I32}, {"i8", ScalarType::I64},
                            {"f2", ScalarType::F16},  {"f4", ScalarType::F32}, {"f8", ScalarType::F64}};

std::optional<ScalarType> dtypeOf(llvm::StringRef descr) {
  if (descr.empty() || !llvm::StringRef("<>|=").contains(descr.front()))
    return std::nullopt;
  for (const Dtype &entry : dtypes)
    if (descr.drop_front() == entry.name)
      return entry.type;
  return std::nullopt;
}

/// Bytes of the array, or nullopt where they don't fit in 63 bits.
std::optional<uint64_t> bytesOf(ScalarType type, const std::vector<int64_t> &shape) {
  uint64_t bytes = elementSize(type);
  if (llvm::is_contained(shape, 0))
    return 0;
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes) || bytes > INT64_MAX)
      return std::nullopt;
  return bytes;
}

void swapBytes(Array &array) {
  size_t size = elementSize(array.dtype);
  for (size_t at = 0; at < array.data.size(); at += size)
    std::reverse(array.data.begin() + at, array.data.begin() + at + size);
}

/// Column-major elements into row-major order.
void transpose(Array &array) {
  size_t size = elementSize(array.dtype), rank = array.shape.size();
  std::vector<int64_t> strides(rank), index(rank, 0);
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    strides[i] = stride;
    stride *= array.shape[i];
  }
  std::vector<std::byte> sorted(array.data.size());
  for (size_t to = 0; to < sorted.size(); to += size) {
    int64_t from = 0;
    for (size_t i = 0; i < rank; ++i)
      from += index[i] * strides[i];
    std::memcpy(sorted.data() + to, array.data.data() + static_cast<size_t>(from) * size, size);
    for (size_t i = rank; i-- > 0 && ++index[i] == array.shape[i];)
      index[i] = 0;
  }
  array.data = std::move(sorted);
}

} // namespace

llvm::Expected<Array> parseNpy(llvm::ArrayRef<std::byte> bytes, const std::string &what) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!text.starts_with(llvm::StringRef(magic, magicSize)))
    return broken(what, "it does not start with NumPy's magic bytes");
  uint8_t version = text.size() > magicSize ? static_cast<uint8_t>(text[magicSize]) : 0;
  size_t lengthSize = version == 1 ? 2 : 4, start = magicSize + 2 + lengthSize;
  if (version < 1 || version > 3 || text.size() < start)
    return broken(what, version < 1 || version > 3 ? "format version " + std::to_string(version) + ", expected 1 to 3"
                                                   : "its header is cut short");
  uint32_t length = 0;
  std::memcpy(&length, text.data() + magicSize + 2, lengthSize);
  if (text.size() - start < length)
    return broken(what, "its header is cut short");
  std::optional<Header> header = HeaderParser(text.substr(start, length)).parse();
  if (!header)
    return broken(what, "its header cannot be read");
  std::optional<ScalarType> dtype = dtypeOf(header->descr);
  if (!dtype)
    return driver::failure(driver::ExitStatus::Model,
                           what + " has dtype '" + header->descr.str() +
                               "', expected bool, uint8, int8/16/32/64 or float16/32/64: convert it with .astype()");
  std::optional<uint64_t> size = bytesOf(*dtype, header->shape);
  size_t have = text.size() - start - length;
  if (!size || *size != have)
    return broken(what, "its shape needs " + (size ? std::to_string(*size) : std::string("too many")) +
                            " bytes, it has " + std::to_string(have));
  llvm::ArrayRef<std::byte> data = bytes.drop_front(start + length);
  Array array{*dtype, header->shape, std::vector<std::byte>(data.begin(), data.end())};
  if (header->descr.front() == '>')
    swapBytes(array);
  if (header->fortranOrder && array.shape.size() > 1)
    transpose(array);
  return array;
}

std::vector<std::byte> formatNpy(const Array &original) {
  Array widened;
  if (original.dtype == ScalarType::BF16)
    widened = llvm::cantFail(convert(original, ScalarType::F32, "")); // widening never fails
  const Array &array = original.dtype == ScalarType::BF16 ? widened : original;
  std::string descr;
  for (const Dtype &entry : dtypes)
    if (entry.type == array.dtype)
      descr = (elementSize(array.dtype) == 1 ? "|" : "<") + std::string(entry.name);
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); ++i)
    header += (i ? ", " : "") + std::to_string(array.shape[i]);
  header += array.shape.size() == 1 ? ",), }" : "), }";
  size_t start = magicSize + 4, used = start + header.size() + 1;
  header.append((alignment - used % alignment) % alignment, ' ');
  header += '\n';
  uint16_t length = static_cast<uint16_t>(header.size());
  std::string text(magic, magicSize);
  text += '\x01';
  text += '\0';
  text.append(reinterpret_cast<const char *>(&length), sizeof length);
  text += header;
  const std::byte *begin = reinterpret_cast<const std::byte *>(text.data());
  std::vector<std::byte> bytes(begin, begin + text.size());
  bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

} // namespace graphc::npz
