#!/usr/bin/env python3
"""Makes a wheel that installs the program, for pipx, uv and pip: without a compiler, and without any Python code.

Usage: .ci/release/wheel.py DIRECTORY PROGRAM PLATFORM    PLATFORM is the wheel's platform tag: manylinux_2_34_x86_64.
"""

import base64
import hashlib
import os
import re
import sys
import zipfile
from pathlib import Path

# The index has another project named understudy.
NAME = "understudy-server"
# "pipx run understudy-server" looks for a command of the project's name.
ALIAS = b'#!/bin/sh\nexec "$(dirname "$0")/understudy" "$@"\n'
ABOUT = """\
A backend whose network fails on purpose, and a report on your client.

The wheel has the program `understudy`, which needs no Python:

    pipx run understudy-server --help
    understudy run --upstream http://localhost:3000 --scenario lost-ack -- npm test
"""

directory, program, platform = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
version = re.search(r'static let version = "(.*)"', Path("Sources/ControlAPI/Document/Document.swift").read_text())[1]
repository = os.environ["UNDERSTUDY_REPOSITORY"]
distribution = f"{NAME.replace('-', '_')}-{version}"
info = f"{distribution}.dist-info"
tag = f"py3-none-{platform}"

files = {
    f"{distribution}.data/scripts/understudy": program.read_bytes(),
    f"{distribution}.data/scripts/{NAME}": ALIAS,
    f"{info}/licenses/LICENSE": Path("LICENSE").read_bytes(),
    f"{info}/METADATA": (
        f"Metadata-Version: 2.4\nName: {NAME}\nVersion: {version}\n"
        "Summary: A backend whose network fails on purpose, and a report on your client\n"
        f"License-Expression: MIT\nLicense-File: LICENSE\nProject-URL: Repository, {repository}\nRequires-Python: >=3.8\n"
        f"Description-Content-Type: text/markdown\n\n{ABOUT}"
    ).encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: understudy\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
}


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


files[f"{info}/RECORD"] = ("".join(record(*file) for file in files.items()) + f"{info}/RECORD,,\n").encode()
wheel = directory / f"{distribution}-{tag}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, content in files.items():
        # The same content makes the same wheel, at any time.
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
print(wheel)
