# Compiler settings and the functions that every CMakeLists.txt of the project uses.
#
#   graphc_runtime_library(NAME [SHARED] SOURCES…)        no MLIR, no LLVM, hidden symbols, -fno-rtti off
#   graphc_mlir_library(NAME SOURCES… [DEPENDS TARGETS…]) static library over MLIR, with the precompiled headers
#   graphc_gtest(NAME SOURCES… LIBS…)                     a GoogleTest executable registered with ctest
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# What is hot is emitted by graphc itself: -O3 here only makes the compiler's build longer and GCC 12's warnings false.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

find_program(GRAPHC_CCACHE ccache)
if(GRAPHC_CCACHE)
  set(GRAPHC_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale ${GRAPHC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${GRAPHC_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GRAPHC_LAUNCHER})
endif()
# One link at a time: two links of MLIR users beside compile jobs are what a small machine runs out of memory on.
set_property(GLOBAL PROPERTY JOB_POOLS graphc_link=1)
set(CMAKE_JOB_POOL_LINK graphc_link)

# MLIR's classes change layout without NDEBUG, and Debian's libraries are built with it: every build type defines it.
# Always-on checks (GRAPHC_CHECK) replace assert in the compiler.
add_compile_definitions(NDEBUG)
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type -fpch-preprocess)
if(GRAPHC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

set(CMAKE_PREFIX_PATH /usr/lib/llvm-22 ${CMAKE_PREFIX_PATH})
find_package(MLIR REQUIRED CONFIG)
find_package(LLD REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "graphc needs LLVM/MLIR 22, found ${LLVM_VERSION_MAJOR}: run tools/setup.sh")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(GRAPHC_LLVM_LIB_DIR /usr/lib/llvm-22/lib)

function(graphc_runtime_library name)
  add_library(${name} STATIC ${ARGN})
endfunction()

# The first library compiles the precompiled MLIR headers; the others reuse them.
# Visibility stays default here: MLIR compares TypeIDs by the address of inline variables, which must be one across libMLIR and us.
function(graphc_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC MLIR LLVM ${ARG_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT name STREQUAL graphc_mlir_pch)
    target_precompile_headers(${name} REUSE_FROM graphc_mlir_pch)
  endif()
endfunction()

# mlir-tblgen with our own include paths; call after set(LLVM_TARGET_DEFINITIONS X.td).
macro(graphc_tablegen)
  mlir_tablegen(${ARGN} -I${CMAKE_SOURCE_DIR} -I/usr/lib/llvm-22/include)
endmacro()

# Executables are compiled with the libraries' -fPIC instead of -fPIE: a precompiled header serves one setting only.
function(graphc_like_the_libraries name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF BUILD_RPATH "${GRAPHC_LLVM_LIB_DIR}")
  target_compile_options(${name} PRIVATE -fPIC)
endfunction()

function(graphc_tool name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  graphc_like_the_libraries(${name})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "${GRAPHC_LLVM_LIB_DIR}")
endfunction()

function(graphc_gtest name)
  cmake_parse_arguments(ARG "" "" "LIBS;ARGS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  graphc_like_the_libraries(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
endfunction()
