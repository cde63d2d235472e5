"""Checks that docker/tls.py --connect passes the ends of connections on to a server with TLS, and back.

Usage: https-backend.py CERTIFICATE KEY    a certificate for localhost, in PEM

The server serves one connection at a time, so one that is left open would keep all others waiting.
"""

import re
import socket
import ssl
import struct
import subprocess
import sys
import threading

WAIT = 20
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def serve(listener, context, ends):
    """Answers one request of each connection. With /reset it sends a reset instead, with /open the response without an end."""
    while True:
        client, _ = listener.accept()
        client.settimeout(WAIT)
        try:
            with context.wrap_socket(client, server_side=True) as secured:
                request = secured.recv(65_536)
                if b"/reset" in request:
                    secured.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    continue
                if request:
                    secured.sendall(RESPONSE)
                # An end, and no timeout, is what a client has sent.
                ends.append(b"" if b"/open" not in request else secured.recv(1))
        except OSError as error:
            ends.append(error)


def exchange(address, request, half_closes=False):
    """Returns what comes, and how the connection ends."""
    with socket.create_connection(address, WAIT) as client:
        client.sendall(request)
        if half_closes:
            client.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while data := client.recv(65_536):
                received += data
                if not half_closes and b"/open" in request and received == RESPONSE:
                    return received, "left open"
            return received, "end"
        except ConnectionResetError:
            return received, "reset"


def main():
    certificate, key = sys.argv[1:3]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    ends = []
    threading.Thread(target=serve, args=(listener, context, ends), daemon=True).start()
    bridge = subprocess.Popen(
        [sys.executable, "docker/tls.py", "--listen", "127.0.0.1:0", "--connect", f"localhost:{listener.getsockname()[1]}",
         "--authority", certificate], stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)$", bridge.stdout.readline().strip()).group(1))
        address = ("127.0.0.1", port)
        # A probe, as the server sends one at its start.
        socket.create_connection(address, WAIT).close()
        results = {
            "after a probe": (exchange(address, b"GET / HTTP/1.1\r\n\r\n"), (RESPONSE, "end")),
            "a client that closes its sending side": (exchange(address, b"GET /open HTTP/1.1\r\n\r\n", True), (RESPONSE, "end")),
            "a client that leaves": (exchange(address, b"GET /open HTTP/1.1\r\n\r\n"), (RESPONSE, "left open")),
            "a server that resets": (exchange(address, b"GET /reset HTTP/1.1\r\n\r\n"), (b"", "reset")),
            "after all of them": (exchange(address, b"GET / HTTP/1.1\r\n\r\n"), (RESPONSE, "end")),
        }
        for name, (found, expected) in results.items():
            if found != expected:
                sys.exit(f"docker/tls.py --connect, {name}: {found}, and not {expected}")
        if bad := [end for end in ends if end != b""]:
            sys.exit(f"docker/tls.py --connect: the server saw {bad}, and not the ends of its clients")
    finally:
        bridge.terminate()
        bridge.wait(WAIT)
    print(f"docker/tls.py --connect: {len(results)} ends passed on")


main()
