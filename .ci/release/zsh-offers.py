"""Types each case into zsh on a terminal, and reads its completions.

Usage: zsh-offers.py CASES, where the completions are in the current directory. Each line: TYPED|EXPECTED|FORBIDDEN
"""

import os
import pty
import re
import select
import sys
import time

LIMIT = 60
PREPARATION = (b"autoload -U compinit; compinit -D; source ./completions.zsh; bindkey '^I' list-choices;"
               b" show() { zle -M \"asked ${LASTWIDGET}\" }; zle -N show; bindkey '^X' show; print rea''dy\n")


def read_until(terminal, mark, typed):
    text, end = b"", time.monotonic() + LIMIT
    while mark not in text:
        if time.monotonic() > end:
            sys.exit(f"zsh: «{typed}»: no {mark} in {text}")
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536)
    return text


def offered(typed):
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "PS1": "", "COLUMNS": "200", "LINES": "50"})
    os.write(terminal, PREPARATION)
    read_until(terminal, b"ready\r\n", typed)
    os.write(terminal, typed.encode() + b"\t\x18")
    text = read_until(terminal, b"asked list-choices", typed)
    os.write(terminal, b"\x03")
    os.close(terminal)
    os.waitpid(child, 0)
    text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", text).decode()
    return text.split(typed, 1)[-1]


with open(sys.argv[1]) as cases:
    for line in cases:
        typed, expected, forbidden = line.rstrip("\n").split("|")
        # zsh lists the matches even if there is only one.
        words = re.findall(r"[\w-]+", offered(typed))
        if expected not in words or forbidden in words:
            sys.exit(f"zsh: «{typed}» offers {words}, expected {expected} and not {forbidden}")
