"""Programs that a check of --upstream starts, and what it finds."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve())
WAIT = 60
# The backends list the methods of a path in the order of a set.
ENVIRONMENT = dict(os.environ, PYTHONHASHSEED="0")
# Fields of one connection or one response, which differ between two servers.
OWN = {"date", "connection", "keep-alive", "via", "transfer-encoding", "content-length", "server-timing", "trailer"}


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


class Running:
    """A program that listens on a port; its last argument is the port."""

    def __init__(self, command, directory=None, port=None):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [*command, str(self.port)], cwd=directory, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + WAIT
        while not self.accepts():
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{command[0]} {command[1]} does not listen on port {self.port}")
            time.sleep(0.05)

    def accepts(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(WAIT)


def in_front(backend, directory=None, *options):
    return Running([PROGRAM, "serve", "--upstream", backend.url, *options, "--port"], directory)


class Failures(list):
    def expect(self, holds, words):
        if not holds:
            self.append(words)
            print(f"FAILED: {words}")


def neutral(fields, *origins):
    """Returns the fields of a response that do not belong to one server, sorted, without the origins in them."""

    def without_origins(value):
        for origin in origins:
            value = value.replace(origin, "(origin)")
        return value

    return sorted(
        (name.lower(), without_origins(value))
        for name, value in fields
        if name.lower() not in OWN and not name.lower().startswith("understudy-"))
