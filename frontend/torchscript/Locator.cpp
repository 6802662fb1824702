// Implements Locator.h over torch's source ranges, debug records and inlined call stacks.
#include "frontend/torchscript/Locator.h"

#include "frontend/Location.h"

using namespace graphc::frontend;
using namespace graphc::frontend::torchscript;
namespace jit = torch::jit;

namespace {

/// Appends the Python frames behind one range, innermost first. A range of code/__torch__/… without a debug record says
/// nothing about Python and gives no frame.
void appendFrames(const jit::SourceRange &range, std::vector<SourceLocation> &frames) {
  std::optional<jit::SourceRange> python = range.findSourceRangeThatGenerated();
  if (!python || !python->source())
    return;
  std::vector<SourceLocation> traced = parseTracedFrames(python->source()->text_str().str());
  if (!traced.empty()) {
    frames.insert(frames.end(), traced.begin(), traced.end());
    return;
  }
  auto position = python->file_line_col();
  if (!position || std::get<0>(*position).empty() || std::get<1>(*position) == 0)
    return;
  SourceLocation frame;
  frame.file = std::get<0>(*position);
  frame.line = static_cast<uint32_t>(std::get<1>(*position));
  frame.column = static_cast<uint32_t>(std::get<2>(*position)) + 1;
  size_t lineIndex = python->source()->lineno_for_offset(python->start());
  frame.text = python->source()->get_line(lineIndex).str();
  size_t first = frame.text.find_first_not_of(" \t"), last = frame.text.find_last_not_of(" \t\r\n");
  frame.text = first == std::string::npos ? "" : frame.text.substr(first, last - first + 1);
  frames.push_back(std::move(frame));
}

/// The children of an object, and of the containers (ModuleList, Sequential, …) below it, that are called `name`.
void collectNamed(const c10::ivalue::Object *from, const std::string &name, const c10::ClassTypePtr &type,
                  unsigned depth, std::vector<const c10::ivalue::Object *> &found) {
  constexpr unsigned maxDepth = 8;
  if (depth > maxDepth)
    return;
  const c10::ClassTypePtr fromType = from->type();
  for (size_t slot = 0; slot < fromType->numAttributes(); ++slot) {
    const c10::IValue &value = from->getSlot(slot);
    if (!value.isObject() || value.isCustomClass())
      continue;
    const c10::ivalue::Object &child = value.toObjectRef();
    if (fromType->getAttributeName(slot) == name && *child.type() == *type)
      found.push_back(&child);
    else
      collectNamed(&child, name, type, depth + 1, found);
  }
}

using CallStack = std::vector<jit::InlinedCallStackEntry>;

CallStack recordedStack(jit::Node *node) {
  auto stack = node->callstack();
  return stack ? (*stack)->vec() : CallStack();
}

/// The calls that led to the node, outermost first. Inline records them by way of results, so nodes without any
/// (RaiseException, an `if` that only checks) and what is inside them lack the innermost ones: those take them from a
/// neighbour of the same code file.
CallStack callStackOf(jit::Node *node) {
  CallStack best = recordedStack(node);
  const auto source = node->sourceRange().source();
  auto consider = [&](jit::Node *other) {
    if (other->outputs().empty() || other->sourceRange().source() != source)
      return false;
    CallStack stack = recordedStack(other);
    if (stack.size() > best.size())
      best = std::move(stack);
    return true;
  };
  constexpr int reach = 8;
  for (jit::Node *at = node; at; at = at->owningBlock()->owningNode()) {
    if (!at->outputs().empty())
      continue;
    bool found = false;
    for (jit::Value *input : at->inputs())
      found = found || consider(input->node());
    jit::Node *before = at;
    for (int i = 0; i < reach && !found && before->prev()->kind() != c10::prim::Return; ++i)
      found = consider(before = before->prev());
    if (found)
      break;
  }
  return best;
}

} // namespace

std::vector<SourceLocation> Locator::framesOf(jit::Node *node) {
  std::vector<SourceLocation> frames;
  appendFrames(node->sourceRange(), frames);
  if (frames.empty()) // such as the GetAttr of `self.weight`: the call stack alone names lines of callers
    return frames;
  CallStack calls = callStackOf(node);
  for (auto call = calls.rbegin(); call != calls.rend(); ++call)
    appendFrames(std::get<1>(*call), frames);
  return frames;
}

const std::optional<SourceLocation> &Locator::userFrameOf(jit::Node *node) {
  auto [it, inserted] = userFrames.try_emplace(node);
  if (inserted)
    it->second = innermostUserFrame(framesOf(node));
  return it->second;
}

/// The line of the nearest user that has one, by way of users that have none (long chains of GetAttr, tuples).
std::optional<SourceLocation> Locator::lineOfUsers(jit::Node *node, std::vector<jit::Node *> &passed) {
  constexpr size_t maxNodes = 2000;
  std::unordered_set<jit::Node *> seen{node};
  passed.push_back(node);
  for (size_t i = 0; i < passed.size() && passed.size() < maxNodes; ++i)
    for (jit::Value *output : passed[i]->outputs())
      for (const jit::Use &use : output->uses()) {
        bool leavesBlock = use.user->kind() == c10::prim::Return;
        jit::Node *user = leavesBlock ? use.user->owningBlock()->owningNode() : use.user;
        if (!user || !seen.insert(user).second)
          continue;
        if (const std::optional<SourceLocation> &frame = userFrameOf(user))
          return frame;
        passed.push_back(user);
      }
  return std::nullopt;
}

/// The line of a producer, of the node or of the users without a line that `passed` lists.
std::optional<SourceLocation> Locator::lineOfProducers(const std::vector<jit::Node *> &passed) {
  for (jit::Node *node : passed)
    for (jit::Value *input : node->inputs())
      if (input->node()->kind() != c10::prim::Param && input->node()->kind() != c10::prim::Constant)
        if (const std::optional<SourceLocation> &frame = userFrameOf(input->node()))
          return frame;
  return std::nullopt;
}

/// The line of what stands beside the node, else of the nodes around its block.
std::optional<SourceLocation> Locator::lineBeside(jit::Node *node) {
  constexpr int reach = 8;
  auto isEnd = [](jit::Node *other) { return other->kind() == c10::prim::Return; };
  jit::Node *before = node, *after = node;
  for (int i = 0; i < reach; ++i) {
    if (!isEnd(after->next()) && (after = after->next())->kind() != c10::prim::Constant && userFrameOf(after))
      return userFrameOf(after);
    if (!isEnd(before->prev()) && (before = before->prev())->kind() != c10::prim::Constant && userFrameOf(before))
      return userFrameOf(before);
  }
  for (jit::Node *outer = node->owningBlock()->owningNode(); outer; outer = outer->owningBlock()->owningNode())
    if (userFrameOf(outer))
      return userFrameOf(outer);
  return std::nullopt;
}

const c10::ivalue::Object *Locator::objectOf(jit::Value *value) const {
  if (value == value->owningGraph()->inputs()[0])
    return root;
  auto it = objectOfValue.find(value);
  return it == objectOfValue.end() ? nullptr : it->second;
}

/// Follows GetAttr chains from self, and remembers which of several equally named modules is being worked on.
void Locator::noteModuleValue(jit::Node *node) {
  if (node->kind() != c10::prim::GetAttr)
    return;
  const c10::ivalue::Object *from = objectOf(node->input(0));
  if (!from)
    return;
  jit::Node *producer = node->input(0)->node();
  if (producer->kind() == c10::prim::GetAttr)
    lastNamed[{producer->s(c10::attr::name), from->type().get()}] = from;
  const std::string &name = node->s(c10::attr::name);
  if (const c10::ivalue::Object *child = values.findChild(from, name)) {
    objectOfValue[node->output()] = child;
    lastNamed[{name, child->type().get()}] = child;
  }
}

/// The module that a call stack entry names, seen from the module of the entry before it.
const c10::ivalue::Object *Locator::step(const c10::ivalue::Object *from, const std::string &name,
                                         const c10::ClassTypePtr &type) const {
  std::vector<const c10::ivalue::Object *> found;
  collectNamed(from, name, type, 0, found);
  if (found.empty())
    return nullptr;
  auto last = lastNamed.find({name, type.get()});
  if (last != lastNamed.end() && std::find(found.begin(), found.end(), last->second) != found.end())
    return last->second;
  return found.front();
}

std::string Locator::modulePathOf(jit::Node *node) const {
  const c10::ivalue::Object *current = root;
  for (const jit::InlinedCallStackEntry &call : callStackOf(node)) {
    const auto &instance = std::get<2>(call);
    if (!instance || instance->instance_name() == "SELF" || !instance->class_type())
      continue;
    if (const c10::ivalue::Object *next = step(current, instance->instance_name(), instance->class_type()))
      current = next;
  }
  return values.pathOf(current);
}

SourceLocation Locator::locate(jit::Node *node) {
  noteModuleValue(node);
  std::optional<SourceLocation> found = userFrameOf(node);
  std::vector<jit::Node *> passed;
  if (!found)
    found = lineOfUsers(node, passed);
  if (!found)
    found = lineOfProducers(passed);
  if (!found)
    found = lineBeside(node);
  SourceLocation location;
  if (found) {
    location = *found;
  } else {
    std::vector<SourceLocation> own = framesOf(node);
    if (!own.empty())
      location = own.front();
    else
      location.file = fileName;
  }
  location.modulePath = modulePathOf(node);
  return location;
}
