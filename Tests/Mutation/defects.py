"""The defects of the past, and the form of a mutant; README.md describes the rows of defects.mutants."""

import dataclasses
import re


class RowError(Exception):
    pass


@dataclasses.dataclass
class Mutant:
    id: str
    file: str
    # The sentence of a defect; empty for a mutant that was made by rule.
    sentence: str = ""
    find: str = ""
    replacement: str = ""
    number: int = 0

    @property
    def switched(self):
        """Returns the text that replaces `find`: both versions, and the switch between them."""
        return self.replacement.replace("MUTANT", f"mutantIs({self.number})")


def read(path):
    """Reads the rows, without a look at the sources."""
    rows = []
    for block in re.split(r"\n\n+", path.read_text().strip()):
        header, *lines = block.split("\n")
        named = re.fullmatch(r"\[([\w-]+)\] (\S+)", header)
        texts = {"- ": [], "+ ": []}
        if not named or len(lines) < 3 or not re.fullmatch(r"[A-Z].*\.", lines[0]):
            raise RowError(f"expected [id] file, a sentence, and lines of - and +, found:\n{block}")
        for line in lines[1:]:
            if line[:2] not in texts:
                raise RowError(f"{named[1]}: a line begins with neither - nor +: {line}")
            texts[line[:2]].append(line[2:])
        rows.append(Mutant(named[1], named[2], lines[0], *("\n".join(texts[sign]) for sign in ("- ", "+ "))))
    return rows


def problems(rows, package):
    """Yields every reason for which a row cannot be applied to the sources."""
    places = {}
    for row in rows:
        text = (package / row.file).read_text() if (package / row.file).is_file() else None
        if sum(1 for other in rows if other.id == row.id) > 1:
            yield f"{row.id} is the id of two rows"
        if "MUTANT" not in row.replacement:
            yield f"{row.id}: the replacement has no MUTANT"
        if text is None:
            yield f"{row.id}: there is no file {row.file}"
        elif (count := text.count(row.find)) != 1:
            yield f"{row.id}: {row.file} has this text {count} times, expected once:\n{row.find}"
        else:
            start = text.index(row.find)
            place = range(start, start + len(row.find))
            for other, taken in places.setdefault(row.file, {}).items():
                if start < taken.stop and taken.start < place.stop:
                    yield f"{row.id} and {other} change the same text of {row.file}"
            places[row.file][row.id] = place


def read_defects(path, package):
    """Reads the defects, and checks that each can be applied to the sources."""
    rows = read(path)
    if found := list(problems(rows, package)):
        raise RowError("\n".join(found))
    return rows
