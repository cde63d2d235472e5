#!/usr/bin/env python3
"""Checks the links between pages, and writes the catalogs with links as DocC resolves them.

Usage: .ci/pages/links.py [DIRECTORY]

A page links to another one by its file, as Markdown views resolve it: [Recipes](Recipes.md). DocC resolves only names of
articles, so the copies of the catalogs in DIRECTORY have <doc:Recipes> in a list of topics, and elsewhere [Recipes](doc:Recipes). It
resolves pictures by their names alone, so the copies leave out the folder Resources.
A link to a file outside of the catalog becomes a link to the repository: UNDERSTUDY_REPOSITORY, or the owner's name is left open.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
REPOSITORY = os.environ.get("UNDERSTUDY_REPOSITORY", "https://github.com/OWNER/understudy")


def is_relative(target):
    return not re.match(r"[a-z]+:|#|//", target)


def check(pages):
    """Returns a line for each link that a Markdown view cannot follow."""
    broken = []
    for page in pages:
        text = CODE.sub("", page.read_text())
        for target in [target for _, target in LINK.findall(text)] + IMAGE.findall(text):
            if is_relative(target) and not (page.parent / target.partition("#")[0]).exists():
                broken.append(f"{page}: no file {target}")
        broken += [f"{page}: {link} is dead in a Markdown view; name the file" for link in re.findall(r"<doc:[^>]+>", text)]
    return broken


def for_docc(page, root):
    """Returns the page's text with links as DocC resolves them."""
    def replaced(match):
        title, target = match.groups()
        if not is_relative(target):
            return match[0]
        path = (page.parent / target).resolve()
        if path.parent == page.parent.resolve() and path.suffix == ".md":
            return f"[{title}](doc:{path.stem})"
        return f"[{title}]({REPOSITORY}/blob/main/{path.relative_to(root)})"

    text = LINK.sub(replaced, page.read_text()).replace("](Resources/", "](")
    # A list of topics has the titles of the articles themselves.
    head, topics, list_ = text.partition("\n## Topics\n")
    return head + topics + re.sub(r"^- \[[^\]]*\]\((doc:\w+)\)$", r"- <\1>", list_, flags=re.MULTILINE)


def main():
    root = Path.cwd()
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], check=True, capture_output=True)
    pages = [Path(name) for name in listed.stdout.decode().splitlines() if Path(name).exists()]
    if broken := check(pages):
        sys.exit("\n".join(broken))
    for catalog in sorted(root.glob("Sources/*/*.docc")) if len(sys.argv) > 1 else []:
        copy = Path(sys.argv[1]) / catalog.name
        shutil.copytree(catalog, copy)
        for page in catalog.glob("*.md"):
            (copy / page.name).write_text(for_docc(page, root))
    print(f"each relative link of {len(pages)} pages names a file")


main()
