#!/usr/bin/env python3
"""Measures start, memory and size of Understudy and of nginx, and prints a table.

Usage: python3 Tests/Benchmark/footprint.py [--binary PATH]
"""

import argparse
import os
import resource
import shutil
import socket
import statistics
import tempfile
import time

from servers import Nginx, Understudy, built, find, install, load, resident_megabytes

CONNECTIONS = 10_000


def first_reply(server):
    """Returns the milliseconds from the start of the process to the first byte of a response."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(b"GET /item HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if connection.recv(16):
                    return (time.monotonic() - server.began) * 1000
        except OSError:
            time.sleep(0.0002)
    raise SystemExit("footprint: a server did not answer")


def starts(make):
    times = []
    for _ in range(7):
        server = make()
        times.append(first_reply(server))
        server.stop()
    return statistics.median(times)


def memory(server, path):
    idle = resident_megabytes(server.pid)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        load(server, path, script.name, 3, 1)
    loaded = resident_megabytes(server.pid)
    before = resident_megabytes(server.pid)
    connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(CONNECTIONS)]
    for connection in connections:
        connection.sendall(b"GET /item HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for connection in connections:
        connection.recv(1 << 16)
    time.sleep(2)
    held = resident_megabytes(server.pid) - before
    for connection in connections:
        connection.close()
    return idle, loaded, held


def main():
    parser = argparse.ArgumentParser(description="Start, memory and size.")
    parser.add_argument("--binary")
    options = parser.parse_args()
    install()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    binary = options.binary or built()
    ours = starts(lambda: Understudy(binary, 0, isFresh=True))
    theirs = starts(lambda: Nginx(0, isFresh=True))
    rows = [("start to first reply, ms", ours, theirs)]
    figures = []
    for server, path in [(Understudy(binary, 0), "/devices"), (Nginx(0), "/list")]:
        figures.append(memory(server, path))
        server.stop()
    names = ["resident at rest, MB", "resident after load, MB", f"more with {CONNECTIONS:,} idle connections, MB"]
    rows += zip(names, figures[0], figures[1], strict=True)

    def size(path):
        return os.path.getsize(os.path.realpath(path)) / (1 << 20)

    rows.append(("binary, MB", size(binary), size(shutil.which("nginx") or find("nginx"))))
    print("| | understudy | nginx |")
    print("|---|---|---|")
    for name, our, their in rows:
        print(f"| {name} | {our:.1f} | {their:.1f} |")


main()
