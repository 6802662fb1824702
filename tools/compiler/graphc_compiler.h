/* graphc_compiler: compiles PyTorch model files into artifacts for libgraphc. The C API of libgraphc_compiler.
 *
 *   const char *inputs[] = {"x=f32[B,3,224,224]"};
 *   graphc_compile_options options = {sizeof options};
 *   options.inputs = inputs;
 *   options.input_count = 1;
 *   graphc_compilation *compilation;
 *   graphc_compile_status status = graphc_compile_file("resnet.pt", &options, &compilation);
 *   for (size_t i = 0; i < graphc_compilation_diagnostic_count(compilation); ++i) {
 *     graphc_diagnostic diagnostic = {sizeof diagnostic};
 *     graphc_compilation_diagnostic(compilation, i, &diagnostic);
 *     fprintf(stderr, "%s:%u: %s\n", diagnostic.file, diagnostic.line, diagnostic.message);
 *   }
 *   size_t bytes;
 *   const void *artifact = graphc_compilation_artifact(compilation, &bytes);   // NULL where it failed
 *   …
 *   graphc_compilation_release(compilation);
 *
 * Rules for the whole file:
 * - Nothing throws, aborts or ends the process for what a model or an option says; a bug of graphc is GRAPHC_COMPILE_INTERNAL.
 * - Any number of threads may compile at the same time. A compilation is immutable once made, except for
 *   graphc_compilation_interpret: its calls on one compilation must not overlap.
 * - Structures have their own sizeof in the first field `size`, set by the caller, so that later versions can append fields.
 * - Texts and bytes that functions return belong to the compilation and live as long. Texts are UTF-8, never NULL.
 * - The first TorchScript file starts a process that reads such files (LibTorch is not loaded into this one); it ends with
 *   this process.
 */
#ifndef GRAPHC_COMPILER_H
#define GRAPHC_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#include "graphc.h" /* graphc_tensor, GRAPHC_API */

#ifdef __cplusplus
extern "C" {
#endif

/* The same numbers as the exit statuses of the command line. */
typedef enum graphc_compile_status {
  GRAPHC_COMPILE_DONE = 0,
  GRAPHC_COMPILE_MODEL = 1,       /* the model or its inputs are at fault, or graphc lacks something that the model needs */
  GRAPHC_COMPILE_USAGE = 2,       /* an option that doesn't exist or can't be read */
  GRAPHC_COMPILE_INTERNAL = 3,    /* a bug of graphc; please report the diagnostics */
  GRAPHC_COMPILE_ENVIRONMENT = 4  /* no memory, no disk, no LibTorch, a CPU that is too old */
} graphc_compile_status;

typedef struct graphc_compile_options {
  size_t size;
  const char *method;         /* of a TorchScript module; NULL: "forward" */
  const char *const *inputs;  /* as the command line's --input: "x=f32[B,3]", "ids=i64[B:1..8,S]", "t=f32[]" */
  size_t input_count;         /* TorchScript needs all tensor arguments; a .pt2 knows them, what is given is checked */
  const char *const *binds;   /* as --bind: "sr=16000" */
  size_t bind_count;
  const char *const *targets; /* "cpu", "cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:native"; none: "cpu". "interpreter", alone:
                                 no code, graphc_compilation_interpret runs the model */
  size_t target_count;
  const char *opt;            /* "none", "default"; NULL: "default" */
  const char *name;           /* what messages and the artifact call a model that is given as bytes; NULL: "model" */
  const char *debug_skip;     /* for tests: a pass to leave out, by its flag ("cse", "graphc-assign-layouts"); NULL: none */
} graphc_compile_options;

typedef struct graphc_compilation graphc_compilation;

/* Compiles a .pt or .pt2; what the file is, its content says. *compilation is always set, also where compiling fails (then it
 * has diagnostics and no artifact), except to NULL where there is no memory even for it or an argument is NULL. */
GRAPHC_API graphc_compile_status graphc_compile_file(const char *path, const graphc_compile_options *options,
                                                     graphc_compilation **compilation);
/* The same for the bytes of such a file, which need not outlive the call. */
GRAPHC_API graphc_compile_status graphc_compile_bytes(const void *data, size_t size, const graphc_compile_options *options,
                                                      graphc_compilation **compilation);
/* NULL is fine. */
GRAPHC_API void graphc_compilation_release(graphc_compilation *compilation);

GRAPHC_API graphc_compile_status graphc_compilation_status(const graphc_compilation *compilation);
/* The bytes of the .gcx, aligned to 4096 bytes so that graphc_model_open_memory takes them as they are; NULL and *size 0 where
 * compiling failed and for the target "interpreter". */
GRAPHC_API const void *graphc_compilation_artifact(const graphc_compilation *compilation, size_t *size);
/* What was done and why, as one JSON document: the command line's --report. "{}" where compiling failed. */
GRAPHC_API const char *graphc_compilation_report(const graphc_compilation *compilation);

typedef enum graphc_severity { GRAPHC_NOTE = 0, GRAPHC_WARNING = 1, GRAPHC_ERROR = 2 } graphc_severity;

typedef struct graphc_diagnostic {
  size_t size;
  graphc_severity severity;
  const char *message; /* what was found, what was expected, what to do; may have several lines */
  const char *file;    /* the model's Python source; "": unknown */
  uint32_t line;       /* 0: unknown */
  uint32_t column;     /* 0: unknown */
} graphc_diagnostic;
/* Errors first. A failed compilation has at least one of severity error. */
GRAPHC_API size_t graphc_compilation_diagnostic_count(const graphc_compilation *compilation);
/* 0, or 1 where `index` doesn't exist or an argument is NULL. */
GRAPHC_API int graphc_compilation_diagnostic(const graphc_compilation *compilation, size_t index, graphc_diagnostic *diagnostic);
/* All errors as one text, as the command line prints them; "" where there are none. */
GRAPHC_API const char *graphc_compilation_error(const graphc_compilation *compilation);

/* --------------------------------------------------------------------------------------------------- the reference interpreter
 * Runs the graph of a compilation for the target "interpreter": slowly and obviously, op by op, to check other results with. */

typedef enum graphc_precision {
  GRAPHC_PRECISION_MODEL = 0, /* every op rounds to its dtype */
  GRAPHC_PRECISION_DOUBLE = 1 /* f32 is kept as f64 (outputs too); casts to f16 and bf16 round */
} graphc_precision;

typedef struct graphc_interpretation graphc_interpretation;
/* Tensors in the order of the model's inputs, of default strides. *interpretation is NULL where it fails; the text is then in
 * graphc_interpreter_error(). State stays in the compilation from call to call. */
GRAPHC_API graphc_compile_status graphc_compilation_interpret(graphc_compilation *compilation, const graphc_tensor *inputs,
                                                              size_t input_count, graphc_precision precision,
                                                              graphc_interpretation **interpretation);
/* Text of this thread's last failed graphc_compilation_interpret; valid until the next. */
GRAPHC_API const char *graphc_interpreter_error(void);
GRAPHC_API size_t graphc_interpretation_output_count(const graphc_interpretation *interpretation);
/* Fills *tensor (data, dtype, rank, dims; strides NULL), which lives as long as the interpretation. 0, or 1 where `index` does
 * not exist. */
GRAPHC_API int graphc_interpretation_output(const graphc_interpretation *interpretation, size_t index, graphc_tensor *tensor);
GRAPHC_API void graphc_interpretation_release(graphc_interpretation *interpretation);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GRAPHC_COMPILER_H */
