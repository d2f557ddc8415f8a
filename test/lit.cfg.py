# The lit suite: programs in, what a stage prints or a message out. docs/testing.md explains the substitutions.
import os
import platform
import resource
import shutil

import lit.formats

config.name = "oocc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".stn", ".test"]
config.excludes = ["unit", "numerics", "random", "layout", "support", "bench", "embed", "examples", "inputs", "audit", "hostile",
                   "terminal", "format", "lsp", "editors", "fault", "threads"]
config.test_source_root = os.path.join(config.oocc_source_dir, "test")
config.test_exec_root = os.path.join(config.oocc_build_dir, "test", "lit", "out")

include = os.path.join(config.oocc_build_dir, "include")
library = os.path.join(config.oocc_build_dir, "lib")
flags = "-std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -fopenmp -ffp-contract=off -I " + include

# Longest names first: lit replaces them as text, in this order.
config.substitutions += [
    ("%oocc", os.path.join(config.oocc_build_dir, "bin", "oocc")),
    ("%examples", os.path.join(config.oocc_source_dir, "examples")),
    ("%python", config.oocc_python),
    ("%include", include),
    ("%flags", flags),
    ("%libs", "-L {} -loocc_runtime -fopenmp {}".format(library, config.oocc_link_options)),
    ("%cc", config.oocc_cc),
]

config.environment["PATH"] = os.pathsep.join([config.oocc_llvm_tools, config.environment["PATH"]])
config.environment["OMP_NUM_THREADS"] = "2"
if config.oocc_sanitize:  # frames are several times as large
    resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
config.environment["OOCC_CACHE"] = os.path.join(config.oocc_build_dir, "test", "cache")

if os.path.exists(os.path.join(config.oocc_build_dir, "bin", "oocc-lift")):
    config.available_features.add("lift")
for compiler in ["clang-19", "clang"]:
    if shutil.which(compiler):
        config.substitutions.append(("%clang", shutil.which(compiler)))
        config.available_features.add("clang")
        break
if platform.machine() == "x86_64":
    config.available_features.add("x86")
if shutil.which("make"):
    config.available_features.add("make")
