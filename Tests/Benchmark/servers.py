"""The two measured servers, and what the scripts share."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONNECTIONS = 64
DEVICES = [
    {"id": f"DEV-{i:04d}", "type": "heating", "meterPointDescription": "Hallway number",
     "installationDate": "2023-06-22T15:13:34Z"}
    for i in range(20)
]


def install():
    """Installs nginx and wrk from Debian if they are missing."""
    wanted = {"nginx": "nginx-light", "wrk": "wrk"}
    missing = [package for tool, package in wanted.items() if not find(tool)]
    if missing:
        subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-y", "-qq", *missing], check=True, stdout=subprocess.DEVNULL)


def find(tool):
    return shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", method=method, data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as reply:
        return reply.read()


class Understudy:
    name = "understudy"

    def __init__(self, binary, core, is_fresh=False):
        self.port = free_port()
        self.began = time.monotonic()
        if is_fresh:
            self.process = subprocess.Popen(
                pinned(core) + [binary, "--port", str(self.port)], stdout=subprocess.DEVNULL)
            self.pid = self.process.pid
            return
        self.port_file = tempfile.NamedTemporaryFile(delete=False).name
        os.unlink(self.port_file)
        self.process = subprocess.Popen(
            pinned(core) + [binary, "--port", "0", "--port-file", self.port_file], stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        until(lambda: os.path.exists(self.port_file) and open(self.port_file).read().strip())
        self.port = int(open(self.port_file).read())
        rooms = [{"name": "Ljerka", "spots": 1_000_000}]
        ask(self.port, "PATCH", "/_mock/state", {"devices": DEVICES, "booking": {"rooms": rooms}})

    def prepare(self, case):
        rules = [
            {"name": f"idle {i}", "match": {"api": "devices", "path": "/devices/**"}, "when": {"chance": "1/2", "from": "10h", "until": "11h"},
             "effect": {"status": 503}}
            for i in range(100)
        ]
        scenario = {"name": "armed", "about": "Never bites.", "rules": rules} if case.armed else "calm"
        ask(self.port, "PUT", "/_mock/scenario", scenario)
        for i in range(case.sandboxes):
            ask(self.port, "POST", "/_mock/sandboxes", {"name": f"bench-{i}", "data": {"devices": DEVICES}})
        return case.path

    def clean(self, case):
        for i in range(case.sandboxes):
            ask(self.port, "DELETE", f"/_mock/sandboxes/bench-{i}")

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Nginx:
    name = "nginx"

    def __init__(self, core, is_fresh=False):
        self.port = free_port()
        self.folder = tempfile.mkdtemp()
        listing = json.dumps(DEVICES, separators=(",", ":"))
        item = json.dumps(DEVICES[3], separators=(",", ":"))
        fields = "".join(
            f'add_header {name} "{value}";\n' for name, value in [
                ("ETag", "0123456789abcdef"), ("Vary", "Understudy-Sandbox, Prefer, Origin"),
                ("Access-Control-Allow-Origin", "*"), ("Understudy-Request", "1234567"),
                ("Access-Control-Expose-Headers",
                 "ETag, Link, Location, X-Total-Count, Retry-After, RateLimit, RateLimit-Policy, "
                 "Preference-Applied, Server-Timing, Understudy-Request, Understudy-Fault"),
            ])
        Path(self.folder, "nginx.conf").write_text(f"""
            worker_processes 1; daemon off; pid {self.folder}/pid; error_log {self.folder}/error.log;
            events {{ worker_connections 12000; }}
            http {{
              access_log off; keepalive_requests 1000000000; default_type application/json; {fields}
              client_body_temp_path {self.folder}; proxy_temp_path {self.folder}; fastcgi_temp_path {self.folder};
              uwsgi_temp_path {self.folder}; scgi_temp_path {self.folder};
              server {{
                listen 127.0.0.1:{self.port};
                location = /list {{ return 200 '{listing}'; }}
                location = /item {{ return 200 '{item}'; }}
                location = /none {{ return 204; }}
              }}
            }}""")
        self.began = time.monotonic()
        self.process = subprocess.Popen(pinned(core) + [find("nginx"), "-c", f"{self.folder}/nginx.conf"])
        if is_fresh:
            return
        until(lambda: ask(self.port, "GET", "/item"))
        workers = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.pid = int(workers[0])

    def prepare(self, case):
        return case.nginx

    def clean(self, case):
        pass

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


def pinned(core):
    return ["taskset", "-c", str(core)] if os.cpu_count() > 1 else []


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.005)
    sys.exit("a server did not come up")


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(server, path, script, seconds, core):
    """Runs wrk once, and returns requests per second, and microseconds of the server's CPU per request."""
    before = cpu_seconds(server.pid)
    output = subprocess.run(
        pinned(core) + [find("wrk"), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", script,
                        f"http://127.0.0.1:{server.port}{path}"],
        check=True, capture_output=True, text=True).stdout
    spent = cpu_seconds(server.pid) - before
    if "Non-2xx" in output or "Socket errors" in output and "read 0, write 0, timeout 0" not in output:
        if "connect 0, read" not in output or "Non-2xx" in output:
            sys.exit(f"{server.name} {path}: {output}")
    rate = float(next(line for line in output.splitlines() if "Requests/sec" in line).split()[1])
    requests = int(next(line for line in output.splitlines() if "requests in" in line).split()[0])
    return rate, spent / requests * 1e6


def built():
    """Returns the release binary, which is built if it is missing."""
    build = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "understudy",
             "--scratch-path", ".build-static"]
    subprocess.run(build, cwd=ROOT, check=True, stdout=sys.stderr)
    folder = subprocess.run(build + ["--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return folder.stdout.strip() + "/understudy"


def resident_megabytes(pid):
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
