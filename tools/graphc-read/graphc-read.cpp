// graphc-read FILE [--method NAME]: prints the SourceGraph of a model file, as the readers see it.
//
// For tests of the readers and for bug reports about a file. Exit status: 0 done, 1 the file is at fault, 2 wrong usage.
#include "frontend/ReadModel.h"

#include "llvm/Support/raw_ostream.h"

using namespace graphc::frontend;

namespace {

int usage() {
  llvm::errs() << "usage: graphc-read FILE [--method NAME]\n";
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  std::string path;
  ReadOptions options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--method" && i + 1 < argc)
      options.method = argv[++i];
    else if (argument.starts_with("-") || !path.empty())
      return usage();
    else
      path = argument.str();
  }
  if (path.empty())
    return usage();
  llvm::Expected<SourceGraph> graph = readModel(path, options);
  if (!graph) {
    llvm::errs() << "error: " << llvm::toString(graph.takeError()) << "\n";
    return 1;
  }
  llvm::outs() << print(*graph);
  return 0;
}
