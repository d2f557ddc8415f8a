"""What the scratch device gives by itself: requests of 4 MiB past the page cache, reading, writing, and both at once.

fio measures it where it is installed; elsewhere a loop of our own does, a few threads on one file each way.
"""
import json
import mmap
import os
import shutil
import threading
import time

BLOCK = 4 << 20
DEPTH = 8


def fio(session, folder, count, seconds):
    """{read, write, mixed_read, mixed_write} in bytes per second."""
    common = ["fio", "--name=bench", f"--size={count}", f"--bs={BLOCK}", "--direct=1", "--ioengine=libaio",
              f"--iodepth={DEPTH}", "--output-format=json"]

    def run(file, kind, *more):
        done = session.execute([*common, f"--filename={folder}/{file}", f"--rw={kind}", *more])
        if done.status:
            raise OSError(done.error())
        job = json.loads(done.out[done.out.index("{"):])["jobs"][0]
        return job["read"]["bw_bytes"], job["write"]["bw_bytes"]

    timed = [f"--runtime={seconds}", "--time_based"]
    run("a", "write")  # nothing can be read before
    write, read = run("b", "write", *timed)[1], run("a", "read", *timed)[0]
    mixed = run("a", "rw", "--rwmixread=50", *timed)
    return {"read": read, "write": write, "mixed_read": mixed[0], "mixed_write": mixed[1], "tool": "fio"}


def transfer(files, kinds, first, share, end, moved):
    """One thread's requests, on its own share of the files, in turn of each kind, over and over until the time is up."""
    buffer = mmap.mmap(-1, BLOCK)  # aligned to pages, as direct I/O wants it
    buffer.write(os.urandom(BLOCK))
    offset = 0
    try:
        while time.monotonic() < end:
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
    for kind in ("read", "write"):
        with open(f"{folder}/{kind}", "wb") as file:
            for _ in range(DEPTH * share // BLOCK):
                file.write(block)
            os.fsync(file.fileno())

    def run(*kinds):
        start, parts = time.monotonic(), [{} for _ in range(DEPTH)]
        threads = [threading.Thread(target=transfer, args=(files, kinds, k * share, share, start + seconds, parts[k]))
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
