"""Compares the ends of connections over https with those over http, for each fault.

Usage: https-ends.py SERVER TERMINATOR CERTIFICATE, both HOST:PORT.
"""

import socket
import ssl
import sys
import time

FAULTS = [
    # preference, how the connection ends, and how much of the body of 4 devices arrives
    ("", "end", "whole"),
    ("code=503", "end", "whole"),
    ("delay=300ms", "end", "whole"),
    ('fault=truncate; at="1/2"', "end", "half"),
    ('fault=stall; at="1/2"; for=200ms; then=reset', "reset", "half"),
    ('fault=stall; at="1/2"; for=200ms; then=close', "end", "half"),
    ("fault=empty", "end", "none"),
    ("fault=reset", "reset", "none"),
    ("fault=reset-bare", "reset", "none"),
    ("fault=bad-chunk", "end", "some"),
]


class Secured:
    """TLS over a plain socket, because Python's ssl.SSLSocket reports a reset and an end by the same error."""

    def __init__(self, address, context):
        self.socket = socket.create_connection(address, 20)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        while not self.until(self.tls.do_handshake):
            pass

    def until(self, step):
        """Tries a TLS operation, and reads from the socket if it needs more bytes. Returns true if it is done."""
        try:
            step()
            return True
        except ssl.SSLWantReadError:
            if data := self.flush().recv(65_536):
                self.incoming.write(data)
                return False
            raise EOFError from None
        finally:
            self.flush()

    def flush(self):
        if self.outgoing.pending:
            self.socket.sendall(self.outgoing.read())
        return self.socket

    def sendall(self, data):
        self.tls.write(data)
        self.flush()

    def recv(self, size):
        received = []
        try:
            while not self.until(lambda: received.append(self.tls.read(size))):
                pass
        except EOFError:
            return b""
        if not received[0]:
            sys.exit("the terminator sent close_notify, as if it knew that the response was complete")
        return received[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def exchange(connection, preference):
    """Returns the bytes that came, how the connection ended, and the seconds until then."""
    start, received = time.monotonic(), b""
    prefer = f"Prefer: {preference}\r\n" if preference else ""
    connection.sendall(f"GET /devices HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{prefer}\r\n".encode())
    try:
        while data := connection.recv(65_536):
            received += data
        end = "end"
    except ConnectionResetError:
        end = "reset"
    return received, end, time.monotonic() - start


def body(received):
    head, _, rest = received.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    if not rest:
        return "none"
    if not lengths:
        return "some"
    return {0: "whole", 1: "half"}.get(round(2 - 2 * len(rest) / int(lengths[0])), "some")


def main():
    server, terminator, certificate = sys.argv[1:]
    addresses = [(host, int(port)) for host, port in (text.rsplit(":", 1) for text in (server, terminator))]
    context = ssl.create_default_context(cafile=certificate)
    for preference, end, extent in FAULTS:
        with socket.create_connection(addresses[0], 20) as plain:
            direct = exchange(plain, preference)
        with Secured(addresses[1], context) as secured:
            through = exchange(secured, preference)
        for path, (received, seen, _) in (("http", direct), ("https", through)):
            if (seen, body(received)) != (end, extent):
                sys.exit(f"'{preference}' over {path}: expected {end}, {extent}; found {seen}, {body(received)}: {received[-200:]!r}")
        if "delay" in preference and through[2] < 0.3:
            sys.exit(f"'{preference}' over https took {through[2]:.3f} s")
    kept(addresses[1], context)
    print(f"tls.py: {len(FAULTS)} faults end over https as over http, resets as ECONNRESET; a kept connection serves 200 requests")


def kept(address, context):
    """Sends 200 requests on one connection, 20 of them pipelined at a time, and uploads a body of 200 KB."""
    with Secured(address, context) as connection:
        for _ in range(10):
            connection.sendall(b"HEAD /devices HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            received = b""
            while received.count(b"\r\n\r\n") < 20:
                received += connection.recv(65_536)
            if received.count(b"HTTP/1.1 200") != 20:
                sys.exit(f"20 requests at once: {received[:300]!r}")
        text = b'{"name": "' + b"x" * 200_000 + b'"}'
        head = f"POST /users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
        connection.sendall(head.encode() + text)
        if not connection.recv(4_096).startswith(b"HTTP/1.1 201"):
            sys.exit("a body of 200 KB did not arrive")


if __name__ == "__main__":
    main()
