/* graphc: runs compiled models (.gcx). The C API of libgraphc.
 *
 *   graphc_model *model;
 *   graphc_context *context;
 *   if (graphc_model_open("model.gcx", NULL, &model)) die(graphc_last_error());
 *   if (graphc_context_create(model, NULL, &context)) die(graphc_last_error());
 *   int64_t dims[2] = {1, 512};
 *   graphc_tensor in = {sizeof in, samples, GRAPHC_F32, 2, dims, NULL};
 *   graphc_tensor out = {sizeof out};
 *   if (graphc_context_set_input(context, 0, &in) || graphc_context_run(context) ||
 *       graphc_context_output(context, 0, &out)) die(graphc_last_error());
 *   use((const float *)out.data);          // valid until the context's next run, reset or release
 *
 * Rules for the whole file:
 * - Every function that can fail returns a graphc_status; 0 is success. The text and details of the last failure in this
 *   thread are in graphc_last_error() and graphc_last_error_details(). Nothing throws or aborts.
 * - A structure that is passed in or filled has its own sizeof in the first field `size`, set by the caller, so that later
 *   versions can append fields. NULL in place of an options structure means the defaults.
 * - A model is immutable: any number of threads may use it. A context belongs to one run at a time: calls on one context
 *   must not overlap (an overlap during a run is refused with GRAPHC_ERROR_BUSY); different contexts are independent.
 * - Strings that functions return belong to the model (or to the thread's last error) and live as long.
 * - Sizes and strides are int64; strides are in elements. A rank-0 tensor has dims NULL.
 */
#ifndef GRAPHC_H
#define GRAPHC_H

#include <stddef.h>
#include <stdint.h>

#if defined(GRAPHC_STATIC)
#define GRAPHC_API
#else
#define GRAPHC_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPHC_VERSION_MAJOR 0
#define GRAPHC_VERSION_MINOR 1
#define GRAPHC_VERSION_PATCH 0

/* ------------------------------------------------------------------------------------------------------ versions, errors */

typedef enum graphc_status {
  GRAPHC_OK = 0,
  GRAPHC_ERROR_ARGUMENT = 1,     /* a null pointer, an index or a name that doesn't exist, a structure of unknown size */
  GRAPHC_ERROR_INPUT = 2,        /* wrong dtype, rank, dim or stride of a tensor, a missing input, a guard that doesn't hold */
  GRAPHC_ERROR_IO = 3,           /* the file can't be opened, read or mapped */
  GRAPHC_ERROR_ARTIFACT = 4,     /* the file is no artifact, or a damaged one */
  GRAPHC_ERROR_UNSUPPORTED = 5,  /* format version, CPU level or step kind that this machine or library hasn't */
  GRAPHC_ERROR_RUN = 6,          /* the program failed: index out of range, division by zero, its own raise */
  GRAPHC_ERROR_NEEDS_RESET = 7,  /* an earlier run of this context failed half way through its state */
  GRAPHC_ERROR_BUSY = 8,         /* the context is running, or the pool is and the context was told not to wait */
  GRAPHC_ERROR_MEMORY = 9,       /* out of memory */
  GRAPHC_ERROR_INTERNAL = 10     /* a bug of graphc; please report the text */
} graphc_status;

/* "0.1.0" */
GRAPHC_API const char *graphc_version(void);
/* Name of a status: "GRAPHC_ERROR_INPUT". */
GRAPHC_API const char *graphc_status_name(graphc_status status);
/* Text of the last failure in this thread, "" when there was none: what was found, what was expected, what to do. Valid until
 * the thread's next failing call. */
GRAPHC_API const char *graphc_last_error(void);

/* Details of the last failure in this thread; fields that don't apply are NULL, 0 or -1. */
typedef struct graphc_error_details {
  size_t size;
  graphc_status status;
  int32_t code;        /* GRAPHC_ERROR_RUN: graphc_status_code of runtime/plan/KernelAbi.h (1: index out of range, 2: integer
                          division by zero, 3: the program's raise, 4: value out of range, 5: bound exceeded) */
  int64_t step;        /* step of the plan, -1 when none */
  int64_t value;       /* the index, the dividend, the size … */
  int64_t extent;      /* what bounded it */
  const char *op;      /* name of the step */
  const char *file;    /* Python source */
  uint32_t line;
  const char *module_path; /* "encoder.layer.0" */
} graphc_error_details;
GRAPHC_API graphc_status graphc_last_error_details(graphc_error_details *details);

/* --------------------------------------------------------------------------------------------------------------- tensors */

typedef enum graphc_dtype {
  GRAPHC_U8 = 0, GRAPHC_I8 = 1, GRAPHC_I16 = 2, GRAPHC_I32 = 3, GRAPHC_I64 = 4,
  GRAPHC_F16 = 5, GRAPHC_BF16 = 6, GRAPHC_F32 = 7, GRAPHC_F64 = 8, GRAPHC_BOOL = 9 /* one byte, 0 or 1 */
} graphc_dtype;
/* Bytes of one element; 0 for an unknown dtype. */
GRAPHC_API size_t graphc_dtype_size(graphc_dtype dtype);
/* "f32", "i64", "bool" … */
GRAPHC_API const char *graphc_dtype_name(graphc_dtype dtype);

typedef struct graphc_tensor {
  size_t size;
  void *data;
  graphc_dtype dtype;
  uint32_t rank;
  const int64_t *dims;
  const int64_t *strides; /* in elements, NULL: the default (see graphc_tensor_info::order) */
} graphc_tensor;

/* -------------------------------------------------------------------------------------------------------------- devices */

typedef enum graphc_device_type { GRAPHC_DEVICE_CPU = 0, GRAPHC_DEVICE_CUDA = 1 } graphc_device_type;
/* Devices of this type that this process can use: 1 for the CPU, 0 for CUDA in this version. */
GRAPHC_API int32_t graphc_device_count(graphc_device_type type);
/* "x86-64-v4": the highest level of this machine's CPU that graphc compiles for, "x86-64-v1" where it is below v3. */
GRAPHC_API const char *graphc_cpu_level(void);

/* Work on a stream runs in order. On the CPU each stream is a thread of its own that takes its runs one after the other. */
typedef struct graphc_stream graphc_stream;
GRAPHC_API graphc_status graphc_stream_create(graphc_device_type type, int32_t device, graphc_stream **stream);
/* Waits until everything submitted is done. */
GRAPHC_API graphc_status graphc_stream_synchronize(graphc_stream *stream);
/* Waits, then frees. NULL is fine. */
GRAPHC_API void graphc_stream_destroy(graphc_stream *stream);

/* ---------------------------------------------------------------------------------------------------------------- models */

typedef struct graphc_model graphc_model;

typedef struct graphc_model_options {
  size_t size;
  const char *cpu_level; /* "x86-64-v3": take this level's code; NULL: the best that the artifact has and the CPU can run */
  int verify;            /* nonzero: check the weights' hashes too (reads the whole file) */
} graphc_model_options;

/* Opens an artifact by mmap. The file may be renamed or unlinked afterwards; overwriting its bytes in place is not allowed
 * (weights are read from the mapping). Errors: IO, ARTIFACT, UNSUPPORTED (the text names what the CPU lacks), MEMORY. */
GRAPHC_API graphc_status graphc_model_open(const char *path, const graphc_model_options *options, graphc_model **model);
/* Opens an artifact in memory, aligned to 64 bytes, which must stay unchanged until the model and all its contexts are
 * released. */
GRAPHC_API graphc_status graphc_model_open_memory(const void *data, size_t size, const graphc_model_options *options,
                                                  graphc_model **model);
/* Gives up the caller's share; contexts keep theirs. NULL is fine. */
GRAPHC_API void graphc_model_release(graphc_model *model);
/* Checks the hashes of the weights (header, plans and code were checked when it was opened). */
GRAPHC_API graphc_status graphc_model_verify(const graphc_model *model);

typedef struct graphc_model_info {
  size_t size;
  const char *name;     /* of the compiled file */
  const char *entry;    /* "forward" */
  const char *producer; /* "graphc 0.1.0" */
  const char *target;   /* "cpu" */
  const char *level;    /* the code in use: "x86-64-v4" */
  uint32_t format_major, format_minor;
  uint32_t input_count, output_count, state_count, symbol_count, variant_count;
  uint64_t code_bytes, weight_bytes;
} graphc_model_info;
GRAPHC_API graphc_status graphc_model_get_info(const graphc_model *model, graphc_model_info *info);

/* One dim of an input or output. */
typedef struct graphc_dim {
  int64_t value;      /* the constant; -1 when it isn't one */
  const char *symbol; /* the expression where it isn't constant: "B", "2*s0 + 1" */
  int64_t min, max;   /* range of a symbol; max INT64_MAX: no limit. An expression: 0 … INT64_MAX */
} graphc_dim;

typedef struct graphc_tensor_info {
  size_t size;
  const char *name;
  const char *path; /* in the model's nested value: "0.hidden" */
  graphc_dtype dtype;
  uint32_t rank;
  const graphc_dim *dims;
  const uint32_t *order; /* physical order of the dims, outermost first: the default strides are dense in this order */
  int is_scalar;         /* a Python number of the model: pass a 0-d tensor */
  int is_mutated;        /* input: the model writes into the caller's memory */
  int is_row_major;      /* input: what the model computes depends on its memory order; other than default strides are refused */
} graphc_tensor_info;
GRAPHC_API graphc_status graphc_model_input_info(const graphc_model *model, uint32_t index, graphc_tensor_info *info);
GRAPHC_API graphc_status graphc_model_output_info(const graphc_model *model, uint32_t index, graphc_tensor_info *info);
/* Index by name; "in0", "in1" … and "out0" … name them by position where the model has no such name of its own. The
 * error's text lists the names there are. */
GRAPHC_API graphc_status graphc_model_find_input(const graphc_model *model, const char *name, uint32_t *index);
GRAPHC_API graphc_status graphc_model_find_output(const graphc_model *model, const char *name, uint32_t *index);

/* A step of the plan, for profiles. */
typedef struct graphc_step_info {
  size_t size;
  const char *name; /* kernel or op */
  const char *kind; /* "launch", "copy", "if" … */
  const char *file; /* Python source of the first location, NULL when unknown */
  uint32_t line;
  const char *module_path;
  const char *text; /* the source line, NULL when the file had none */
  uint32_t location_count;
} graphc_step_info;
GRAPHC_API graphc_status graphc_model_step_count(const graphc_model *model, uint32_t variant, uint32_t *count);
GRAPHC_API graphc_status graphc_model_step_info(const graphc_model *model, uint32_t variant, uint32_t step,
                                                graphc_step_info *info);

/* ----------------------------------------------------------------------------------------------------------------- pools */

/* Worker threads. The process has one pool for all contexts, made by the first run that needs it, with as many threads as
 * the process may use CPUs; a pool of one's own is for servers that partition the machine. */
typedef struct graphc_pool graphc_pool;
/* threads: the caller's included; 0: as many as the process may use. */
GRAPHC_API graphc_status graphc_pool_create(uint32_t threads, graphc_pool **pool);
/* All contexts that use it must have been released. NULL is fine. */
GRAPHC_API void graphc_pool_destroy(graphc_pool *pool);

/* -------------------------------------------------------------------------------------------------------------- contexts */

typedef struct graphc_context graphc_context;

typedef enum graphc_when_busy {
  GRAPHC_BUSY_RUN_INLINE = 0, /* the pool runs another context: run on the calling thread alone */
  GRAPHC_BUSY_WAIT = 1        /* wait for the pool */
} graphc_when_busy;

typedef enum graphc_arena_mode {
  GRAPHC_ARENA_PLANNED = 0,
  GRAPHC_ARENA_OFF = 1 /* debugging: each buffer in pages of its own, its end at an inaccessible page, filled with NaN bytes */
} graphc_arena_mode;

typedef struct graphc_context_options {
  size_t size;
  uint32_t threads;            /* most threads of one run, the caller's included; 0: the pool's number */
  graphc_pool *pool;           /* NULL: the process's pool */
  graphc_when_busy when_busy;
  graphc_arena_mode arena;
  uint32_t max_cached_shapes;  /* tuples of dims whose memory plan is kept; 0: 16 */
} graphc_context_options;

GRAPHC_API graphc_status graphc_context_create(graphc_model *model, const graphc_context_options *options,
                                               graphc_context **context);
/* NULL is fine. */
GRAPHC_API void graphc_context_release(graphc_context *context);

/* Sets an input for the runs to come. The caller's memory is read by each run, not before, and must stay valid until then;
 * `dims` and `strides` are copied now. Data of other than default strides or with less alignment than the kernels need is
 * copied by the run. Errors: ARGUMENT, INPUT (dtype, rank, a constant dim, a symbol's range). */
GRAPHC_API graphc_status graphc_context_set_input(graphc_context *context, uint32_t index, const graphc_tensor *tensor);
/* Lets the runs to come write an output into the caller's memory; its dims must be what the run yields. NULL tensor: back to
 * memory of the context. */
GRAPHC_API graphc_status graphc_context_bind_output(graphc_context *context, uint32_t index, const graphc_tensor *tensor);
/* The output's shape for the inputs set now, before any run. On entry *rank is the capacity of dims. */
GRAPHC_API graphc_status graphc_context_output_dims(graphc_context *context, uint32_t index, int64_t *dims, uint32_t *rank);

/* Runs once, on the calling thread and the pool. Errors: INPUT, RUN, NEEDS_RESET, BUSY, MEMORY. After a failure the outputs
 * are undefined; a model with state may then need graphc_context_reset (the next call says so). */
GRAPHC_API graphc_status graphc_context_run(graphc_context *context);
/* An output of the last successful run: data, dtype, rank, dims, strides (valid until the context's next run, reset or
 * release). Fills *tensor, whose `size` the caller sets. */
GRAPHC_API graphc_status graphc_context_output(graphc_context *context, uint32_t index, graphc_tensor *tensor);

/* Asynchronous runs. The context belongs to the run until the completion is done: what was bound must stay valid and other
 * calls on the context are refused with GRAPHC_ERROR_BUSY. */
typedef struct graphc_completion graphc_completion;
/* stream NULL: runs before returning; the completion is then already done. */
GRAPHC_API graphc_status graphc_context_run_async(graphc_context *context, graphc_stream *stream,
                                                  graphc_completion **completion);
/* *done: 0 or 1. */
GRAPHC_API graphc_status graphc_completion_query(graphc_completion *completion, int *done);
/* Waits and returns the run's status; its text becomes this thread's last error. */
GRAPHC_API graphc_status graphc_completion_wait(graphc_completion *completion);
/* Waits first when it isn't done. NULL is fine. */
GRAPHC_API void graphc_completion_release(graphc_completion *completion);

/* Bytes that this context holds now: arena, own outputs, copies of inputs, state. */
GRAPHC_API graphc_status graphc_context_memory(const graphc_context *context, uint64_t *bytes);

/* ----------------------------------------------------------------------------------------------------------------- state */

/* Back to the file's initial state and the first variant. Inputs stay set. */
GRAPHC_API graphc_status graphc_context_reset(graphc_context *context);

typedef struct graphc_state_info {
  size_t size;
  const char *name;
  const char *attribute; /* full path in the model: "model._context" */
  graphc_dtype dtype;
  uint32_t rank;       /* now */
  const int64_t *dims; /* now; valid until the context's next run, reset, load or release */
  size_t bytes;
} graphc_state_info;
GRAPHC_API graphc_status graphc_context_state_info(graphc_context *context, uint32_t index, graphc_state_info *info);
/* Copies the state's elements, dense, into `data`; bytes must be graphc_state_info::bytes. */
GRAPHC_API graphc_status graphc_context_state_read(graphc_context *context, uint32_t index, void *data, size_t bytes);
/* Overwrites the state's elements; the shape stays. */
GRAPHC_API graphc_status graphc_context_state_write(graphc_context *context, uint32_t index, const void *data, size_t bytes);
/* All of the state, shapes and variant included, as bytes that graphc_context_state_load of the same artifact takes. With
 * data NULL only *bytes is set (the size needed); else *bytes is the capacity on entry. */
GRAPHC_API graphc_status graphc_context_state_save(graphc_context *context, void *data, size_t *bytes);
GRAPHC_API graphc_status graphc_context_state_load(graphc_context *context, const void *data, size_t bytes);

/* --------------------------------------------------------------------------------------------------------------- profile */

/* From the next run on, adds the wall time of each step to nanoseconds[step] (`count` entries; steps beyond it aren't timed).
 * Timed runs put a barrier around every step. NULL turns it off. The array must live until then. */
GRAPHC_API graphc_status graphc_context_profile(graphc_context *context, uint64_t *nanoseconds, size_t count);
/* The variant of the last run (before any run: the first that would be tried), for graphc_model_step_info. */
GRAPHC_API graphc_status graphc_context_variant(const graphc_context *context, uint32_t *variant);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GRAPHC_H */
