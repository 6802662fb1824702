#!/usr/bin/env bash
# Installs everything into a folder of its own, compiles a TorchScript model with the installed command line, and through the installed
# library from a C program.
#
#   install-test.sh BUILD_FOLDER MODEL CC
set -euo pipefail
build="$1" model="$2" cc="$3"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" > /dev/null
cd "$work"
prefix/bin/graphc "$model" --input 'x=f32[1,512]' --bind sr=16000 --target cpu:x86-64-v3 -o command.gcx 2> /dev/null

cat > program.c << 'CODE'
#include <graphc_compiler.h>

#include <stdio.h>

int main(int argc, char **argv) {
  const char *inputs[] = {"x=f32[1,512]"}, *binds[] = {"sr=16000"}, *targets[] = {"cpu:x86-64-v3"};
  graphc_compile_options options = {.size = sizeof options, .inputs = inputs, .input_count = 1, .binds = binds, .bind_count = 1,
                                    .targets = targets, .target_count = 1};
  graphc_compilation *result = NULL;
  if (argc != 3 || graphc_compile_file(argv[1], &options, &result) != GRAPHC_COMPILE_DONE)
    return 1;
  size_t bytes = 0;
  const void *artifact = graphc_compilation_artifact(result, &bytes);
  FILE *out = fopen(argv[2], "wb");
  int ok = out && fwrite(artifact, 1, bytes, out) == bytes && fclose(out) == 0;
  graphc_compilation_release(result);
  return ok ? 0 : 1;
}
CODE
libdir="$(dirname "$(find prefix -name libgraphc_compiler.so)")"
"$cc" -std=c11 -pedantic -Wall -Wextra -Werror program.c -o program -Iprefix/include "-L$libdir" -lgraphc_compiler "-Wl,-rpath,$PWD/$libdir"
./program "$model" library.gcx
cmp command.gcx library.gcx
