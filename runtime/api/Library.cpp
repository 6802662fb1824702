// libgraphc is linked from the objects of graphc_runtime_static; CMake wants one source of its own, this one.
#include "runtime/graphc.h"
