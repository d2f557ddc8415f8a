"""A client of `oocc lsp`: messages out, messages in, and no opinion of what they should be."""
import json
import os
import select
import subprocess
import time

from programs import compiler


class Gone(AssertionError):
    """The server has ended, or says nothing any more."""


class Client:
    def __init__(self):
        self.server = subprocess.Popen([compiler(), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""
        self.next_id = 0
        self.published = {}  # the last diagnostics of each document

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()

    def send_bytes(self, data):
        self.server.stdin.write(data)

    def send_text(self, text):
        body = text.encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message):
        self.send_text(json.dumps({"jsonrpc": "2.0", **message}))

    def receive(self, timeout=30):
        """The next message of the server."""
        until = time.monotonic() + timeout
        while True:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if separator:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    message = json.loads(rest[:length])
                    if message.get("method") == "textDocument/publishDiagnostics":
                        self.published[message["params"]["uri"]] = message["params"]
                    return message
            if not select.select([self.server.stdout], [], [], max(0, until - time.monotonic()))[0]:
                raise Gone(f"no answer within {timeout} s")
            more = os.read(self.server.stdout.fileno(), 1 << 16)
            if not more:
                raise Gone(f"the server has ended with {self.server.wait()}")
            self.buffer += more

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def call(self, method, params=None, id=None):
        """The answer to a request, and what was said before it."""
        if id is None:
            self.next_id += 1
            id = self.next_id
        self.send({"id": id, "method": method, "params": params if params is not None else {}})
        before = []
        while True:
            message = self.receive()
            if message.get("id") == id and "method" not in message:
                return message, before
            before.append(message)

    def start(self, **params):
        self.call("initialize", {"capabilities": {}, **params})
        self.notify("initialized", {})

    def stop(self):
        """Ends it as the protocol has it; returns its exit status."""
        self.call("shutdown")
        self.notify("exit", {})
        return self.server.wait(30)
