#!/usr/bin/env python3
"""Terminates TLS before a server and passes bytes, ends and resets on as they come.

Each client connection gets one connection to the server. Bytes pass unchanged in both directions, and so do delays and paces. A FIN
becomes a FIN without TLS's close_notify, because the terminator does not know where a response is complete. An RST becomes an RST,
after the bytes that came before it; a server that cannot be reached also causes an RST.

With --connect HOST:PORT it is the other way round: it accepts plain connections and speaks TLS to a server, whose certificate it
verifies. So a client that speaks no TLS reaches an https server.
"""

import argparse
import asyncio
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# RFC 8446 §5.1: a record holds at most 16 KiB; one read from the server becomes one record.
RECORD = 16_384
# SO_LINGER with zero seconds: close sends RST instead of FIN.
ABORT = struct.pack("ii", 1, 0)


class Failure(Exception):
    """A sentence for standard error; the program ends with exit code 1."""


class Connection:
    """One client and its connection to the server."""

    def __init__(self, client, context):
        self.client = client
        self.server = None
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.is_ready = asyncio.Event()
        self.flushing = asyncio.Lock()
        self.loop = asyncio.get_running_loop()

    async def run(self, upstream):
        try:
            self.server = await connect(self.loop, upstream)
            async with asyncio.TaskGroup() as directions:
                directions.create_task(self.upload())
                directions.create_task(self.download())
        except* (OSError, ssl.SSLError) as failures:
            for error in failures.exceptions:
                # For example, the client does not trust the certificate, or speaks plain HTTP.
                if isinstance(error, ssl.SSLError) and not self.is_ready.is_set():
                    print(f"tls.py: no TLS with a client: {error}", file=sys.stderr, flush=True)
            for peer in filter(None, (self.client, self.server)):
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        finally:
            for peer in filter(None, (self.client, self.server)):
                peer.close()

    async def upload(self):
        """Passes the client's bytes to the server until the client ends its side."""
        while data := await self.loop.sock_recv(self.client, RECORD):
            self.incoming.write(data)
            try:
                if not self.is_ready.is_set():
                    self.tls.do_handshake()
                    self.is_ready.set()
                while text := self.tls.read(RECORD):
                    await self.loop.sock_sendall(self.server, text)
                break
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLZeroReturnError:
                break
            finally:
                await self.flush()
        shut(self.server)

    async def download(self):
        """Passes the server's bytes to the client until the server ends its side."""
        while data := await self.loop.sock_recv(self.server, RECORD):
            await self.is_ready.wait()
            self.tls.write(data)
            await self.flush()
        shut(self.client)

    async def flush(self):
        async with self.flushing:
            if data := self.outgoing.read():
                await self.loop.sock_sendall(self.client, data)


async def connect(loop, address):
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setblocking(False)
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        await loop.sock_connect(server, address)
    except OSError:
        server.close()
        raise
    return server


def shut(peer):
    """Sends FIN. Ignores a peer that has closed already."""
    try:
        peer.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def address(text):
    host, separator, port = text.rpartition(":")
    if not separator or not port.isdecimal() or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"'{text}' is no HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443")
    return host.strip("[]") or "127.0.0.1", int(port)


def make_certificate(directory, host):
    """Makes a self-signed certificate for localhost, and for the address that is listened on."""
    names = ["DNS:localhost", "DNS:*.localhost", "IP:127.0.0.1", "IP:::1"]
    if host not in ("0.0.0.0", "::", "localhost", "127.0.0.1", "::1"):
        names.append(("IP:" if host.replace(".", "").isdecimal() or ":" in host else "DNS:") + host)
    key, certificate = Path(directory, "key.pem"), Path(directory, "localhost.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "365", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=" + ",".join(names), "-addext", "extendedKeyUsage=serverAuth"]
    try:
        made = subprocess.run([*command, "-keyout", key, "-out", certificate], check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure("openssl is not installed: install it, or give --certificate FILE") from None
    if made.returncode != 0:
        raise Failure(f"openssl made no certificate: {made.stderr.strip()}")
    return certificate, key


async def connect_with_tls(reader, writer, server, context):
    """Passes the bytes of one plain connection to and from a server with TLS."""
    try:
        from_server, to_server = await asyncio.open_connection(*server, ssl=context)
    except (OSError, ssl.SSLError) as error:
        print(f"tls.py: no TLS with {server[0]}:{server[1]}: {error}", file=sys.stderr, flush=True)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        writer.transport.abort()
        return

    async def upload():
        while data := await reader.read(RECORD):
            to_server.write(data)
            await to_server.drain()

    upload = asyncio.create_task(upload())
    try:
        while data := await from_server.read(RECORD):
            writer.write(data)
            await writer.drain()
        writer.close()
    except (OSError, ssl.SSLError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        writer.transport.abort()
    finally:
        upload.cancel()
        to_server.transport.abort()


async def serve_plain(listen, server, context):
    def accept(reader, writer):
        return connect_with_tls(reader, writer, server, context)

    try:
        listener = await asyncio.start_server(accept, *listen, backlog=512)
    except OSError as error:
        raise Failure(f"cannot listen on {listen[0]}:{listen[1]}: {error.strerror or error}") from None
    address = listener.sockets[0].getsockname()
    host = f"[{address[0]}]" if ":" in address[0] else address[0]
    print(f"listening on http://{host}:{address[1]}", flush=True)
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    listener.close()


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise Failure(f"{certificate}: no certificate with its key in PEM can be read: {error}") from None
    return context


async def serve(listen, upstream, context, certificate):
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in listen[0] else socket.AF_INET
    try:
        listener = socket.create_server(listen, family=family, backlog=512)
    except OSError as error:
        raise Failure(f"cannot listen on {listen[0]}:{listen[1]}: {error.strerror or error}") from None
    listener.setblocking(False)
    host = f"[{listen[0]}]" if family == socket.AF_INET6 else listen[0]
    print(f"listening on https://{host}:{listener.getsockname()[1]}", flush=True)
    print(f"certificate {certificate}", flush=True)

    async def accept(connections):
        while True:
            try:
                client, _ = await loop.sock_accept(listener)
            except OSError as error:
                # Usually too many open files; descriptors become free when connections end.
                print(f"tls.py: cannot accept a connection: {error.strerror}", file=sys.stderr, flush=True)
                await asyncio.sleep(0.1)
                continue
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connections.create_task(Connection(client, context).run(upstream))

    async def everything():
        async with asyncio.TaskGroup() as connections:
            await accept(connections)

    serving = loop.create_task(everything())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    try:
        await serving
    except asyncio.CancelledError:
        pass
    finally:
        listener.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listen", type=address, default="127.0.0.1:8443", metavar="HOST:PORT", help="default: %(default)s")
    parser.add_argument("--upstream", type=address, default="127.0.0.1:8080", metavar="HOST:PORT", help="default: %(default)s")
    parser.add_argument(
        "--certificate", metavar="FILE", help="a certificate and its key in one PEM file; without it one is made for this run"
    )
    parser.add_argument(
        "--connect", type=address, metavar="HOST:PORT", help="accept plain connections, and speak TLS to this server"
    )
    parser.add_argument(
        "--authority", metavar="FILE", help="with --connect: the certificates to trust, in PEM, in place of the system's"
    )
    options = parser.parse_args()
    if options.connect and options.certificate:
        parser.error("--certificate has no meaning with --connect: a client needs none")
    try:
        if options.connect:
            try:
                context = ssl.create_default_context(cafile=options.authority)
            except (OSError, ssl.SSLError) as error:
                raise Failure(f"{options.authority}: no certificates can be read: {error}") from None
            return asyncio.run(serve_plain(options.listen, options.connect, context))
        with tempfile.TemporaryDirectory(prefix="understudy-tls-") as directory:
            if options.certificate:
                certificate, key = Path(options.certificate), None
            else:
                certificate, key = make_certificate(directory, options.listen[0])
            asyncio.run(serve(options.listen, options.upstream, tls_context(certificate, key), certificate))
    except Failure as failure:
        sys.exit(f"tls.py: {failure}")


if __name__ == "__main__":
    main()
