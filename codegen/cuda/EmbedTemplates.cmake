# Writes a C++ file that holds the kernel templates as strings, so that the compiler needs no file of its own at run time.
#
#   cmake -DOUTPUT=Embedded.cpp "-DFILES=a.cuh;b.h" -P EmbedTemplates.cmake
set(text "// Written by EmbedTemplates.cmake.\n#include \"codegen/cuda/Templates.h\"\n\nnamespace graphc::cuda {\n")
string(APPEND text "const std::vector<Template> &templates() {\n  static const std::vector<Template> all = {\n")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  file(READ ${file} content)
  # A string literal of 64 KiB is the largest that every compiler must take; ours are far below.
  string(APPEND text "      {\"${name}\", R\"graphc_template(${content})graphc_template\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n} // namespace graphc::cuda\n")
file(WRITE ${OUTPUT} "${text}")
