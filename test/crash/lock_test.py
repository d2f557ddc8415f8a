"""Two runs and one scratch: exactly one proceeds, the others are told who has it; locks of the dead are taken over."""
import os
import random
import signal
import socket
import subprocess
import time
import unittest

import options
import suite
from programs import Failure
from world import SHAPES, Counter, Device, Folder, stopped, try_all, world

WAY = [*SHAPES["stream"], "--engine", "mmap"]
HOLDS = "STOP@import:begin"  # the lock has been taken, and is kept until somebody says so


def settle(processes):
    """Waits until all have ended, or wait for the word to go on. The latter."""
    until = time.monotonic() + 60
    while not all(p.poll() is not None or stopped(p) for p in processes):
        if time.monotonic() > until:
            raise Failure("neither ended nor stopped")
        time.sleep(0.002)
    return [p for p in processes if p.poll() is None]


def race(generator, scratch, resume):
    """Some start at once and one of them gets it. It ends well, or is killed, and then some resume at once."""
    with Folder() as folder:
        more = ["--kill-at", "STOP@pass:begin" if resume else HOLDS]
        if resume:
            folder.run(*WAY, "--scratch", scratch, "--kill-at", "commit:done:2", status=-9)
            more.append("--resume")
        other = scratch if scratch.startswith("home") else ",".join(reversed(scratch.split(",")))  # they have to get the same one first
        processes = [folder.start(*WAY, "--scratch", generator.choice((scratch, other)), *more)
                     for _ in range(generator.choice((2, 2, 3)))]
        try:
            proceeding = settle(processes)
            if len(proceeding) != 1:
                return f"{len(proceeding)} of {len(processes)} proceed"
            winner = proceeding[0]
            for process in processes:
                if process is winner:
                    continue
                _, said = process.communicate()
                if process.returncode != 77 or f"process {winner.pid} (shot, since " not in said:
                    return f"status {process.returncode}, without the one that has it ({winner.pid}): {said}"
            winner.send_signal(signal.SIGCONT)
            _, said = winner.communicate(timeout=60)
            return (winner.returncode and f"status {winner.returncode}: {said}") or folder.wrong() or folder.left(*scratch.split(","))
        finally:
            for process in processes:
                process.kill()
                process.wait()
                process.stderr.close()


class Races(unittest.TestCase):
    def test_one_proceeds(self):
        counter = try_all(self.one, [(options.SEED + i, i % 2 == 1) for i in range(options.RACES)])
        suite.leave_promise("of runs that begin at once on one scratch, exactly one proceeds", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:5]))

    @staticmethod
    def one(seed, resume):
        generator = random.Random(seed)
        return "resume" if resume else "begin", race(generator, generator.choice(("s", "a,b")), resume)

    def test_on_a_device(self):
        with Folder() as place:
            device = Device(place.path / "device")
            try:
                if device.why:
                    self.skipTest(device.why)
                generator, counter = random.Random(options.SEED), Counter()
                for i in range(options.RACES // 10):
                    with open(device.device, "r+b") as file:
                        file.write(bytes(1 << 20))
                        os.fsync(file.fileno())
                    counter.take("device", race(generator, device.device if i % 2 else f"home,{device.device}", i % 3 == 2))
                self.assertFalse(counter.failed, "\n".join(counter.failed[:5]))
            finally:
                device.close()

    def test_while_one_ends_others_begin(self):
        """Locks, files and the directory itself come and go; whoever gets through has the right results."""
        with Folder() as folder:
            counter = Counter()
            for _ in range(options.RACES // 5):
                running = [folder.start(*WAY) for _ in range(3)]
                for process in running:
                    _, said = process.communicate(timeout=60)
                    counter.take(str(process.returncode),
                                 None if process.returncode in (0, 77) else f"status {process.returncode}: {said}")
                if folder.wrong() or folder.left():
                    counter.take("after", folder.wrong() or folder.left())
            self.assertFalse(counter.failed, "\n".join(counter.failed[:5]))
            self.assertGreater(counter.kinds.get("0", 0), 0)


class Stale(unittest.TestCase):
    """What is written in a lock that nobody holds."""

    def start_time(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[19])

    def boot(self):
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()

    def with_lock(self, *args, pid=1, host=None, boot=None, started=1, status=0, text=None):
        with Folder() as folder:
            scratch = folder.path / "s"
            scratch.mkdir(mode=0o700)
            host = socket.gethostname() if host is None else host
            boot = self.boot() if boot is None else boot
            (scratch / "lock").write_text(text if text is not None else
                                          f"{pid}\nhost {host}\nboot {boot}\nstarted {started}\nprogram other\nsince yesterday\n")
            done = folder.run(*WAY, "--scratch", "s", *args, status=status)
            if status == 0:
                self.assertIsNone(folder.wrong())
                self.assertFalse((scratch / "lock").exists())
            else:
                self.assertTrue((scratch / "lock").read_text().startswith(str(pid)))
            return done.stderr

    def test_of_a_process_that_is_no_more(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        said = self.with_lock(pid=gone.pid)
        self.assertRegex(said, rf"left by process {gone.pid} \(other, since yesterday\), which is no more: it is taken over")

    def test_of_a_number_that_another_process_has_by_now(self):
        said = self.with_lock(pid=os.getpid(), started=self.start_time(os.getpid()) - 1)
        self.assertIn("which is no more", said)

    def test_of_a_process_that_lives(self):
        """A file system may not honour locks."""
        said = self.with_lock(pid=os.getpid(), started=self.start_time(os.getpid()), status=77)
        self.assertIn(f"in use by process {os.getpid()} (other, since yesterday)", said)

    def test_of_before_the_machine_started(self):
        self.assertIn("which is no more", self.with_lock(pid=os.getpid(), boot="another", started=self.start_time(os.getpid())))

    def test_of_another_host(self):
        said = self.with_lock(host="far", boot="another", status=77)
        self.assertIn("locked by process 1 on far (other, since yesterday)", said)
        self.assertIn("--take-over", said)

    def test_of_another_host_that_is_no_more(self):
        self.assertIn("taken over from process 1 on far", self.with_lock("--take-over", host="far", boot="another"))

    def test_of_a_zombie(self):
        zombie = subprocess.Popen(["true"])
        time.sleep(0.2)
        self.assertIn("which is no more", self.with_lock(pid=zombie.pid, started=self.start_time(zombie.pid)))
        zombie.wait()

    def test_empty_and_strange(self):
        for text in ("", "\0\0\0", "nobody\n", "host far\n", "9" * 3000, "17\nprogram \x1b[2J\x07\n"):
            self.assertNotIn("\x1b", self.with_lock(text=text))
