"""`oocc verify`: finds what is damaged and says where, changes nothing, and keeps away from what is in use."""
import os
import signal
import subprocess
import time
import unittest

import options
import programs
import suite
from programs import call
from world import SHAPES, Counter, Device, Folder, world

WAY = [*SHAPES["stream"], "--engine", "aio"]


def fingerprint(path):
    """Everything about what lies there that writing would change."""
    return {p: (p.stat().st_mtime_ns, p.stat().st_ctime_ns, p.stat().st_mode, p.read_bytes() if p.is_file() else None)
            for p in [path, *sorted(path.rglob("*"))]}


class Verify(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.temporary.cleanup)

    def keep(self, scratch="s", *more):
        self.folder.run(*WAY, "--scratch", scratch, "--steps", "6", "--keep", *more, status=0)
        return self.folder.path / scratch.split(",")[0]

    def says(self, status, *words, scratch="s"):
        done = self.folder.verify(scratch)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stdout + done.stderr)
        return done

    def damage(self, path, at):
        with open(path, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1 << at % 8]))

    def whole(self, scratch):
        for line in (scratch / "manifest").read_text().splitlines():
            if line.startswith("generation "):
                return f"gen{line.split()[1]}"

    def test_all_is_well(self):
        for scratch in ("s", "a,b,c"):
            self.keep(scratch)
            self.says(0, "level 6 of 6 of shot: all is well", scratch=scratch)
            self.says(0, "all is well", scratch=",".join(reversed(scratch.split(","))))

    def test_as_a_command_of_oocc(self):
        self.keep()
        done = call([programs.compiler(), "verify", "s"], self.folder.path)
        self.assertIn("all is well", done.stdout)
        self.assertIn("oocc verify", call([programs.compiler(), "--help"], self.folder.path).stdout)
        self.assertEqual(call([programs.compiler(), "verify"], self.folder.path, None).returncode, 2)

    def test_changes_nothing(self):
        scratch = self.keep()
        self.damage(scratch / self.whole(scratch), 5000)
        before = fingerprint(scratch)
        self.says(76)
        self.assertEqual(fingerprint(scratch), before)

    def test_any_byte_that_counts(self):
        """Every record of the whole generation and of the coefficients, at its first byte, its last and one between; or, for long, bytes all over."""
        scratch, counter = self.keep(), Counter()
        for name, field in ((self.whole(scratch), "p"), ("coef", "c")):
            bytes_ = (scratch / name).stat().st_size
            for at in range(0, bytes_, 251 if options.LONG else 10 * 4096 + 1000):
                self.damage(scratch / name, at)
                done = self.folder.verify("s")
                told = f"s/{name}: field {field}, " in done.stdout and "does not match its checksum" in done.stdout
                counter.take(name, None if done.returncode == 76 and told else f"{name}, byte {at}: {done.returncode} {done.stdout}")
                self.damage(scratch / name, at)
        self.says(0)
        suite.leave_promise("verify finds a changed bit and names its place", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:5]))

    def test_says_plane_level_and_byte(self):
        scratch = self.keep()
        self.damage(scratch / self.whole(scratch), 28672)  # where a plane in whole blocks ends
        self.says(76, "field p, ", "plane 1, level 6, byte 28672: does not match", "1 of ")

    def test_traces(self):
        """Every row up to the level; what lies behind is of no run."""
        scratch = self.keep()
        lines = [line.split() for line in (scratch / "manifest").read_text().splitlines() if line.startswith("trace ")]
        self.assertEqual([line[3:7] for line in lines], [["3", "of", "8", "bytes"], ["6", "of", "8", "bytes"]])
        for _, index, _, rows, _, row, _, _ in lines:
            path = scratch / f"trace{index}"
            for at in (0, int(rows) * int(row) - 1):
                self.damage(path, at)
                self.says(76, f"s/trace{index}: rows 0 to {int(rows) - 1} (bytes 0 to {int(rows) * int(row) - 1}) do not match", "1 of ")
                self.damage(path, at)
            with open(path, "ab") as file:
                file.write(b"more")
        self.says(0)
        os.truncate(scratch / "trace1", 47)
        (scratch / "trace0").unlink()
        self.says(76, "s/trace0: is missing", "s/trace1: the file ends before", "2 of ")

    def test_the_generation_that_does_not_count(self):
        scratch = self.keep()
        other = {"gen0": "gen1", "gen1": "gen0"}[self.whole(scratch)]
        self.damage(scratch / other, 0)
        self.says(0)

    def test_what_is_missing_or_short(self):
        scratch = self.keep()
        name = self.whole(scratch)
        copy = (scratch / name).read_bytes()
        os.truncate(scratch / name, len(copy) // 2)
        self.says(76, f"has {len(copy) // 2} bytes instead of {len(copy)}", "the file ends before")
        (scratch / name).unlink()
        self.says(76, f"s/{name}: is missing")
        os.symlink("/dev/zero", scratch / name)
        self.says(76)

    def test_label_and_manifest(self):
        scratch = self.keep()
        for name in ("manifest", "member"):
            text = (scratch / name).read_bytes()
            self.damage(scratch / name, len(text) // 2)
            self.says(76, name)
            (scratch / name).write_bytes(text)
        (scratch / "manifest").unlink()
        self.says(65, "before its first commit")

    def test_where_there_is_no_scratch(self):
        (self.folder.path / "empty").mkdir()
        (self.folder.path / "file").write_text("")
        for place in ("empty", "file", "nowhere"):
            self.says(65, place, scratch=place)

    def test_a_member_is_missing(self):
        self.keep("a,b")
        self.says(65, "b is missing", scratch="a")
        self.keep("x")
        self.says(65, "another run", scratch="a,x")

    def test_while_it_is_in_use(self):
        self.keep()
        process = self.folder.start(*WAY, "--scratch", "s", "--resume", "--steps", "13", "--kill-at",
                                    "STOP@pass:begin")
        try:
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            self.says(77, f"in use by process {process.pid} (shot, since ")
        finally:
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=60)

    def test_while_it_verifies_nothing_begins(self):
        """Several may read; a run would write."""
        scratch = self.keep()
        with open(os.devnull, "w") as nobody:
            holder = subprocess.Popen(["flock", "--shared", str(scratch), "sleep", "30"], stdout=nobody)
        try:
            time.sleep(0.3)
            self.says(0)
            done = self.folder.run(*WAY, "--scratch", "s", "--resume", status=77)
            self.assertIn("is being verified", done.stderr)
        finally:
            holder.kill()
            holder.wait()

    def test_after_a_program_with_temps_and_many_types(self):
        """The manifest tells fields apart that are stored from those that are not."""
        text = """
stencil types;
grid (z: 9, y: 11, x: 13);
temp w : f32;
field u : f32;
field flag : bool;
field k : i32;
temp v : f64;
field m : i64;
step {
    w = u + 1;
    u[t+1] = u + 0.5;
    v = u;
    flag[t+1] = not flag;
    k[t+1] = k + 1;
    m[t+1] = m + 2;
}
steps 5;
output u to "u.npy";
"""
        try:
            program = programs.Program(text)
        except programs.Failure as failure:
            self.fail(str(failure))
        with program:
            program.run("--engine", "mmap", "--schedule", "stream", "--keep", "--scratch", "s")
            done = call([world().verifier, "s"], program.folder)
            self.assertIn("all is well", done.stdout)

    def test_on_a_device(self):
        device = Device(self.folder.path / "device")
        self.addCleanup(device.close)
        if device.why:
            self.skipTest(device.why)
        self.keep(device.device)
        self.says(0, "all is well", scratch=device.device)
        with open(device.device, "rb") as file:
            data = file.read(16 << 20)
        at = next(i for i in range(3 << 20, len(data), 4096) if any(data[i:i + 4096]))
        for place in range(at, at + 4 * 4096, 4096):
            self.damage(device.device, place)
        done = self.folder.verify(device.device)
        self.assertIn(done.returncode, (0, 76))  # of two generations one counts


