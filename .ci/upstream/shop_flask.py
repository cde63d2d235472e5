"""A shop on Flask, which honours Idempotency-Key. Usage: shop_flask.py PORT"""

import sys
import threading
import time

from flask import Flask, Response, abort, jsonify, redirect, request, url_for

app = Flask(__name__)
orders, by_key, lock = {}, {}, threading.Lock()


@app.get("/orders")
def list_orders():
    return jsonify(list(orders.values()))


@app.post("/orders")
def add_order():
    content = request.get_json()
    key = request.headers.get("Idempotency-Key")
    with lock:
        if key in by_key:
            return jsonify(by_key[key]), 201
        order = {"id": len(orders) + 1, "item": content["item"]}
        orders[order["id"]] = order
        if key:
            by_key[key] = order
    return jsonify(order), 201, {"Location": url_for("get_order", number=order["id"])}


@app.route("/orders/<int:number>", methods=["GET", "PUT", "PATCH", "DELETE"])
def get_order(number):
    if number not in orders:
        abort(404)
    if request.method == "DELETE":
        del orders[number]
        return "", 204
    if request.method in ("PUT", "PATCH"):
        orders[number] |= request.get_json()
    return jsonify(orders[number])


@app.get("/old")
def old():
    return redirect(url_for("list_orders", _external=True), 301)


@app.get("/two-cookies")
def cookies():
    response = Response("two")
    response.set_cookie("a", "1")
    response.set_cookie("b", "2")
    return response


@app.get("/ticks")
def ticks():
    def lines():
        for number in range(int(request.args.get("count", 1_000))):
            yield f"data: {number}\n\n"
            time.sleep(0.02)

    return Response(lines(), mimetype="text/event-stream")


@app.post("/echo")
def echo():
    return Response(request.full_path.encode() + b"\n" + request.get_data(), mimetype="application/octet-stream")


@app.post("/upload")
def upload():
    return {name: len(file.read()) for name, file in request.files.items()}


@app.get("/nothing")
def nothing():
    return "", 204


@app.get("/broken")
def broken():
    abort(500)


@app.get("/large")
def large():
    return Response(bytes(range(256)) * 12_000, mimetype="application/octet-stream")


app.run(port=int(sys.argv[1]), threaded=True)
