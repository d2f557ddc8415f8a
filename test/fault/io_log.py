"""Reads a log of what a run did to its files (docs/formats/io-log.md)."""


class Event:
    """One call: where in the log it began and ended (None: it had not ended), and what it was."""

    __slots__ = ("kind", "fd", "first", "second", "data", "begin", "end", "result")

    def __init__(self, kind, fd, first, second, data, begin):
        self.kind, self.fd, self.first, self.second, self.data, self.begin = kind, fd, first, second, data, begin
        self.end = self.result = None

    def done_before(self, at):
        return self.end is not None and self.end < at and self.result >= 0


def read(path):
    """The events in the order in which they began, and how many lines (begins and ends) the log has."""
    text = path.read_bytes()
    magic = b"oocc-io-log 1\n"
    if not text.startswith(magic):
        raise ValueError(f"{path} is no log of version 1")
    at, lines, events, by_number = len(magic), 0, [], {}
    while at < len(text):
        end = text.index(b"\n", at)
        word = text[at:end].split()
        at = end + 1
        if word[0] == b"begin":
            length = int(word[6])
            event = Event(word[2].decode(), int(word[3]), int(word[4]), int(word[5]), text[at:at + length], lines)
            if text[at + length:at + length + 1] != b"\n":
                raise ValueError(f"{path}: the data of call {word[1].decode()} do not end where they should")
            at += length + 1
            events.append(event)
            by_number[word[1]] = event
        else:
            event = by_number[word[1]]
            event.end, event.result = lines, int(word[2])
        lines += 1
    return events, lines
