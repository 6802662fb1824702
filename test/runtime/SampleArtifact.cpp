// Test tool: `sample-artifact OUT.gcx` writes addPlan() (sum = a + b over N floats, step at model.py:7), for the tests of the
// command line that need an artifact and no compiler.
#include "TestPlan.h"
#include <fstream>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::vector<std::byte> bytes = graphc::test::addPlan().bytes();
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
