"""Counts the heap allocations of a GET in steady state, and fails when there are any.

Usage: python3 allocations.py SERVER

The server runs with allocations.c, which counts calls of malloc(3). Each kind of request is sent until every buffer has its
final size and every table is full, then in many short windows, and the median window must be without an allocation. What
the server allocates by the clock (a date each second, the judging of the journal each half second) falls into a few of
the windows, however slow the machine is; an allocation of each hundredth request falls into all of them.
"""

import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WARM_UP = 25_000
WINDOWS = 51
REQUESTS_PER_WINDOW = 100
# The requests. The scenario below has rules that are evaluated and do not match.
PATHS = ["/devices", "/devices/WWM-0001-12", "/activities", "/users", "/users/1", "/@house/state", "/rooms.json",
         "/@mine/devices"]
# The paths with which the journals of the two sandboxes are filled.
FILLING = ["/devices", "/@mine/devices"]
ARMED = b"""{"name": "armed", "about": "Never applies.", "rules": [
  {"match": {"path": "/**"}, "when": {"chance": "1/2", "from": "10h", "until": "11h"}, "effect": {"status": 503}}]}"""


class Server:
    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        shim = folder / "allocations.so"
        source = Path(__file__).with_name("allocations.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", shim, source], check=True)
        self.counts = open(folder / "counts", "w+")
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--port-file", folder / "port"], env={"LD_PRELOAD": str(shim)},
            stdout=subprocess.DEVNULL, stderr=self.counts)
        end = time.monotonic() + 60
        while not (folder / "port").exists() or not (folder / "port").read_text().strip():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("allocations: the server did not come up")
            time.sleep(0.01)
        self.connection = socket.create_connection(("127.0.0.1", int((folder / "port").read_text())), timeout=60)

    def ask(self, request, status=b"200"):
        self.connection.sendall(request)
        response = b""
        while b"\r\n\r\n" not in response:
            response += self.connection.recv(1 << 16)
        head, _, body = response.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 " + status):
            sys.exit(f"allocations: {request.splitlines()[0]} was answered {head.splitlines()[0]}")
        length = int(next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))[15:])
        while len(body) < length:
            body += self.connection.recv(1 << 16)

    def count(self):
        before = self.counts.tell()
        self.process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            self.counts.seek(before)
            line = self.counts.readline()
            if line.endswith("\n"):
                return int(line)
            time.sleep(0.001)
        sys.exit("allocations: the server counts nothing")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def message(line, body):
    return f"{line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: allocations\r\n\r\n".encode()


def main():
    server = Server(sys.argv[1])
    failed = False
    try:
        server.ask(message("POST /_mock/sandboxes", b'{"name": "mine"}'), b"201")
        for name, scenario in [("calm", b'"calm"'), ("armed", ARMED)]:
            for sandbox in ["", "/@mine"]:
                server.ask(message(f"PUT {sandbox}/_mock/scenario", scenario))
            for path in PATHS:
                request = get(path)
                for _ in range(WARM_UP if path in FILLING else 1_000):
                    server.ask(request)
                windows = []
                for _ in range(WINDOWS):
                    before = server.count()
                    for _ in range(REQUESTS_PER_WINDOW):
                        server.ask(request)
                    windows.append(server.count() - before)
                median = statistics.median(windows)
                failed = failed or median > 0
                without = windows.count(0)
                print(f"{name:6} GET {path:24} {without} of {WINDOWS} windows without an allocation, median {median}")
    finally:
        server.stop()
    if failed:
        sys.exit(f"allocations: at least one in {REQUESTS_PER_WINDOW} GETs")


main()
