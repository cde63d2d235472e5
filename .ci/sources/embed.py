#!/usr/bin/env python3
"""Embeds files in the program: writes them into the sources as string literals.

Usage: .ci/sources/embed.py            Writes the file EmbeddedFiles.swift of each target.
       .ci/sources/embed.py --check    Changes nothing; exits with 1 if one of these files is out of date.

The rule `embedInCode` of the package manager makes array literals of bytes instead, which take the compiler half a minute. Each constant
has its file's name. A text is embedded as it is, any other file, such as a picture, as base64.
"""

import base64
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {".css", ".html", ".js", ".json", ".md"}
# By target, the embedded files, and the directories whose files are embedded.
EMBEDDED = {
    "Dashboard": ["Sources/Dashboard/Web", "Sources/Understudy/Understudy.docc/ReportCard.md"],
    "Seeds": ["Seeds"],
}


def files(place):
    """Yields the name and the path of a file, or of each file in a directory."""
    place = ROOT / place
    if place.is_file():
        yield place.name, place
        return
    for path in sorted(place.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(place)), path


def literal(text):
    """Returns a literal of several lines, with enough number signs that neither a quotation mark nor a backslash of the text is special."""
    signs = "#" * (1 + max((len(found) for found in re.findall(r'(?:"""|\\)(#+)', text)), default=0))
    return f'{signs}"""\n{text}\n"""{signs}'


def constant(name, path):
    data = path.read_bytes()
    if path.suffix in TEXTS:
        text = data.decode()
        if unwritable := re.search(r"[\0-\x08\x0b-\x1f\x7f\ufeff]", text):
            sys.exit(f"{path}: a literal cannot contain its character {unwritable[0]!r}")
    else:
        text = base64.b64encode(data).decode()
    return f"  package static let `{name}` =\n{literal(text)}\n"


def source(places):
    constants = "\n".join(constant(name, path) for place in places for name, path in files(place))
    return ("// Written by .ci/sources/embed.py.\n// swift-format-ignore-file\n\n"
            f"/// The embedded files: texts as they are, others as base64.\npackage enum EmbeddedFiles {{\n{constants}}}\n")


def main():
    is_check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not is_check:
        sys.exit(__doc__)
    number = 0
    for target, places in EMBEDDED.items():
        text, path = source(places), ROOT / "Sources" / target / "EmbeddedFiles.swift"
        number += text.count("\n  package static let ")
        if path.is_file() and path.read_text() == text:
            continue
        if is_check:
            sys.exit(f"{path.relative_to(ROOT)} is out of date: run python3 .ci/sources/embed.py")
        path.write_text(text)
    print(f"{number} files are embedded")


main()
