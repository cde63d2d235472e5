"""Uses many sandboxes of one server from many workers, and compares each sandbox's data with its worker's requests.

Usage: python3 sandboxes.py SERVER [SECONDS] [--sandboxes N] [--workers M]    defaults: 600 s, 1000, 64

SERVER is a release build of `understudy`. Each sandbox has one worker, which knows its data, journal and ordinals, so that a
byte of another sandbox is detected. Sometimes a worker resets a sandbox, or deletes and recreates it. The server's memory must
stay flat after the first third. Linux only: it reads /proc.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import time

import soak

DEVICE = "/devices/WWM-0001-12"
# A room of the seed data, and its free spots at the start.
ROOM, SPOTS = "Ljerka", 43
SAMPLE_SECONDS = 10


class Sandbox:
    """A sandbox, and its worker's expectations."""

    def __init__(self, name):
        self.name = name
        self.forget()

    def forget(self):
        self.booked, self.description, self.requests = 0, None, 0


class Worker:
    def __init__(self, port, names, draw):
        self.port, self.draw, self.times = port, draw, []
        self.sandboxes = [Sandbox(name) for name in names]
        self.reader = self.writer = None

    async def ask(self, line, body=None, expected=200):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        began = time.monotonic()
        self.writer.write(soak.message(line, b"" if body is None else json.dumps(body).encode()))
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        content = await self.reader.readexactly(int(length or 0))
        self.times.append(time.monotonic() - began)
        status = int(head.split(b" ", 2)[1])
        assert status == expected, f"{line}: {status} {content[:300]}"
        return json.loads(content) if content else None

    async def make(self, sandbox):
        seed = int(sandbox.name.removeprefix("s")) + 1
        made = await self.ask("POST /_mock/sandboxes", {"name": sandbox.name, "seed": seed}, 201)
        assert made["name"] == sandbox.name and made["seed"] == seed, made
        sandbox.forget()

    async def use(self, sandbox):
        """One visit: writes, reads of what was written, or the control API."""
        base = f"/@{sandbox.name}"
        kind = self.draw.randrange(20)
        if kind < 6 and sandbox.booked < SPOTS:
            await self.ask(f"POST {base}/book", {"name": ROOM})
            sandbox.booked += 1
            sandbox.requests += 1
        elif kind < 12:
            sandbox.description = f"{sandbox.name}-{self.draw.getrandbits(40)}"
            await self.ask(f"PATCH {base}{DEVICE}", {"meterPointDescription": sandbox.description})
            sandbox.requests += 1
        elif kind < 18:
            await self.compare(sandbox)
        elif kind == 18:
            await self.ask(f"POST {base}/_mock/reset", None, 204)
            sandbox.forget()
        else:
            await self.ask(f"DELETE /_mock/sandboxes/{sandbox.name}", None, 204)
            await self.make(sandbox)

    async def compare(self, sandbox):
        base = f"/@{sandbox.name}"
        device = await self.ask(f"GET {base}{DEVICE}")
        sandbox.requests += 1
        if sandbox.description is not None:
            assert device["meterPointDescription"] == sandbox.description, f"{sandbox.name} has {device}"
        else:
            assert not device["meterPointDescription"].startswith("s"), f"{sandbox.name} was never changed, but has {device}"
        rooms = (await self.ask(f"GET {base}/@booking/rooms"))["rooms"]
        sandbox.requests += 1
        spots = next(room["spots"] for room in rooms if room["name"] == ROOM)
        assert spots == SPOTS - sandbox.booked, f"{sandbox.name}: {spots} spots after {sandbox.booked} bookings"
        entries = (await self.ask(f"GET {base}/_mock/journal?before=9007199254740991&limit=1"))["entries"]
        last = entries[0]
        assert last["path"] == "/rooms", f"{sandbox.name}: the newest request is {last}"

    async def close(self):
        for sandbox in self.sandboxes:
            await self.compare(sandbox)
            counted = 0
            for entry in (await self.ask(f"GET /@{sandbox.name}/_mock/journal"))["entries"]:
                counted += "event" not in entry
            # The oldest entries are evicted when the memory of all journals is full.
            assert counted <= sandbox.requests, f"{sandbox.name}: {counted} entries of {sandbox.requests} requests"
            await self.ask(f"DELETE /_mock/sandboxes/{sandbox.name}", None, 204)
        self.writer.close()

    async def work(self, end):
        for sandbox in self.sandboxes:
            await self.make(sandbox)
        while time.monotonic() < end:
            await self.use(self.draw.choice(self.sandboxes))


async def run(server, arguments):
    names = [f"s{number}" for number in range(arguments.sandboxes)]
    draw = random.Random(1)
    workers = [
        Worker(server.port, names[number::arguments.workers], random.Random(draw.random())) for number in range(arguments.workers)
    ]
    begin = time.monotonic()
    end = begin + arguments.seconds
    samples = []

    async def sample():
        while time.monotonic() < end:
            await asyncio.sleep(min(SAMPLE_SECONDS, max(0.1, end - time.monotonic())))
            samples.append((time.monotonic() - begin, server.memory()))
            done = sum(len(worker.times) for worker in workers)
            print(f"{samples[-1][0]:6.0f} s {samples[-1][1] / 2**20:8.1f} MiB {done:9d} requests", flush=True)

    await asyncio.gather(sample(), *(worker.work(end) for worker in workers))
    took = time.monotonic() - begin
    await asyncio.gather(*(worker.close() for worker in workers))
    times = sorted(each * 1000 for worker in workers for each in worker.times)
    print(f"{arguments.sandboxes} sandboxes, {arguments.workers} workers: {len(times)} requests in {took:.0f} s, "
          f"{statistics.median(times):.1f} ms the median as seen by a worker, {times[len(times) * 99 // 100]:.1f} ms for 99 %; "
          "each sandbox held its own data")
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("seconds", type=float, nargs="?", default=600)
    parser.add_argument("--sandboxes", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=64)
    arguments = parser.parse_args()
    server = soak.Server(arguments.server)
    before = server.descriptors()
    try:
        samples = asyncio.run(run(server, arguments))
        is_flat = server.settles(before)
        later = [memory for at, memory in samples if at >= arguments.seconds / 3]
        print(f"memory {later[0] / 2**20:.1f} MiB after the first third, {later[-1] / 2**20:.1f} MiB at the end; "
              f"descriptors {before} before, {server.descriptors()} after")
        if server.ask("GET /_mock/health") != 200:
            sys.exit("sandboxes: the server does not answer any more")
        if not is_flat:
            sys.exit("sandboxes: descriptors were left behind")
        if max(later) > later[0] * soak.MAXIMUM_GROWTH + soak.MAXIMUM_GROWTH_BYTES:
            sys.exit("sandboxes: memory grew")
    finally:
        server.stop()


main()
