#!/usr/bin/env python3
"""The build is installed into an empty folder, the folder is moved, and others build on it: with CMake (Ninja, Makefiles) and with
make and pkg-config. What they build gives the bits of the plain program. Then the Debian package."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]

import numpy as np

import suite
from programs import ROOT, call

BUILD = Path(os.environ["OOCC_BUILD"])
CMAKE = os.environ.get("OOCC_CMAKE", "cmake")
CPACK = os.environ.get("OOCC_CPACK", "cpack")
ARCHITECTURE = os.environ.get("OOCC_ARCHITECTURE")  # as in lib/x86_64-linux-gnu

INSTALLED = ["bin/oocc", "include/oocc/oocc.h", "include/oocc/ahead.h", "include/oocc/functions.h", "include/oocc/functions_f32.h", "include/oocc/integers.h", "include/oocc/power.h", "include/oocc/gather.h", "include/oocc/quotients.h", "include/oocc/embed.h", "include/oocc/status.h",
             "lib/liboocc_runtime.a", "lib/pkgconfig/oocc.pc", "lib/cmake/oocc/oocc-config.cmake",
             "lib/cmake/oocc/oocc-config-version.cmake", "lib/cmake/oocc/oocc-targets.cmake",
             "lib/cmake/oocc/oocc-stencil.cmake", "share/doc/oocc/README.md", "share/doc/oocc/docs/language.md",
             "share/doc/oocc/examples/embedding/heater.c"]

PROGRAM = "stencil tiny; grid (y: 8, x: 8); field u : f64; init u = x; step { u[t+1] = 2*u; } steps 3;\n"


def result(text):
    """The hash that a program or an application prints."""
    return re.search(r"result\s+([0-9a-f]{16})", text).group(1)


def heated(n=32, alpha=0.125):
    """What heater.c computes."""
    u = np.zeros((n, n, n))
    u[n // 2, n // 2, n // 2] = 1
    inner = slice(1, -1)
    for _ in range(4):
        for _ in range(5):
            c, new = u[1:-1, 1:-1, 1:-1], u.copy()
            around = (u[inner, inner, :-2] + u[inner, inner, 2:] + u[inner, :-2, inner] + u[inner, 2:, inner]
                      + u[:-2, inner, inner] + u[2:, inner, inner] - 6 * c)
            new[1:-1, 1:-1, 1:-1] = c + alpha * around
            u = new
        u[n // 2, n // 2, n // 2] = 1
    return u


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="oocc-package-")
        cls.folder = Path(cls.temporary.name)
        first = cls.folder / "first"
        call([CMAKE, "--install", BUILD, "--prefix", first], cls.folder)
        cls.prefix = cls.folder / "moved to" / "another place"  # blanks, too
        cls.prefix.parent.mkdir()
        first.rename(cls.prefix)
        cls.libdir = next(cls.prefix.glob("**/liboocc_runtime.a")).parent
        cls.oocc = cls.prefix / "bin/oocc"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def consumer(self, name):
        """A copy of the example, to be changed."""
        source = self.folder / name
        shutil.copytree(ROOT / "examples/embedding", source)
        return source

    # -- what is there ------------------------------------------------------------------------------------------

    def test_files(self):
        for name in INSTALLED:
            path = self.libdir / name[4:] if name.startswith("lib/") else self.prefix / name
            with self.subTest(name):
                self.assertTrue(path.is_file())

    def test_nothing_says_where_it_was_built(self):
        for path in [*self.libdir.glob("cmake/oocc/*"), *self.libdir.glob("pkgconfig/*"),
                     *(self.prefix / "include").rglob("*.h")]:
            text = path.read_text()
            for place in (BUILD, ROOT, self.folder / "first"):
                with self.subTest(f"{path.name}: {place}"):
                    self.assertNotIn(str(place), text)

    def test_names_of_the_runtime_are_its_own(self):
        """An application may have functions of the names that the runtime uses within."""
        shown = call(["nm", "--defined-only", "--extern-only", "--format=posix", self.libdir / "liboocc_runtime.a"], self.folder)
        names = re.findall(r"(?m)^(\w+) [A-Z] ", shown.stdout)
        self.assertIn("oocc_main", names)
        self.assertIn("oocc_own_plan_make", names)
        self.assertEqual([name for name in names if not name.startswith(("oocc_", "__"))], [])

    def test_destdir(self):
        stage = self.folder / "stage"
        call([CMAKE, "--install", BUILD, "--prefix", "/usr"], self.folder, env=dict(os.environ, DESTDIR=str(stage)))
        self.assertEqual([p.name for p in stage.iterdir()], ["usr"])
        self.assertTrue((stage / "usr/bin/oocc").is_file())

    # -- the compiler finds its runtime -------------------------------------------------------------------------

    def run_tiny(self, oocc, *options, status=0):
        (self.folder / "tiny.stn").write_text(PROGRAM)
        return call([oocc, "run", "tiny.stn", *options, "--", "--engine", "memory", "--progress", "off"], self.folder, status)

    def test_compiler_finds_its_runtime(self):
        self.assertIn("result", self.run_tiny(self.oocc).stdout)

    def test_compiler_finds_a_runtime_of_another_libdir(self):
        for libdir in filter(None, ["lib64", ARCHITECTURE and f"lib/{ARCHITECTURE}"]):
            with self.subTest(libdir):
                prefix = self.folder / ("prefix-" + libdir.replace("/", "-"))
                shutil.copytree(self.prefix, prefix)
                library = next(prefix.glob("**/liboocc_runtime.a"))
                (prefix / libdir).mkdir(parents=True, exist_ok=True)
                library.rename(prefix / libdir / library.name)
                self.assertIn("result", self.run_tiny(prefix / "bin/oocc").stdout)
                self.assertIn("result", self.run_tiny(self.oocc, "--runtime", prefix).stdout)

    def test_compiler_says_where_a_runtime_is_missing(self):
        prefix = self.folder / "bare"
        (prefix / "bin").mkdir(parents=True)
        shutil.copy(self.oocc, prefix / "bin/oocc")
        said = self.run_tiny(prefix / "bin/oocc", status=73).stderr
        self.assertIn(f"the runtime is not in '{prefix}'", said)
        self.assertIn("--runtime DIR", said)

    # -- builds of others ---------------------------------------------------------------------------------------

    def check_applications(self, build):
        """Of the example, in the folder where it was built."""
        def run(name, *options):
            return call([build / name, *options], build).stdout
        want = result(run("heat", "--engine", "memory", "--progress", "off")) if (build / "heat").exists() else None
        for options in (["engine", "memory"], ["schedule", "stream", "engine", "aio", "bt", "3", "bz", "2"],
                        ["schedule", "overlap", "engine", "memory", "bt", "2"]):
            with self.subTest(options):
                if want:
                    self.assertEqual(result(run("pieces", *options)), want)
                run("heater", *options)
                self.assertEqual(np.load(build / "heat.npy").tobytes(), heated().tobytes())

    def check_cmake(self, generator):
        source = self.consumer("source-" + generator.replace(" ", "-"))
        build = source.parent / (source.name + "-build")
        call([CMAKE, "-G", generator, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
              "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"],
             self.folder)
        call([CMAKE, "--build", build, "-j2"], self.folder)
        self.check_applications(build)

        made = [build / "oocc/heat/heat.c", build / "oocc/heat3d/heat3d.c", build / "oocc/heat3d/heat3d.h", build / "heater"]
        times = [path.stat().st_mtime_ns for path in made]
        call([CMAKE, "--build", build], self.folder)
        self.assertEqual([path.stat().st_mtime_ns for path in made], times, "nothing has changed")
        (source / "heat.stn").write_text((source / "heat.stn").read_text().replace("0.125", "0.0625"))
        later = time.time() + 2  # whatever the resolution of the file system
        os.utime(source / "heat.stn", (later, later))
        call([CMAKE, "--build", build, "-j2"], self.folder)
        for path, before in zip(made, times):
            with self.subTest(path.name):
                self.assertGreater(path.stat().st_mtime_ns, before)
        call([build / "heater", "engine", "memory"], build)
        self.assertEqual(np.load(build / "heat.npy").tobytes(), heated(alpha=0.0625).tobytes())

    def test_cmake_with_ninja(self):
        if not shutil.which("ninja"):
            self.skipTest("there is no ninja")
        self.check_cmake("Ninja")

    def test_cmake_with_makefiles(self):
        self.check_cmake("Unix Makefiles")

    def test_make_with_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("there is no pkg-config")
        prefix = self.folder / "plain"  # names of pkg-config's have no blanks
        prefix.symlink_to(self.prefix)
        source = self.consumer("make")
        env = dict(os.environ, PKG_CONFIG_PATH=str(prefix / self.libdir.relative_to(self.prefix) / "pkgconfig"))
        call(["make", "-j2"], source, env=env)
        self.check_applications(source)
        self.assertIn("up to date", call(["make"], source, env=env).stdout)
        later = time.time() + 2
        os.utime(source / "heat.stn", (later, later))
        self.assertIn("--emit=library", call(["make", "-n"], source, env=env).stdout)

    def configure(self, text, status=1):
        source = self.folder / "wrong"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        (source / "tiny.stn").write_text(PROGRAM)
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\n" + text)
        done = call([CMAKE, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"], self.folder, status)
        return " ".join(done.stderr.split())

    def test_mistakes_in_cmake(self):
        begin = "project(wrong LANGUAGES C)\nfind_package(oocc REQUIRED)\n"
        for call_of, message in [
                ("oocc_add_stencil(a no.stn)", "no.stn"),
                ("oocc_add_stencil(a tiny.stn MARCH sometimes)", "MARCH is native or off, not 'sometimes'"),
                ("oocc_add_stencil(a tiny.stn LIBRARY EXECUTABLE)", "contradict each other"),
                ("oocc_add_stencil(a tiny.stn DEFINE n=3)", "is none of LIBRARY, EXECUTABLE, DEFINES, OPTIONS, MARCH")]:
            with self.subTest(call_of):
                self.assertIn(message, self.configure(begin + call_of))
        self.assertIn("oocc makes C: add C to project", self.configure("project(wrong LANGUAGES NONE)\nfind_package(oocc REQUIRED)"))
        self.assertIn('compatible with requested version "7"',
                      self.configure("project(wrong LANGUAGES C)\nfind_package(oocc 7 REQUIRED)"))

    # -- a Debian package ---------------------------------------------------------------------------------------

    def test_debian_package(self):
        if not shutil.which("dpkg-deb"):
            self.skipTest("there is no dpkg-deb")
        folder = self.folder / "deb"
        call([CPACK, "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder], self.folder)
        packages = list(folder.glob("oocc_*.deb"))
        self.assertEqual(len(packages), 1)
        names = [line.split()[-1] for line in call(["dpkg-deb", "-c", packages[0]], folder).stdout.splitlines()]
        libdir = self.libdir.relative_to(self.prefix).as_posix()
        for name in INSTALLED:
            with self.subTest(name):
                self.assertIn("./usr/" + re.sub("^lib/", libdir + "/", name), names)
        self.assertEqual([name for name in names if not name.startswith(("./usr/", "./"))], [])
        control = call(["dpkg-deb", "-f", packages[0]], folder).stdout
        self.assertRegex(control, r"(?m)^Package: oocc$")
        self.assertRegex(control, r"(?m)^Depends: .*\bgcc\b.*\blibaio-dev\b.*\blibblkid-dev\b")
        self.assertRegex(control, r"(?m)^Description: compiler for stencil computations")


if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    module = sys.modules["__main__"]
    sys.exit(suite.run(loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:] else loader.loadTestsFromModule(module)))
