// Tests of tools/driver/SuggestInputs.h on graphs made by hand: forward(self, x, ids, sr) with a convolution, an embedding and
// a comparison.
#include "tools/driver/SuggestInputs.h"
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::driver;
using namespace graphc::frontend;

namespace {

Operand value(const std::string &name, ValueId id) { return {name, id}; }
Operand number(const std::string &name, int64_t n) { return {name, Constant{n}}; }

TensorData weight(std::vector<int64_t> sizes) { return {ScalarType::F32, sizes, {}, 0, nullptr}; }

Node getAttr(ValueId result, const std::string &name) {
  Node node{"prim::GetAttr", "", {value("", 0)}, {result}, {}, {}, 0};
  node.attributes["name"] = Constant{name};
  return node;
}

SourceGraph exampleGraph() {
  SourceGraph graph;
  graph.self = 0;
  Object root;
  root.attributes.push_back({"conv", "Tensor", Constant{weight({8, 3, 3, 3})}, Attribute::Role::Parameter, true});
  root.attributes.push_back({"table", "Tensor", Constant{weight({100, 16})}, Attribute::Role::Parameter, true});
  graph.objects.push_back(root);
  graph.inputs = {{"x", 1, "Tensor", std::nullopt, ""},
                  {"ids", 2, "Tensor", std::nullopt, ""},
                  {"sr", 3, "int", std::nullopt, ""},
                  {"flag", 4, "bool", Constant{false}, ""}};
  Node compare{"aten::ne", "int", {value("a", 3), number("b", 16000)}, {10}, {}, {}, 0};
  Node inner{"aten::conv2d", "", {value("input", 5), value("weight", 6), number("groups", 2)}, {8}, {}, {}, 0};
  Node branch{"prim::If", "", {value("", 10)}, {}, {Block{{}, {inner}, {}}, Block{}}, {}, 0};
  graph.body.nodes = {compare,
                      {"aten::to", "dtype", {value("self", 1)}, {5}, {}, {}, 0},
                      getAttr(6, "conv"),
                      branch,
                      getAttr(7, "table"),
                      {"aten::embedding", "", {value("weight", 7), value("indices", 2)}, {9}, {}, {}, 0}};
  return graph;
}

TEST(SuggestInputs, GuessesFromLayers) {
  CompileOptions options;
  options.path = "m.pt";
  std::optional<std::string> text = suggestInputs(exampleGraph(), options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("x (Tensor), ids (Tensor), sr (int)"), std::string::npos) << *text;
  EXPECT_NE(text->find("graphc m.pt --input 'x=f32[1,6,224,224]' --input 'ids=i64[1,128]' --bind sr=16000"),
            std::string::npos)
      << *text;
}

TEST(SuggestInputs, AsksForWhatTheProgramReads) {
  SourceGraph graph;
  graph.inputs = {{"mel", 1, "Tensor", std::nullopt, ""}, {"scale", 2, "List[float]", std::nullopt, ""}};
  graph.body.nodes = {{"aten::size", "int", {value("self", 1), number("dim", 2)}, {3}, {}, {}, 0},
                      {"aten::size", "int", {value("self", 1), number("dim", 1)}, {4}, {}, {}, 0},
                      {"aten::eq", "int", {value("a", 4), number("b", 40)}, {5}, {}, {}, 0}};
  CompileOptions options;
  options.path = "m.pt";
  std::optional<std::string> text = suggestInputs(graph, options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("graphc m.pt --input 'mel=f32[1,40,128]' --bind scale=[1.0,1.0]"), std::string::npos) << *text;
}

TEST(SuggestInputs, NamesTensorsInsideOthersByTheirPaths) {
  SourceGraph graph;
  graph.inputs = {{"batch", 1, "Dict[str, Tensor]", std::nullopt, ""}, {"state", 2, "Tuple[Tensor, Tensor]", std::nullopt, ""}, {"xs", 3, "List[Tensor]", std::nullopt, ""}};
  graph.body.nodes = {{"aten::__getitem__", "Dict_str", {value("self", 1), {"key", Constant{std::string("user")}}}, {4}, {}, {}, 0}};
  CompileOptions options;
  options.path = "m.pt";
  std::optional<std::string> text = suggestInputs(graph, options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("graphc m.pt --input 'batch.user=f32[1,512]' --input 'state.0=f32[1,512]' --input 'state.1=f32[1,512]' --input 'xs.0=f32[1,512]'"),
            std::string::npos)
      << *text;
  for (const char *spec : {"batch.user=f32[2]", "state.0=f32[2]", "state.1=f32[2]"})
    options.inputs.push_back(llvm::cantFail(parseInputSpec(spec)));
  text = suggestInputs(graph, options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("called with: xs (List[Tensor]). Type,"), std::string::npos) << *text;
  options.inputs.push_back(llvm::cantFail(parseInputSpec("xs.0=f32[2]")));
  EXPECT_FALSE(suggestInputs(graph, options));
}

TEST(SuggestInputs, NamesWhatIsNoArgument) {
  CompileOptions options;
  options.inputs = {llvm::cantFail(parseInputSpec("y=f32[1]")), llvm::cantFail(parseInputSpec("in9=f32[1]"))};
  std::optional<std::string> text = suggestInputs(exampleGraph(), options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(" There is no argument y, in9. Type,"), std::string::npos) << *text;
}

TEST(SuggestInputs, RepeatsWhatWasGiven) {
  CompileOptions options;
  options.path = "m.pt";
  options.method = "encode";
  options.inputs = {llvm::cantFail(parseInputSpec("in0=f32[B,6,32,32]"))};
  options.binds = {llvm::cantFail(parseBindSpec("sr=8000"))};
  std::optional<std::string> text = suggestInputs(exampleGraph(), options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("called with: ids (Tensor)."), std::string::npos) << *text;
  EXPECT_NE(text->find("graphc m.pt --method encode --input 'in0=f32[B,6,32,32]' --input 'ids=i64[1,128]' --bind 'sr=8000'"),
            std::string::npos)
      << *text;
  options.inputs.push_back(llvm::cantFail(parseInputSpec("ids=i64[B,S]")));
  EXPECT_FALSE(suggestInputs(exampleGraph(), options));
}

} // namespace
