"""The shop of shop_flask.py on FastAPI, without /broken and without Location. Usage: uvicorn shop_fastapi:app --port PORT"""

import asyncio

from fastapi import FastAPI, HTTPException, Request, Response, UploadFile
from fastapi.responses import RedirectResponse, StreamingResponse

app = FastAPI()
orders, by_key = {}, {}


@app.get("/orders")
async def list_orders():
    return list(orders.values())


@app.post("/orders", status_code=201)
async def add_order(order: dict, request: Request):
    key = request.headers.get("idempotency-key")
    if key in by_key:
        return by_key[key]
    stored = orders[len(orders) + 1] = {"id": len(orders) + 1, "item": order["item"]}
    if key:
        by_key[key] = stored
    return stored


@app.get("/orders/{number}")
async def get_order(number: int):
    if number not in orders:
        raise HTTPException(404)
    return orders[number]


@app.put("/orders/{number}")
@app.patch("/orders/{number}")
async def change_order(number: int, change: dict):
    orders[number] |= change
    return orders[number]


@app.delete("/orders/{number}", status_code=204)
async def delete_order(number: int):
    if orders.pop(number, None) is None:
        raise HTTPException(404)


@app.get("/old")
async def old(request: Request):
    return RedirectResponse(request.url_for("list_orders"), 301)


@app.get("/two-cookies")
async def cookies(response: Response):
    response.set_cookie("a", "1")
    response.set_cookie("b", "2")
    return "two"


@app.get("/ticks")
async def ticks(count: int = 1_000):
    async def lines():
        for number in range(count):
            yield f"data: {number}\n\n"
            await asyncio.sleep(0.02)

    return StreamingResponse(lines(), media_type="text/event-stream")


@app.post("/echo")
async def echo(request: Request):
    return Response(str(request.query_params).encode() + b"\n" + await request.body(), media_type="application/octet-stream")


@app.post("/upload")
async def upload(photo: UploadFile):
    return {"photo": len(await photo.read())}


@app.get("/nothing", status_code=204)
async def nothing():
    return None


@app.get("/large")
async def large():
    return Response(bytes(range(256)) * 12_000, media_type="application/octet-stream")
