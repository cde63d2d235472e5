#!/usr/bin/env python3
"""Has many requests delayed by 100 ms at once, and prints how far from the plan their replies were.

Usage: python3 Tests/Benchmark/latency.py [--binary PATH] [COUNT …]

Each request has a connection of its own. The deviation is the server's own measure (Server-Timing: when the first byte
could go out); that no reply came early is checked from outside as well.
"""

import argparse
import re
import resource
import select
import socket
import time

from servers import Understudy, built

DELAY = 0.100
REQUEST = b"GET /devices/DEV-0003 HTTP/1.1\r\nHost: localhost\r\nPrefer: delay=100ms\r\n\r\n"


def measure(port, count, spread):
    connections = {}
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setblocking(False)
        connections[connection.fileno()] = connection
    poll = select.epoll()
    for descriptor in connections:
        poll.register(descriptor, select.EPOLLIN)
    waiting = list(connections.values())
    sent, late, early = {}, [], 0
    began = time.perf_counter()
    while len(late) < count:
        now = time.perf_counter()
        if now - began > 60:
            raise SystemExit(f"latency: only {len(late)} of {count} replies came")
        while waiting and now - began >= spread * (count - len(waiting)) / count:
            connection = waiting.pop()
            sent[connection.fileno()] = time.perf_counter()
            connection.send(REQUEST)
        for descriptor, _ in poll.poll(0):
            reply = connections[descriptor].recv(1 << 16)
            early += time.perf_counter() - sent[descriptor] < DELAY
            late.append(float(re.search(rb"actual;dur=([\d.]+)", reply)[1]) - DELAY * 1000)
    for connection in connections.values():
        connection.close()
    late.sort()

    def at(share):
        return late[min(count - 1, int(count * share))]

    print(f"| {count:,} | {spread * 1000:.0f} ms | {early + sum(each < 0 for each in late)} "
          f"| {at(0.5):.2f} | {at(0.9):.2f} | {at(0.99):.2f} | {late[-1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Delays of 100 ms, many at once.")
    parser.add_argument("counts", nargs="*", type=int, default=[1, 100, 1_000, 5_000, 10_000])
    parser.add_argument("--binary")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    server = Understudy(options.binary or built(), 0)
    print("| at once | sent within | early | p50 ms late | p90 | p99 | most |")
    print("|---|---|---|---|---|---|---|")
    try:
        for count in options.counts:
            measure(server.port, count, 0.09 if count >= 5_000 else 0)
    finally:
        server.stop()


main()
