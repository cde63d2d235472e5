#!/usr/bin/env python3
"""Sends many requests that the server delays by 100 ms, and prints how late their responses arrived at the client.

Usage: python3 Tests/Benchmark/delays.py [--binary PATH] [COUNT …]

Each request is the first on an idle connection. The client, `delays.c`, is compiled here and runs on the core that the
server does not use; it measures from before a request is written until its response is read. nginx cannot delay, so it
answers the same number of requests at once, and its whole response time counts as lateness. `loop.c` delays as well, and
does nothing else: no server can be earlier.
"""

import argparse
import resource
import subprocess
import tempfile
from pathlib import Path

from servers import Nginx, Understudy, built, install, pinned

DELAY = 100.0
REST = 300
SERVER_CORE, CLIENT_CORE = 0, 1


def compiled(name, folder):
    """Compiles a program, and returns its path."""
    program = Path(folder, name)
    subprocess.run(
        ["gcc", "-O2", "-o", program, Path(__file__).with_name(name + ".c")], check=True)
    return program


class Loop:
    """A loop that delays fixed bytes, and does nothing else."""

    def __init__(self, folder, core):
        response = Path(folder, "response")
        response.write_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 800\r\n\r\n" + b"x" * 800)
        self.process = subprocess.Popen(
            [*pinned(core), compiled("loop", folder), str(int(DELAY)), response], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def stop(self):
        self.process.terminate()
        self.process.wait()


def measure(client, folder, server, path, field, count, span):
    """Returns the time of each response in milliseconds, the shortest first."""
    request = Path(folder, "request")
    request.write_text(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n")
    output = subprocess.run(
        [*pinned(CLIENT_CORE), client, str(server.port), str(count), str(span), str(REST), request],
        check=True, capture_output=True, text=True, timeout=120).stdout
    return sorted(float(line) / 1000 for line in output.split())


def row(name, times, planned, count, span):
    late = [time - planned for time in times]

    def at(share):
        return late[min(count - 1, int(count * share))]

    print(f"| {name} | {count:,} | {span} ms | {sum(each < 0 for each in late)} "
          f"| {at(0.5):.2f} | {at(0.9):.2f} | {at(0.99):.2f} | {late[-1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Delays of 100 ms, many at once, beside nginx without a delay.")
    parser.add_argument("counts", nargs="*", type=int, default=[1, 100, 1_000, 5_000, 10_000])
    parser.add_argument("--binary")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    install()
    understudy, nginx = servers = [Understudy(options.binary or built(), SERVER_CORE), Nginx(SERVER_CORE)]
    print("| server | at once | sent within | early | p50 ms late | p90 | p99 | most |")
    print("|---|---|---|---|---|---|---|---|")
    try:
        with tempfile.TemporaryDirectory() as folder:
            client = compiled("delays", folder)
            loop = Loop(folder, SERVER_CORE)
            servers.append(loop)
            for count in options.counts:
                span = 90 if count >= 5_000 else 0
                for name, server, path, field, planned in (
                        ("understudy, 100 ms", understudy, "/devices/DEV-0003", "Prefer: delay=100ms\r\n", DELAY),
                        ("loop, 100 ms", loop, "/", "", DELAY),
                        ("understudy", understudy, "/devices/DEV-0003", "", 0),
                        ("nginx", nginx, "/item", "", 0)):
                    row(name, measure(client, folder, server, path, field, count, span), planned, count, span)
    finally:
        for server in servers:
            server.stop()


main()
