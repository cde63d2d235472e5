"""Mutants made by rule from the sources, drawn by a seed, so that the mutants are no list of what the tests already do.

A rule changes one line. The rules: negate a condition, move a bound by one, exchange `&&` and `||`, exchange min and max, swap two
arguments, return the opposite, drop a statement, keep a counter.
"""

import collections
import random
import re

from table import Mutant

# Suites that could see a mutant of a target, besides those that the table names for the file's folder.
SUITES = {
    "Contract": "ContractTests|UnderstudyTests.(Wire|Semantics|CommittedDocument|Schema|DocumentedExample)",
    "Conformance": "ConformanceTests",
    "Faults": "FaultsTests|UnderstudyTests.(Outage|MessageFault|Ending|Determinism|VirtualTime)",
    "HTTP1": "HTTP1Tests|UnderstudyTests.(StrictHTTP|Connection|Refusal)",
    "JSON": "JSONTests|ContractTests",
    "Pictures": "PicturesTests",
    "Primitives": "HTTP1Tests|FaultsTests|UnderstudyTests.(Histogram|JournalModel|Timers|Address)",
    "Report": "UnderstudyTests.(Justice|Verdict|Threshold|LiveReport|GivenUp|MergedReport|Form)|LaboratoryTests",
    "Services": "ConformanceTests.LiveTests|UnderstudyTests.(Devices|Activities|House|Users|UserQuery|Booking|WeatherPlace|KeyedContent|Data|Semantics)",
    "StateLog": "UnderstudyTests.(PowerLoss|LogFormat|Recovery|FailingDisk|RemovedState|KernelDisk)",
    "Understudy": "UnderstudyTests",
    "UnderstudyClient": "UnderstudyClientTests",
    "UnderstudyCommand": "CommandTests",
    "UnderstudyInMemory": "UnderstudyClientTests",
    "UnderstudyTesting": "UnderstudyTestingTests",
}
NAME = r"[a-z_]\w*(?:\.\w+)*"
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# A line that begins so is no statement that may be left out.
KEPT = r"(?:return|let|var|case|if|guard|for|while|else|func|init|try|await|switch|default|defer|do|catch|throw|break|continue|import|self\.init|super\.|precondition|assert|fatalError|@|#|//|\}|\.)"


def clauses(line):
    """Returns the conditions of a one-line `if`, `guard` or `while` that bind nothing, each with its place in the line."""
    found = re.fullmatch(r"(\s*(?:\} else )?(?:if|guard|while) )(.+?)( (?:else )?\{.*)", line)
    if not found:
        return []
    start, depth, places = len(found[1]), 0, []
    begin = start
    for index, character in enumerate(found[2] + ","):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            places.append((begin, start + index))
            begin = start + index + 2
    return [(line[a:b], a, b) for a, b in places if not re.match(r"(?:let|var|case|#)\b", line[a:b]) and "\"" not in line[a:b]]


def changes(line):
    """Yields the rule and the changed line of each mutant that a line has, with MUTANT for the switch."""
    for clause, begin, end in clauses(line):
        def put(text, begin=begin, end=end):
            return line[:begin] + text + line[end:]
        yield "negate", put(f"MUTANT != ({clause})")
        bounds = re.findall(r" (<=|>=|<|>|==|!=) ", clause)
        if len(bounds) == 1 and not re.search(r"&&|\|\||\?|\bis\b", clause):
            other = clause.replace(f" {bounds[0]} ", f" {OPPOSITE[bounds[0]]} ")
            if bounds[0] not in ("==", "!="):
                yield "bound", put(f"(MUTANT ? ({other}) : ({clause}))")
        words = re.findall(r" (&&|\|\|) ", clause)
        if len(words) == 1 and "?" not in clause:
            other = clause.replace(f" {words[0]} ", " || " if words[0] == "&&" else " && ")
            yield "connective", put(f"(MUTANT ? ({other}) : ({clause}))")
    code = line.strip()
    found = re.fullmatch(r"(\s*return )(true|false)", line)
    if found:
        yield "opposite", f"{found[1]}MUTANT != {found[2]}"
    found = re.search(r"\b(min|max)\(([^()]+, [^()]+)\)", line)
    if found and not re.search(r"\bfunc\b|\.(?:min|max)\(", line) and "\"" not in line:
        other = "max" if found[1] == "min" else "min"
        yield "extreme", line.replace(found[0], f"(MUTANT ? {other}({found[2]}) : {found[0]})", 1)
    found = re.search(r" ([+-]) 1\b(?!_)(?! *[.<])", line)
    if found and "\"" not in line and not re.match(r"\s*(?:case|//|static let|private static let|package static let)", line):
        yield "one-off", line[:found.start()] + f" {found[1]} (MUTANT ? 2 : 1)" + line[found.end():]
    found = re.search(rf"\b(\w+)\(({NAME}), ({NAME})\)", line)
    if found and found[1] not in ("min", "max", "zip") and not re.search(r"\bfunc\b|\binit\b|\bcase\b", line) and "\"" not in line:
        swapped = f"{found[1]}({found[3]}, {found[2]})"
        if re.fullmatch(rf"\s*(?:return |(?:let|var) \w+ = )?{re.escape(found[0])}", line):
            yield "swap", line.replace(found[0], f"(MUTANT ? {swapped} : {found[0]})", 1)
    if re.fullmatch(rf"{NAME}(?:\[[^\]]+\])?(?:\?)? [+-]= .+", code) and balanced(code):
        yield "counter", line.replace(code, f"if !MUTANT {{ {code} }}")
    elif re.fullmatch(rf"{NAME}\(.*\)", code) and balanced(code) and not re.match(KEPT, code):
        yield "drop", line.replace(code, f"if !MUTANT {{ {code} }}")
    elif re.fullmatch(rf"{NAME}\.\w+ = [^=].*", code) and balanced(code) and not re.match(KEPT, code) and not code.startswith("self."):
        yield "drop", line.replace(code, f"if !MUTANT {{ {code} }}")


def balanced(code):
    """True if a line is a whole statement."""
    return all(code.count(left) == code.count(right) for left, right in ("()", "[]", "{}")) and not code.endswith((",", "(", "+", "?", ":"))


def eligible(text):
    """Yields the number of each line that is code on Linux."""
    is_text, skipped = False, []
    for number, line in enumerate(text.splitlines()):
        code = line.strip()
        if code.startswith("#if"):
            skipped.append("Darwin" in code or "Musl" in code or "os(macOS)" in code)
        elif code.startswith(("#else", "#elseif")) and skipped:
            skipped[-1] = "Musl" in code or "Darwin" in code or not skipped[-1] and code == "#else"
        elif code.startswith("#endif") and skipped:
            skipped.pop()
        elif not is_text and not any(skipped) and code and not code.startswith("//") and '"""' not in code:
            yield number
        if code.count('"""') == 1:
            is_text = not is_text


def unique(lines, number, text):
    """Returns the fewest lines that end with this one and stand in the text once; nil if there are none."""
    for first in range(number, max(-1, number - 4), -1):
        found = "\n".join(lines[first:number + 1])
        if text.count(found) == 1:
            return first
    return None


def area_of(file):
    parts = file.split("/")
    return f"{parts[1]}/{parts[2]}" if parts[1].startswith("Understudy") and len(parts) > 3 else parts[1]


def generate(rows, package, number, seed, compiled=()):
    """Returns so many mutants, of as many areas as there are, and never two of one text.

    `rows` is the table, whose suites could see a mutant of the same folder. No mutant changes the text of a `compiled` one.
    """
    by_folder = collections.defaultdict(set)
    for row in rows:
        by_folder[row.file.rsplit("/", 1)[0]].add(row.tests)
    candidates = collections.defaultdict(list)
    for path in sorted((package / "Sources").rglob("*.swift")):
        file, text = str(path.relative_to(package)), path.read_text()
        target = file.split("/")[1]
        if target not in SUITES or "@inlinable" in text:
            continue
        lines = text.splitlines()
        for line in eligible(text):
            for rule, changed in changes(lines[line]):
                first = unique(lines, line, text)
                if first is None:
                    continue
                tests = "|".join(sorted({f"({test})" for test in by_folder[file.rsplit("/", 1)[0]]} | {f"({SUITES[target]})"}))
                mutant = Mutant(area_of(file), f"{rule}-{path.stem}-{line + 1}", file, file, tests, is_generated=True)
                mutant.find, mutant.replacement = lines[first:line + 1], [*lines[first:line], changed]
                candidates[mutant.area].append(mutant)
    draw, chosen, places = random.Random(seed), [], collections.defaultdict(list)
    for row in compiled:
        start = (package / row.file).read_text().index(row.text)
        places[row.file].append((start, start + len(row.text)))
    for area in candidates.values():
        draw.shuffle(area)
        # One of each rule comes first, then a second of each, because half of all conditions can be negated.
        seen = collections.Counter()
        order = {mutant.name: seen.update([mutant.id.split("-")[0]]) or seen[mutant.id.split("-")[0]] for mutant in area}
        area.sort(key=lambda mutant: -order[mutant.name])
    areas = sorted(candidates)
    draw.shuffle(areas)
    while len(chosen) < number and any(candidates.values()):
        for area in areas:
            while candidates[area] and len(chosen) < number:
                mutant = candidates[area].pop()
                start = (package / mutant.file).read_text().index(mutant.text)
                place = (start, start + len(mutant.text))
                if any(a < place[1] and place[0] < b for a, b in places[mutant.file]):
                    continue
                places[mutant.file].append(place)
                chosen.append(mutant)
                break
    for index, mutant in enumerate(chosen, len(rows) + 1):
        mutant.number = index
    return chosen
