#!/usr/bin/env python3
"""Measures the cost of a request as Understudy's data grows, and prints a table.

Usage: python3 Tests/Benchmark/growth.py [--seconds 2] [--binary PATH]

The figures are the server's CPU time per request, the median of three runs, so that other load on the machine matters little.
"""

import argparse
import resource
import socket
import statistics
import tempfile

from servers import DEVICES, Understudy, ask, built, install, load

PATCH = (
    'wrk.method = "PATCH"\nlocal n = 0\nrequest = function()\n  n = (n + 1) % 60\n'
    '  return wrk.format(nil, nil, nil, string.format(\'{"installationDate":"2024-01-01T10:10:%02dZ"}\', n))\nend\n')


def rules(count, path):
    return [
        {"name": f"idle {i}", "match": {"api": "devices", "path": path.replace("N", str(i))},
         "when": {"chance": "1/2", "from": "10h", "until": "11h"}, "effect": {"status": 503}}
        for i in range(count)
    ]


class Growth:
    def __init__(self, server, seconds):
        self.server, self.seconds = server, seconds

    def cost(self, path, script=""):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script)
            file.flush()
            runs = [load(self.server, path, file.name, self.seconds, 1)[1] for _ in range(4)]
        return statistics.median(runs[1:])

    def row(self, name, sizes, prepare, asks):
        for label, path, script in asks:
            costs = []
            for size in sizes:
                prepare(size)
                costs.append(self.cost(path, script))
            figures = " → ".join(f"{size:,}: {cost:.1f}" for size, cost in zip(sizes, costs, strict=True))
            print(f"| {name} | {label} | {figures} | {costs[-1] / costs[0]:.2f} |", flush=True)

    def devices(self, count):
        # 10,000 rules must fit into one body of 1 MiB.
        devices = [dict(DEVICES[0], id=f"DEV-{i:05d}", meterPointDescription="Hall", installationDate=None)
                   for i in range(count)]
        ask(self.server.port, "PATCH", "/_mock/state", {"devices": devices})

    def scenario(self, count, path):
        ask(self.server.port, "PUT", "/_mock/scenario",
            {"name": "armed", "about": "Never bites.", "rules": rules(count, path)} if count else "calm")

    def sandboxes(self, count):
        port = self.server.port
        have = {box["name"] for box in __import__("json").loads(ask(port, "GET", "/_mock/sandboxes"))["sandboxes"]}
        for i in range(count):
            if f"g-{i}" not in have:
                ask(port, "POST", "/_mock/sandboxes", {"name": f"g-{i}"})


def main():
    parser = argparse.ArgumentParser(description="How the cost of a request grows.")
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--binary")
    options = parser.parse_args()
    install()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    server = Understudy(options.binary or built(), 0)
    growth = Growth(server, options.seconds)
    item = ("GET item", "/devices/DEV-00003", "")
    patch = ("PATCH item", "/devices/DEV-00003", PATCH)
    print("| what grows | request | CPU µs a request | last / first |")
    print("|---|---|---|---|")
    try:
        growth.row("devices", [20, 1_000, 10_000], growth.devices, [item, patch])
        growth.devices(20)
        growth.row("rules for other paths", [0, 10, 100], lambda n: growth.scenario(n, "/devices/N"), [item])
        growth.row("rules for this path", [0, 10, 100], lambda n: growth.scenario(n, "/devices/*"), [item])
        growth.scenario(0, "")
        growth.row("sandboxes", [1, 100, 1_000], growth.sandboxes, [("GET item", "/@g-0/devices/WWM-0001-12", "")])
        idle = []
        growth.row(
            "idle connections", [0, 1_000, 10_000],
            lambda n: idle.extend(socket.create_connection(("127.0.0.1", server.port)) for _ in range(n - len(idle))),
            [item])
        for connection in idle:
            connection.close()
        ask(server.port, "POST", "/_mock/reset")
        growth.devices(20)
        growth.row("journal entries", [0, 10_000],
                   lambda n: [ask(server.port, "GET", "/users/1") for _ in range(n)] and None, [item])
    finally:
        server.stop()


main()
