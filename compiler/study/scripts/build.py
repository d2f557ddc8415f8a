"""Executables of variants, each built once: their names are the hash of everything that they depend on."""
import hashlib
import os
import subprocess
import tempfile
import time

import processes
from failure import BAD_INPUT, CANNOT_CREATE, Failure


class Builder:
    def __init__(self, variants, folder, runtime, cc, journal, machine):
        self.folder, self.runtime, self.cc, self.journal = folder / "exe", runtime, cc, journal
        self.recipe = variants.build
        self.library = runtime / "lib/liboocc_runtime.a"
        if not self.library.is_file():
            raise Failure(CANNOT_CREATE, f"the runtime is not in '{runtime}' (no lib/liboocc_runtime.a)",
                          "give its directory with --runtime DIR")
        try:
            status, version, _ = processes.run([cc, "--version"])
        except OSError:
            status, version = 127, ""
        if status != 0:
            raise Failure(CANNOT_CREATE, f"cannot run the C compiler '{cc}'", "install one, or name yours with --cc")
        self.compiler = version.splitlines()[0] if version else cc
        # -march=native makes other code on another processor.
        self.common = "\n".join([self.compiler, self.digest(self.library), machine["cpu"], *self.headers()])
        self.digests = {}
        self.built = {}  # key: what the journal says of it
        for entry in journal.entries:
            if "build" in entry:
                self.built[entry["build"]] = entry

    def headers(self):
        return [self.digest(path) for path in sorted((self.runtime / "include/oocc").glob("*.h"))]

    @staticmethod
    def digest(path):
        try:
            return hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise Failure(BAD_INPUT, f"cannot read {path}: {error.strerror}",
                          "oocc --variants writes it again; the manifest and the folder c belong together") from None

    def key(self, variant):
        if variant.source not in self.digests:
            self.digests[variant.source] = self.digest(variant.source)
        text = "\n".join([self.common, self.digests[variant.source], *variant.cflags, "", *self.recipe["flags"],
                          *self.recipe["libraries"]])
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def path(self, variant):
        return self.folder / self.key(variant)

    def command(self, variant, output):
        return [self.cc, *variant.cflags, *self.recipe["flags"], f"-I{self.runtime / 'include'}", variant.source, self.library,
                *self.recipe["libraries"], "-o", output]

    def missing(self, variants):
        """One variant for each executable that is yet to be built; what could not be built is not tried again."""
        wanted = {}
        for variant in variants:
            entry = self.built.get(self.key(variant))
            if not (entry and (entry["status"] == "error" or self.path(variant).is_file())):
                wanted.setdefault(self.key(variant), variant)
        return wanted

    def build(self, wanted, jobs, progress):
        """Builds, several at a time; nothing is measured meanwhile."""
        self.folder.mkdir(exist_ok=True)
        for left in self.folder.glob(".*"):  # by a study that was killed
            left.unlink()
        queue, running, count = list(wanted.items()), [], 0
        try:
            while queue or running:
                while queue and len(running) < jobs:
                    running.append(self._start(*queue.pop(0)))
                time.sleep(0.01)
                for each in [each for each in running if each[2].poll() is not None]:
                    running.remove(each)
                    self._finish(*each)
                    count += 1
                    progress(count, len(wanted))
        finally:
            for _, output, process, log, _ in running:
                processes.end(process)
                log.close()
                output.unlink(missing_ok=True)

    def _start(self, key, variant):
        output, log = self.folder / f".{key}.{os.getpid()}", tempfile.TemporaryFile()
        process = processes.start(self.command(variant, output), stdout=log, stderr=subprocess.STDOUT)
        return key, output, process, log, time.monotonic()

    def _finish(self, key, output, process, log, began):
        seconds = time.monotonic() - began
        log.seek(0)
        text = log.read().decode(errors="replace")
        log.close()
        entry = {"build": key, "status": "done" if process.returncode == 0 else "error", "seconds": round(seconds, 3)}
        if process.returncode != 0:
            entry["message"] = text[-1000:]
        with processes.uninterrupted():
            if process.returncode == 0:
                output.replace(self.folder / key)
            else:
                output.unlink(missing_ok=True)
            self.journal.add(entry)
            self.built[key] = entry
