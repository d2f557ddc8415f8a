"""The seals of manifests: XXH3-64, which Python does not have, by the header that the runtime uses."""
import ctypes
import functools
import os
import subprocess
import tempfile
from pathlib import Path

SOURCE = """
#define XXH_INLINE_ALL
#include <xxhash.h>
unsigned long long sum(const void *data, unsigned long bytes) { return XXH3_64bits(data, bytes); }
"""


@functools.cache
def _library():
    with tempfile.TemporaryDirectory(prefix="oocc-seal-") as folder:
        path = Path(folder) / "seal.so"
        source = Path(folder) / "seal.c"  # no -x c, which would make C of what a sanitizer's cc adds
        source.write_text(SOURCE)
        # The PATH's cc may be a sanitizer's, whose libraries no Python can load.
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-fno-sanitize=all", source, "-o", path], check=True)
        library = ctypes.CDLL(str(path))
    library.sum.restype = ctypes.c_ulonglong
    library.sum.argtypes = [ctypes.c_char_p, ctypes.c_ulong]
    return library


def xxh3(data):
    return _library().sum(bytes(data), len(data))


def sealed(text):
    """A manifest whose last line is the right one."""
    body = text[:text.rindex(b"xxh3 ")]
    return body + b"xxh3 %016x\n" % xxh3(body)
