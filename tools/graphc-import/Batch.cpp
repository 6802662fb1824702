// Implements Batch.h with fork: each worker does every second line and writes a result after each, so that the parent knows where one ended.
#include "tools/graphc-import/Batch.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace graphc;
namespace json = llvm::json;

namespace {

using Run = llvm::function_ref<int(const std::vector<std::string> &)>;
constexpr size_t workers = 2;
constexpr unsigned secondsPerJob = 120;

std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  off_t at = 0;
  for (ssize_t n; (n = pread(file, buffer, sizeof buffer, at)) > 0; at += n)
    text.append(buffer, size_t(n));
  return text;
}

json::Value result(size_t job, int status, const std::string &output) {
  return json::Object{{"job", int64_t(job)}, {"status", status}, {"output", json::fixUTF8(output)}};
}

/// Does the jobs from `job` on; a line in `results` for each.
[[noreturn]] void work(const std::vector<std::vector<std::string>> &jobs, size_t job, int results, Run run) {
  llvm::raw_fd_ostream lines(results, false);
  for (; job < jobs.size(); job += workers) {
    int output = memfd_create("graphc-import", MFD_CLOEXEC);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    alarm(secondsPerJob);
    int status = run(jobs[job]);
    llvm::outs().flush();
    llvm::errs().flush();
    lines << result(job, status, readAll(output)) << "\n";
    lines.flush();
    close(output);
  }
  _exit(0);
}

std::optional<std::vector<std::string>> argumentsOf(llvm::StringRef line) {
  llvm::Expected<json::Value> value = json::parse(line);
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  if (!array)
    return std::nullopt;
  std::vector<std::string> arguments;
  for (const json::Value &argument : *array)
    arguments.push_back(argument.getAsString().value_or("").str());
  return arguments;
}

struct Worker {
  size_t next = 0;  // the first of its jobs that has no result yet
  int results = -1;
};

} // namespace

int graphc::runBatch(const std::string &path, llvm::function_ref<int(const std::vector<std::string> &)> run) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << "error: '" << path << "': " << buffer.getError().message() << "\n";
    return 2;
  }
  std::vector<std::vector<std::string>> jobs;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    std::optional<std::vector<std::string>> arguments = argumentsOf(line);
    if (!arguments) {
      llvm::errs() << "error: " << path << ":" << jobs.size() + 1 << ": expected a JSON array of arguments\n";
      return 2;
    }
    jobs.push_back(std::move(*arguments));
  }
  std::map<pid_t, Worker> running;
  auto start = [&](size_t first) {
    if (first >= jobs.size())
      return;
    Worker worker{first, memfd_create("graphc-import-results", MFD_CLOEXEC)};
    llvm::outs().flush();
    pid_t child = fork();
    if (child == 0)
      work(jobs, first, worker.results, run);
    running[child] = worker;
  };
  for (size_t i = 0; i < workers; ++i)
    start(i);
  while (!running.empty()) {
    int status = 0;
    auto found = running.find(waitpid(-1, &status, 0));
    if (found == running.end())
      continue;
    Worker worker = found->second;
    running.erase(found);
    std::string text = readAll(worker.results);
    llvm::outs() << text;
    close(worker.results);
    size_t next = worker.next + workers * size_t(llvm::count(text, '\n'));
    if (next >= jobs.size())
      continue;
    llvm::outs() << result(next, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), "the process ended") << "\n";
    start(next + workers);
  }
  return 0;
}
