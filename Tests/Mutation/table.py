"""The table of mutants: one file for each area, *.mutants; README.md describes the format."""

import dataclasses
import re

MINIMUM_ROWS = 200


class TableError(Exception):
    pass


@dataclasses.dataclass
class Mutant:
    area: str
    id: str
    file: str
    origin: str
    equivalent: str = ""
    survives: str = ""
    find: list = dataclasses.field(default_factory=list)
    replacement: list = dataclasses.field(default_factory=list)
    is_statement: bool = False
    number: int = 0
    is_generated: bool = False

    @property
    def name(self):
        return f"{self.area}/{self.id}"

    @property
    def text(self):
        return "\n".join(self.find)

    @property
    def switched(self):
        """Returns the replacement of `text`: both versions, and the switch between them."""
        mutated, switch = "\n".join(self.replacement), f"mutantIs({self.number})"
        if "MUTANT" in mutated:
            return mutated.replace("MUTANT", switch)
        if not self.is_statement:
            return f"({switch} ? ({mutated}) : ({self.text}))"
        if not mutated.strip():
            return f"if !{switch} {{ {self.text} }}"
        return f"if {switch} {{ {mutated} }} else {{ {self.text} }}"


def read_area(path):
    """Reads one file of the table."""
    rows, row = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        origin = f"{path.name}:{number}"
        header = re.fullmatch(r"\[([a-z0-9-]+)\] (\S+\.swift)", line)
        setting = re.fullmatch(r"(equivalent|survives): (.+)", line)
        if header:
            row = Mutant(path.stem, header[1], header[2], origin)
            rows.append(row)
        elif setting and row:
            setattr(row, setting[1], setting[2])
        elif row and re.match(r"[-<](?: |$)", line) and not row.replacement:
            row.is_statement = line[0] == "<"
            row.find.append(line[2:])
        elif row and re.match(r"[+>](?: |$)", line) and row.find:
            row.replacement.append(line[2:])
        elif not line:
            row = None
        elif not line.startswith("#"):
            raise TableError(f"{origin}: expected [id] file, equivalent:, survives:, or a line of - + < >: {line}")
    return rows


def check(rows, package):
    """Returns every reason for which a row does not apply to the sources."""
    problems, names, regions = [], set(), {}
    for row in rows:
        path = package / row.file
        if row.name in names:
            problems.append(f"{row.origin}: {row.name} stands twice")
        names.add(row.name)
        if not row.find or not row.replacement:
            problems.append(f"{row.origin}: {row.name} lacks the text to find, or its replacement")
            continue
        if not path.is_file():
            problems.append(f"{row.origin}: {row.name}: no file {row.file}")
            continue
        text = path.read_text()
        count = text.count(row.text)
        if count != 1:
            problems.append(f"{row.origin}: {row.name}: {row.file} holds this {count} times, not once:\n{row.text}")
            continue
        start = text.index(row.text)
        end = start + len(row.text)
        for other, (first, last) in regions.setdefault(row.file, {}).items():
            if start < last and first < end:
                problems.append(f"{row.origin}: {row.name} and {other} change the same text of {row.file}")
        regions[row.file][row.name] = (start, end)
    if len(rows) < MINIMUM_ROWS:
        problems.append(f"the table has {len(rows)} rows, expected at least {MINIMUM_ROWS}")
    return problems


def read_table(folder, package):
    """Reads and checks the table, and numbers its rows from 1."""
    rows = [row for path in sorted(folder.glob("*.mutants")) for row in read_area(path)]
    problems = check(rows, package)
    if problems:
        raise TableError("\n".join(problems))
    for number, row in enumerate(rows, 1):
        row.number = number
    return rows


def composed(text, rows):
    """Returns the source text with every row's mutant behind its switch."""
    for row in sorted(rows, key=lambda row: text.index(row.text), reverse=True):
        start = text.index(row.text)
        text = text[:start] + row.switched + text[start + len(row.text):]
    return text
