/* graphc.h from C11, over the shared library: opens the artifact that sample-artifact wrote, runs it, checks values and errors.
 *
 *   capi-test sum.gcx
 */
#include "graphc.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                                                  \
  do {                                                                                                                    \
    if (!(condition)) {                                                                                                   \
      fprintf(stderr, "%s:%d: %s failed; last error: %s\n", __FILE__, __LINE__, #condition, graphc_last_error());         \
      return 1;                                                                                                           \
    }                                                                                                                     \
  } while (0)

static graphc_tensor vector(float *data, const int64_t *dims) {
  graphc_tensor tensor = {sizeof tensor, data, GRAPHC_F32, 1, dims, NULL};
  return tensor;
}

static int run(graphc_model *model) {
  graphc_context *context = NULL;
  float a[5] = {1, 2, 3, 4, 5}, b[5] = {10, 20, 30, 40, 50};
  const int64_t five[1] = {5}, six[1] = {6};
  graphc_tensor x = vector(a, five), y = vector(b, five), wrong = vector(b, six), out = {.size = sizeof out};
  int64_t dims[4];
  uint32_t rank = 4, index = 9;
  CHECK(graphc_context_create(model, NULL, &context) == GRAPHC_OK);
  CHECK(graphc_model_find_input(model, "b", &index) == GRAPHC_OK && index == 1);
  CHECK(graphc_context_set_input(context, 0, &x) == GRAPHC_OK);
  CHECK(graphc_context_set_input(context, index, &wrong) == GRAPHC_OK);
  CHECK(graphc_context_run(context) == GRAPHC_ERROR_INPUT);
  CHECK(strstr(graphc_last_error(), "input 'b' has size 6 in dim 0, expected N = 5"));
  CHECK(graphc_context_set_input(context, index, &y) == GRAPHC_OK);
  CHECK(graphc_context_output_dims(context, 0, dims, &rank) == GRAPHC_OK && rank == 1 && dims[0] == 5);
  CHECK(graphc_context_run(context) == GRAPHC_OK);
  CHECK(graphc_context_output(context, 0, &out) == GRAPHC_OK);
  CHECK(out.rank == 1 && out.dims[0] == 5 && out.strides[0] == 1 && ((float *)out.data)[4] == 55);
  graphc_context_release(context);
  return 0;
}

int main(int argc, char **argv) {
  graphc_model *model = NULL;
  graphc_model_info info = {.size = sizeof info};
  graphc_error_details details = {.size = sizeof details};
  CHECK(argc == 2);
  CHECK(strcmp(graphc_version(), "0.1.0") == 0);
  CHECK(graphc_model_open("/nowhere/x.gcx", NULL, &model) == GRAPHC_ERROR_IO && model == NULL);
  CHECK(graphc_last_error_details(&details) == GRAPHC_OK && details.status == GRAPHC_ERROR_IO && details.step == -1);
  CHECK(graphc_model_open(argv[1], NULL, &model) == GRAPHC_OK);
  CHECK(graphc_model_get_info(model, &info) == GRAPHC_OK && info.input_count == 2 && info.output_count == 1);
  CHECK(run(model) == 0);
  CHECK(graphc_model_verify(model) == GRAPHC_OK);
  graphc_model_release(model);
  printf("C API: all checks passed\n");
  return 0;
}
