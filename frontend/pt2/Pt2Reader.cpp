// Implements Pt2Reader.h: opens the archive, parses the program's JSON, converts it.
#include "frontend/pt2/Pt2Reader.h"

#include "frontend/pt2/ConvertProgram.h"

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

Error withPath(StringRef path, Error error) {
  std::string what = llvm::toString(std::move(error));
  return llvm::createStringError(std::errc::invalid_argument, "%s: %s", path.str().c_str(), what.c_str());
}

} // namespace

Expected<SourceGraph> graphc::frontend::readPt2(StringRef path) {
  Expected<std::unique_ptr<Pt2Archive>> archive = Pt2Archive::open(path);
  if (!archive)
    return withPath(path, archive.takeError());
  Expected<llvm::json::Value> program = parseJson((*archive)->program(), "the program");
  if (!program)
    return withPath(path, program.takeError());
  SourceGraph graph;
  graph.fileName = path.str();
  if (Error error = ProgramConverter(graph, **archive).run(*program))
    return withPath(path, std::move(error));
  return graph;
}
