"""Reads the streams of streams_aiohttp.py: the second part is asked for when the first has come, so one that is held never ends."""

import asyncio
import sys

import aiohttp


async def main(url):
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        for kind in ["events", "ndjson", "text", "mixed", "json"]:
            async with session.get(f"{url}/stream/{kind}") as response:
                first = await response.content.readany()
                async with session.get(f"{url}/go/{kind}"):
                    rest = await response.content.read()
                print(kind, response.status, response.headers["Content-Type"], first, rest)
        async with session.ws_connect(f"{url}/echo") as socket:
            await socket.send_str("abc")
            print("websocket", await socket.receive_str())
            data = bytes(range(256)) * 4_000
            await socket.send_bytes(data)
            print("websocket", await socket.receive_bytes() == data[::-1])

        async def parts():
            for _ in range(200):
                yield b"x" * 65_536

        async with session.post(f"{url}/size", data=parts()) as response:
            print("upload", (await response.json())["bytes"])


asyncio.run(main(sys.argv[1]))
