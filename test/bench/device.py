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
    """{read, write, mixed_read, mixed_write} in bytes per second; None when fio cannot do it."""
    common = [f"--size={count}", f"--bs={BLOCK}", "--direct=1", "--ioengine=libaio", f"--iodepth={DEPTH}",
              f"--runtime={seconds}", "--time_based", "--fallocate=posix", "--output-format=json"]
    jobs = {"read": f"--name=read --filename={folder}/a --rw=read".split(),
            "write": f"--name=write --filename={folder}/b --rw=write".split()}

    def run(*names, more=()):
        command = ["fio", *common, *more]
        for name in names:
            command += jobs[name]
        done = session.execute(command)
        if done.status:
            raise OSError(done.error())
        return json.loads(done.out[done.out.index("{"):])["jobs"]

    fill = session.execute(["fio", *[word for word in common if "time" not in word], "--name=fill",
                            f"--filename={folder}/a", "--rw=write"])
    if fill.status:
        raise OSError(fill.error())
    write = run("write")[0]["write"]["bw_bytes"]
    read = run("read")[0]["read"]["bw_bytes"]
    both = run("read", "write")
    return {"read": read, "write": write, "mixed_read": both[0]["read"]["bw_bytes"],
            "mixed_write": both[1]["write"]["bw_bytes"], "tool": "fio"}


def transfer(path, writing, count, end, moved):
    """One thread's requests on its own share of a file, over and over until the time is up."""
    buffer = mmap.mmap(-1, BLOCK)  # aligned to pages, as direct I/O wants it
    buffer.write(os.urandom(BLOCK))
    file = os.open(path, os.O_RDWR | os.O_DIRECT)
    try:
        offset, base, share = 0, moved[0], count
        moved[0] = 0
        while time.monotonic() < end:
            at = base + offset
            moved[0] += os.pwritev(file, [buffer], at) if writing else os.preadv(file, [buffer], at)
            offset = (offset + BLOCK) % share
    except OSError as error:
        moved[1] = error
    finally:
        os.close(file)


def own(folder, count, seconds):
    share = max(BLOCK, count // DEPTH // BLOCK * BLOCK)
    block = os.urandom(BLOCK)
    for name in "ab":
        with open(f"{folder}/{name}", "wb") as file:
            for _ in range(DEPTH * share // BLOCK):
                file.write(block)
            os.fsync(file.fileno())

    def run(reading, writing):
        end, threads = time.monotonic() + seconds, []
        moved = {"a": [], "b": []}
        for name, wanted in (("a", reading), ("b", writing)):
            for number in range(DEPTH if wanted else 0):
                counted = [number * share, None]  # where it begins, later what it has moved
                moved[name].append(counted)
                threads.append(threading.Thread(target=transfer,
                                                args=(f"{folder}/{name}", name == "b", share, end, counted)))
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        length = time.monotonic() - start
        for _, error in moved["a"] + moved["b"]:
            if error:
                raise error
        return [sum(bytes_ for bytes_, _ in moved[name]) / length for name in "ab"]

    write = run(False, True)[1]
    read = run(True, False)[0]
    mixed = run(True, True)
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
