"""Checks a page for screen readers, the keyboard and contrast."""
import json

INTERACTIVE = {"button", "link", "textbox", "searchbox", "combobox", "spinbutton", "switch", "checkbox", "radio", "img",
               "image", "dialog", "table", "search", "MenuListPopup"}


def require(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


def tree(page):
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    return [(node.get("role", {}).get("value", ""), node.get("name", {}).get("value", ""), node) for node in nodes
            if not node.get("ignored")]


def check_names(page, server):
    """Expects that every control and every widget has a role and a name, and that the page has landmarks and one main heading."""
    server.ask("GET", "/devices")
    server.ask("GET", "/users/404")
    page.until("document.querySelectorAll('#rows tr').length >= 2", "there are rows", 3)
    nodes = tree(page)
    nameless = [role for role, name, _ in nodes if role in INTERACTIVE and role != "MenuListPopup" and not name.strip()]
    require(not nameless, f"a name for everything, found none for {nameless}")
    roles = {role for role, _, _ in nodes}
    for role in ["main", "banner", "search", "table", "switch", "status", "heading"]:
        require(role in roles, f"an element with the role {role}, found {sorted(roles)}")
    named = {(role, name) for role, name, _ in nodes}
    for expected in [("switch", "Offline"), ("combobox", "Sandbox"), ("combobox", "Scenario"), ("spinbutton", "Seed"),
                     ("searchbox", "Filter"), ("button", "Arm"), ("region", "Requests"), ("region", "Timeline"),
                     ("region", "Report card"), ("region", "Delays"), ("columnheader", "Outcome")]:
        require(expected in named, f"{expected} in the accessibility tree")
    headings = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].filter(h => h.checkVisibility()).map(h => +h.tagName[1])")
    require(headings.count(1) == 1 and headings[0] == 1, f"one main heading, the first, found {headings}")
    require(all(later <= earlier + 1 for earlier, later in zip(headings, headings[1:], strict=False)), f"no level skipped, found {headings}")
    require(page.evaluate("document.documentElement.lang") == "en", "a language")
    require(page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size === document.querySelectorAll('[id]').length"),
            "each id once")
    live = page.evaluate("document.querySelector('#link').getAttribute('role')")
    require(live == "status", "the state of the connection is announced to screen readers")


def check_focus(page, server):
    """Expects that Tab visits every control in the order of the page, with a visible focus."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    stops = """
      [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
        .filter(node => node.checkVisibility() && !node.disabled && node.tabIndex >= 0).length"""
    expected = page.evaluate(stops)
    seen = []
    for _ in range(expected + 3):
        page.key("Tab")
        place = page.evaluate("""(() => {
          const node = document.activeElement;
          if (!node || node === document.body) return null;
          node.dataset.order ??= String(document.querySelectorAll('[data-order]').length);
          const style = getComputedStyle(node);
          const all = [...document.querySelectorAll('*')];
          return [all.indexOf(node), node.id || node.textContent.trim().slice(0, 30), style.outlineStyle, style.outlineWidth, node.dataset.order];
        })()""")
        if place is None or any(place[0] == other[0] for other in seen):
            break
        seen.append(place)
    order = [place[0] for place in seen]
    require(order == sorted(order), f"the order of the page, found {[place[1] for place in seen]}")
    scrollers = page.evaluate("[...document.querySelectorAll('.scroll')].filter(e => e.scrollHeight > e.clientHeight).length")
    # Rows and checks that arrive from the server during the test are tab stops, too.
    least, most = sorted([expected, page.evaluate(stops)])
    require(least <= len(seen) <= most + scrollers, f"{least} to {most} stops of Tab, found {[place[1] for place in seen]}")
    invisible = [place[1] for place in seen if place[2] == "none" or place[3] == "0px"]
    require(not invisible, f"a visible focus everywhere, found none on {invisible}")
    require(seen[0][1].startswith("Skip to"), f"a way past the controls first, found {seen[0][1]}")


CONTRAST = """
(() => {
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const ground = node => { const layers = []; for (; node; node = node.parentElement) layers.push(parse(getComputedStyle(node).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]); };
  const faded = node => { for (; node; node = node.parentElement) if (Number(getComputedStyle(node).opacity) < 1) return true; return false; };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || !node.checkVisibility({ visibilityProperty: true }) || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(node.tagName)) continue;
    const style = getComputedStyle(node);
    const behind = ground(node);
    const color = over(parse(node instanceof SVGElement ? style.fill : style.color), behind);
    found.push([ratio(color, behind), text.data.trim().slice(0, 40), node.tagName, faded(node)]);
  }
  for (const node of document.querySelectorAll('main .glyph, .key, select, input, #offline')) {
    if (!node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const line = node.matches('.glyph') ? style.color : node.matches('.actual') ? style.backgroundColor : style.borderTopColor;
    const behind = ground(node.parentElement);
    // Shapes need 3 to 1 (WCAG 1.4.11) and text 4.5 to 1: times 1.5, a shape has the limit of text.
    found.push([ratio(over(parse(line), behind), behind) * 1.5, `(${node.id || node.getAttribute('class')})`, node.tagName, faded(node)]);
  }
  return found;
})()
"""


def check_contrast(page, server):
    """Expects a contrast of 4.5 to 1 for text and 3 to 1 for shapes and borders, in both color schemes."""
    page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    for name in ["light", "dark"]:
        page.scheme(name)
        page.evaluate("new Promise(resolve => setTimeout(resolve, 300))")
        found = page.evaluate(CONTRAST)
        require(len(found) > 80, f"text to judge, found {len(found)}")
        poor = [entry for entry in found if entry[0] < 4.5 and not entry[3]]
        require(not poor, f"contrast in {name}, found {json.dumps(poor[:12])}")
        worst = min(found)
        print(f"    {name}: {len(found)} judged, the least {worst[0]:.2f} ({worst[1]})")
    page.scheme("light")
