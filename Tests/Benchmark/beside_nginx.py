#!/usr/bin/env python3
"""Measures Understudy and nginx side by side, in turns, on this machine, and prints medians and ratios; then start and memory of both.

Usage: python3 Tests/Benchmark/beside_nginx.py [--seconds 2] [--rounds 3] [--case NAME …] [--binary PATH]

The server has one core and the load generator the other. A figure alone means little: read the ratios. CPU is the server's
user and kernel time per request; unlike the rate it does not depend on the speed of the load generator.
"""

import argparse
import resource
import socket
import statistics
import tempfile
import time

from servers import Nginx, Understudy, built, install, load, resident_megabytes

PATCH = 'wrk.method = "PATCH"\nwrk.headers["Content-Type"] = "application/json"\n' \
    'local n = 0\nrequest = function()\n  n = (n + 1) % 60\n' \
    '  return wrk.format(nil, nil, nil, string.format(\'{"installationDate":"2024-01-01T10:10:%02dZ"}\', n))\nend\n'
BOOK = 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = \'{"name":"Ljerka"}\'\n'
PIPELINED = 'init = function(args)\n  local all = {}\n  for i = 1, 16 do all[i] = wrk.format() end\n' \
    '  pipeline = table.concat(all)\nend\nrequest = function() return pipeline end\n'
REQUEST = b"GET /item HTTP/1.1\r\nHost: localhost\r\n\r\n"
IDLE_CONNECTIONS = 10_000
CLOSING = 'wrk.headers["Connection"] = "close"\n'


class Case:
    """A kind of load: its path, the options of wrk, and the server's state before the run."""

    def __init__(self, name, path, script="", nginx="/list", armed=False, sandboxes=0):
        self.name, self.path, self.script, self.nginx = name, path, script, nginx
        self.armed, self.sandboxes = armed, sandboxes


CASES = [
    Case("list", "/devices"),
    Case("list, 100 rules armed", "/devices", armed=True),
    Case("list, 1,000 sandboxes", "/@bench-500/devices", sandboxes=1_000),
    Case("item", "/devices/DEV-0003", nginx="/item"),
    Case("PATCH", "/devices/DEV-0003", PATCH, "/none"),
    Case("POST book", "/book", BOOK, "/none"),
    Case("pipelined 16", "/devices", PIPELINED),
    Case("connection per request", "/devices", CLOSING),
]


def measure(case, servers, rounds, seconds):
    """Alternates between the servers, so that other load on the machine affects both alike."""
    figures = {server.name: [] for server in servers}
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(case.script)
        script.flush()
        paths = {server.name: server.prepare(case) for server in servers}
        for server in servers:
            load(server, paths[server.name], script.name, 1, 1)
        for _ in range(rounds):
            for server in servers:
                figures[server.name].append(load(server, paths[server.name], script.name, seconds, 1))
        for server in servers:
            server.clean(case)
    return figures


def row(case, figures):
    ours, theirs = figures["understudy"], figures["nginx"]
    rates = sorted(a[0] / b[0] for a, b in zip(ours, theirs, strict=True))
    costs = sorted(a[1] / b[1] for a, b in zip(ours, theirs, strict=True))

    def median(pairs, place):
        return statistics.median(pair[place] for pair in pairs)

    return (
        f"| {case.name} | {median(ours, 0):,.0f} | {median(theirs, 0):,.0f} "
        f"| {statistics.median(rates):.2f} ({rates[0]:.2f}…{rates[-1]:.2f}) "
        f"| {median(ours, 1):.1f} | {median(theirs, 1):.1f} "
        f"| {statistics.median(costs):.2f} ({costs[0]:.2f}…{costs[-1]:.2f}) |")


def first_reply(server):
    """Returns the milliseconds from the start of the process to the first byte of a response."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(REQUEST)
                if connection.recv(16):
                    return (time.monotonic() - server.began) * 1000
        except OSError:
            time.sleep(0.0002)
    raise SystemExit("a server did not answer")


def start(make):
    times = []
    for _ in range(7):
        server = make()
        times.append(first_reply(server))
        server.stop()
    return statistics.median(times)


def memory(server):
    """Returns the megabytes of an idle server, and how many more 10,000 idle connections take."""
    idle = resident_megabytes(server.pid)
    connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(IDLE_CONNECTIONS)]
    for connection in connections:
        connection.sendall(REQUEST)
    for connection in connections:
        connection.recv(1 << 16)
    held = resident_megabytes(server.pid) - idle
    for connection in connections:
        connection.close()
    server.stop()
    return idle, held


def main():
    parser = argparse.ArgumentParser(description="Understudy and nginx, side by side.")
    parser.add_argument("--seconds", type=int, default=2, help="the length of one run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", action="append", help="only this one; may be given again")
    parser.add_argument("--binary", help="the server; built when not given")
    options = parser.parse_args()
    install()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    binary = options.binary or built()
    servers = [Understudy(binary, 0), Nginx(0)]
    try:
        print("| case | requests/s | nginx | ratio (min…max) | CPU µs/request | nginx | ratio (min…max) |")
        print("|---|---|---|---|---|---|---|")
        for case in CASES:
            if not options.case or case.name in options.case:
                print(row(case, measure(case, servers, options.rounds, options.seconds)), flush=True)
    finally:
        for server in servers:
            server.stop()
    if options.case:
        return
    ours, theirs = memory(Understudy(binary, 0)), memory(Nginx(0))
    print("\n| | understudy | nginx |\n|---|---|---|")
    print(f"| start to first reply, ms | {start(lambda: Understudy(binary, 0, is_fresh=True)):.1f} "
          f"| {start(lambda: Nginx(0, is_fresh=True)):.1f} |")
    print(f"| idle, MB | {ours[0]:.1f} | {theirs[0]:.1f} |")
    print(f"| more with {IDLE_CONNECTIONS:,} idle connections, MB | {ours[1]:.1f} | {theirs[1]:.1f} |")


main()
