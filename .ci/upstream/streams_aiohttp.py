"""Streams of every kind, each in two parts of which the second comes half a second later. The argument is the port."""

import asyncio
import sys

from aiohttp import WSMsgType, web

TYPES = {
    "events": "text/event-stream", "ndjson": "application/x-ndjson", "text": "text/plain",
    "mixed": "multipart/x-mixed-replace; boundary=part", "json": "application/json",
}


async def stream(request):
    response = web.StreamResponse(headers={"Content-Type": TYPES[request.match_info["kind"]]})
    await response.prepare(request)
    await response.write(b"data: 1\n\n")
    await asyncio.sleep(0.5)
    await response.write(b"data: 2\n\n")
    return response


async def echo(request):
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.type == WSMsgType.TEXT:
            await socket.send_str(message.data[::-1])
        elif message.type == WSMsgType.BINARY:
            await socket.send_bytes(message.data[::-1])
    return socket


async def size(request):
    return web.json_response({"bytes": len(await request.read()), "host": request.host, "origin": request.headers.get("Origin")})


app = web.Application(client_max_size=1 << 30)
app.add_routes([web.get("/stream/{kind}", stream), web.get("/echo", echo), web.post("/size", size)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
