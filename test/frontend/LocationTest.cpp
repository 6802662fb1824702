// Frames out of text, and which files are torch's own.
#include "frontend/Location.h"

#include <gtest/gtest.h>

using namespace graphc::frontend;

namespace {

TEST(Location, TorchFiles) {
  for (const char *file : {"venv/lib/python3.11/site-packages/torch/nn/modules/conv.py", "torch/nn/functional.py",
                           "C:\\Python\\Lib\\site-packages\\torch\\_tensor.py", "src/pytorch/torch/nn/modules/rnn.py",
                           "/usr/lib/python3/dist-packages/torch/anything.py", "torch/fx/passes/runtime_assert.py",
                           "<eval_with_key>.42"})
    EXPECT_TRUE(isTorchFile(file)) << file;
  for (const char *file : {"model.py", "project/torch/models/resnet.py", "site-packages/torchvision/models/resnet.py",
                           "site-packages/transformers/models/bert/modeling_bert.py", "torch/mymodel.py", "<stdin>", ""})
    EXPECT_FALSE(isTorchFile(file)) << file;
}

TEST(Location, TracedFrames) {
  std::vector<SourceLocation> frames = parseTracedFrames("lib/site-packages/torch/nn/modules/conv.py(560): _conv_forward\n"
                                                         "app (copy)/model.py(14): forward\n");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].file, "app (copy)/model.py");
  std::optional<SourceLocation> user = innermostUserFrame(frames);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->line, 14u);
  EXPECT_TRUE(parseTracedFrames("def forward(self, x):\n  return self.fc(x)\n").empty());
  EXPECT_TRUE(parseTracedFrames("model.py(): f").empty());
  EXPECT_TRUE(parseTracedFrames("model.py(99999999999): f").empty());
}

TEST(Location, Traceback) {
  std::vector<SourceLocation> frames = parseTraceback("  File \"app/model.py\", line 7, in forward\n"
                                                      "    y = self.fc(x)\n        ^^^^^^^^^\n"
                                                      "  File \"site-packages/torch/nn/modules/linear.py\", line 134, in forward\n"
                                                      "    return F.linear(input)\n");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].line, 134u);
  EXPECT_EQ(frames[1].text, "y = self.fc(x)");
  EXPECT_EQ(innermostUserFrame(frames)->line, 7u);
  EXPECT_FALSE(innermostUserFrame({frames[0]}));
  EXPECT_TRUE(parseTraceback("File \"a.py\", line x, in f").empty());
}

} // namespace
