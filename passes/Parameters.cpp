// See Parameters.h.
#include "passes/Parameters.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc;

ArrayRef<char> graphc::getFlatBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return resource.getRawHandle().getBlob() ? resource.getRawHandle().getBlob()->getData() : ArrayRef<char>();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && !dense.getElementType().isInteger(1) ? dense.getRawData() : ArrayRef<char>();
}

graph::ParameterOp graphc::deriveParameter(SymbolTable &symbols, graph::ParameterOp original, const Twine &suffix, RankedTensorType type, AsmResourceBlob blob) {
  std::string name = (original.getSymName() + suffix).str();
  OpBuilder builder(original);
  auto op = graph::ParameterOp::create(builder, original.getLoc(), name, DenseResourceElementsAttr::get(type, name, std::move(blob)), false);
  symbols.insert(op);
  return op;
}

void graphc::eraseUnusedParameters(mlir::ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](graph::GetOp get) { used.insert(get.getParameter()); });
  for (auto parameter : llvm::make_early_inc_range(module.getOps<graph::ParameterOp>()))
    if (!used.contains(parameter.getSymName()))
      parameter.erase();
}
