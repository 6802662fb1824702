// addToArtifact of PlanBuilder.h: constants, code images and the plan into one artifact. Link graphc_artifact_writer.
#include "codegen/artifact/ArtifactWriter.h"
#include "codegen/plan/PlanBuilder.h"

using namespace graphc;

void codegen::addToArtifact(BuiltPlan &built, const TargetCode &code, ArtifactWriter &writer) {
  for (auto [constant, bytes] : llvm::zip(built.plan->constants, built.constants)) {
    ArtifactWriter::Blob blob = writer.addWeights(bytes.bytes, bytes.owner);
    constant->offset = blob.offset;
    constant->size = blob.size;
  }
  for (const LevelImage &image : code.images)
    if (!image.bytes.empty()) // a program of views alone has no kernels
      writer.addCodeImage(built.plan->target, image.level, image.bytes);
  writer.addPlan(*built.plan);
}
