// Names the kernel that was running when a run with guarded buffers (`graphc run --arena=off`) touches memory it should not.
//
//   FaultReport report(model, context);      from here on a fault writes "… while running relu_f32, at net.py:7" and ends the process
//   context.run();
//
// The context times each step, which also puts a barrier around each: the step that faults is the one after the last that has a time.
#ifndef GRAPHC_TOOLS_GRAPHC_FAULTREPORT_H
#define GRAPHC_TOOLS_GRAPHC_FAULTREPORT_H

#include "runtime/graphc.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace graphc::cli {

class FaultReport {
public:
  FaultReport(const graphc::Model &model, graphc::Context &context);
  ~FaultReport();
  FaultReport(const FaultReport &) = delete;

private:
  static void onFault(int signal);

  graphc::Context &context;
  std::vector<std::string> messages; // of each step
  std::vector<uint64_t> times;
  static FaultReport *current;
};

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_FAULTREPORT_H
