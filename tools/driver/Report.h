// What compiling did and why as JSON: the command line's --report and the C API's graphc_compilation_report.
#ifndef GRAPHC_TOOLS_DRIVER_REPORT_H
#define GRAPHC_TOOLS_DRIVER_REPORT_H

#include "tools/driver/Compiler.h"

namespace graphc::driver {

/// "note", "warning".
const char *severityName(Diagnostic::Severity severity);

/// The report: result.report with the keys "summary" and "diagnostics" added.
llvm::json::Object makeReport(const CompileResult &result);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_REPORT_H
