// See FaultReport.h. What the handler writes is prepared before the run: it may call nothing but write and _exit.
#include "tools/graphc/FaultReport.h"
#include "tools/driver/Failure.h"
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

using namespace graphc::cli;

FaultReport *FaultReport::current = nullptr;

static std::string faultMessage(const graphc_step_info &step) {
  std::string where = step.file ? fmt::format(", at {}:{}", step.file, step.line) : "";
  return fmt::format("graphc: internal error: memory outside of a buffer was touched while running {}{}\n"
                     "This is a bug of graphc {}: please report the command line, the model and this text.\n",
                     step.name, where, graphc_version());
}

FaultReport::FaultReport(const graphc::Model &model, graphc::Context &context) : context(context) {
  uint32_t variant = 0, count = 0;
  graphc::check(graphc_context_variant(context.get(), &variant));
  graphc::check(graphc_model_step_count(model.get(), variant, &count));
  for (uint32_t i = 0; i < count; ++i) {
    auto step = graphc::sized<graphc_step_info>();
    graphc::check(graphc_model_step_info(model.get(), variant, i, &step));
    messages.push_back(faultMessage(step));
  }
  times.resize(count);
  graphc::check(graphc_context_profile(context.get(), times.data(), times.size()));
  current = this;
  std::signal(SIGSEGV, onFault);
  std::signal(SIGBUS, onFault);
}

FaultReport::~FaultReport() {
  std::signal(SIGSEGV, SIG_DFL);
  std::signal(SIGBUS, SIG_DFL);
  current = nullptr;
  graphc_context_profile(context.get(), nullptr, 0);
}

void FaultReport::onFault(int) {
  size_t step = current->times.size();
  while (step > 0 && current->times[step - 1] == 0)
    --step;
  if (step < current->messages.size()) {
    const std::string &message = current->messages[step];
    (void)!write(STDERR_FILENO, message.data(), message.size());
  }
  _exit(static_cast<int>(driver::ExitStatus::Internal));
}
