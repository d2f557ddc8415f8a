"""oocc doctor: what it finds where something is missing."""
import json
import os
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from programs import call, compiler


class Doctor(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def doctor(self, *words, status=0, env=None, **more):
        done = call([compiler(), "doctor", *words], self.folder, status, env={**os.environ, **(env or {})}, **more)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def checks(self, *words, status=0, **more):
        document = json.loads(self.doctor("--json", *words, status=status, **more))
        self.assertEqual((document["format"], document["version"], document["status"]), ("oocc-doctor", 1, status))
        for check in document["checks"]:
            self.assertIn(check["result"], {"ok", "warn", "fail", "skip"})
            self.assertTrue(check["text"], check)
            if check["result"] in {"warn", "fail"}:
                self.assertTrue(check["fix"], f"{check} has no remedy")
        failed = any(check["result"] == "fail" for check in document["checks"])
        self.assertEqual(failed, status == 1)
        names = [check["name"] for check in document["checks"]]
        self.assertEqual(len(names), len(set(names)), names)
        return {check["name"]: check for check in document["checks"]}, document

    def test_a_machine_that_runs_the_tests(self):
        checks, document = self.checks()
        for name in ["c-compiler", "openmp", "native", "runtime"]:
            self.assertEqual(checks[name]["result"], "ok", checks[name])
        for name in ["cores", "memory", "scratch", "direct-io", "engine-uring", "engine-aio", "engine-threads", "engine-mmap",
                     "locked-memory", "open-files", "address-space", "aio-requests", "swap", "huge-pages", "governor", "clang"]:
            self.assertIn(name, checks)
        self.assertEqual(document["machine"]["format"], "oocc-machine")
        self.assertEqual(document["machine"]["openmp"]["threads"], document["machine"]["machine"]["cores"])
        self.assertEqual(list(self.folder.iterdir()), [], "something is left behind")

    def test_lines_are_aligned_with_fixes_below(self):
        lines = self.doctor("--cc", "none", status=1).splitlines()
        self.assertRegex(lines[0], r"^fail  c-compiler +'none' cannot be run$")
        column = lines[0].index("'none'")
        self.assertEqual(lines[1].index("fix: install a C compiler"), column)
        for line in lines[2:-1]:
            self.assertTrue(line[:column].endswith(" ") and line[column] != " ", line)
        self.assertRegex(lines[-1], r"^\d+ ok, \d+ to look at, 1 failed, 2 not tried$")
        self.assertNotIn("\033", "".join(lines))
        self.assertIn("\033[1;31mfail\033[0m", self.doctor("--cc", "none", "--color=always", status=1))

    def test_no_compiler_on_the_path(self):
        checks, document = self.checks(status=1, env={"PATH": str(self.folder)})
        self.assertEqual(checks["c-compiler"]["result"], "fail")
        self.assertEqual((checks["runtime"]["result"], checks["scratch"]["result"]), ("skip", "skip"))
        self.assertIsNone(document["machine"])

    def fake(self, text):
        cc = self.folder / "cc"
        cc.write_text(f"#!/bin/sh\n{text}\n")
        cc.chmod(0o755)
        return cc

    def test_compilers_that_lack_something(self):
        real = shutil.which("cc")
        for flag, name in [("-fopenmp", "openmp"), ("-march=native", "native")]:
            with self.subTest(flag):
                cc = self.fake(f'case "$*" in *{flag}*) echo "cc: error: no {flag}" >&2; exit 1;; esac\nexec {real} "$@"')
                checks, _ = self.checks("--cc", cc, status=1)
                self.assertEqual({n for n, check in checks.items() if check["result"] == "fail"}, {name})
                self.assertEqual(checks[name]["text"], f"{flag}: cc: error: no {flag}")
        checks, _ = self.checks("--cc", self.fake('[ "$1" = --version ] && echo cc 1'), status=1)
        self.assertIn("makes no programs", checks["c-compiler"]["text"])

    def test_a_runtime_that_is_not_there(self):
        checks, _ = self.checks("--runtime", self.folder, status=1)
        self.assertEqual((checks["runtime"]["result"], checks["scratch"]["result"]), ("fail", "skip"))
        self.assertIn("liboocc_runtime.a", checks["runtime"]["text"])

    def test_a_runtime_of_another_time(self):
        own = Path(compiler()).parent.parent
        other = self.folder / "other"
        shutil.copytree(own / "include", other / "include")
        (other / "lib").mkdir()
        (other / "lib/liboocc_runtime.a").symlink_to(own / "lib/liboocc_runtime.a")
        header = other / "include/oocc/oocc.h"
        header.write_text(header.read_text().replace("#define OOCC_ABI ", "#define OOCC_ABI 9"))
        checks, _ = self.checks("--runtime", other, status=1)
        self.assertIn("it was made for another runtime", checks["runtime"]["text"])

    def test_a_scratch_in_memory(self):
        if subprocess.run(["stat", "-fc", "%T", "/dev/shm"], capture_output=True, text=True).stdout.strip() != "tmpfs":
            self.skipTest("/dev/shm is no tmpfs here")
        checks, document = self.checks("--scratch", "/dev/shm")
        self.assertEqual(checks["scratch"]["result"], "warn")
        self.assertIn("on tmpfs, which is memory itself", checks["scratch"]["text"])
        # tmpfs takes direct I/O or not, as its kernel does; every answer agrees with the runtime's.
        refusal = document["machine"]["scratch"][0]["direct_io_refusal"]
        self.assertEqual(checks["direct-io"]["result"], "warn" if refusal else "ok")
        self.assertEqual(checks["engine-aio"]["result"], "warn" if refusal else "ok")
        self.assertEqual(checks["engine-threads"]["result"], "ok")

    def test_a_scratch_that_is_not_there(self):
        checks, _ = self.checks("--scratch", "no/where", status=1)
        self.assertIn("does not exist", checks["scratch"]["text"])
        checks, _ = self.checks("--scratch", "new")  # is made in a folder that is there
        self.assertIn("to be made in '.'", checks["scratch"]["text"])

    def test_a_scratch_without_permission(self):
        place = self.folder / "locked"
        place.mkdir(mode=0o555)
        if os.geteuid() == 0:  # root may write everywhere but where nobody may
            place = Path("/proc/sys")
        checks, _ = self.checks("--scratch", place, status=1)
        self.assertEqual(checks["scratch"]["result"], "fail")

    def test_several_places(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        checks, document = self.checks("--scratch", "a,b")
        self.assertEqual([place["place"] for place in document["machine"]["scratch"]], ["a", "b"])
        self.assertIn("scratch-1", checks)
        self.assertIn("engine-uring-2", checks)

    def test_limits(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
        checks, _ = self.checks(preexec_fn=limit)
        self.assertEqual((checks["open-files"]["result"], checks["locked-memory"]["result"]), ("warn", "warn"))

    def test_affinity(self):
        checks, document = self.checks(preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
        self.assertEqual(document["machine"]["machine"]["cores"], 1)
        if os.cpu_count() > 1:
            self.assertEqual(checks["cores"]["result"], "warn")

    def test_fewer_threads_than_cores(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one core only")
        checks, _ = self.checks(env={"OMP_THREAD_LIMIT": "1"})
        self.assertIn("OpenMP starts 1 threads", checks["cores"]["text"])

    def test_what_libraries_say_of_the_environment(self):
        checks, _ = self.checks(env={"OMP_NUM_THREADS": "many"})
        self.assertIn("OMP_NUM_THREADS", checks["messages"]["text"])

    def test_usage(self):
        for words, message in [(["--scrach", "x"], "unknown option '--scrach'; did you mean '--scratch'?"),
                               (["x"], "'x' is one word too many; 'oocc doctor --help' says what is taken"),
                               (["--color", "red"], "--color cannot be 'red'; it is one of auto, always, never")]:
            done = call([compiler(), "doctor", *words], self.folder, 2)
            self.assertEqual((done.stdout, done.stderr), ("", f"oocc: {message}\n"))
