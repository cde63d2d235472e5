#!/usr/bin/env python3
"""A small shop, as the backend of the page "In front of your backend". It knows nothing of Understudy.

Usage: shop.py PORT

GET /orders lists the orders, and POST /orders makes one. A POST with an Idempotency-Key that was used before makes none: it gets the
first answer again.
"""

import http.server
import json
import sys
import threading


class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    orders = []
    answers = {}
    lock = threading.Lock()

    def do_GET(self):
        if self.path == "/orders":
            self.answer(200, self.orders)
        else:
            self.answer(404, {"error": "unknown path"})

    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        key = self.headers.get("Idempotency-Key")
        with self.lock:
            if key not in self.answers:
                order = {"id": len(self.orders) + 1, "item": content.get("item")}
                self.orders.append(order)
                if not key:
                    return self.answer(201, order)
                self.answers[key] = order
            self.answer(201, self.answers[key])

    def answer(self, status, value):
        content = json.dumps(value).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
