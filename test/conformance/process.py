"""A process that runs cases and may die of them.

  worker = Worker(script, seconds=60); cases, end = worker.run(task); worker.stop()
  run_tasks(script, tasks, done, jobs=2)          several such processes; done(task, cases, end, seconds) after each task
"""
import contextlib
import json
import queue
import subprocess
import sys
import threading
import time


class Worker:
    """`script` reads tasks as lines of JSON and answers with lines: {"begin": NAME}, {"case": NAME, "outcome": …, "text": …} for each case,
    {"done": …} at the end of a task. A case that kills or blocks the process is an outcome, and the others still run.

    seconds: most time of one case."""

    def __init__(self, script, seconds):
        self.script = script
        self.seconds = seconds
        self.process = None

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-W", "ignore", self.script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.answers), daemon=True).start()

    @staticmethod
    def read(stream, answers):
        for line in stream:
            answers.put(line)
        answers.put("")

    def stop(self):
        """Ends the process; its exit status (negative: the signal), None where it still ran."""
        if not self.process:
            return None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            status = self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            status = None
            self.process.kill()
            self.process.wait()
        self.process = None
        return status

    def lines(self):
        """The worker's answers; ends with None where it died, "timeout" where it took too long (samples may take longer than cases)."""
        first = True
        while True:
            try:
                line = self.answers.get(timeout=self.seconds * (10 if first else 1))
                first = False
            except queue.Empty:
                yield "timeout"
                return
            if not line:
                yield None
                return
            yield json.loads(line)

    def run(self, task):
        """All cases of one unit as dicts, whatever happens to the process."""
        skip, results = [], []
        while True:
            if not self.process:
                self.start()
            self.process.stdin.write(json.dumps(dict(task, skip=skip)) + "\n")
            begun = None
            for line in self.lines():
                if isinstance(line, dict):
                    begun = line.get("begin", begun)
                    if "case" in line:
                        results.append(line)
                    if "done" in line:
                        return results, line
                    continue
                outcome = "timeout" if line else "crash"
                status = self.stop()
                if begun is None:
                    results.append({"case": f"{task['name']}/0 samples", "outcome": outcome, "text": "before the first case"})
                    return results, {"left_out": {}, "samples": 0}
                results = [r for r in results if r["case"] != begun]
                results.append({"case": begun, "outcome": outcome, "text": f"exit status {status}" if outcome == "crash" else f"over {self.seconds} s"})
            skip = [r["case"] for r in results]


def run_tasks(script, tasks, done, jobs=1, seconds=60, fresh_after=None):
    """Runs the tasks in `jobs` processes of `script`, and `done` for each, in one thread at a time. fresh_after: a process ends after so many tasks."""
    todo, lock = iter(tasks), threading.Lock()

    def work():
        worker, count = Worker(script, seconds), 0
        while True:
            with lock:
                task = next(todo, None)
            if task is None:
                break
            started = time.monotonic()
            cases, end = worker.run(task)
            with lock:
                done(task, cases, end, time.monotonic() - started)
            count += 1
            if fresh_after and count % fresh_after == 0:
                worker.stop()
        worker.stop()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
