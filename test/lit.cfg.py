# The lit suite: every .mlir, .test and .py file below test/ with a RUN line is a test.
#
# RUN lines find graphc, graphc-opt and the other tools of this build, FileCheck, not and count by name. Substitutions:
#   %python   the tests' interpreter   %source   the source tree   %build   the build folder   %deps   GRAPHC_DEPS
#   %status N COMMAND   fails unless the command's exit status is N
# Features, for `REQUIRES:` lines:
#   torch          graphc was built with TorchScript import        python-torch   %python can import torch
#   graphc         the command line is built
#   sanitize       built with ASan and UBSan
import os

import lit.formats

if not hasattr(config, "graphc_build"):
    site = os.environ.get("GRAPHC_LIT_SITE_CONFIG")
    if not site:
        lit_config.fatal("run the tests through the build: build/bin/lit test/passes -v, or ctest")
    lit_config.load_config(config, site)
else:
    config.name = "graphc"
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test", ".py"]
    config.excludes = ["Inputs", "lit.cfg.py", "status.py", "runtime", "models", "conformance", "python", "random", "bounds"]
    config.test_source_root = os.path.join(config.graphc_source, "test")
    config.test_exec_root = os.path.join(config.graphc_build, "test")

    tools = [os.path.join(config.graphc_build, "bin"), config.graphc_llvm_bin]
    config.environment["PATH"] = os.pathsep.join(tools + [os.environ.get("PATH", "")])
    config.environment["HOME"] = os.environ.get("HOME", "/")
    config.environment["LC_ALL"] = "C.UTF-8"
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            config.environment[name] = os.environ[name]

    config.substitutions.append(("%status", f"{config.graphc_python} {config.graphc_source}/test/status.py"))
    config.substitutions.append(("%python", config.graphc_python))
    config.substitutions.append(("%source", config.graphc_source))
    config.substitutions.append(("%deps", config.graphc_deps))
    config.substitutions.append(("%build", config.graphc_build))

    if config.graphc_torch:
        config.available_features.add("torch")
    if config.graphc_python_torch:
        config.available_features.add("python-torch")
    if config.graphc_tool:
        config.available_features.add("graphc")
    if config.graphc_sanitize:
        config.available_features.add("sanitize")
