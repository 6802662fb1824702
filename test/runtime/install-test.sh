#!/usr/bin/env bash
# Installs the runtime into a folder of its own and builds programs against nothing else: C with pkg-config, C++17 with
# find_package. Both then run an artifact.
#
#   install-test.sh BUILD_FOLDER ARTIFACT CC CXX
set -euo pipefail
build="$1" artifact="$2" cc="$3" cxx="$4"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component runtime --prefix "$work/prefix" > /dev/null
libdir="$(dirname "$(find "$work/prefix" -name libgraphc.so)")"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
if command -v pkg-config > /dev/null; then flags="$(pkg-config --cflags --libs graphc)"; else flags="-I$work/prefix/include -L$libdir -lgraphc"; fi
# shellcheck disable=SC2086
"$cc" -std=c11 -pedantic -Wall -Wextra -Werror "$here/CApiTest.c" -o "$work/c" $flags "-Wl,-rpath,$libdir"
"$work/c" "$artifact"

mkdir "$work/consumer"
cat > "$work/consumer/CMakeLists.txt" << 'LISTS'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(graphc 0.1 REQUIRED)
add_executable(consumer main.cpp)
target_compile_options(consumer PRIVATE -Wall -Wextra -Werror)
target_link_libraries(consumer PRIVATE graphc::graphc)
LISTS
cat > "$work/consumer/main.cpp" << 'CODE'
#include <graphc.hpp>

#include <iostream>

int main(int, char **argv) {
  graphc::Model model{std::string(argv[1])};
  graphc::Context context(model);
  std::vector<float> a = {1, 2}, b = {3, 4};
  context.setInput("a", graphc::Tensor(a.data(), {2}));
  context.setInput("b", graphc::Tensor(b.data(), {2}));
  context.run();
  std::cout << "C++17: " << context.output("sum").data<float>()[1] << "\n";
  return context.output(0).data<float>()[1] == 6 ? 0 : 1;
}
CODE
cmake -G Ninja -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$cxx" > /dev/null
cmake --build "$work/consumer/build" > /dev/null
"$work/consumer/build/consumer" "$artifact"
