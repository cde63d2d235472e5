"""Mutants made by rule from the sources, drawn by a seed, so that the mutants are no list of what the tests already do.

A rule changes one line. The rules: negate a condition, move a bound by one, exchange `&&` and `||`, exchange min and max, swap two
arguments, return the opposite, drop a statement, keep a counter.
"""

import collections
import random
import re

from defects import Mutant

NAME = r"[a-z_]\w*(?:\.\w+)*"
CALL = r"(?<![\w.])(?P<path>(?:\w+\.)*)(?P<name>\w+)\((?P<first>\w+: )?(?P<one>[\w.]+), (?P<second>\w+: )?(?P<two>[\w.]+)\)"
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# A line that begins so is no statement that may be left out.
KEPT = (
    r"(?:(?:return|let|var|case|if|guard|for|while|else|func|init|try|await|switch|default|defer|do|catch|throw|break|continue|import"
    r"|precondition|preconditionFailure|assert|assertionFailure|fatalError)\b|self\.init|super\.|@|#|//|\}|\.)")


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


def functions_of_like_parameters(texts):
    """Returns the name and the labels of each function that takes two parameters of one type, whichever of that name is called."""
    types = collections.defaultdict(set)
    for text in texts:
        for name, list_of_parameters in re.findall(r"\bfunc (\w+)(?:<[^>]*>)?\(([^()]*)\)", text):
            parameters = re.fullmatch(r"(\w+)[^:,]*: ([^,=]+?), (\w+)[^:,]*: ([^,=]+)", list_of_parameters)
            if parameters:
                first, one, second, two = parameters.groups()
                labels = tuple(None if label == "_" else f"{label}: " for label in (first, second))
                types[(name, *labels)].add(one == two)
    return {function for function, are_alike in types.items() if are_alike == {True}}


def changes(line, alike):
    """Yields the rule and the changed line of each mutant that a line has, with MUTANT for the switch.

    `alike` has the functions whose two arguments can be swapped.
    """
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
    if "\"" not in line and not re.search(r"\b(?:func|init|case)\b", line):
        for found in re.finditer(CALL, line):
            if (found["name"], found["first"], found["second"]) in alike and found["one"] != found["two"]:
                first, second = found["first"] or "", found["second"] or ""
                swapped = f"{found['path']}{found['name']}({first}{found['two']}, {second}{found['one']})"
                yield "swap", line[:found.start()] + f"(MUTANT ? {swapped} : {found[0]})" + line[found.end():]
                break
    if re.fullmatch(rf"{NAME}(?:\[[^\]]+\])?(?:\?)? [+-]= .+", code) and balanced(code):
        yield "counter", line.replace(code, f"if !MUTANT {{ {code} }}")
    elif re.fullmatch(rf"{NAME}\(.*\)", code) and balanced(code) and not re.match(KEPT, code):
        yield "drop", line.replace(code, f"if !MUTANT {{ {code} }}")
    elif re.fullmatch(rf"{NAME}\.\w+ = [^=].*", code) and balanced(code) and not re.match(KEPT, code) and not code.startswith("self."):
        yield "drop", line.replace(code, f"if !MUTANT {{ {code} }}")


def balanced(code):
    """True if a line is a whole statement."""
    return all(code.count(left) == code.count(right) for left, right in ("()", "[]", "{}")) and not code.endswith((",", "(", "+", "?", ":"))


def is_statement(lines, number):
    """False if a line is the value of a body, or one of several lines of a condition: it may not be left out."""
    before, after = lines[number - 1], lines[number + 1].strip()
    is_value = before.endswith("{") and re.search(r"-> |\bvar ", before) and after == "}"
    return not is_value and not after.startswith(("else", "&&", "||", "?", ":", ".", ")", "]"))


def eligible(text):
    """Yields the number of each line that is code on Linux."""
    # Of each `#if` around a line: whether its current branch is left out, and whether one of its branches was not.
    is_text, branches = False, []
    for number, line in enumerate(text.splitlines()):
        code = line.strip()
        is_elsewhere = any(name in code for name in ("Darwin", "Musl", "os(macOS)"))
        if is_text:
            pass
        elif code.startswith("#if"):
            branches.append((is_elsewhere, not is_elsewhere))
        elif code.startswith("#else"):
            _, was_taken = branches.pop()
            is_left_out = was_taken or is_elsewhere
            branches.append((is_left_out, was_taken or not is_left_out))
        elif code.startswith("#endif"):
            branches.pop()
        elif not any(is_left_out for is_left_out, _ in branches) and code and not code.startswith("//") and '"""' not in code:
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


def candidates(package, words):
    """Returns every mutant that the rules make, by area."""
    found = collections.defaultdict(list)
    texts = {path: path.read_text() for path in sorted((package / "Sources").rglob("*.swift"))}
    alike = functions_of_like_parameters(texts.values())
    for path, text in texts.items():
        file = str(path.relative_to(package))
        # Code that other modules inline cannot call the switch.
        if "@inlinable" in text or words and not any(word in file for word in words):
            continue
        lines = text.splitlines()
        for line in eligible(text):
            for rule, changed in changes(lines[line], alike):
                start = unique(lines, line, text)
                if start is None or rule == "drop" and not is_statement(lines, line):
                    continue
                original, replacement = lines[start:line + 1], [*lines[start:line], changed]
                found[area_of(file)].append(
                    Mutant(f"{rule}-{path.stem}-{line + 1}", file, find="\n".join(original), replacement="\n".join(replacement)))
    return found


def generate(package, number, seed, avoiding=(), words=()):
    """Draws so many mutants, of as many areas as there are, and never two of one text.

    None changes the text of a mutant of `avoiding`. With `words`, only files whose path contains one of them are changed.
    """
    draw, chosen, places = random.Random(seed), [], collections.defaultdict(list)

    def place(mutant):
        start = (package / mutant.file).read_text().index(mutant.find)
        return start, start + len(mutant.find)

    for mutant in avoiding:
        places[mutant.file].append(place(mutant))
    left = candidates(package, words)
    for area in left.values():
        draw.shuffle(area)
        # One of each rule comes first, then a second of each, because half of all conditions can be negated.
        seen, order = collections.Counter(), {}
        for mutant in area:
            rule = mutant.id.split("-")[0]
            seen[rule] += 1
            order[id(mutant)] = seen[rule]
        area.sort(key=lambda mutant: -order[id(mutant)])
    areas = sorted(left)
    draw.shuffle(areas)
    while len(chosen) < number and any(left.values()):
        for area in areas:
            while left[area] and len(chosen) < number:
                mutant = left[area].pop()
                begin, end = place(mutant)
                if any(begin < b and a < end for a, b in places[mutant.file]):
                    continue
                places[mutant.file].append((begin, end))
                chosen.append(mutant)
                break
    return chosen
