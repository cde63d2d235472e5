"""A backend made of http.server, which answers what a client's calls need, and echoes what it received.

Usage: echo_backend.py PORT
"""

import gzip
import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Fields of one connection, and those that a server on the way has to change.
OF_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length", "upgrade", "http2-settings", "via", "host", "expect"}


def pattern(size):
    """Returns content of which no two parts are equal at a distance below 251 bytes."""
    return bytes(number * 31 % 251 for number in range(size))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    document = {"version": 1}

    def log_message(self, *_):
        pass

    def content(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(parts)

    def answer(self, status, content=b"", *fields):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(content)

    @property
    def tag(self):
        return f'"v{self.document["version"]}"'

    def respond(self):
        content = self.content()
        path = self.path.split("?")[0]
        match path:
            case "/echo":
                fields = sorted([name.lower(), value] for name, value in self.headers.items() if name.lower() not in OF_CONNECTION)
                seen = {"method": self.command, "target": self.path, "fields": fields, "length": len(content),
                        "hash": hashlib.sha256(content).hexdigest()}
                self.answer(200, json.dumps(seen).encode(), ("Content-Type", "application/json"))
            case "/document" if self.command == "PATCH" or self.command == "PUT":
                if self.headers.get("If-Match", self.tag) != self.tag:
                    return self.answer(412, b"changed meanwhile", ("ETag", self.tag))
                self.document["version"] += 1
                self.answer(200, json.dumps(self.document).encode(), ("ETag", self.tag), ("Content-Type", "application/json"))
            case "/document":
                if self.headers.get("If-None-Match") == self.tag:
                    return self.answer(304, b"", ("ETag", self.tag), ("Cache-Control", "max-age=5"), ("Vary", "Accept"))
                self.answer(200, json.dumps(self.document).encode(), ("ETag", self.tag), ("Content-Type", "application/json"),
                            ("Cache-Control", "max-age=5"), ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"))
            case "/zipped":
                # One time, so that two backends send the same bytes.
                content = gzip.compress(pattern(10_000), mtime=0)
                self.answer(200, content, ("Content-Encoding", "gzip"), ("Content-Type", "application/octet-stream"), ("Vary", "Accept-Encoding"))
            case "/large":
                self.answer(200, pattern(1 << 20), ("Content-Type", "application/octet-stream"))
            case "/chunks":
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.send_header("Trailer", "X-Sum")
                self.end_headers()
                for part in (b"one ", b"two ", b"three"):
                    self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                self.wfile.write(b"0\r\nX-Sum: 3\r\n\r\n")
            case "/until-close":
                self.send_response(200)
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b"until the end")
            case "/nothing":
                self.answer(204)
            case "/cookies":
                self.answer(200, b"two", ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; HttpOnly"), ("X-Odd", "caf\u00e9"), ("X-Empty", ""))
            case "/old":
                self.answer(302, b"", ("Location", f"http://{self.headers['Host']}/document"))
            case "/refused":
                self.answer(422, b'{"error":"no"}', ("Content-Type", "application/problem+json"), ("Retry-After", "1"))
            case "/login":
                self.answer(401, b"who?", ("WWW-Authenticate", 'Basic realm="shop"'))
            case _:
                self.answer(404, b"none")

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = respond


if __name__ == "__main__":
    ThreadingHTTPServer.request_queue_size = 64
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
