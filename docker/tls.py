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
    """Two peers, one of which speaks TLS; what one of them sends, its end and its reset go on to the other."""

    def __init__(self, encrypted, plain, context, server_name=None):
        self.encrypted, self.plain = encrypted, plain
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=server_name is None, server_hostname=server_name)
        self.says_end = server_name is not None
        self.flushing = asyncio.Lock()
        self.loop = asyncio.get_running_loop()

    async def run(self):
        try:
            await self.shake_hands()
            async with asyncio.TaskGroup() as directions:
                directions.create_task(self.decrypt())
                directions.create_task(self.encrypt())
        except* (OSError, ssl.SSLError):
            self.reset()
        finally:
            for peer in (self.encrypted, self.plain):
                peer.close()

    def reset(self):
        for peer in (self.encrypted, self.plain):
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)

    async def shake_hands(self):
        while True:
            try:
                self.tls.do_handshake()
                return await self.flush()
            except ssl.SSLWantReadError:
                await self.flush()
                if not (data := await self.loop.sock_recv(self.encrypted, RECORD)):
                    raise ConnectionResetError("the connection ended before the handshake did") from None
                self.incoming.write(data)
            except ssl.SSLError as error:
                # For example, the peer is not trusted, or speaks plain HTTP. The peer is told so.
                print(f"tls.py: no TLS with {self.peer_name()}: {error}", file=sys.stderr, flush=True)
                await self.flush()
                raise

    def peer_name(self):
        return "{}:{}".format(*self.encrypted.getpeername()[:2]) if self.says_end else "a client"

    async def decrypt(self):
        """Passes the bytes of the peer with TLS to the other one until it ends its side."""
        is_open = True
        while is_open:
            try:
                while text := self.tls.read(RECORD):
                    await self.loop.sock_sendall(self.plain, text)
                is_open = False
            except ssl.SSLWantReadError:
                data = await self.loop.sock_recv(self.encrypted, RECORD)
                is_open = bool(data)
                if data:
                    self.incoming.write(data)
            except ssl.SSLZeroReturnError:
                is_open = False
            finally:
                await self.flush()
        shut(self.plain)

    async def encrypt(self):
        """Passes the bytes of the plain peer to the other one until it ends its side."""
        while data := await self.loop.sock_recv(self.plain, RECORD):
            self.tls.write(data)
            await self.flush()
        if self.says_end:
            try:
                self.tls.unwrap()
            except ssl.SSLError:
                # The other side goes on, and says its own end later.
                pass
            await self.flush()
        shut(self.encrypted)

    async def flush(self):
        async with self.flushing:
            if data := self.outgoing.read():
                await self.loop.sock_sendall(self.encrypted, data)


async def connect(loop, address):
    """Connects to the first address of a host that accepts."""
    failure = OSError("it has no address")
    for family, kind, protocol, _, place in await loop.getaddrinfo(*address, type=socket.SOCK_STREAM):
        server = socket.socket(family, kind, protocol)
        server.setblocking(False)
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            await loop.sock_connect(server, place)
            return server
        except OSError as error:
            server.close()
            failure = error
    raise failure


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


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise Failure(f"{certificate}: no certificate with its key in PEM can be read: {error}") from None
    return context


async def serve(listen, scheme, serve_client, *lines):
    """Accepts connections until a signal, and serves each by a coroutine. The lines are printed when it listens."""
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in listen[0] else socket.AF_INET
    try:
        listener = socket.create_server(listen, family=family, backlog=512)
    except OSError as error:
        raise Failure(f"cannot listen on {listen[0]}:{listen[1]}: {error.strerror or error}") from None
    listener.setblocking(False)
    host = f"[{listen[0]}]" if family == socket.AF_INET6 else listen[0]
    print(f"listening on {scheme}://{host}:{listener.getsockname()[1]}", *lines, sep="\n", flush=True)

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
            connections.create_task(serve_client(client))

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


async def reach(client, server):
    """Connects to the server of a client; resets the client if that fails."""
    try:
        return await connect(asyncio.get_running_loop(), server)
    except OSError as error:
        print(f"tls.py: no connection to {server[0]}:{server[1]}: {error.strerror or error}", file=sys.stderr, flush=True)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
        client.close()
        return None


async def serve_encrypted(listen, upstream, context, certificate):
    """Speaks TLS to clients, and plain HTTP to the server."""

    async def serve_client(client):
        if server := await reach(client, upstream):
            await Connection(client, server, context).run()

    await serve(listen, "https", serve_client, f"certificate {certificate}")


async def serve_plain(listen, upstream, context):
    """Speaks plain HTTP to clients, and TLS to the server."""

    async def serve_client(client):
        if server := await reach(client, upstream):
            await Connection(server, client, context, server_name=upstream[0]).run()

    await serve(listen, "http", serve_client)


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
            asyncio.run(serve_encrypted(options.listen, options.upstream, tls_context(certificate, key), certificate))
    except Failure as failure:
        sys.exit(f"tls.py: {failure}")


if __name__ == "__main__":
    main()
