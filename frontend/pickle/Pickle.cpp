// Implements Pickle.h: the pickle machine with a stack of value ids, marks and a memo, over an arena of values.
//
// Opcodes are those of Python's pickletools; numbers are little endian except BINFLOAT. Popping an empty stack, reading past
// the end and unknown memo slots are errors, so no input can reach outside the arena.
#include "frontend/pickle/Pickle.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Endian.h"

#include <bit>

using namespace graphc::frontend;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr size_t maxValues = 20'000'000;
using Kind = PickleValue::Kind;

class PickleMachine {
public:
  explicit PickleMachine(StringRef bytes) : rest(bytes), size(bytes.size()) {}

  Expected<PickleDocument> run() {
    while (message.empty() && !isStopped)
      step();
    if (!message.empty())
      return createStringError(std::errc::invalid_argument, "damaged pickle: %s at byte %zu", message.c_str(),
                               size - rest.size());
    return std::move(document);
  }

private:
  void fail(const std::string &what) {
    if (message.empty())
      message = what;
  }

  StringRef take(uint64_t count) {
    if (count > rest.size()) {
      fail("it ends in the middle");
      return StringRef();
    }
    StringRef taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  }

  /// A little-endian number of up to 8 bytes.
  uint64_t number(unsigned bytes) {
    uint64_t value = 0;
    StringRef taken = take(bytes);
    for (size_t i = taken.size(); i-- > 0;)
      value = value << 8 | static_cast<uint8_t>(taken[i]);
    return value;
  }

  std::string line() {
    size_t end = rest.find('\n');
    if (end == StringRef::npos) {
      fail("a name without an end");
      return "";
    }
    std::string text = rest.take_front(end).str();
    rest = rest.drop_front(end + 1);
    return text;
  }

  PickleId add(PickleValue value) {
    if (document.values.size() >= maxValues) {
      fail("more than " + std::to_string(maxValues) + " values");
      return 0;
    }
    document.values.push_back(std::move(value));
    return static_cast<PickleId>(document.values.size() - 1);
  }

  void push(PickleValue value) { stack.push_back(add(std::move(value))); }
  void pushInteger(int64_t value, Kind kind = Kind::Integer) {
    PickleValue result;
    result.kind = kind;
    result.integer = value;
    push(std::move(result));
  }
  void pushText(StringRef text, Kind kind = Kind::String) {
    PickleValue value;
    value.kind = kind;
    value.text = text.str();
    push(std::move(value));
  }
  void pushContainer(Kind kind, std::vector<PickleId> children) {
    PickleValue value;
    value.kind = kind;
    value.children = std::move(children);
    push(std::move(value));
  }

  PickleId pop() {
    size_t floor = marks.empty() ? 0 : marks.back();
    if (stack.size() <= floor) {
      fail("a value is missing");
      return 0;
    }
    PickleId id = stack.back();
    stack.pop_back();
    return id;
  }

  /// The last `count` values, in order.
  std::vector<PickleId> popSome(size_t count) {
    std::vector<PickleId> ids(count);
    for (size_t i = count; i-- > 0;)
      ids[i] = pop();
    return ids;
  }

  std::vector<PickleId> popToMark() {
    if (marks.empty()) {
      fail("a mark is missing");
      return {};
    }
    std::vector<PickleId> ids(stack.begin() + marks.back(), stack.end());
    stack.resize(marks.back());
    marks.pop_back();
    return ids;
  }

  /// Adds to the list or dict (or what a call will have made, whose items its state can't tell) on top of the stack.
  void extendTop(const std::vector<PickleId> &items, Kind kind) {
    PickleId container = pop();
    stack.push_back(container);
    if (!message.empty() || (kind == Kind::Dict && items.size() % 2 != 0))
      return fail("items without a container");
    PickleValue &value = document.values[container];
    if (value.kind == kind) {
      value.children.insert(value.children.end(), items.begin(), items.end());
    } else if (value.kind == Kind::Call && kind == Kind::Dict) { // OrderedDict(): its items are its state
      PickleValue dict;
      dict.kind = Kind::Dict;
      dict.children = items;
      PickleId id = add(std::move(dict));
      document.values[container].children.push_back(id);
    } else {
      fail("items added to something else than a list or dict");
    }
  }

  void memoize(uint64_t slot) {
    PickleId id = pop();
    stack.push_back(id);
    memo[slot] = id;
  }

  void recall(uint64_t slot) {
    auto it = memo.find(slot);
    if (it == memo.end())
      return fail("a reference to nothing");
    stack.push_back(it->second);
  }

  void build() {
    PickleId state = pop(), object = pop();
    stack.push_back(object);
    if (message.empty() && document.values[object].kind == Kind::Call)
      document.values[object].children.push_back(state);
  }

  void longInteger(uint64_t bytes) {
    StringRef taken = take(bytes);
    if (taken.size() > 8)
      return fail("an integer of more than 64 bits");
    int64_t value = taken.empty() || static_cast<int8_t>(taken.back()) >= 0 ? 0 : -1;
    for (size_t i = taken.size(); i-- > 0;)
      value = static_cast<int64_t>(static_cast<uint64_t>(value) << 8 | static_cast<uint8_t>(taken[i]));
    pushInteger(value);
  }

  void binFloat() {
    StringRef taken = take(8);
    if (taken.size() < 8)
      return;
    PickleValue value;
    value.kind = Kind::Float;
    value.number = std::bit_cast<double>(llvm::support::endian::read64be(taken.data()));
    push(std::move(value));
  }

  void global(const std::string &module, const std::string &name) { pushText(module + "." + name, Kind::Global); }

  void stackGlobal() {
    PickleId name = pop(), module = pop();
    if (message.empty())
      global(document[module].text, document[name].text);
  }

  void step() {
    StringRef code = take(1);
    if (code.empty() || stepScalar(code[0]) || stepContainer(code[0]) || stepObject(code[0]))
      return;
    fail("the unknown opcode " + std::to_string(static_cast<uint8_t>(code[0])));
  }

  bool stepScalar(char code) {
    switch (code) {
    case 'N': // NONE
      push({});
      return true;
    case '\x88': // NEWTRUE
    case '\x89': // NEWFALSE
      pushInteger(code == '\x88', Kind::Bool);
      return true;
    case 'J': // BININT
      pushInteger(static_cast<int32_t>(number(4)));
      return true;
    case 'K': // BININT1
    case 'M': // BININT2
      pushInteger(static_cast<int64_t>(number(code == 'K' ? 1 : 2)));
      return true;
    case '\x8a': // LONG1
      longInteger(number(1));
      return true;
    case 'G': // BINFLOAT
      binFloat();
      return true;
    case 'X': // BINUNICODE
    case 'T': // BINSTRING
    case 'B': // BINBYTES
      pushText(take(number(4)));
      return true;
    case '\x8c': // SHORT_BINUNICODE
    case 'U':    // SHORT_BINSTRING
    case 'C':    // SHORT_BINBYTES
      pushText(take(number(1)));
      return true;
    default:
      return false;
    }
  }

  bool stepContainer(char code) {
    switch (code) {
    case '(': // MARK
      marks.push_back(stack.size());
      return true;
    case ']': // EMPTY_LIST
      pushContainer(Kind::List, {});
      return true;
    case '}': // EMPTY_DICT
      pushContainer(Kind::Dict, {});
      return true;
    case ')': // EMPTY_TUPLE
      pushContainer(Kind::Tuple, {});
      return true;
    case '\x85': // TUPLE1
    case '\x86': // TUPLE2
    case '\x87': // TUPLE3
      pushContainer(Kind::Tuple, popSome(static_cast<size_t>(code - '\x85') + 1));
      return true;
    case 't': // TUPLE
      pushContainer(Kind::Tuple, popToMark());
      return true;
    case 'l': // LIST
      pushContainer(Kind::List, popToMark());
      return true;
    case 'a': // APPEND
      extendTop({popSome(1)}, Kind::List);
      return true;
    case 'e': // APPENDS
      extendTop(popToMark(), Kind::List);
      return true;
    case 's': // SETITEM
      extendTop(popSome(2), Kind::Dict);
      return true;
    case 'u': // SETITEMS
      extendTop(popToMark(), Kind::Dict);
      return true;
    default:
      return false;
    }
  }

  bool stepObject(char code) {
    switch (code) {
    case '\x80': // PROTO
      if (number(1) > 4)
        fail("a protocol newer than 4");
      return true;
    case '\x95': // FRAME
      number(8);
      return true;
    case '.': // STOP
      document.root = pop();
      isStopped = true;
      return true;
    case 'q': // BINPUT
    case 'r': // LONG_BINPUT
      memoize(number(code == 'q' ? 1 : 4));
      return true;
    case '\x94': // MEMOIZE
      memoize(memo.size());
      return true;
    case 'h': // BINGET
    case 'j': // LONG_BINGET
      recall(number(code == 'h' ? 1 : 4));
      return true;
    case 'c': { // GLOBAL
      std::string module = line(), name = line();
      global(module, name);
      return true;
    }
    case '\x93': // STACK_GLOBAL
      stackGlobal();
      return true;
    case 'R':    // REDUCE
    case '\x81': // NEWOBJ
      pushContainer(Kind::Call, popSome(2));
      return true;
    case 'b': // BUILD
      build();
      return true;
    case 'Q': // BINPERSID
      pushContainer(Kind::Persistent, popSome(1));
      return true;
    case '0': // POP
      pop();
      return true;
    default:
      return false;
    }
  }

  StringRef rest;
  size_t size;
  std::string message;
  bool isStopped = false;
  PickleDocument document;
  std::vector<PickleId> stack;
  std::vector<size_t> marks;
  llvm::DenseMap<uint64_t, PickleId> memo;
};

} // namespace

Expected<PickleDocument> graphc::frontend::readPickle(StringRef bytes) { return PickleMachine(bytes).run(); }
