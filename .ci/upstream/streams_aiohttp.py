"""Streams of every kind, each in two parts, the second of which comes when its /go is asked. The argument is the port."""

import asyncio
import sys

from aiohttp import WSMsgType, web

TYPES = {
    "events": "text/event-stream", "ndjson": "application/x-ndjson", "text": "text/plain",
    "mixed": "multipart/x-mixed-replace; boundary=part", "json": "application/json",
}


waiting = {kind: set() for kind in TYPES}


async def stream(request):
    kind = request.match_info["kind"]
    response = web.StreamResponse(headers={"Content-Type": TYPES[kind]})
    await response.prepare(request)
    await response.write(b"data: 1\n\n")
    event = asyncio.Event()
    waiting[kind].add(event)
    await asyncio.wait_for(event.wait(), 30)
    await response.write(b"data: 2\n\n")
    return response


async def go(request):
    events = waiting[request.match_info["kind"]]
    for event in events:
        event.set()
    events.clear()
    return web.Response(status=204)


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
app.add_routes([web.get("/stream/{kind}", stream), web.get("/go/{kind}", go), web.get("/echo", echo), web.post("/size", size)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
