"""fetch in a page of a browser, of another origin than the backend. The argument is "chromium" or "firefox"."""

import json
import os
import sys

from browsers import visit
from walk import STEPS, tell

PAGE = """<!DOCTYPE html><title>field</title><script type="module">
for (const [step, method, path, body, headers] of STEPS) {
  let told;
  try {
    const response = await fetch("BASE" + path, { method, body, headers, cache: 'no-store' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    told = [step, 'ok', `${(await response.arrayBuffer()).byteLength} bytes`];
  } catch (error) {
    told = [step, 'error', `${error.name}: ${error.message}`];
    await new Promise((resolve) => setTimeout(resolve, 1200));
  }
  await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
}
await fetch('/told', { method: 'POST', body: 'null' });
</script>"""
failures = []


def hear(told):
    tell(*told)
    if told[1] == "error":
        failures.append(told)


page = PAGE.replace("STEPS", json.dumps(STEPS)).replace("BASE", os.environ["UNDERSTUDY_URL"])
sys.exit(bool(failures) if visit(sys.argv[1], page, 24, hear) else "the page did not come to its end")
