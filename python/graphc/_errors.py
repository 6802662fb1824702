"""What graphc raises: CompileError with the compiler's diagnostics, RunError with the runtime's details."""
from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One thing the compiler has to say. `file` and `line` are the model's Python source; "" and 0 where unknown."""

    severity: str  # "note", "warning", "error"
    message: str
    file: str
    line: int
    column: int

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.severity}: {self.message}"


class Error(Exception):
    """Base of the package's exceptions."""


class CompileError(Error):
    """The model wasn't compiled. `status` is "model", "usage", "internal" or "environment": whose fault it is."""

    def __init__(self, text, status, diagnostics):
        super().__init__(text)
        self.status = status
        self.diagnostics = diagnostics


class RunError(Error):
    """A run, or opening an artifact, failed. `status` is the C API's name (GRAPHC_ERROR_INPUT …); for errors of the program
    itself `op`, `file`, `line` and `module_path` say where in the model."""

    def __init__(self, text, status="", code=0, op="", file="", line=0, module_path=""):
        super().__init__(text)
        self.status, self.code = status, code
        self.op, self.file, self.line, self.module_path = op, file, line, module_path
