#!/usr/bin/env python3
"""Runs many instances at once, as make -j, xargs -P and a matrix do, and measures what an instance costs.

Usage: .ci/many.py PROGRAM

Each instance has a free port, a port file and a state directory of its own. The memory that docker/kubernetes.yaml requests must
be enough for an instance whose journal is full.
"""

import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 64
AT_ONCE = 16
# More than a journal holds.
REQUESTS = 40_000
BATCH = 200
PATIENCE = 60.0
PROGRAM = os.path.abspath(sys.argv[1])


def sharded(directory):
    """One run for each shard, many at once; their cards are merged."""
    script = (
        '"$1" run --seed "$2" --state "$3/state-$2" --report "$3/card-$2.json" -- '
        "sh -c 'for i in 1 2 3 4 5; do curl -sf $UNDERSTUDY_URL/devices >/dev/null || exit 1; done' >/dev/null"
    )
    seeds = "\n".join(str(seed) for seed in range(1, RUNS + 1))
    began = time.monotonic()
    subprocess.run(
        ["xargs", "-P", str(AT_ONCE), "-I", "{}", "sh", "-c", script, "sh", PROGRAM, "{}", directory],
        input=seeds, text=True, check=True, timeout=600)
    took = time.monotonic() - began
    cards = sorted(str(card) for card in Path(directory).glob("card-*.json"))
    assert len(cards) == RUNS, f"{len(cards)} cards of {RUNS} runs"
    merged = subprocess.run([PROGRAM, "report", "--merge", *cards], check=True, capture_output=True, text=True).stdout
    assert merged.startswith(f"Report card: {RUNS} cards, {RUNS} files, {RUNS * 5} exchanges\n"), merged
    print(f"{RUNS} runs, {AT_ONCE} at once, each with a state of its own: {took:.1f} s; one card of {RUNS * 5} exchanges")


def start(directory, number):
    """A server, its port, and the time from its start to its first reply in milliseconds."""
    place = Path(directory, f"server-{number}")
    place.mkdir()
    began = time.monotonic()
    server = subprocess.Popen(
        [PROGRAM, "--port", "0", "--port-file", place / "port", "--state", place / "state"], stdout=subprocess.DEVNULL)
    while not (place / "port").exists():
        assert server.poll() is None, "a server ended at once"
        assert time.monotonic() - began < PATIENCE, "a server wrote no port file"
        time.sleep(0.0005)
    port = int((place / "port").read_text())
    ask(port, 1)
    return server, port, (time.monotonic() - began) * 1000


def ask(port, count):
    """Sends so many requests on one connection, in batches, and takes every reply."""
    request = b"GET /devices/WWM-0001-12 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: many\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        while count > 0:
            batch = min(BATCH, count)
            connection.sendall(request * batch)
            answered, rest = 0, b""
            while answered < batch:
                piece = connection.recv(1 << 16)
                assert piece, "the server closed the connection"
                rest += piece
                answered += rest.count(b"HTTP/1.1 200")
                rest = rest[-11:]
            count -= batch


def resident(server):
    """The memory that is resident, in MiB."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def servers(directory):
    """Servers side by side, and what they cost."""
    started = [start(directory, number) for number in range(AT_ONCE)]
    try:
        ports = {port for _, port, _ in started}
        assert len(ports) == AT_ONCE, f"{AT_ONCE} servers have {len(ports)} ports"
        rest = max(resident(server) for server, _, _ in started)
        first = statistics.median(milliseconds for _, _, milliseconds in started)
        ask(started[0][1], REQUESTS)
        used = resident(started[0][0])
    finally:
        for server, _, _ in started:
            server.send_signal(signal.SIGTERM)
    assert all(server.wait(PATIENCE) == 0 for server, _, _ in started), "a server did not end with 0"
    requested = int(re.search(r"requests: \{cpu: \d+m, memory: (\d+)Mi\}", Path("docker/kubernetes.yaml").read_text())[1])
    print(f"{AT_ONCE} servers at once: {rest:.0f} MiB each at rest, {first:.0f} ms to the first reply; {used:.0f} MiB after "
          f"{REQUESTS} requests; {requested} MiB are requested")
    assert used <= requested, "docker/kubernetes.yaml requests less memory than an instance takes"


with tempfile.TemporaryDirectory() as directory:
    sharded(directory)
    servers(directory)
