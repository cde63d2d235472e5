"""What became of a client in a cell: by what the backend has at the end, by what the client told, and by the report card."""

import json
import re
import tempfile
from collections import Counter
from pathlib import Path

HUNG = 124
# The spots that the rooms of a new sandbox have, by the step that books one.
SPOTS = {"write": ("Ljerka", 43), "write with key": ("Mina", 39)}

TWICE = "applied more than once"
BELIEVED = "believed, but not applied"
CUT = "took a part for the whole"
SOON = "repeated before Retry-After"
HANGS = "hung"
TOLD = "told its caller"
REPEATED = "repeated"
# What is new in each run: the folders of this repository and of temporary files, ports, addresses in memory, and durations.
NEW = [
    re.escape(str(Path(__file__).resolve().parents[2])), rf"{re.escape(tempfile.gettempdir())}/(understudy-[0-9a-f]+/tmp|tmp\w{{8}})",
    r"(127\.0\.0\.1|localhost|\[::1\]):\d+", r"0x[0-9a-f]+", r"\d+\.\d+ ?m?s\b"]
# These need a sentence on the page.
RED = {TWICE, BELIEVED, CUT, SOON, HANGS}
# RFC 9110 section 9.2.1, and the registry of methods.
SAFE = {"GET", "HEAD", "OPTIONS", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE"}
# These checks speak of what a client believes.
BELIEFS = {"damaged-reply-trusted", "lost-reply-followed-up"}


class Observation:
    """What "observe" stored of one run."""

    def __init__(self, folder):
        def stored(name):
            file = folder / name
            return file.read_text(errors="replace") if file.exists() else ""

        self.code = int(stored("code") or HUNG)
        self.errors = stored("errors")
        # The checks of the report card by their id.
        self.card = {check["id"]: check for check in json.loads(stored("card") or '{"checks": []}')["checks"]}
        # Each line is a step, "ok" or "error", and a text.
        self.told = [line.split("\t") for line in stored("told").splitlines() if line.count("\t") == 2]
        self.journal = json.loads(stored("journal") or '{"entries": []}')["entries"]
        self.applied = applied(json.loads(stored("applied") or "{}"))

    def failures(self):
        """Returns what a person sees of the first failure."""
        told = [f"{step}: {text}" for step, result, text in self.told if result == "error"]
        lines = told or (self.errors.strip().splitlines()[-1:] if self.code else [])
        return re.sub("|".join(NEW), "…", lines[0])[:300] if lines else ""

    def looks(self):
        """Returns true if the client reads something after the first write that was not applied."""
        writes = [entry["id"] for entry in self.journal if entry["method"] not in SAFE and entry.get("applied") is False]
        return bool(writes) and any(entry["method"] in SAFE and entry["id"] > writes[0] for entry in self.journal)


def applied(found):
    """Returns how often each step was applied. `found` is that already, or the state of the five APIs."""
    if "booking" not in found:
        return found
    spots = {room["name"]: room["spots"] for room in found["booking"]["rooms"]}
    return {step: before - spots[room] for step, (room, before) in SPOTS.items()}


def ends(calm, run):
    """Returns how a client came through a fault, compared with a calm run."""
    wished = Counter(step for step, _, _ in calm.told)
    believed = Counter(step for step, result, _ in run.told if result == "ok")
    whole = {(step, text) for step, _, text in calm.told if text.endswith(" bytes")}
    found = []
    if any(count > wished[step] for step, count in run.applied.items()):
        found.append(TWICE)
    if any(count < believed[step] for step, count in run.applied.items()):
        found.append(BELIEVED)
    if whole and any(result == "ok" and (step, text) not in whole for step, result, text in run.told):
        found.append(CUT)
    if run.card.get("retry-after-honoured", {}).get("verdict") == "fail":
        found.append(SOON)
    if run.code == HUNG:
        found.append(HANGS)
    elif run.code != calm.code or any(result == "error" for _, result, _ in run.told):
        found.append(TOLD)
    if len(run.journal) > len(calm.journal):
        found.append(REPEATED)
    return found


def contradiction(mark, checks, run, found):
    """Returns how the report card contradicts the backend's data, or what the client told; empty if they agree.

    A client that reads after a write that was not applied may know that, and decide: no request tells what it makes of what it read.
    """
    card = run.card
    verdict = card.get("no-duplicate-effect", {}).get("verdict")
    if mark == "failed" and set(checks) <= BELIEFS and TOLD in found and not {TWICE, BELIEVED, CUT} & set(found):
        return "the card fails a client that told its caller of the failure"
    if verdict == "fail" and TWICE not in found:
        return "the card fails for a duplicate that the backend does not have"
    if TWICE in found and verdict not in ("fail", "warn"):
        return "the backend has a duplicate that the card does not name"
    if BELIEVED in found and not run.looks() and not any(card.get(check, {}).get("verdict") in ("fail", "warn") for check in BELIEFS):
        return "the client believes in a write that was not done, and the card does not name it"
    return ""


def in_words(entry):
    """Returns a request of the journal in one line."""
    plan = (entry.get("plan") or {}).get("words") or ""
    status = (entry.get("response") or {}).get("status")
    effect = {True: "applied", False: "not applied", None: "perhaps applied"}[entry.get("applied")]
    replay = f", sent again by the transport like #{entry['replayOf']}" if entry.get("replayOf") else ""
    parts = [str(status) if status else "", re.sub(r' \(rule ".*?"\)', "", plan), effect if entry["method"] not in SAFE else ""]
    return f"#{entry['id']} {entry['method']} {entry['path']}: {', '.join(part for part in parts if part)}{replay}"


def cell(name, mark, checks, calm, run):
    """Returns the stored form of a cell: `mark` and `checks` are the report card's, `calm` and `run` observations."""
    found = ends(calm, run)
    stored = {"cell": name, "mark": mark, "checks": checks, "ends": found, "exit": run.code, "applied": run.applied, "told": run.failures()}
    wrong = contradiction(mark, checks, run, found)
    if wrong:
        stored["contradiction"] = wrong
    if RED & set(found) or wrong:
        stored["meant"] = calm.applied
        stored["requests"] = [in_words(one) for one in run.journal]
        stored["card"] = [f"{name}: {check['verdict']}: {check['sentence']}" for name, check in run.card.items() if check["verdict"] in ("fail", "warn")]
    return stored


def text(result):
    """Returns the JSON of a client's file, a cell a line."""
    head = json.dumps({key: value for key, value in result.items() if key != "cells"}, ensure_ascii=False)
    lines = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in result["cells"])
    return f'{head[:-1]}, "cells": [\n{lines}\n]}}\n'


def differences(stored, found, draws):
    """Returns the cells whose mark, checks or ends differ, in words.

    If a client draws its waits, as `draws` says, it repeats before Retry-After or after it by chance.
    """

    def verdict(cell):
        if draws and "retryAfter" in cell["cell"]:
            checks = [check for check in cell["checks"] if check != "retry-after-honoured"]
            return "by chance", checks, [end for end in cell["ends"] if end != SOON]
        return cell["mark"], cell["checks"], cell["ends"]

    def verdicts(result):
        return {cell["cell"]: verdict(cell) for cell in result["cells"]}

    def words(verdict):
        return f"{verdict[0]}, {', '.join([*verdict[1], *verdict[2]]) or 'not affected'}" if verdict else "absent"

    before, after = verdicts(stored), verdicts(found)
    return [
        f"{cell}: was {words(before.get(cell))}; is {words(after.get(cell))}"
        for cell in sorted(before.keys() | after.keys()) if before.get(cell) != after.get(cell)]
