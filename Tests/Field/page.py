"""Makes the page "What clients do when an answer is lost" of clients.toml and the files in results.

Usage: page.py            writes the page.
       page.py --check    fails if the page is another one.
"""

import json
import re
import shlex
import sys
import tomllib
from collections import Counter
from pathlib import Path

import findings

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "Sources" / "Understudy" / "Understudy.docc" / "WhatClientsDo.md"

# The rows of the programs that have no backend of their own: the method, and which of its requests.
WRITE, KEYED = ("POST", 1), ("POST", 2)
FIRST, KEPT = ("GET", 1), ("GET", 2)
BEFORE = {"status=503": "503", "status=429;retryAfter=1s": "429", "reset": "reset", "empty": "no answer"}
AFTER = {"status=503@after": "503", "reset@after": "reset", "truncate@after": "cut", "empty@after": "no answer"}
READ = {"status=503": "503", "status=429;retryAfter=1s": "429", "reset": "reset", "empty": "no answer", "truncate": "cut"}
WORDS = {
    findings.TWICE: "**twice**", findings.BELIEVED: "**believes**", findings.CUT: "**part**", findings.SOON: "**too soon**",
    findings.HANGS: "**hangs**", findings.TOLD: "tells", findings.REPEATED: "repeats"}
# The words of a fault in a line of the journal.
STRUCK = re.compile(r": .*(status \d+|reset|empty|truncate|captive-portal)")

HEAD = """# What clients do when an answer is lost

{count} HTTP clients, each request of each failed in every way, and the data of the backend beside what the client tells.

## Overview

A backend has done its work, and the connection breaks before the answer arrives. What a program sees then depends on its HTTP library:
an error, a success, or nothing, because the library has sent the request again by itself. This page is made from files that
`Tests/Field/run` writes. It was last made on {date}.

Each client is a small program in `Tests/Field/programs` with the library's defaults, or with the setting that the table names. It lists the
rooms of the booking service, books a spot, looks at the rooms, books another spot with an `Idempotency-Key`, and looks again. After an
error it waits, goes on and ends with 1. [`explore`](Explore.md) runs it once for each request and each way to fail. Where a transport
repeats a request at once by itself, the fault strikes the repetition, too, so that the program meets it; a fault that strikes once may
stay hidden from it. At the end of each run the backend's data is read: it is the witness for the table, and for the report card.
{agreement}

| word | meaning |
|---|---|
| tells | the program gets an error or a status of failure |
| repeats | the library sends the request again, and the backend applies it once |
| **twice** | the backend applies one booking twice |
| **believes** | the program gets a success, and the backend applied nothing |
| **part** | the program gets a part of the content as if it were the whole, without an error |
| **too soon** | the library sends the request again before the second has passed for which `Retry-After` asked |
| **hangs** | the program does not end within 25 s |
| – | the program gets the whole content |

Two words divided by a stroke are the first request of a connection and a later one. One command installs all clients, runs them,
compares what they do with the stored files, and names each cell that changed; with names, only these:

```sh
Tests/Field/run
Tests/Field/run wget curl
```

The commands of the findings repeat one cell. They need what `Tests/Field/run` has installed: the packages of Python are in
`.build/field/venv`.
"""

BOOKING = """## A booking without a key

The first four columns are failures before the backend was asked, the last four failures after the booking was made.
"""
PAIRS = """
## With a backend of their own

Each of these clients talks to a real backend behind Understudy, and meets a captive portal, too: a page with status 200 that is not the
backend's. Over https the portal's certificate would give it away. The table counts the cells of each client, and its ends in them.
"""


def load():
    """Returns the table of clients, each with its stored result."""
    table = tomllib.loads((HERE / "clients.toml").read_text())
    for name, client in table.items():
        file = HERE / "results" / f"{name}.json"
        if file.exists():
            client["result"] = json.loads(file.read_text())
    return {name: client for name, client in table.items() if "result" in client}


def position(cell):
    """Returns method, ordinal and way of a cell, such as "POST /book#1 reset@after"."""
    method, target, way = cell["cell"].split(" ", 2)
    return method, int(target.rpartition("#")[2]), way


def word(client, row, way):
    """Returns the word of a cell."""
    found = {position(cell): cell for cell in client["result"]["cells"]}.get((*row, way))
    if not found or found["mark"] == "unmet":
        return ""
    words = [WORDS[end] for end in WORDS if end in found["ends"]]
    red = [each for each in words if each.startswith("**")]
    if red:
        return ", ".join(red + [each for each in words if each == "tells"])
    return "tells" if "tells" in words else words[0] if words else "–"


def title(client):
    return client["name"] + ("" if client["setting"] == "defaults" else f", {client['setting']}")


def table(clients, heads, values):
    lines = [f"| client | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    return "\n".join([*lines, *(f"| {title(client)} | {' | '.join(values(client))} |" for client in clients)])


def read(client, way):
    """Returns the word for the first read of a connection, and that for a later one if it is another."""
    first, kept = word(client, FIRST, way), word(client, KEPT, way)
    return first if first == kept else f"{first or '–'} / {kept or '–'}"


def is_red(cell):
    return bool(findings.RED & set(cell["ends"]))


def excerpt(requests):
    """Returns the requests around the one that was struck."""
    struck = next((index for index, request in enumerate(requests) if STRUCK.search(request)), 0)
    first = max(0, min(struck - 2, len(requests) - 8))
    before = [f"… {first} before"] if first else []
    after = [f"… and {len(requests) - first - 8} more"] if len(requests) > first + 8 else []
    return [*before, *requests[first:first + 8], *after]


def finding(name, client):
    """Returns the paragraph about a client with a cell that needs one."""
    red = [cell for cell in client["result"]["cells"] if is_red(cell)]
    ends = {end: [cell["cell"] for cell in red if end in cell["ends"]] for end in WORDS if end in findings.RED}
    lines = [f"### {title(client)}", "", f"{client['result']['version']}."]
    for end, names in ends.items():
        if names:
            more = f", and {len(names) - 3} more" if len(names) > 3 else ""
            lines[-1] += f" {end[0].upper()}{end[1:]}: {', '.join(f'`{name}`' for name in names[:3])}{more}."
    # The one with the worst end, and of these the shortest.
    example = min(red, key=lambda cell: (findings.TWICE not in cell["ends"], len(cell.get("requests", []))))
    told = example["told"] or "nothing: it ends with success"
    command = client.get("command", f"sh {client.get('pair')} client").replace("$FIELD", f"../../../.build/field/{name}")
    lines += ["", "```text", example["cell"], *(f"  {line}" for line in excerpt(example["requests"]))]
    meant = example.get("meant", example["applied"])
    applied = [f"{step} {count}" + (f" instead of {meant[step]}" if count != meant[step] else "") for step, count in example["applied"].items()]
    lines += [f"  the backend applied: {', '.join(applied)}", f"  the client told: {told}", "```", ""]
    if "pair" in client:
        lines += [f"`Tests/Field/run {name}` shows it."]
    else:
        lines += ["```sh", "cd Tests/Field/programs", f"understudy explore --cell {shlex.quote(example['cell'])} -- {command}", "```"]
    for part in ("says", "advice"):
        if part in client:
            lines += ["", client[part] + (f" ([source]({client['source']}))" if part == "says" and "source" in client else "")]
    return "\n".join(lines)


def agreement(cells):
    """Returns the sentences that compare the cards with the data."""
    contradictions = sum("contradiction" in cell for cell in cells)
    if contradictions:
        return f"In {contradictions:,} of {len(cells):,} cells the card contradicts the data."
    believed = [cell for cell in cells if findings.BELIEVED in cell["ends"]]
    quiet = sum(findings.BELIEFS.isdisjoint(cell["checks"]) for cell in believed)
    agreed = f"In all {len(cells):,} cells the card names each write that the data has twice, and fails for no other."
    if not believed:
        return agreed
    others = "; in the others the client reads the rooms afterwards, which shows\nit, and no request tells whether the program compares them"
    return (
        f"{agreed} In {len(believed)} of them a client\n"
        f"believes in a write that was not done. The card names {len(believed) - quiet} of these{others if quiet else ''}.")


def origin(client):
    """Returns the place from which a client was installed."""
    if client.get("python"):
        return "the package index of Python"
    if "debian" not in client:
        return "the toolchain"
    return "NodeSource" if "nodesource" in client["result"]["version"] else "Debian 12"


def page(clients):
    alone = [client for client in clients.values() if "pair" not in client]
    pairs = [client for client in clients.values() if "pair" in client]
    cells = [cell for client in clients.values() for cell in client["result"]["cells"]]
    keyed = [client for client in alone if any(position(cell)[:2] == KEYED and findings.TWICE in cell["ends"] for cell in client["result"]["cells"])]
    parts = [HEAD.format(
        count=len(clients), date=max(client["result"]["date"] for client in clients.values()),
        agreement=agreement(cells))]
    parts.append(BOOKING)
    parts.append(table(
        alone, [*(f"{head}, before" for head in BEFORE.values()), *(f"{head}, after" for head in AFTER.values())],
        lambda client: [word(client, WRITE, way) for way in (*BEFORE, *AFTER)]))
    parts.append(
        "\nWith an `Idempotency-Key` that is the same for each attempt, "
        + ("no client booked twice." if not keyed else f"only {', '.join(map(title, keyed))} booked twice."))
    parts.append("\n## A read\n")
    parts.append(table(alone, READ.values(), lambda client: [read(client, way) for way in READ]))
    parts.append(PAIRS)
    heads = ["cells", "not affected or repeated", "told", "twice", "believed", "too soon", "hung"]

    def counts(client):
        met = [cell for cell in client["result"]["cells"] if cell["mark"] != "unmet"]
        ends = Counter(end for cell in met for end in cell["ends"])
        fine = sum(not cell["ends"] or cell["ends"] == [findings.REPEATED] for cell in met)
        red = [f"**{ends[end]}**" if ends[end] else "0" for end in (findings.TWICE, findings.BELIEVED, findings.SOON, findings.HANGS)]
        return [str(len(met)), str(fine), str(ends[findings.TOLD]), *red]

    parts.append(table(pairs, heads, counts))
    parts.append("\n## The findings\n")
    kinds = dict.fromkeys(client["kind"] for client in clients.values())
    for kind in kinds:
        red = [finding(name, client) for name, client in clients.items() if client["kind"] == kind and any(map(is_red, client["result"]["cells"]))]
        parts.extend(f"{each}\n" for each in red)
    parts.append("## Versions\n\n| client | version | installed from |\n|---|---|---|")
    for client in clients.values():
        source = origin(client)
        parts[-1] += f"\n| {title(client)} | {client['result']['version']} | {source} |"
    return "\n".join(parts) + "\n"


def main():
    made = page(load())
    if sys.argv[1:] == []:
        PAGE.write_text(made)
    elif sys.argv[1:] != ["--check"]:
        sys.exit(f"expected --check or nothing, found {' '.join(sys.argv[1:])}")
    elif PAGE.read_text() != made:
        sys.exit(f"{PAGE.name} is not the page that clients.toml and the files in results make: python3 Tests/Field/page.py")


if __name__ == "__main__":
    main()
