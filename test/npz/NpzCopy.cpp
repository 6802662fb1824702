// Test tool: `npz-copy IN.npz OUT.npz` reads an .npz, prints each array's name and type, and writes it again.
// test/tools/npz.py compares both files with NumPy.
#include "tools/driver/Failure.h"
#include "tools/npz/Npz.h"
#include <cstdio>

using namespace graphc;

static int report(llvm::Error error) {
  driver::FailureText text = driver::describe(std::move(error));
  std::fprintf(stderr, "error: %s\n", text.message.c_str());
  return static_cast<int>(text.status);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  llvm::Expected<std::vector<npz::NamedArray>> arrays = npz::readNpz(argv[1]);
  if (!arrays)
    return report(arrays.takeError());
  for (const npz::NamedArray &entry : *arrays)
    std::printf("%s %s\n", entry.name.c_str(), npz::describeType(entry.array.dtype, entry.array.shape).c_str());
  if (llvm::Error error = npz::writeNpz(argv[2], *arrays))
    return report(std::move(error));
  return 0;
}
