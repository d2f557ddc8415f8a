"""What a crash may leave of the files that a log tells of.

The state of a file system is kept as names (path -> file) and files (bytes). A crash at a place of the log leaves
  - of the writes to a file that no completed sync of it covers, any subset, each of them torn at 512 bytes;
  - of the changes of names that no completed sync of their directory covers, any subset (adversarial), or those up to
    some point in their order (as a journal does, where every sync of a file brings all names before it to the disk, too).
A sync covers what had ended before it began. A rename is atomic.
"""
import os
import re

SECTOR = 512
BOOT = re.compile(rb"\Aboot [0-9a-f]{8}")


class File:
    def __init__(self, content=b""):
        self.content = content  # before the log begins
        self.changes = []       # writes and changes of size
        self.syncs = []


class Change:
    """Of a name: `to` is bound to a file, or `path` to none."""

    def __init__(self, event, kind, path, file=None, to=None):
        self.event, self.kind, self.path, self.file, self.to = event, kind, path, file, to

    def directories(self):
        return {os.path.dirname(path) for path in (self.path, self.to) if path}


class History:
    """All that a log says, by file and by name."""

    def __init__(self, events, existing=None):
        self.names = dict(existing or {})  # path -> File, before
        self.changes, self.directory_syncs, self.file_syncs = [], {}, []
        self.first_directories = set()
        self.manifests = []                # events that renamed a manifest into place, and the file
        now, open_files = dict(self.names), {}
        for event in events:
            path = event.data.decode(errors="surrogateescape") if event.kind != "write" else ""
            if event.kind == "open":
                self._open(event, path, now, open_files)
            elif event.kind == "rename" and event.result == 0:
                self._rename(event, path, now)
            elif event.kind in ("unlink", "rmdir", "mkdir") and event.result == 0:
                self.changes.append(Change(event, event.kind, path, now.pop(path, None)))
            elif event.kind == "sync":
                self._sync(event, open_files[event.fd])
            elif event.kind in ("write", "allocate", "truncate"):
                open_files[event.fd].changes.append(event)

    def _open(self, event, path, now, open_files):
        if event.result is None or event.result < 0:
            return
        if event.first:  # it makes the file
            now[path] = File()
            self.changes.append(Change(event, "create", path, now[path]))
        if isinstance(now.get(path), File):
            if event.second:
                now[path].changes.append(event)
            open_files[event.result] = now[path]
        else:
            open_files[event.result] = os.path.normpath(path)  # a directory

    def _rename(self, event, path, now):
        old, new = path[:event.first], path[event.first:]
        file = now.pop(old)
        now[new] = file
        self.changes.append(Change(event, "rename", old, file, new))
        if new.endswith("/manifest"):
            self.manifests.append((event, file))

    def _sync(self, event, what):
        if isinstance(what, File):
            what.syncs.append(event)
            self.file_syncs.append(event)
        else:
            self.directory_syncs.setdefault(what, []).append(event)

    def writes_of(self, names):
        """Writes to all files that are ever called so."""
        files = dict(self.names)
        files.update({c.path: c.file for c in self.changes if c.kind == "create"})
        return [event for path, file in files.items() if file is not None and os.path.basename(path) in names
                for event in file.changes if event.kind == "write"]

    def named_for_sure(self, change, at, journal=False):
        """Whether a change of names has reached the disk when the run dies at `at`."""
        for directory in change.directories():
            syncs = self.directory_syncs.get(directory, []) + (self.file_syncs if journal else [])
            if not any(sync.done_before(at) and change.event.end is not None and change.event.end < sync.begin
                       for sync in syncs):
                return False
        return True


def covered(event, syncs, at):
    return event.end is not None and any(sync.done_before(at) and event.end < sync.begin for sync in syncs)


def apply(content, event, sectors=None):
    """Makes a change of a file; `sectors`: only these of a write."""
    if event.kind == "open":
        del content[:]
    elif event.kind == "truncate":
        size = event.first
        del content[size:]
        content.extend(bytes(size - len(content)))
    elif event.kind == "allocate":
        if not event.second:
            content.extend(bytes(max(0, event.first - len(content))))
    else:
        lo, data = event.first, event.data
        for start in ([0] if sectors is None else [s * SECTOR for s in sectors]):
            part = data if sectors is None else data[start:start + SECTOR]
            content.extend(bytes(max(0, lo + start + len(part) - len(content))))
            content[lo + start:lo + start + len(part)] = part


def left_of(file, at, random):
    """Bytes of a file after a crash. `random` None: everything that began."""
    content = bytearray(file.content)
    keep = None if random is None else random.choice((0.0, 0.3, 0.7, 0.95, 1.0))
    for event in file.changes:
        if event.begin >= at:
            break
        if random is None or covered(event, file.syncs, at):
            apply(content, event)
        elif random.random() < keep:
            sectors = None
            if event.kind == "write" and random.random() < 0.5:
                count = (len(event.data) + SECTOR - 1) // SECTOR
                if random.random() < 0.5:
                    sectors = range(random.randrange(count + 1))
                else:
                    sectors = [s for s in range(count) if random.random() < 0.5]
            apply(content, event, sectors)
    return bytes(content)


def names_of(history, at, random):
    """Which names there are after a crash, and of directories: path -> File or None."""
    journal = random is not None and random.random() < 0.5
    begun = [c for c in history.changes if c.event.begin < at]
    sure = [c for c in begun if random is None or history.named_for_sure(c, at, journal)]
    if random is None:
        kept = begun
    elif journal:
        last = max((begun.index(c) for c in sure), default=-1)
        kept = begun[:random.randint(last + 1, len(begun))]
    else:
        keep = random.choice((0.0, 0.3, 0.7, 1.0))
        kept = [c for c in begun if c in sure or random.random() < keep]
    names = dict(history.names)
    for change in kept:
        if change.kind == "create":
            names[change.path] = change.file
        elif change.kind == "mkdir":
            names[change.path] = None
        elif change.kind == "rename":
            names[change.to] = change.file
            if names.get(change.path) is change.file:
                del names[change.path]
        else:
            names.pop(change.path, None)
    return names


def build(history, at, random, root, folder):
    """Makes the files below `root`, as a crash at `at` leaves them, below `folder`."""
    names = names_of(history, at, random)
    directories = {path for path, file in names.items() if file is None}
    for path in sorted(directories):
        os.makedirs(os.path.join(folder, os.path.relpath(path, root)), exist_ok=True)
    for path, file in names.items():
        parent = os.path.dirname(path)
        if not path.startswith(root + "/"):
            continue  # a device is not a file here
        if file is None or (parent != root and parent not in directories):
            continue
        content = left_of(file, at, random)
        if os.path.basename(path) == "recent" and random is not None:
            content = BOOT.sub(b"boot 00000000", content, 1)  # the machine has started anew
        with open(os.path.join(folder, os.path.relpath(path, root)), "wb") as out:
            out.write(content)
