// Builds the body of one kernel.func out of the graph ops of a group: the ElementEmitter that graph ops speak to.
//
// An operand that the group computes is asked for its element in turn; anything else becomes an input of the kernel and a kernel.load. Elements are shared per
// (value, index): asking twice gives the same scalar. Code is put where the indices it needs come into scope, so row statistics and loads that don't depend on an
// inner index leave its loop. Inputs and symbols of the kernel are added as they turn out to be needed.
//
//   KernelEmitter emitter(module, loc, outputTypes, gridExtents, isFused);
//   Value v = emitter.element(result, emitter.gridIndex());
//   emitter.store(v, 0, emitter.gridIndex());
//   kernel::FuncOp func = emitter.finish("add_relu");     emitter.getInputs(): the graph values to launch it with
#ifndef GRAPHC_PASSES_OUTLINE_KERNELEMITTER_H
#define GRAPHC_PASSES_OUTLINE_KERNELEMITTER_H

#include "ir/kernel/Kernel.h"
#include "passes/outline/IndexSimplifier.h"

#include <map>
#include <memory>
#include <vector>

namespace graphc {

class KernelEmitter : public kernel::ElementEmitter {
public:
  /// Whether the kernel computes what this op gives.
  using IsFused = std::function<bool(mlir::Operation *)>;
  /// How results of 16-bit floats pass from op to op inside the kernel: as computed (f32), or rounded as if they had been stored.
  enum class Rounding { AtStores, EachOp };

  /// Starts a kernel.func, not yet in any module; `finish` gives it away, else the destructor erases it.
  KernelEmitter(mlir::MLIRContext *context, mlir::Location loc, mlir::TypeRange outputs, llvm::ArrayRef<graph::DimAttr> grid, IsFused isFused,
                Rounding rounding = Rounding::AtStores);
  ~KernelEmitter() override;

  scalar::ScalarBuilder &scalar() override { return *scalarBuilder; }
  mlir::MLIRContext *getContext() override { return builder.getContext(); }
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index) override;
  mlir::Value maskedElement(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index, const kernel::Mask &mask,
                            mlir::Value otherwise) override;
  mlir::Value holds(const kernel::Mask &mask) override;
  llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<graph::DimAttr> extents, llvm::ArrayRef<kernel::Monoid> monoids,
                                        llvm::ArrayRef<mlir::AffineExpr> free, const void *key,
                                        std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::AffineExpr>)> body) override;
  mlir::AffineExpr checkIndex(mlir::Value value, graph::DimAttr extent, bool wrapNegative) override;
  mlir::Value indexValue(mlir::AffineExpr index) override;
  mlir::AffineExpr dim(graph::DimAttr dim) override { return simplifier.getExpr(dim); }

  /// The grid's indices as expressions.
  llvm::ArrayRef<mlir::AffineExpr> gridIndex() const { return grid; }
  /// Opens a kernel.map over `extents`, gives its indices; closed by finish.
  llvm::SmallVector<mlir::AffineExpr> openMap(llvm::ArrayRef<graph::DimAttr> extents);
  /// Writes `value` (in compute type) to output `number` at `index`.
  void store(mlir::Value value, unsigned number, llvm::ArrayRef<mlir::AffineExpr> index);

  /// A kernel.contract and its epilogue's region: gives the (m, n) indices; `accumulator` is the sum. Null `op` where the operands are no plain loads.
  struct Contraction {
    kernel::ContractOp op;
    mlir::Value accumulator;
    llvm::SmallVector<mlir::AffineExpr> index; // grid, m, n
  };
  Contraction openContraction(const kernel::ContractionSpec &spec);
  /// From now on the element of `tensor` at `index` is `value`.
  void setElement(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index, mlir::Value value);

  kernel::FuncOp finish(llvm::StringRef name);

  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs; }
  IndexSimplifier &getSimplifier() { return simplifier; }
  /// The grid dims that each kernel.reduce of the outermost scope depends on, as bit sets over the grid, in order of creation.
  llvm::ArrayRef<llvm::SmallVector<bool>> getReductions() const { return reductions; }
  /// Every access so far, simplified: to find dims worth splitting.
  llvm::ArrayRef<mlir::AffineExpr> getAccesses() const { return accesses; }
  kernel::FuncOp getFunc() { return func; }

private:
  /// A region that is being filled; `open` is the op in it whose region is filled meanwhile: new code goes before it.
  struct Scope {
    Scope *parent;
    mlir::Block *block;
    mlir::Operation *open = nullptr;
    unsigned depth = 0;
    std::map<std::vector<const void *>, llvm::SmallVector<mlir::Value>> memo;
  };
  class Enter;

  Scope *addScope(Scope *parent, mlir::Block *block);
  mlir::AffineExpr addIndex(mlir::Value index, graph::DimAttr extent, Scope *scope);
  /// The innermost scope among those of the dims that the expressions use (the outermost where there are none).
  Scope *scopeOf(llvm::ArrayRef<mlir::AffineExpr> exprs) const;
  Scope *innermost(Scope *a, Scope *b) const { return a->depth >= b->depth ? a : b; }
  std::vector<const void *> makeKey(const void *what, llvm::ArrayRef<mlir::AffineExpr> exprs) const;
  mlir::Value produce(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index, mlir::Value otherwise);
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index, mlir::Value otherwise);
  /// Whether the tensor's producer is part of this kernel (ranges and other sources always are).
  bool computes(mlir::Value tensor) const;
  mlir::Value inlineConstant(mlir::Value tensor);
  mlir::Value getBuffer(mlir::Value tensor);
  /// Simplifies; drops what always holds. nullopt where it never holds.
  std::optional<kernel::Mask> simplify(const kernel::Mask &mask) const;
  /// `exprs` over the indices they use alone: operands and the compact map.
  mlir::AffineMap compact(llvm::ArrayRef<mlir::AffineExpr> exprs, llvm::SmallVectorImpl<mlir::Value> &operands,
                          llvm::ArrayRef<mlir::AffineExpr> further = {});
  mlir::Value toComputeType(mlir::Value value);
  /// What an op computed for an element of `tensor`, as other ops of the kernel see it.
  mlir::Value roundResult(mlir::Value tensor, mlir::Value value);
  Contraction openEpilogue(kernel::ContractOp op, const kernel::ContractionSpec &spec);

  mlir::OpBuilder builder;
  mlir::Location loc;
  bool inlinesConstants = true; // a contraction reads its operands from memory
  IsFused isFused;
  Rounding rounding;
  kernel::FuncOp func;
  bool finished = false;
  IndexSimplifier simplifier;
  std::vector<std::unique_ptr<Scope>> scopes;
  Scope *current, *outermost; // outermost: where code that depends on no index goes
  kernel::Mask activeMask;
  scalar::ScalarBuilder *scalarBuilder = nullptr;
  std::unique_ptr<scalar::ScalarBuilder> rootScalarBuilder;
  llvm::SmallVector<mlir::AffineExpr> grid;
  llvm::SmallVector<mlir::Value> indexValues; // by dim
  llvm::SmallVector<Scope *> indexScopes;     // by dim
  llvm::SmallVector<mlir::Value> inputs;      // graph values, one for each input of the kernel
  unsigned numOutputs;
  llvm::SmallVector<llvm::SmallVector<bool>> reductions;
  llvm::SmallVector<mlir::AffineExpr> accesses;
};

/// The kernel.load behind a value in compute type; null where it is computed.
kernel::LoadOp getLoad(mlir::Value value);
/// A kernel.load's map or mask over the indices in `order`; nullopt where it uses another.
std::optional<llvm::SmallVector<mlir::AffineExpr>> renumber(llvm::ArrayRef<mlir::AffineExpr> exprs, mlir::ValueRange operands,
                                                            llvm::ArrayRef<mlir::Value> order);

} // namespace graphc

#endif // GRAPHC_PASSES_OUTLINE_KERNELEMITTER_H
