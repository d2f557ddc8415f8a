"""Exit statuses, and errors as oocc words them."""
import sys

OK, USAGE, BAD_INPUT, INTERNAL, NO_MEMORY, CANNOT_CREATE, IO_ERROR, STOPPED, CORRUPT, DENIED = \
    0, 2, 65, 70, 71, 73, 74, 75, 76, 77


class Failure(Exception):
    """Ends the study with a status; the message says what is wrong, the help what to do about it."""

    def __init__(self, status, message, help=None):
        super().__init__(message)
        self.status, self.help = status, help


def note(text):
    print(f"oocc study: {text}", file=sys.stderr, flush=True)


def report(failure):
    note(f"error: {failure}")
    if failure.help:
        note(f"help: {failure.help}")
    return failure.status
