"""What the scratch device gives by itself: requests of 4 MiB past the page cache, reading, writing, and both at once.

fio measures it where it is installed; elsewhere a loop of our own does, a few threads on one file each way. Buffers are in huge pages,
as oocc's window is, where the kernel gives some: in pages of 4 KiB a request is a thousand pieces, and some devices are half as fast.
"""
import contextlib
import json
import mmap
import os
import shutil
import signal
import subprocess
import threading
import time

BLOCK = 4 << 20
DEPTH = 8
HUGE_PAGE = 2 << 20
HUGE_PAGES = "/proc/sys/vm/nr_hugepages"
STOPS_SECONDS = 30  # fio that was told to


@contextlib.contextmanager
def huge_pages():
    """Sets pages aside for fio's buffers; gives its option for them, or none where that is not allowed."""
    try:
        with open(HUGE_PAGES) as file:
            before = int(file.read())
        wanted = before + 2 * DEPTH * BLOCK // HUGE_PAGE
        with open(HUGE_PAGES, "w") as file:
            file.write(str(wanted))
    except OSError:
        yield []
        return
    try:
        with open(HUGE_PAGES) as file:
            yield ["--iomem=mmaphuge"] if int(file.read()) >= wanted else []
    finally:
        with open(HUGE_PAGES, "w") as file:
            file.write(str(before))


def fio_command(jobs, count, *more):
    """Jobs are (file, kind, options of its own); DEPTH requests are in flight in all."""
    parts = ["--thread"]  # one process, so that nothing stays when it is killed
    for file, kind, *own in jobs:
        parts += [f"--name={kind}", f"--filename={file}", f"--rw={kind}", f"--size={count}", f"--bs={BLOCK}", "--direct=1", "--ioengine=libaio",
                  f"--iodepth={DEPTH // len(jobs)}", *own, *more]
    return ["fio", "--output-format=json", *parts]


def fio_figures(text):
    jobs = json.loads(text[text.index("{"):])["jobs"]
    return sum(job["read"]["bw_bytes"] for job in jobs), sum(job["write"]["bw_bytes"] for job in jobs)


def both_ways(folder, pace=(None, None)):
    """One file is read while another one is written, as a stream does it."""
    rates = [[f"--rate={int(rate)}"] if rate else [] for rate in pace]
    return [(folder / "a", "read", *rates[0]), (folder / "b", "write", *rates[1])]


def fio(session, folder, count, seconds):
    """{read, write, mixed_read, mixed_write} in bytes per second."""
    def run(jobs, *more):
        done = session.execute(fio_command(jobs, count, *more))
        if done.status:
            raise OSError(done.error())
        return fio_figures(done.out)

    with huge_pages() as memory:
        timed = [f"--runtime={seconds}", "--time_based", *memory]
        for file in ("a", "b"):  # nothing can be read before, and blocks that were never written may take longer
            run([(folder / file, "write")], *memory)
        write, read = run([(folder / "b", "write")], *timed)[1], run([(folder / "a", "read")], *timed)[0]
        mixed = run(both_ways(folder), *timed)
    return {"read": read, "write": write, "mixed_read": mixed[0], "mixed_write": mixed[1], "tool": "fio, huge pages" if memory else "fio"}


@contextlib.contextmanager
def two_files(session, count, what):
    """Of so many bytes each, written by fio; gives their folder and its option for huge pages. They stay until the end of the block, whatever
    runs leave and remove meanwhile: where the file system discards what is removed, the device is busy with it for seconds."""
    folder = session.folder / "device.kept"
    folder.mkdir()
    try:
        session.need_space(2 * count, what, "use a smaller --device-bytes")
        with huge_pages() as memory:
            for file in ("a", "b"):
                session.execute(fio_command([(folder / file, "write")], count, *memory))
            yield folder, memory
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def told_to_stop(running):
    """What fio says that it did; nothing if it does not stop: told so while it begins, it may wait for itself."""
    running.send_signal(signal.SIGINT)
    try:
        return running.communicate(timeout=STOPS_SECONDS)[0]
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        return ""


@contextlib.contextmanager
def busy(session, count, pace=None):
    """While this lasts, fio moves bytes in both directions: (read, written) per second, or as fast as it can; gives a list which then has
    what it did, of both together."""
    rate = []
    if not shutil.which("fio"):
        raise OSError("fio is not installed")
    with two_files(session, count, "a busy device") as (folder, memory):
        running = subprocess.Popen(fio_command(both_ways(folder, pace or (None, None)), count, "--runtime=36000", "--time_based", *memory),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            yield rate
        finally:
            said = told_to_stop(running)
            rate.append(sum(fio_figures(said)) if "{" in said else 0)


def block_of_its_own():
    """Of a thread, aligned to pages, as direct I/O wants it."""
    pages = mmap.mmap(-1, BLOCK + HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_HUGEPAGE)
    pages.write(os.urandom(len(pages)))
    return memoryview(pages)[HUGE_PAGE // 2:HUGE_PAGE // 2 + BLOCK]


def transfer(files, kinds, buffer, first, share, end, moved):
    """One thread's requests, on its own share of the files, in turn of each kind, over and over until the time is up, and once in any case."""
    offset = 0
    try:
        while not moved or time.monotonic() < end:
            for kind in kinds:
                count = (os.pwritev if kind == "write" else os.preadv)(files[kind], [buffer], first + offset)
                moved[kind] = moved.get(kind, 0) + count
            offset = (offset + BLOCK) % share
    except OSError as error:
        moved["error"] = error


def own(folder, count, seconds):
    """The same by threads of our own."""
    share = max(BLOCK, count // DEPTH // BLOCK * BLOCK)
    block, files = os.urandom(BLOCK), {}
    buffers = [block_of_its_own() for _ in range(DEPTH)]  # before the clock begins
    for kind in ("read", "write"):
        with open(f"{folder}/{kind}", "wb") as file:
            for _ in range(DEPTH * share // BLOCK):
                file.write(block)
            os.fsync(file.fileno())

    def run(*kinds):
        start, parts = time.monotonic(), [{} for _ in range(DEPTH)]
        threads = [threading.Thread(target=transfer, args=(files, kinds, buffers[k], k * share, share, start + seconds, parts[k]))
                   for k in range(DEPTH)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        length = time.monotonic() - start
        for part in parts:
            if "error" in part:
                raise part["error"]
        return [sum(part.get(kind, 0) for part in parts) / length for kind in kinds]

    try:
        for kind in ("read", "write"):
            files[kind] = os.open(f"{folder}/{kind}", os.O_RDWR | os.O_DIRECT)
        write, read, mixed = run("write")[0], run("read")[0], run("read", "write")
    finally:
        for file in files.values():
            os.close(file)
    return {"read": read, "write": write, "mixed_read": mixed[0], "mixed_write": mixed[1], "tool": "own loop"}


def touch(session, count):
    """Writes so much of the disk once, and gives it back: disks that grow with what they hold, as those of virtual machines may, take longer where
    nothing was written before, and the first run would pay for all others. Of a disk with less room, most of that."""
    free = shutil.disk_usage(session.folder).free
    file, block = session.folder / "touched.scratch", os.urandom(BLOCK)
    try:
        with open(file, "wb", buffering=0) as out:
            for _ in range(min(count, free * 9 // 10) // BLOCK):
                out.write(block)
            os.fsync(out.fileno())
    finally:
        file.unlink(missing_ok=True)


def tool_of(mode):
    return "own" if mode == "smoke" else "auto"


def measure(session, count, seconds, tool="auto"):
    """One record's figures."""
    folder = session.folder / "device.scratch"
    folder.mkdir()
    try:
        session.need_space(2 * count, "the device's baseline", "use a smaller --device-bytes")
        if tool == "own" or not shutil.which("fio"):
            return {"status": "done", **own(folder, count, seconds)}
        return {"status": "done", **fio(session, folder, count, seconds)}
    except OSError as error:
        return {"status": "failed", "reason": f"not measured: {error}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def repeated(session, count, seconds, tool="auto"):
    """Gives a function that measures both ways at once, bytes per second together (None: it cannot), as often as it is asked."""
    def by_own_loop():
        figures = measure(session, count, seconds, tool)
        return figures["mixed_read"] + figures["mixed_write"] if figures["status"] == "done" else None

    if tool == "own" or not shutil.which("fio"):
        yield by_own_loop
        return
    with two_files(session, count, "the device's baseline") as (folder, memory):
        def by_fio():
            done = session.execute(fio_command(both_ways(folder), count, f"--runtime={seconds}", "--time_based", *memory))
            return None if done.status else sum(fio_figures(done.out))
        yield by_fio
