// The services table that kernels call (graphc_services of KernelAbi.h).
#ifndef GRAPHC_RUNTIME_EXEC_SERVICES_H
#define GRAPHC_RUNTIME_EXEC_SERVICES_H

#include "runtime/plan/KernelAbi.h"

namespace graphc::runtime {

/// One constant table for the process.
const graphc_services &services();

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_SERVICES_H
