"""Counts the server's user-space instructions per request, and fails if a count exceeds its budget.

Usage: python3 instructions.py SERVER [CASE...]

The server runs under callgrind, once with 1,000 requests on one kept connection and once with 4,000; the case
`connection` opens and closes a connection for each request. The difference of the two counts, divided by 3,000, is the
cost of one request, without the start and the end of the server. The seed of Swift's dictionaries is the same in each
run. A busy machine counts up to 3 % more, because the server does some things by the clock, and another processor, for
which the C library chooses other routines, up to 2 % more or less.
"""

import concurrent.futures
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FEW, MANY = 1_000, 4_000
CONNECTION_WAIT = 120
# The name of `EventLoop.stop(_:)`. Counting ends there, because the process may end before other threads have freed what
# they are to free, which made runs differ by 4 %.
BEGIN_OF_STOP = "*EventLoopV4stop*"
DEVICES = [
    {"id": f"DEV-{i:04d}", "type": "heating", "meterPointDescription": "Hallway number",
     "installationDate": "2023-06-22T15:13:34Z"}
    for i in range(20)
]
STATE = {"devices": DEVICES, "booking": {"rooms": [{"name": "Ljerka", "spots": 1_000_000}]}}
RULES = [
    {"name": f"idle {i}", "match": {"api": "devices", "path": "/devices/**"},
     "when": {"chance": "1/2", "from": "10h", "until": "11h"}, "effect": {"status": 503}}
    for i in range(100)
]


IDLE = {"name": "armed", "about": "Never applies.", "rules": RULES}
SLOW = {"name": "slow", "about": "Delays.", "rules": [
    {"name": "slow", "match": {"api": "devices"}, "effect": {"latency": "1ms"}}]}


class Case:
    """A kind of request, and its budget of instructions: what simplicity may cost, decided in November 2026."""

    def __init__(self, ceiling, line, body=None, pipelined=1, scenario=None, varies=False, connects=False):
        self.ceiling, self.pipelined, self.scenario, self.connects = ceiling, pipelined, scenario, connects
        self.line, self.body, self.varies = line, body, varies

    def message(self, i):
        body = "" if self.body is None else json.dumps(self.body(i))
        fields = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        if self.varies:
            fields += f"X-Request-ID: {i:06d}\r\n"
        line = self.line.format(device=f"DEV-{i % len(DEVICES):04d}")
        return f"{line} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: instructions\r\n{fields}\r\n{body}".encode()


CASES = {
    "list": Case(20_000, "GET /devices"),
    "item": Case(20_000, "GET /devices/DEV-0003"),
    "varied": Case(26_000, "GET /devices/{device}", varies=True),
    "PATCH": Case(33_000, "PATCH /devices/DEV-0003", lambda i: {"installationDate": f"2024-01-01T00:00:{i % 60:02d}Z"}),
    "book": Case(44_000, "POST /book", lambda i: {"name": "Ljerka"}),
    "connection": Case(40_000, "GET /devices", connects=True),
    "pipelined": Case(17_000, "GET /devices", pipelined=16),
    "armed": Case(24_000, "GET /devices/DEV-0003", scenario=IDLE),
    "delayed": Case(62_000, "GET /devices/DEV-0003", scenario=SLOW),
}


class Server:
    """The server under callgrind."""

    def __init__(self, binary):
        self.folder = Path(tempfile.mkdtemp())
        self.profile = self.folder / "profile"
        port = self.folder / "port"
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.profile}", "--log-file=" + str(self.folder / "log"),
             f"--dump-before={BEGIN_OF_STOP}", binary, "--port", "0", "--port-file", port],
            stdout=subprocess.DEVNULL, env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"})
        end = time.monotonic() + CONNECTION_WAIT
        while not (port.exists() and port.read_text().strip()):
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("instructions: the server did not come up under callgrind")
            time.sleep(0.02)
        self.port = int(port.read_text())
        self.connect()

    def connect(self):
        self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=CONNECTION_WAIT)
        self.received = b""

    def read(self):
        """Reads one response, and returns its status."""
        while b"\r\n\r\n" not in self.received:
            self.fill()
        head, _, rest = self.received.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])
        self.received = rest
        while len(self.received) < length:
            self.fill()
        self.received = self.received[length:]
        return head.split()[1]

    def fill(self):
        piece = self.connection.recv(1 << 20)
        if not piece:
            sys.exit("instructions: the server closed the connection")
        self.received += piece

    def ask(self, messages):
        self.connection.sendall(b"".join(messages))
        for message in messages:
            status = self.read()
            if status not in (b"200", b"201", b"204"):
                sys.exit(f"instructions: {message.splitlines()[0].decode()} was answered {status.decode()}")

    def stop(self):
        """Ends the server, and returns its number of instructions until then."""
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=CONNECTION_WAIT)
        profile = Path(f"{self.profile}.1")
        if not profile.exists():
            sys.exit(f"instructions: the server has no function {BEGIN_OF_STOP}, where the count is to end")
        return int(re.search(r"^totals: (\d+)", profile.read_text(), re.MULTILINE)[1])


def control(line, value):
    body = json.dumps(value)
    return f"{line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def count(binary, case, requests):
    server = Server(binary)
    try:
        server.ask([control("PATCH /_mock/state", STATE)])
        if case.scenario:
            server.ask([control("PUT /_mock/scenario", case.scenario)])
        for first in range(0, requests, case.pipelined):
            if case.connects:
                server.connection.close()
                server.connect()
            server.ask([case.message(i) for i in range(first, first + case.pipelined)])
        # A change of the state makes the checks judge all exchanges before it.
        server.ask([control("PATCH /_mock/state", STATE)])
        return server.stop()
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        shutil.rmtree(server.folder)


def main():
    binary, names = sys.argv[1], sys.argv[2:] or list(CASES)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = {name: [pool.submit(count, binary, CASES[name], n) for n in (FEW, MANY)] for name in names}
    print(f"{'request':12} {'instructions':>12} {'ceiling':>9}")
    failed = False
    for name in names:
        few, many = (future.result() for future in counts[name])
        cost = round((many - few) / (MANY - FEW))
        is_over = cost > CASES[name].ceiling
        failed = failed or is_over
        print(f"{name:12} {cost:12,} {CASES[name].ceiling:9,}{'  OVER' if is_over else ''}")
    if failed:
        sys.exit("instructions: a request costs more than its budget")


main()
