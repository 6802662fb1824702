// graphc-read FILE… [--method NAME] [--quiet]: prints the SourceGraph of model files, as the readers see them.
//
// For tests of the readers and for bug reports about a file; --quiet prints one line per file. Exit status: 0 all files were
// read, 1 one of them is at fault, 2 wrong usage.
#include "frontend/ReadModel.h"
#include "frontend/torchscript/TracedInputs.h"

#include "llvm/Support/raw_ostream.h"

using namespace graphc::frontend;

namespace {

int usage() {
  llvm::errs() << "usage: graphc-read FILE... [--method NAME] [--quiet]\n";
  return 2;
}

bool readOne(const std::string &path, const ReadOptions &options, bool quiet) {
  llvm::Expected<SourceGraph> graph = readModel(path, options);
  if (!graph) {
    llvm::errs() << "error: " << llvm::toString(graph.takeError()) << "\n";
    return false;
  }
  if (quiet) {
    llvm::outs() << path << ": " << graph->body.nodes.size() << " nodes\n";
    return true;
  }
  llvm::outs() << print(*graph);
  for (const auto &input : readTracedInputs(path, options.method)) {
    llvm::outs() << "traced with";
    if (input)
      llvm::outs() << " " << scalarTypeName(input->dtype);
    for (const auto &size : input ? input->sizes : std::vector<std::variant<int64_t, std::string>>())
      llvm::outs() << " " << std::get<int64_t>(size);
    llvm::outs() << "\n";
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> paths;
  ReadOptions options;
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--method" && i + 1 < argc)
      options.method = argv[++i];
    else if (argument == "--quiet")
      quiet = true;
    else if (argument.starts_with("-"))
      return usage();
    else
      paths.push_back(argument.str());
  }
  if (paths.empty())
    return usage();
  bool allRead = true;
  for (const std::string &path : paths)
    allRead &= readOne(path, options, quiet);
  return allRead ? 0 : 1;
}
