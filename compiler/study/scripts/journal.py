"""What was measured, one JSON object a line, each on the disk before the next thing is done: nothing is lost or done twice.

The first line says what holds for all of them. A line that was being written when the study was killed is cut off.
"""
import fcntl
import json
import os

from failure import BAD_INPUT, CANNOT_CREATE, CORRUPT, DENIED, IO_ERROR, Failure


class Journal:
    def __init__(self, folder, settings, restart=False):
        """Opens or begins the journal; `settings` must be those that it was begun with."""
        self.path = folder / "journal.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.lock = open(folder / "lock", "w")
        except OSError as error:
            raise Failure(CANNOT_CREATE, f"cannot create {folder}: {error.strerror}", "name another with --output") from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Failure(DENIED, f"another study is running in {folder}", "wait for it, or name another --output") from None
        if restart and self.path.exists():
            self.path.unlink()
        self.entries = []
        header = {"format": "oocc-study", "version": 1, "settings": settings}
        self.file = open(self.path, "ab")
        self._read(header)

    def _read(self, header):
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].splitlines()
        try:
            found = [json.loads(line) for line in lines]
        except ValueError as error:
            raise Failure(CORRUPT, f"{self.path} is damaged: {error}", "--restart discards it and begins again") from None
        if whole < len(content):
            self.file.truncate(whole)
        if not found:
            self.add(header)
            self.entries.clear()
            self._sync_folder()
            return
        if (found[0].get("format"), found[0].get("version")) != ("oocc-study", 1):
            raise Failure(CORRUPT, f"{self.path} is not a study's journal", "--restart discards it and begins again")
        before, now = found[0]["settings"], header["settings"]
        for name in sorted(before.keys() | now.keys()):
            if before.get(name) != now.get(name):
                raise Failure(BAD_INPUT, f"what was measured in {self.path.parent} had another {name}: "
                              f"{json.dumps(before.get(name))}, and now it is {json.dumps(now.get(name))}",
                              "go on with the same, --restart to discard it, or keep both with --output FOLDER")
        self.entries = found[1:]

    def _sync_folder(self):
        folder = os.open(self.path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def add(self, entry):
        try:
            self.file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            raise Failure(IO_ERROR, f"cannot write {self.path}: {error.strerror}") from None
        self.entries.append(entry)

    def close(self):
        self.file.close()
        self.lock.close()
