#!/usr/bin/env python3
"""Measures `understudy --upstream` and nginx `proxy_pass` without keep-alive in turns, in front of the same nginx.

Usage: python3 Tests/Benchmark/upstream.py [--seconds 3] [--rounds 3] [--binary PATH]

Backend, proxies and load generator share the cores. Read the ratios and the differences.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from servers import ask, built, find, free_port, install, until

CONFIGURATION = """
    worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log;
    events {{ worker_connections 1024; }}
    http {{
      access_log off; keepalive_requests 1000000000; default_type application/json;
      client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
      uwsgi_temp_path {folder}; scgi_temp_path {folder};
      server {{ listen 127.0.0.1:{backend}; location / {{ return 200 '{{"id":1,"item":"a lamp"}}'; }} }}
      server {{
        listen 127.0.0.1:{proxy};
        location / {{
          proxy_pass http://127.0.0.1:{backend}; proxy_http_version 1.1; proxy_set_header Connection close;
        }}
      }}
    }}"""


def measure(port, connections, seconds):
    """Runs wrk once, and returns requests per second and the median of the times in milliseconds."""
    command = [find("wrk"), "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", f"http://127.0.0.1:{port}/x"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert not any("Non-2xx" in line for line in lines), lines
    median = next(line.split()[1] for line in lines if line.split()[:1] == ["50%"])
    scale = 1e-3 if median.endswith("us") else 1 if median.endswith("ms") else 1e3
    rate = float(next(line.split()[1] for line in lines if "Requests/sec" in line))
    return rate, float(median.rstrip("mus")) * scale


def main():
    parser = argparse.ArgumentParser(description="Understudy in front of a backend, and nginx, side by side.")
    parser.add_argument("--seconds", type=int, default=3, help="the length of one run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--binary", help="the server; built when not given")
    options = parser.parse_args()
    install()
    binary = options.binary or built()
    folder = tempfile.mkdtemp()
    backend, proxy, own = free_port(), free_port(), free_port()
    Path(folder, "nginx.conf").write_text(CONFIGURATION.format(folder=folder, backend=backend, proxy=proxy))
    processes = [subprocess.Popen([find("nginx"), "-c", f"{folder}/nginx.conf"])]
    try:
        until(lambda: ask(proxy, "GET", "/x"))
        processes.append(subprocess.Popen(
            [binary, "--port", str(own), "--upstream", f"http://127.0.0.1:{backend}"], stdout=subprocess.DEVNULL))
        until(lambda: ask(own, "GET", "/x"))
        print("| connections | requests/s | nginx | ratio | median, ms | nginx |")
        print("|---|---|---|---|---|---|")
        for connections in (1, 16):
            rounds = [
                [measure(port, connections, options.seconds) for port in (own, proxy)] for _ in range(options.rounds)
            ]
            ratio = statistics.median(ours[0] / theirs[0] for ours, theirs in rounds)
            ours, theirs = ([statistics.median(run[who][place] for run in rounds) for place in (0, 1)] for who in (0, 1))
            print(
                f"| {connections} | {ours[0]:,.0f} | {theirs[0]:,.0f} | {ratio:.2f} | {ours[1]:.2f} | {theirs[1]:.2f} |",
                flush=True)
    finally:
        for process in processes:
            process.terminate()
            process.wait()
        shutil.rmtree(folder)


main()
