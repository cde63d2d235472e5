// Written by .ci/sources/embed.py.
// swift-format-ignore-file

/// The embedded files: texts as they are, others as base64.
package enum EmbeddedFiles {
  package static let `attempts.js` =
#"""
// The attempts of requests that failed or had a fault, as bars on a time axis of each request's own: one that hung for a
// minute would make all others invisible.

import { element, glyph, legend, swatch } from 'elements';
import { counted, durationText, milliseconds } from 'formats';

/// The dashboard of the sandbox, if its server sent the page; null in a file, which outlives the server.
export const dashboard = /^https?:.*\/_mock\/report\/?$/.test(location.protocol + location.pathname)
  ? location.pathname.replace(/report\/?$/, '') : null;

/// Returns a link to an entry in the dashboard; in a file, the text alone.
export const dashboardLink = (id, text) =>
  dashboard ? element('a', { href: `${dashboard}#request-${id}`, title: 'Open in the dashboard' }, text) : element('span', {}, text);

function ending({ outcome, status }) {
  const start = status ?? 'no response';
  if (outcome === 'gone') return `${start}, the client left`;
  return outcome === 'lost' && status ? `${start}, then cut off` : `${start}`;
}

/// The attempt with its times in milliseconds since the request's first one.
const timed = attempt => ({ ...attempt, start: milliseconds(attempt.start), took: milliseconds(attempt.duration),
  planned: milliseconds(attempt.planned), measured: milliseconds(attempt.measured), wait: milliseconds(attempt.retryAfter) });

function attemptItem(attempt, length, prefix, entryReference) {
  const { id, outcome, start, took, planned, measured, wait } = attempt;
  const share = time => 100 * Math.min(1, time / length);
  const bar = (style, title, from, time) => time > 0 ? element('i', { class: style, title: `${title} ${durationText(time)}`,
    style: { left: `${share(from)}%`, width: `${share(from + time) - share(from)}%` } }) : null;
  const facts = [ending(attempt), durationText(took), attempt.retryAfter && `Retry-After ${durationText(wait)}`,
    attempt.applied && 'applied', attempt.replayed && 'repeated by the transport'];
  return element('li', { id: `a${prefix}${id}` }, element('span', { class: 'no' }, entryReference(id)),
    element('div', { class: 'lane' }, bar('whole', 'exchange', start, took), bar('planned', 'planned', start, planned),
      bar('actual', 'measured', start, planned && measured), bar('asked', 'Retry-After', start + took, wait),
      element('span', { class: 'end', style: { left: `${share(start + took)}%` } }, glyph(outcome))),
    element('p', {}, facts.filter(Boolean).join(' · '), attempt.plan ? element('em', {}, attempt.plan) : null));
}

/// Returns the view of a request. `entryReference` returns the element that leads to a journal entry, by its id.
export function requestView({ method, target, purpose, keyed, count: total, attempts }, prefix, heading, entryReference) {
  const rows = attempts.map(timed);
  const length = Math.max(1, ...rows.map(({ start, took, planned }) => start + Math.max(took, planned)));
  return element('article', {},
    element(heading, {}, element('b', {}, method), ' ', element('code', {}, target), ' ',
      purpose ? element('code', { class: 'soft' }, purpose) : null,
      element('span', {}, counted(total, 'attempt') + (keyed ? ', with a key' : ''))),
    element('ol', {}, rows.map(attempt => attemptItem(attempt, length, prefix, entryReference))),
    total > rows.length ? element('p', { class: 'more' }, `and ${counted(total - rows.length, 'more attempt')}`) : null,
    element('p', { class: 'axis' }, element('span', {}, '0'), element('span', {}, durationText(length))));
}

export const attemptKeys = () => element('p', { class: 'keys' }, swatch('whole', 'exchange'), swatch('asked', 'Retry-After'),
  legend('ok', 'refused', 'unavailable', 'damaged', 'lost', 'gone'));

"""#

  package static let `backend.js` =
#"""
// The backend in front of which the server stands, and what its file of semantics declares.

import { $, element, setText } from 'elements';
import { counted, number } from 'formats';
import { apis, connected, listeners } from 'journal';
import { coalesced, read } from 'server';

/// True if the server stands in front of a backend, and serves no API itself.
export const isUpstream = apis.size === 0;

function ruleItem({ match, where, name, effect, requests }) {
  const parts = Object.entries(where ?? {}).map(([part, pattern]) => `${part}: ${pattern}`).join(', ');
  return element('li', { class: requests ? '' : 'unused' }, element('code', {}, match), parts ? ` where ${parts}` : '',
    element('small', {}, [name, effect].filter(Boolean).join(' · ')),
    element('b', {}, requests ? counted(requests, 'request') : 'no request yet'));
}

function draw({ url, reachable, answered, failed, late, undeclared, semantics }) {
  setText($('backend-title'), `Backend ${url}`);
  $('reached').className = reachable === false ? 'lost' : reachable ? 'ok' : 'soft';
  setText($('reached'), { true: 'reachable', false: 'not reachable', null: 'not asked yet' }[String(reachable)]);
  $('asked').replaceChildren(...[['answered', answered], ['failed', failed], ['late', late]].map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, number.format(value)))));
  setText($('undeclared'), undeclared ? `${counted(undeclared, 'request')} could not be read as far as the rules look.` : '');
  const unused = semantics.filter(rule => rule.requests === 0).length;
  setText($('semantics').firstElementChild, semantics.length === 0 ? 'No declared semantics: requests mean what their methods say'
    : `${counted(semantics.length, 'rule')} of declared semantics${unused ? `, ${number.format(unused)} of them without a request yet` : ''}`);
  $('declared').replaceChildren(...semantics.map(ruleItem));
}

if (isUpstream) {
  for (const node of document.querySelectorAll('.of-apis')) node.hidden = true;
  $('backend').hidden = false;
  const readBackend = coalesced(700, async () => draw(await read('upstream')));
  listeners.push(readBackend);
  connected.push(readBackend);
}

"""#

  package static let `checks.js` =
#"""
// The checks of a report card, as the dashboard and the report page show them.

import { $, element, glyph } from 'elements';
import { counted } from 'formats';

const severity = ['fail', 'warn', 'pass', 'not exercised'];
export const styles = { fail: 'fail', warn: 'warn', pass: 'pass', 'not exercised': 'idle' };

/// The description of each check on the page Report card, as pairs of a term and its text.
const reference = JSON.parse($('reference').textContent);

export const withVerdict = (checks, verdict) => checks.filter(check => check.verdict === verdict);
/// Returns the number of checks with each verdict, the worst first.
export const verdictCounts = checks => severity.map(verdict => [verdict, withVerdict(checks, verdict).length]);

export function headline({ verdict, checks }) {
  const n = withVerdict(checks, verdict).length;
  switch (verdict) {
    case 'fail': return n === 1 ? 'One check failed' : `${n} checks failed`;
    case 'warn': return `Nothing failed, ${counted(n, 'warning')}`;
    case 'pass': return 'Everything that could be judged passed';
    default: return 'Nothing could be judged yet';
  }
}

/// Returns a text of Markdown with its code as elements.
const withCode = text => text.split('`').map((part, index) => index % 2 ? element('code', {}, part) : part.replaceAll('*', ''));

function explanation(id, isOpen) {
  const terms = reference[id];
  if (!terms) return null;
  return element('details', { class: 'about', 'data-check': id, open: isOpen }, element('summary', {}, `About ${id}`),
    element('dl', {}, terms.map(([term, text]) => [element('dt', {}, term), element('dd', {}, withCode(text))])));
}

function checkItem({ id, verdict, sentence, evidence }, entryReference, isOpen) {
  const proof = severity.indexOf(verdict) < 2 ? evidence.map(entryReference) : [];
  return element('li', { class: styles[verdict] }, glyph(styles[verdict]),
    element('div', {}, element('b', {}, id), ' ', element('span', {}, verdict),
      element('p', {}, sentence), proof.length ? element('p', { class: 'ids' }, proof) : null, explanation(id, isOpen(id))));
}

/// Returns the items of a list of checks, the worst first; those that were not exercised are in one that can be folded.
///
/// - `entryReference` returns the element that leads to a journal entry, by its id.
/// - `isOpen` returns true if what folds under a name is open: a check's explanation, or `idle`.
export function checkItems(checks, entryReference, isOpen) {
  const items = verdict => withVerdict(checks, verdict).map(check => checkItem(check, entryReference, isOpen));
  const idle = items('not exercised');
  return [...severity.slice(0, 3).flatMap(items), ...(idle.length
    ? [element('li', {}, element('details', { 'data-check': 'idle', open: isOpen('idle') },
      element('summary', {}, `${idle.length} not exercised`), element('ul', {}, idle)))] : [])];
}

"""#

  package static let `common.css` =
#"""
:root { --paper: #f7f6f3; --card: #fff; --ink: #1d1c1a; --soft: #65615b; --rule: #e4e1da; --field: #8b867d; --fill: #f1efea;
  --plan: #355f9e; --bar: #7c8794; --good: #1f6f43; --warn: #8a5300; --bad: #b3261e; --on: #fff; --glow: #fff3c9;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { --paper: #141413; --card: #1d1c1b; --ink: #ece9e3; --soft: #a6a098;
  --rule: #34322f; --field: #7b766e; --fill: #282624; --plan: #8fb6f0; --bar: #8d97a3; --good: #7fd1a0; --warn: #f0b955;
  --bad: #ff8f85; --on: #161514; --glow: #4a3f1c; } }

* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums; }
h1, h2, h3, h4, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; }
ul, ol { list-style: none; }
a { color: var(--plan); text-underline-offset: .2em; }
code, pre, .mono { font-family: var(--mono); font-size: .9em; }
.soft { color: var(--soft); }
:focus-visible { outline: 3px solid var(--plan); outline-offset: 2px; border-radius: .3rem; }

.keys { display: flex; flex-wrap: wrap; gap: .1rem 1rem; color: var(--soft); font-size: .82rem; }
.keys span { display: inline-flex; align-items: center; gap: .35rem; }
.key { display: inline-block; width: 1.5rem; height: .7rem; border-radius: .15rem; }
.planned { border: 1.5px solid var(--plan); background: repeating-linear-gradient(135deg, var(--plan) 0 1.5px,
  transparent 1.5px 5px); }
.actual { background: var(--bar); }
.glyph { width: .85rem; height: .85rem; flex: none; fill: currentColor; overflow: visible; vertical-align: -.08em; }
.glyph.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.ok { color: var(--good); } .refused, .slow, .damaged, .warn, .unavailable { color: var(--warn); }
.lost, .fail { color: var(--bad); } .cold { color: var(--plan); } .gone, .pending, .event, .idle { color: var(--soft); } .pass { color: var(--good); }

.checks li { display: grid; grid-template-columns: 1rem 1fr; gap: .15rem .7rem; padding: .55rem 0;
  border-top: 1px solid var(--rule); font-size: .88rem; }
.checks .glyph { margin-top: .25rem; }
.checks b { font-weight: 600; color: var(--ink); }
.checks span { font-size: .93em; }
.checks p { overflow-wrap: anywhere; color: var(--ink); }
.checks details { grid-column: 1 / -1; } .checks summary { cursor: pointer; color: var(--soft); padding: .2rem 0; }
.checks .idle p { color: var(--soft); }
.checks .about summary { font-size: .82rem; } .checks .about dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem .7rem; font-size: .82rem; }
.checks .about dt { font-weight: 600; color: var(--ink); } .checks .about dd { color: var(--soft); overflow-wrap: anywhere; }
dt[title]::after { content: "\a0?"; color: var(--plan); font-weight: 600; }
.ids { display: flex; flex-wrap: wrap; gap: .1rem .6rem; }

.pairs { display: grid; grid-template-columns: minmax(5.5rem, min(10rem, 32%)) 1fr; gap: .2rem 1rem; font-size: .88rem; }
.pairs dt { color: var(--soft); overflow-wrap: anywhere; } .pairs dd { overflow-wrap: anywhere; }
pre { background: var(--fill); border-radius: .5rem; padding: .7rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: .82rem; margin-top: .6rem; max-height: 20rem; overflow: auto; }
.scale { display: grid; grid-template-columns: 5rem 1fr 5.5rem; gap: .35rem .8rem; font-size: .82rem; align-items: center; }
.scale i { display: block; height: .8rem; border-radius: .15rem; min-width: 2px; }
.scale .total { background: var(--fill); border: 1px solid var(--field); }
.scale > :nth-child(3n) { text-align: right; }

"""#

  package static let `dashboard.css` =
#"""
[hidden] { display: none !important; }
body { font-size: 15px; }
h1, h2 { font-size: 1.1rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; }
h3 { font-size: .95rem; font-weight: 650; margin-bottom: .6rem; }
.hidden, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: fixed; z-index: 9; top: .5rem; left: .5rem; padding: .5rem 1rem; background: var(--card); }

button, select, input { font: inherit; color: inherit; min-height: 2.4rem; border-radius: .5rem;
  border: 1px solid var(--field); background: var(--card); padding: .3rem .7rem; max-width: 100%; }
button { cursor: pointer; font-weight: 600; background: var(--plan); color: var(--on); border-color: var(--plan);
  padding: .3rem 1.1rem; }
button.quiet { background: none; color: var(--ink); border-color: var(--field); font-weight: 500; }
button:disabled { opacity: .55; cursor: default; }
.field { display: grid; gap: .15rem; min-width: 0; }
.field > :last-child { width: 100%; min-width: 0; }
.field span { font-size: .78rem; color: var(--soft); }
.grow { flex: 1 1 10rem; }
#seed { width: 7rem; }

.top { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1.25rem;
  padding: .6rem max(clamp(1rem, 3vw, 2rem), (100% - 92rem) / 2); background: var(--paper); border-bottom: 1px solid var(--rule); }
h1 { display: flex; align-items: center; gap: .6rem; font-size: 1.15rem; }
h1 svg { width: 1.7rem; } h1 rect { fill: var(--plan); }
h1 path { fill: none; stroke: var(--on); stroke-width: 4; stroke-linecap: round; }
#link { display: flex; align-items: center; gap: .45rem; color: var(--soft); margin-right: auto; }
#link i { width: .65rem; height: .65rem; border-radius: 50%; border: 2px solid currentColor; }
#link.live { color: var(--good); } #link.live i { background: currentColor; }
#link.lost { color: var(--bad); font-weight: 600; } #link.lost i { border-radius: 0; transform: rotate(45deg); }
#sandbox { max-width: 14rem; text-overflow: ellipsis; }
.pick { grid-template-columns: auto minmax(4.5rem, auto); align-items: center; gap: .5rem; }
#offline { min-height: 2.9rem; padding: .3rem 1.3rem .3rem .9rem; display: flex; align-items: center; gap: .7rem;
  border-radius: 2rem; background: var(--card); color: var(--ink); border: 2px solid var(--field); font-size: 1.05rem; }
#offline i { width: 2.6rem; height: 1.5rem; border-radius: 1rem; background: var(--fill); position: relative;
  border: 2px solid var(--field); }
#offline i::before { content: ""; position: absolute; inset: .16rem auto .16rem .16rem; width: .9rem; border-radius: 50%;
  background: var(--field); transition: translate .15s; }
#offline[aria-checked=true] { background: var(--bad); border-color: var(--bad); color: var(--on); }
#offline[aria-checked=true] i { background: var(--on); border-color: var(--on); }
#offline[aria-checked=true] i::before { background: var(--bad); translate: 1.1rem; }
#alert { overflow-wrap: anywhere; padding: .6rem clamp(1rem, 3vw, 2rem); background: var(--bad); color: var(--on); font-weight: 600; }

main { display: grid; grid-template-columns: minmax(0, 1fr) 23rem; gap: 1.1rem; max-width: 96rem; margin: 0 auto;
  padding: 1.1rem clamp(1rem, 3vw, 2rem) 4rem; align-items: start; }
section { scroll-margin-top: calc(var(--header, 0px) + 1rem); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: .8rem; padding: 1.1rem 1.25rem 1.2rem;
  min-width: 0; }
#scene, #times, .state { grid-column: 1 / -1; }
.side { display: grid; gap: 1.1rem; min-width: 0; }
.head { display: flex; flex-wrap: wrap; align-items: end; justify-content: space-between; gap: .7rem 1.5rem;
  margin-bottom: .8rem; }
.head > div:first-child { flex: 1 1 18rem; min-width: 0; overflow-wrap: anywhere; }
.head form { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem; }
#filter { flex: 1 1 34rem; max-width: 46rem; } #filter .field { flex: 1 1 5.5rem; } #filter .grow { flex: 3 1 9rem; }
#keys { margin-bottom: .5rem; }

#strip { display: grid; grid-template-columns: minmax(6rem, 13rem) 1fr; gap: .25rem .9rem; font-size: .85rem;
  margin-top: .9rem; align-items: center; }
#strip b { font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
.track { position: relative; height: 1.25rem; background: var(--fill); border-radius: .25rem; overflow: hidden; }
.track i { position: absolute; top: 0; bottom: 0; background: repeating-linear-gradient(135deg, var(--warn) 0 2px,
  transparent 2px 6px); border: 1.5px solid var(--warn); border-radius: .25rem; }
.track i.now { border: 0; border-left: 2px solid var(--ink); background: none; border-radius: 0; }
.axis { position: relative; height: 1.3rem; color: var(--soft); font-size: .78rem; }
.axis span { position: absolute; translate: -50%; white-space: nowrap; }
.axis .now { color: var(--card); background: var(--ink); font-weight: 600; padding: 0 .4rem; border-radius: .3rem; z-index: 1; }
#scene details { margin-top: .6rem; font-size: .85rem; } #scene summary { cursor: pointer; color: var(--soft); }
#rules { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .5rem; font-size: .82rem; }
#rules li { border: 1px solid var(--rule); background: var(--fill); border-radius: 1rem; padding: .1rem .75rem;
  min-width: 0; overflow-wrap: anywhere; }
#rules b { font-weight: 600; }
#unarmed:not(:empty) { color: var(--warn); font-weight: 600; font-size: .88rem; } #arm.pending button[type=submit] { outline: 3px solid var(--warn); outline-offset: 2px; }
#by-hand > p { margin: .4rem 0; } #fault { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem; }
#fault input { min-width: 9rem; } #faults li { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin-top: .5rem; }
#fault-error { flex: 1 1 100%; margin: 0; color: var(--warn); font-weight: 600; } #fault-error:empty { display: none; }
#faults button { min-height: 2rem; padding: .1rem .7rem; }

.plot { position: relative; height: 15rem; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: pointer; }
.empty { position: absolute; inset: 0; display: grid; place-content: center; justify-items: center; text-align: center;
  color: var(--soft); pointer-events: none; }

table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: .9rem; }
th { position: sticky; top: var(--header, 0); z-index: 1; background: var(--card); text-align: left; font-weight: 500; font-size: .78rem; color: var(--soft); padding: .3rem .5rem;
  border-bottom: 1px solid var(--rule); }
td { padding: .42rem .5rem; border-bottom: 1px solid var(--rule); vertical-align: top; overflow-wrap: anywhere; }
tbody tr:hover { background: var(--fill); }
th:first-child, td:first-child { width: 4rem; color: var(--soft); padding-left: 0; }
th:nth-child(3) { width: 9rem; } th:nth-child(4) { width: 11rem; } th:nth-child(5) { width: 7.6rem; } td:nth-child(5) { white-space: nowrap; }
td button { all: unset; cursor: pointer; font: 500 .9em/1.45 var(--mono); overflow-wrap: anywhere; }
td button:hover { text-decoration: underline; }
td button:focus-visible { outline: 3px solid var(--plan); outline-offset: 2px; border-radius: .2rem; }
td small { display: block; font-size: .82rem; color: var(--warn); line-height: 1.4; }
td small { max-width: 60ch; } td small.note { color: var(--soft); }
.end { display: flex; gap: .45rem; align-items: center; }
.lane { display: block; position: relative; height: 1.05rem; margin-top: .15rem; }
.lane i { position: absolute; left: 0; border-radius: .1rem; min-width: 1px; }
.lane .planned { top: 0; height: .55rem; } .lane .actual { top: .7rem; height: .35rem; }
.foot { display: flex; flex-wrap: wrap; align-items: center; gap: 1rem; margin-top: .8rem; color: var(--soft); font-size: .85rem;
  min-height: 2.4rem; }

#verdict { margin-bottom: .8rem; }
#histogram svg { display: block; width: 100%; height: auto; overflow: visible; }
#histogram text { fill: var(--soft); font-size: 11px; }
#histogram .p { fill: none; stroke: var(--plan); stroke-width: 1.5; } #histogram .h { fill: none; stroke: var(--plan); }
#histogram .m { fill: var(--bar); } #histogram .x { stroke: var(--field); }
#figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(5rem, 1fr)); gap: .6rem; margin-top: .8rem; }
#figures dt { font-size: .78rem; color: var(--soft); } #figures dd { font-weight: 600; }

.state > h2 { margin: 1.2rem 0 .8rem; }
.views { columns: 3; column-gap: 1.1rem; } .views article { break-inside: avoid; margin-bottom: 1.1rem; }
.views li { display: flex; gap: .7rem; align-items: center; padding: .45rem .35rem; font-size: .88rem; line-height: 1.35; }
.views li + li { border-top: 1px solid var(--rule); }
.views li > div { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.views small { display: block; color: var(--soft); font-size: .8rem; }
.views li > small { text-align: right; flex: none; max-width: 45%; }
.views li > .glyph { width: 1.15rem; height: 1.15rem; }
.views .archived .glyph { opacity: .5; } .views .archived b { font-weight: 400; color: var(--soft); }
.views b { font-weight: 550; }
.changed { animation: glow 2.4s ease-out; }
@keyframes glow { from { background: var(--glow); box-shadow: 0 0 0 3px var(--glow); } }
[data-api=house] li { display: block; overflow-wrap: anywhere; } [data-api=house] div { display: flex; flex-wrap: wrap; gap: .35rem; margin-top: .35rem; }
[data-api=house] span { display: inline-flex; align-items: center; gap: .35rem; border: 1.5px solid var(--field); border-radius: 1rem;
  padding: .05rem .65rem; color: var(--soft); font-size: .8rem; }
[data-api=house] span.lit { background: var(--glow); color: var(--ink); border-color: var(--warn); font-weight: 600; }
.face { width: 2rem; height: 2rem; border-radius: 50%; background: var(--fill); display: grid; place-content: center;
  font-size: .75rem; font-weight: 600; flex: none; }
[data-api=booking] { column-span: all; } [data-api=booking] ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.4rem, 1fr)); gap: .9rem; }
[data-api=booking] li { display: block; padding: 0; border: 1px solid var(--rule); overflow: hidden; border-radius: .6rem; }
[data-api=booking] img { display: block; width: 100%; aspect-ratio: 3 / 2; object-fit: cover; background: var(--fill); }
[data-api=booking] li > div { padding: .5rem .75rem .6rem; display: grid; }
[data-api=booking] li.full img { filter: grayscale(1); } [data-api=booking] .full span { color: var(--bad); font-weight: 600; }

dialog { border: 1px solid var(--rule); border-radius: .9rem; background: var(--card); color: var(--ink);
  padding: 1.4rem; width: min(34rem, calc(100vw - 2rem)); }
dialog::backdrop { background: rgb(0 0 0 / .45); }
#detail { margin: 0 0 0 auto; height: 100dvh; max-height: 100dvh; width: min(44rem, 100vw); max-width: 100vw;
  border-radius: 0; border-width: 0 0 0 1px; overflow: auto; }
#detail .head { flex-wrap: nowrap; align-items: start; } #detail .head > div { flex: 1; }
#detail h2 { font: 600 1.05rem/1.4 var(--mono); overflow-wrap: anywhere; }
#detail h3 { margin: 1.5rem 0 .5rem; padding-top: .9rem; border-top: 1px solid var(--rule); }
.tools { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .2rem 0 1rem; } .tools span { color: var(--soft); font-size: .85rem; }
#over form { display: grid; gap: .9rem; } #over .tools { margin: 0; justify-content: end; }
tr.event td { background: var(--fill); } tr.event td button { font: italic 400 .9em/1.45 inherit; font-family: inherit; }
#pause[aria-pressed="true"] { background: var(--glow); border-color: var(--warn); font-weight: 600; }
#ask form { display: grid; gap: .9rem; } #refusal:not(:empty) { color: var(--bad); font-weight: 600; }

@media (max-width: 72rem) { main { grid-template-columns: minmax(0, 1fr); } .views { columns: 2; }
  .side { grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); align-items: start; } }
@media (max-width: 40rem) { .views { columns: 1; } .wide { display: none; }
  .card { padding: .95rem; } .top { gap: .5rem .9rem; } #offline { flex: 1; justify-content: center; }
  .top .pick { flex: 1 1 9rem; }
  th:nth-child(2), td:nth-child(2) { padding-left: 0; } th:nth-child(3) { width: 6.4rem; } th:nth-child(4) { width: 5rem; }
  [data-api=booking] ul { grid-template-columns: 1fr 1fr; } .head form, #filter { width: 100%; flex: 1 1 100%; }
  #filter .field { flex: 1; } #arm .field { flex: 1 1 4rem; } #seed { width: 100%; }
  #arm .field:first-child, #filter .grow { flex: 1 1 100%; } #fault .field, #fault button { flex: 1 1 9rem; } #fault .whole { flex-basis: 100%; }
  #fault select { padding-inline: .6rem .3rem; } #strip { grid-template-columns: 6.5rem 1fr; } .plot { height: 13rem; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
#tally { display: flex; gap: .9rem; font-weight: 600; font-size: .92rem; } #tally a { display: inline-flex; gap: .35rem; align-items: center; text-decoration: none; }
#tally a:hover { text-decoration: underline; } .checks li { scroll-margin-top: calc(var(--header, 0px) + 1rem); } .checks li:target { background: var(--glow); }
.exports { display: inline-flex; gap: .5rem; }
#backend { grid-column: 1 / -1; } #backend details { margin-top: .6rem; font-size: .85rem; } #backend summary { cursor: pointer; color: var(--soft); } #asked { display: flex; flex-wrap: wrap; gap: .6rem 2rem; } #asked dt { font-size: .78rem; color: var(--soft); } #asked dd { font-weight: 600; }
#declared li { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; padding: .35rem 0; border-top: 1px solid var(--rule);
  font-size: .88rem; overflow-wrap: anywhere; } #declared b { margin-left: auto; font-weight: 550; } #declared .unused b { color: var(--warn); } #declared small { color: var(--soft); }
mark { background: var(--bad); color: var(--on); border-radius: .2rem; padding: 0 .15rem; } :is(pre, p) + .scale { margin-top: 1.2rem; } .damage { color: var(--warn); font-weight: 600; margin-top: .4rem; }

"""#

  package static let `dashboard.html` =
#"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Understudy</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23355f9e'/%3E%3Cpath d='M9 8v9a7 7 0 0 0 14 0V8' fill='none' stroke='white' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E">
<style nonce="{nonce}">
/* style */
</style>
<script type="importmap" nonce="{nonce}">{modules}</script>
</head>
<body>
<a class="skip" href="#requests">Skip to the requests</a>
<header class="top" id="top">
  <h1><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M9 8v9a7 7 0 0 0 14 0V8"/></svg>Understudy</h1>
  <p id="link" role="status"><i></i><span>Connecting</span></p>
  <p id="tally" aria-label="Checks of the report card"></p>
  <label class="field pick"><span>Sandbox</span><select id="sandbox"></select></label>
  <button type="button" id="offline" role="switch" aria-checked="false" disabled><i></i>Offline</button>
</header>
<p id="alert" role="alert" hidden></p>
<main>
  <section class="card" id="scene" aria-labelledby="scene-title">
    <div class="head">
      <div><h2 id="scene-title">Scenario</h2><p id="about" class="soft"></p></div>
      <form id="arm">
        <label class="field"><span>Scenario</span><select id="scenario"></select></label>
        <label class="field"><span>Seed</span><input id="seed" title="The number that decides every fault: the same seed gives the same requests the same faults." type="number" min="0" max="9007199254740991" required></label>
        <button type="submit" title="Starts this scenario with this seed: its counters, windows and schedules begin anew. Data and journal stay.">Arm</button>
        <button type="button" id="reset" class="quiet" aria-haspopup="dialog">Start over…</button>
      </form>
    </div>
    <p id="unarmed" role="status"></p>
    <div id="strip" role="img" aria-label="The scenario is not read yet"></div>
    <details hidden><summary></summary><ul id="rules"></ul></details>
    <details id="by-hand"><summary id="faults-title">One fault by hand</summary>
      <p class="soft">A rule beside the scenario, which stays as it is: its counters and schedules go on.</p>
      <form id="fault" aria-label="One fault by hand">
        <label class="field of-apis"><span>API</span><select id="fault-api"><option value="">any</option></select></label>
        <label class="field"><span>Method</span><select id="fault-method"><option value="">any</option><option>GET</option><option>HEAD</option><option selected>POST</option><option>PUT</option><option>PATCH</option><option>DELETE</option></select></label>
        <label class="field grow"><span>Path</span><input id="fault-path" list="paths" placeholder="/path, or /path/*" autocomplete="off" spellcheck="false"></label>
        <datalist id="paths"></datalist>
        <label class="field"><span>Fault</span><select id="fault-effect"></select></label>
        <label class="field whole"><span>Phase</span><select id="fault-phase"><option value="before">before the change</option><option value="after">after the change</option></select></label>
        <label class="field"><span>Requests</span><select id="fault-count"><option value="1">the next one</option><option value="3">the next three</option><option value="">each one</option></select></label>
        <button type="submit">Fail it</button>
        <p id="fault-error" role="alert"></p>
      </form>
      <ul id="faults"></ul>
    </details>
  </section>

  <section class="card" id="backend" aria-labelledby="backend-title" hidden>
    <div class="head"><h2 id="backend-title">Backend</h2><p id="reached" class="soft"></p></div>
    <dl id="asked"></dl>
    <p id="undeclared" class="warn"></p>
    <details id="semantics"><summary></summary><ol id="declared"></ol></details>
  </section>

  <section class="card" id="times" aria-labelledby="times-title">
    <div class="head">
      <h2 id="times-title">Timeline</h2>
      <label class="field pick"><span>Window</span><select id="span">
        <option value="10">10 s</option><option value="30" selected>30 s</option><option value="120">2 min</option><option value="600">10 min</option>
      </select></label>
    </div>
    <p class="keys" id="keys"></p>
    <div class="plot"><canvas id="canvas" role="img" aria-label="No requests yet"></canvas><p class="empty" id="idle">Waiting for the first request. Point a client at <code id="url"></code></p></div>
  </section>

  <section class="card" id="requests" aria-labelledby="requests-title" tabindex="-1">
    <div class="head">
      <h2 id="requests-title">Requests</h2>
      <form id="filter" role="search" aria-label="Filter the requests">
        <label class="field grow"><span>Filter</span><input id="words" type="search" placeholder="path, status, fault, body …" autocomplete="off" spellcheck="false"></label>
        <label class="field of-apis"><span>API</span><select id="api"><option value="">all</option></select></label>
        <label class="field"><span>Client</span><select id="client"><option value="">all</option></select></label>
        <label class="field"><span>Outcome</span><select id="kind"><option value="">all</option><option value="trouble">any failure</option></select></label>
        <button type="button" id="pause" class="quiet" aria-pressed="false">Pause</button>
      </form>
    </div>
    <div class="scroll"><table>
      <caption class="hidden">Requests, the newest first</caption>
      <thead><tr><th scope="col" class="wide">No.</th><th scope="col">Request</th><th scope="col">Outcome</th><th scope="col" class="delay">Delay</th><th scope="col" class="wide">Time</th></tr></thead>
      <tbody id="rows"></tbody>
    </table></div>
    <p class="foot"><span id="count">Loading the newest requests …</span><span id="told" class="hidden" role="status"></span> <span class="exports"><button type="button" id="har" class="quiet" title="Saves the whole journal as an HTTP Archive 1.2.">HAR</button><button type="button" id="jsonl" class="quiet" title="Saves the whole journal as JSON Lines.">JSON Lines</button></span> <button type="button" id="more" class="quiet" hidden>Show more</button></p>
  </section>

  <div class="side">
    <section class="card" aria-labelledby="delays-title">
      <div class="head"><h2 id="delays-title">Delays</h2><p class="keys"><span><i class="key planned"></i>planned</span><span><i class="key actual"></i>measured</span></p></div>
      <div id="histogram"></div>
      <dl id="figures"></dl>
    </section>
    <section class="card" aria-labelledby="card-title">
      <div class="head"><h2 id="card-title">Report card</h2><a id="full" target="_blank" rel="noopener">Full report</a></div>
      <p id="verdict" class="soft"></p>
      <ul id="checks" class="checks"></ul>
    </section>
  </div>

  <section class="state of-apis" aria-labelledby="state-title">
    <h2 id="state-title">Data of the backends</h2>
    <div class="views" id="views"></div>
  </section>
</main>
<dialog id="detail" aria-labelledby="detail-title">
  <div class="head"><div><p class="soft" id="detail-id"></p><h2 id="detail-title"></h2></div><button type="button" id="close" class="quiet">Close</button></div>
  <p class="tools"><button type="button" id="newer" class="quiet">Newer</button><button type="button" id="older" class="quiet">Older</button><button type="button" id="curl" class="quiet" title="The command includes the Prefer field that repeats the faults of this request.">Copy as curl</button><button type="button" id="again" class="quiet">Send again</button><button type="button" id="fail" class="quiet" title="Fills the form for a fault by hand with this method and path.">Fail the next one…</button><button type="button" id="share" class="quiet">Copy link</button><span id="copied" role="status"></span></p>
  <div id="parts"></div>
</dialog>
<dialog id="over" aria-labelledby="over-title">
  <form method="dialog">
    <h2 id="over-title">Start over?</h2>
    <p class="soft">This resets the sandbox's data, counters, clock and journal, and switches its network to online. Snapshots are kept. The journal's current entries are lost.</p>
    <p class="tools"><button value="cancel" class="quiet" autofocus>Cancel</button><button value="reset">Start over</button></p>
  </form>
</dialog>
<dialog id="ask" aria-labelledby="ask-title">
  <form method="dialog">
    <h2 id="ask-title">This server asks for its token</h2>
    <p class="soft">It is the value of <code>--admin-token</code>. This tab stores it until it is closed.</p>
    <label class="field grow"><span>Token</span><input id="token" type="password" autocomplete="off" aria-describedby="refusal" required></label>
    <p id="refusal" role="alert"></p>
    <button type="submit">Continue</button>
  </form>
</dialog>
<noscript><p>This page needs JavaScript. The same data is at <code>/_mock/journal</code> and <code>/_mock/report</code>.</p></noscript>
<script type="application/json" id="reference">{reference}</script>
<script type="application/json" id="fault-names">{faults}</script>
<script type="application/json" id="changing-reads">{changingReads}</script>
<script type="application/json" id="apis">{apis}</script>
<script type="module" nonce="{nonce}">import 'page';</script>
</body>
</html>

"""#

  package static let `detail.js` =
#"""
// The dialog with the details of one entry.

import { $, setText } from 'elements';
import { entryDetails, outcomeText } from 'entry';
import { fillFault } from 'faults';
import { journal, listeners, shortTarget } from 'journal';
import { repetition } from 'preference';
import { warn, write } from 'server';
import { neighbour } from 'table';

/// The entry that is shown; null while the dialog is closed.
let shown = null;

function drawDetails(entry) {
  setText($('detail-id'), entry.event ? `Event ${entry.id}` : `Request ${entry.id}, ${outcomeText(entry)}`);
  $('curl').hidden = $('fail').hidden = Boolean(entry.event);
  const reason = entry.event ? null : obstacle(entry);
  $('curl').title = ['The command includes the Prefer field that repeats the faults of this request.', ...differences(entry), reason].filter(Boolean).join(' ');
  $('again').hidden = Boolean(entry.event);
  $('again').disabled = Boolean(reason);
  $('again').title = reason ?? ['The server sends the request to itself again on a new connection, with the faults of this one.', ...differences(entry)].join(' ');
  $('newer').disabled = !neighbour(entry, 1);
  $('older').disabled = !neighbour(entry, -1);
  setText($('detail-title'), entry.event ?? `${entry.method} ${shortTarget(entry.target)}`);
  $('parts').replaceChildren(...entryDetails(entry).filter(Boolean));
}

const linkTo = entry => `${location.origin}${location.pathname}#request-${entry.id}`;

export function showDetails(id) {
  const entry = journal.byID.get(id);
  if (!entry) return warn(`Entry ${id} is no longer in the journal.`);
  shown = entry;
  drawDetails(entry);
  setText($('copied'), $('again').disabled ? $('again').title : '');
  if (!$('detail').open) $('detail').showModal();
  $('detail').scrollTop = 0;
  history.replaceState(null, '', linkTo(entry));
}

function move(step) {
  const next = shown && neighbour(shown, step);
  if (next) showDetails(next.id);
}

const differences = entry => entry.event ? [] : repetition(entry).differences;

/// Quotes a text as one word for a POSIX shell.
const quoted = text => `'${String(text).replaceAll("'", "'\\''")}'`;

/// The fields that a curl command omits, because curl sends its own.
const ofConnection = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']);

/// Returns the command that sends a request again, with the `Prefer` that repeats its faults.
export function curl(entry) {
  const { method, target, request } = entry;
  const host = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? location.host;
  const url = /^https?:/.test(target) ? target : `${location.protocol}//${host}${target}`;
  const fields = Object.entries(request.headers).filter(([name]) => !ofConnection.has(name.toLowerCase()));
  const { prefer } = repetition(entry);
  if (prefer) fields.push(['Prefer', prefer]);
  const words = [method === 'HEAD' ? '--head' : `-X ${method}`, quoted(url),
    ...fields.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`), ...(request.body ? [`--data-raw ${quoted(request.body)}`] : [])];
  return `curl -i ${words.join(' ')}`;
}

/// The most bytes of a body that the journal stores.
const maximumBody = 4096;

/// Returns the reason for which the journal has too little of a request to send it again; null if it has all of it.
function obstacle({ method, target, request }) {
  const value = name => Object.entries(request.headers).find(([field]) => field.toLowerCase() === name)?.[1];
  // Java asks for `h2c` by habit.
  if (method === 'CONNECT' || !/^(h2c)?$/i.test(value('upgrade') ?? '')) return 'It cannot be sent again: it asks for another protocol.';
  if (JSON.stringify([target, request]).includes('(masked-')) return 'It cannot be sent again: its credentials are masked, unless the server is started with --journal-secrets.';
  if (request.body?.includes('\uFFFD')) return 'It cannot be sent again: its content is no text, and the journal stores text.';
  const size = new TextEncoder().encode(request.body ?? '').length;
  const isWhole = value('transfer-encoding') ? size < maximumBody : size === Number(value('content-length') ?? 0);
  return isWhole ? null : 'It cannot be sent again: the journal does not store all of its content.';
}

/// Lets the server send a request again: this page may have another address, and browsers set fields such as User-Agent and Cookie
/// themselves. The journal shows the result.
async function sendAgain(entry) {
  const { method, target, request: { headers, body } } = entry;
  const { prefer } = repetition(entry);
  const name = Object.keys(headers).find(field => field.toLowerCase() === 'prefer') ?? 'Prefer';
  const preferences = [headers[name], prefer].filter(Boolean).join(', ');
  try {
    await write('POST', 'requests', { method, target, headers: { ...headers, ...(preferences && { [name]: preferences }) }, body });
    setText($('copied'), 'It is sent. The newest row shows it.');
  } catch (error) {
    setText($('copied'), error.message);
  }
}

/// Returns the command for the shown entry.
export const shownCommand = () => curl(shown);

async function copy(text, what, ...remarks) {
  try {
    await navigator.clipboard.writeText(text);
    setText($('copied'), [`${what} is copied.`, ...remarks].join(' '));
  } catch {
    // Pages over http from another machine have no access to the clipboard.
    setText($('copied'), text);
  }
}

$('newer').addEventListener('click', () => move(1));
$('older').addEventListener('click', () => move(-1));
$('curl').addEventListener('click', () => copy(shownCommand(), 'The command', ...differences(shown)));
$('again').addEventListener('click', () => sendAgain(shown));
$('fail').addEventListener('click', () => {
  const failed = shown;
  shown = null;
  $('detail').close();
  fillFault(failed);
});
$('share').addEventListener('click', () => copy(linkTo(shown), 'The link'));
$('detail').addEventListener('keydown', event => {
  if (event.key === 'ArrowUp' && event.altKey) move(1);
  else if (event.key === 'ArrowDown' && event.altKey) move(-1);
});

/// Opens the entry in the URL's fragment, as soon as it has been read.
let wanted = null;
function openWanted() {
  const id = wanted;
  if (!journal.byID.has(id)) {
    if (journal.loading) return;
    wanted = null;
    return warn(`Entry ${id} is no longer in the journal.`);
  }
  wanted = null;
  showDetails(id);
}
function readAddress() {
  const [, id] = /^#request-(\d+)$/.exec(location.hash) ?? [];
  wanted = id ? Number(id) : null;
  if (wanted !== null) openWanted();
  else if ($('detail').open) $('detail').close();
}
addEventListener('hashchange', readAddress);
listeners.push(() => { if (wanted !== null) openWanted(); });
readAddress();

$('close').addEventListener('click', () => $('detail').close());
$('detail').addEventListener('click', event => { if (event.target === $('detail')) $('detail').close(); });
$('detail').addEventListener('close', () => {
  // The row may have been redrawn in the meantime; the browser then cannot return the focus by itself.
  if (shown) $(`request-${shown.id}`)?.querySelector('button').focus();
  shown = null;
  history.replaceState(null, '', location.pathname);
});
// The details of a pending request are updated.
listeners.push(news => {
  for (const entry of news) if (entry.id === shown?.id && entry.at === shown.at) drawDetails(entry);
});

"""#

  package static let `elements.js` =
#"""
// Content is added to the page as elements and text, never as markup.

export const $ = id => document.getElementById(id);

/// Returns a text with escapes instead of the control characters that change its direction.
export const plain = text => String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  control => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? '' : name === 'title' ? plain(value) : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== '')
    .map(child => child instanceof Node ? child : plain(child)));
  return node;
}

export const element = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
export const svgElement = (tag, properties = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);

/// Replaces the children of an element, but does not move equal ones, so that focus and selection stay.
export function setChildren(parent, children) {
  children.forEach((child, index) => {
    if (parent.childNodes[index] !== child) parent.insertBefore(child, parent.childNodes[index] ?? null);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}

export function setText(node, text) {
  const shown = plain(text);
  if (node.textContent !== shown) node.textContent = shown;
}

// Each outcome and each verdict has its own shape, so that color is not the only difference.
export const shapes = {
  ok: ['answered', 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9z'],
  refused: ['refused (4xx)', 'M1.5 1.5h9v9h-9z'],
  unavailable: ['failed (5xx, 429)', 'M6 1 11.5 11H.5z'],
  damaged: ['damaged', 'M6 .5 11.5 6 6 11.5.5 6z'],
  lost: ['cut off', 'M1.5 1.5l9 9M10.5 1.5l-9 9', 'line'],
  gone: ['client left', 'M8 1a5 5 0 0 0 0 10z'],
  pending: ['under way', 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9z', 'line'],
  event: ['event', 'M6 0v12', 'line'],
  pass: ['pass', 'M1 6.5 4.5 10 11 2.5', 'line'], warn: ['warn', 'M6 .8 11.4 10.8H.6z'],
  fail: ['fail', 'M1.5 1.5l9 9M10.5 1.5l-9 9', 'line'], idle: ['not exercised', 'M1.5 6h9', 'line'],
};

export const glyph = (kind, label) => svgElement('svg', {
  class: `glyph ${kind} ${shapes[kind][2] ?? ''}`, viewBox: '0 0 12 12',
  ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }),
}, svgElement('path', { d: shapes[kind][1] }));

export const swatch = (style, text) => element('span', {}, element('i', { class: `key ${style}` }), text);
/// Returns the legend of planned and measured delays, and of kinds of outcomes.
export const legend = (...kinds) => [swatch('planned', 'planned'), swatch('actual', 'measured'),
  ...kinds.map(kind => element('span', {}, glyph(kind), shapes[kind][0]))];

"""#

  package static let `entry.js` =
#"""
// An entry of the journal: its outcome, and its details.

import { element } from 'elements';
import { durationText, milliseconds } from 'formats';

const damages = new Set(['corrupt', 'drift', 'wrong-type', 'captive-portal', 'stale', 'garbage', 'bad-chunk']);

function outcomeKind(entry) {
  const status = entry.response?.status ?? 0;
  if (entry.event) return 'event';
  if (entry.outcome === 'pending') return 'pending';
  if (entry.outcome === 'peer gone' || entry.outcome === 'cut') return 'gone';
  if (damages.has(entry.plan?.fault) && entry.outcome !== 'not deliverable') return 'damaged';
  if (entry.outcome === 'reset' || entry.outcome === 'closed') return 'lost';
  return [408, 425, 429].includes(status) || status >= 500 ? 'unavailable' : status >= 400 ? 'refused' : 'ok';
}

export const outcomeText = entry => entry.event ? 'event'
  : entry.response && entry.outcome === 'sent' ? String(entry.response.status)
  : (entry.response ? `${entry.response.status}, ` : '') + entry.outcome;

/// True if the network switch or the scenario had taken the sandbox offline; planned delays are then skipped.
const isOffline = entry => entry.network === 'offline' || entry.plan?.fault === 'offline';

/// Adds the kind of an entry's outcome, and its durations in milliseconds.
export function measure(entry) {
  entry.kind = outcomeKind(entry);
  entry.planned = isOffline(entry) ? 0 : milliseconds(entry.timing?.planned);
  entry.actual = milliseconds(entry.timing?.actual);
  entry.total = milliseconds(entry.timing?.total);
}

/// The meaning of names that say too little by themselves.
const explanations = {
  n: 'The number of this request among those with the same method and path since the scenario was armed. The seed and n decide its faults.',
  applied: 'True if the request changed the data of the sandbox.',
};

function pairs(...objects) {
  const rows = objects.flatMap(object => Object.entries(object ?? {})).filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return element('dl', { class: 'pairs' }, rows.map(([name, value]) =>
    [element('dt', { title: explanations[name] }, name), element('dd', {}, String(value))]));
}

/// Returns JSON with indents, or the text itself if it is no JSON or has what parsing loses, such as the digits of long ids.
function indented(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

const bodyView = text => text ? element('pre', { tabindex: '0' }, indented(text)) : null;

const encoder = new TextEncoder();

/// Returns the media type of a response; empty without Content-Type.
const mediaType = response =>
  String(Object.entries(response?.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '');
const isStream = response => mediaType(response).startsWith('text/event-stream');

/// Returns how much of the body was sent; null for a stream, until its end.
function bodySize(response) {
  if (!isStream(response)) return `${response.bytes} of ${response.of} bytes`;
  return response.bytes > 0 ? `${response.bytes} bytes` : null;
}

/// Returns why the journal has no body of a response; null if there is nothing to say.
function missingBody(response) {
  if (isStream(response)) return 'The journal does not keep the events of a stream.';
  if (response.bytes === 0) return null;
  return mediaType(response).startsWith('image/') ? 'The journal does not keep pictures.'
    : 'The journal keeps only bodies that a fault changed or cut. With --journal-bodies it keeps the others, too.';
}

/// Returns the body of a response, and says what the journal does not have of it.
function responseBodyView({ response, outcome, plan: planned }) {
  if (!response && outcome === 'pending') return null;
  if (!response) return element('p', { class: 'soft' }, planned?.fault === 'garbage' ? 'Bytes that are no HTTP were sent.' : 'No response was sent.');
  const plan = outcome === 'not deliverable' ? null : planned;
  if (!response.body) {
    const reason = missingBody(response);
    return reason && element('p', { class: 'soft' }, reason);
  }
  const rest = response.bytes - encoder.encode(response.body).length;
  return [element('p', { class: 'soft' }, rest > 0 ? 'The body, as far as the journal stores it:' : 'The body as it was sent:'),
    damagedView(response, plan, rest)];
}

/// Returns a body with its damage marked: the place where it was cut, and the change that the fault made.
function damagedView(response, plan, rest) {
  const isCut = response.bytes < response.of && rest <= 0;
  const change = damages.has(plan?.fault) ? plan.words : null;
  if (!isCut && !change) return bodyView(response.body);
  // A cut or garbled text is shown as it is, so that the mark is where the damage is.
  const cut = isCut ? element('mark', {}, ` cut here, after ${response.bytes} of ${response.of} bytes `) : null;
  return [change ? element('p', { class: 'damage' }, change) : null,
    element('pre', { tabindex: '0' }, ...markedParts(response.body, plan), cut)];
}

/// Returns a body in parts: those that a fault changed are marked.
function markedParts(body, plan) {
  const [, offset] = plan?.fault === 'corrupt' && /byte (\d+)/.exec(plan.words) || [];
  if (offset !== undefined) {
    // The description counts bytes.
    const at = new TextDecoder().decode(encoder.encode(body).slice(0, Number(offset))).length;
    if (at < body.length) return [body.slice(0, at), element('mark', {}, visible(body[at])), body.slice(at + 1)];
    return encoder.encode(body).length < Number(offset) ? [body] : [body, element('mark', {}, ` cut here, at byte ${offset} `)];
  }
  const [, path, name] = plan?.fault === 'drift' && /"([^"]+)" is (?:named "([^"]+)"|(?!missing))/.exec(plan.words) || [];
  if (!path) return [body];
  const field = `"${name ?? path.split('.').at(-1)}"`;
  return body.split(field).flatMap((part, index) => index ? [element('mark', {}, field), part] : [part]);
}

/// Returns a character, or the escape of one that has no shape.
const visible = character => character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;

/// Returns bars of the planned, the measured and the total duration, on one scale.
function durationBars(entry) {
  const longest = Math.max(entry.planned, entry.actual, entry.total, 1e-3);
  const row = (name, value, style) => [element('span', { class: 'soft' }, name),
    element('span', {}, element('i', { class: style, style: { width: `${100 * value / longest}%` } })), element('span', {}, durationText(value))];
  return element('div', { class: 'scale' },
    row('planned', entry.planned, 'planned'), row('first byte', entry.actual, 'actual'), row('whole', entry.total, 'total'));
}

/// Returns the details of an entry; one of a file may lack any of them.
export function entryDetails(entry) {
  if (entry.event) return [pairs({ event: entry.event, at: entry.at, state: entry.versions && `version ${entry.versions.to}` })];
  const { request, plan, response } = entry;
  return [
    ...[responseBodyView(entry)].flat(),
    durationBars(entry),
    element('h3', {}, 'Request'),
    pairs({ at: entry.at, trace: entry.traceparent, API: entry.api, operation: entry.operation, undeclared: entry.undeclared, target: entry.target, connection: entry.connection,
      n: entry.n, 'transport retry of': entry.replayOf && `request ${entry.replayOf}` }, request?.headers),
    bodyView(request?.body),
    element('h3', {}, 'Planned'),
    plan ? pairs({ summary: plan.words, delay: plan.delay, fault: plan.fault, status: plan.status, phase: plan.phase,
      at: plan.at, rules: [plan.rules].flat().join(', ') }) : element('p', { class: 'soft' }, 'No fault was planned.'),
    element('h3', {}, 'Response'),
    pairs({ outcome: entry.outcome, network: entry.network && `the switch was ${entry.network}`, status: response?.status,
      body: response && bodySize(response),
      applied: entry.applied === null ? 'unknown' : entry.applied ? 'yes, the state changed' : 'no, the state is as before',
      remark: entry.remark,
      'state version': entry.applied && entry.versions ? `${entry.versions.from} to ${entry.versions.to}` : null },
    response?.headers),
  ].flat();
}

"""#

  package static let `faults.js` =
#"""
// Faults by hand: each is a rule beside the scenario, for the next request that it matches or for each one.

import { $, element, setText } from 'elements';
import { counted } from 'formats';
import { apis, connected, journal, listeners } from 'journal';
import { ruleText } from 'scenario';
import { attempt, coalesced, read, write } from 'server';

/// The effects that are no faults in the words of a rule.
const others = {
  'status 500': { status: 500 }, 'status 503, retry after 2s': { status: 503, retryAfter: '2s' },
  'status 429, retry after 2s': { status: 429, retryAfter: '2s' }, 'latency 3s': { latency: '3s' }, 'latency 30s': { latency: '30s' },
};
const effect = name => others[name] ?? { fault: name };

for (const name of [...JSON.parse($('fault-names').textContent), ...Object.keys(others)]) {
  $('fault-effect').append(element('option', { value: name }, name));
}
$('fault-api').append(...[...apis.keys()].map(api => element('option', { value: api }, api)));

/// The GET operations that can change the state, each with its API and its path.
const changingReads = JSON.parse($('changing-reads').textContent);

/// True if a path with wildcards and a path with variables can have a path in common.
function meets(pattern, template) {
  const [parts, variables] = [pattern.split('/'), template.split('/')];
  for (const [index, part] of parts.entries()) {
    if (part === '**') return true;
    if (index >= variables.length || !(part === variables[index] || part.includes('*') || variables[index].startsWith('{'))) return false;
  }
  return parts.length === variables.length;
}

/// True if a request as chosen may change the state.
function canChange() {
  const [api, method, path] = ['fault-api', 'fault-method', 'fault-path'].map(id => $(id).value.trim());
  if (method === 'HEAD') return false;
  return method !== 'GET' || changingReads.some(operation => (!api || operation.api === api) && (!path || meets(path, operation.path)));
}

/// Offers the phase after the change only where there may be one, and forgets the error of an earlier choice.
function drawChoice() {
  const after = $('fault-phase').querySelector('[value=after]');
  after.disabled = !canChange();
  if (after.disabled) $('fault-phase').value = 'before';
  setText($('fault-error'), '');
}
$('fault').addEventListener('input', drawChoice);
drawChoice();

/// The fields of the form by the positions in a rule that they fill.
const fields = { '/match/api': 'API', '/match/method': 'Method', '/match/path': 'Path', '/phase': 'Phase', '/effect': 'Fault', '/count': 'Requests' };

/// Returns the sentences of a refusal in the words of the form.
function refusal({ errors, message }) {
  if (!errors?.length) return message;
  return errors.map(({ pointer, detail }) =>
    `${Object.entries(fields).find(([start]) => pointer.startsWith(start))?.[1] ?? 'The fault'}: ${detail}.`).join(' ');
}

const howMany = ({ remaining }) => remaining === undefined ? 'each one' : remaining === 1 ? 'the next one' : `the next ${remaining}`;

async function readFaults() {
  const { faults } = await read('faults');
  $('faults').replaceChildren(...faults.map(fault => element('li', {}, element('b', {}, howMany(fault)), ` ${ruleText(fault)} `,
    element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove the fault ${fault.id}`,
      onclick: () => attempt(async () => { await write('DELETE', `faults/${fault.id}`); await readFaults(); }) }, 'Remove'))));
  setText($('faults-title'), faults.length ? `${counted(faults.length, 'fault')} by hand` : 'One fault by hand');
}

/// Chooses an option, which a request may have and the form may not.
function choose(select, value) {
  if (![...select.options].some(option => option.value === value)) select.append(element('option', { value }, value));
  select.value = value;
}

/// Fills the form for a request like one in the table. Two APIs may have the same path.
export function fillFault({ api, method, path }) {
  $('by-hand').open = true;
  $('fault-api').value = apis.has(api) ? api : '';
  choose($('fault-method'), method);
  $('fault-path').value = path;
  drawChoice();
  $('fault-effect').focus();
  $('by-hand').scrollIntoView({ block: 'center' });
}

$('fault').addEventListener('submit', event => {
  event.preventDefault();
  attempt(async () => {
    const [api, method, path] = ['fault-api', 'fault-method', 'fault-path'].map(id => $(id).value.trim());
    try {
      await write('POST', 'faults', {
        ...((api || method || path) && { match: { ...(api && { api }), ...(method && { method }), ...(path && { path }) } }),
        ...($('fault-phase').value === 'after' && { phase: 'after' }),
        effect: effect($('fault-effect').value),
        ...($('fault-count').value && { count: Number($('fault-count').value) }),
      });
    } catch (error) {
      if (!error.status) throw error;
      return setText($('fault-error'), refusal(error));
    }
    setText($('fault-error'), '');
    await readFaults();
  });
});

/// The paths of the newest requests, as suggestions.
$('fault-path').addEventListener('focus', () => {
  const paths = new Set();
  for (let index = journal.ids.length - 1; index >= 0 && paths.size < 12 && index >= journal.ids.length - 500; index -= 1) {
    const path = journal.byID.get(journal.ids[index])?.path;
    if (path) paths.add(path);
  }
  $('paths').replaceChildren(...[...paths].map(path => element('option', { value: path })));
});

const changed = coalesced(150, readFaults);
listeners.push(news => {
  for (const entry of news) if (/^(armed|removed|reset)/.test(entry.event ?? '') || entry.plan?.rules?.some(rule => rule.startsWith('by hand '))) return changed();
});
connected.push(changed);

"""#

  package static let `formats.js` =
#"""
// Durations, numbers and dates as text.

const units = { us: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 };

/// Parses a duration, and returns milliseconds.
export function milliseconds(text) {
  const parts = /^([\d.]+)(us|ms|s|m|h)$/.exec(text ?? '');
  return parts ? parts[1] * units[parts[2]] : 0;
}

/// Formats milliseconds with three significant digits and a unit.
export function durationText(ms) {
  if (ms === 0) return '0';
  const [value, unit] = ms < 1 ? [ms * 1e3, 'µs'] : ms < 1e3 ? [ms, 'ms'] : ms < 6e4 ? [ms / 1e3, 's'] : [ms / 6e4, 'min'];
  return `${value >= 100 ? Math.round(value) : +value.toPrecision(3)} ${unit}`;
}

export const number = new Intl.NumberFormat('en');
export const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
/// Formats the time of a request with milliseconds, because two may arrive in the same second.
export const instant = new Intl.DateTimeFormat('en-GB',
  { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
export const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
/// Returns a number with its noun, in the plural unless the number is 1.
export const counted = (n, noun) => `${number.format(n)} ${noun}${n === 1 ? '' : 's'}`;
export const dateText = (format, date) => isNaN(date) ? 'an unknown date' : format.format(date);

"""#

  package static let `journal.js` =
#"""
// The newest entries of the journal, updated by the server's stream.

import { $ } from 'elements';
import { measure, outcomeText } from 'entry';
import { coalesced, read, request, showLink, warn } from 'server';

const maximumEntries = 10_000;
/// The titles of the served APIs by their names, which are labels of targets; none in front of a backend.
export const apis = new Map(Object.entries(JSON.parse($('apis').textContent)));

export const journal = {
  byID: new Map(), ids: [], seq: 0, changed: new Set(), eventCount: 0, generation: 0, loading: 'first',
  /// The ids that the table and the timeline show while they are paused; null while they are live.
  pausedIDs: null,
  /// The server's time at which they were paused.
  pausedAt: 0,
};
/// Functions that are called with the changed entries.
export const listeners = [];
/// Functions that are called after each successful connection to the server.
export const connected = [];
/// Calls the listeners when entries have changed, at most ten times a second.
const changed = coalesced(100, () => {
  const news = journal.changed;
  journal.changed = new Set();
  for (const listener of listeners) listener(news);
});

/// Returns a target without the label of its sandbox, which is at the top of the page.
export const shortTarget = target => target.replace(/^(\/@[^/?]+)+/, labels =>
  labels.replace(/\/@([^/]+)/g, (label, name) => apis.has(name) ? label : '')) || '/';

/// Adds or updates an entry. With `isOld` it is read from the past, so that a reset does not clear newer entries.
function put(entry, isOld = false) {
  journal.seq = Math.max(journal.seq, entry.seq);
  const known = journal.byID.get(entry.id);
  if (known && known.seq >= entry.seq) return;
  if (entry.event === 'reset' && !isOld) clear();
  entry.time = Date.parse(entry.at);
  measure(entry);
  if (known) entry.lane = known.lane;
  else {
    insert(entry.id);
    if (entry.event) journal.eventCount += 1;
  }
  journal.byID.set(entry.id, entry);
  journal.changed.add(entry);
}

/// Returns the name of the client: its own, as the report card has it, or that of its program.
export function clientOf(entry) {
  const fields = Object.entries(entry.request?.headers ?? {});
  const value = name => fields.find(([field]) => field.toLowerCase() === name)?.[1];
  return String(value('understudy-client') ?? value('user-agent') ?? '');
}

/// Returns the text in which a filter searches. It is made by the first search, because most entries are never searched.
export function searchText(entry) {
  entry.searchText ??= [entry.id, entry.method, entry.target, entry.path, entry.operation, clientOf(entry), entry.plan?.words, outcomeText(entry), entry.event, entry.remark,
    entry.traceparent, entry.network, entry.request?.body, entry.response?.body].join(' ').toLowerCase();
  return entry.searchText;
}

/// Inserts an id. Entries arrive in the order of their changes, and are stored in the order of their ids.
function insert(id) {
  const ids = journal.ids;
  let [low, high] = [0, ids.length];
  if (high > 0 && ids[high - 1] < id) low = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle] < id) low = middle + 1; else high = middle;
  }
  if (low === ids.length) ids.push(id); else ids.splice(low, 0, id);
  if (ids.length > maximumEntries + 500) {
    for (const old of ids.splice(0, ids.length - maximumEntries)) {
      if (journal.byID.get(old)?.event) journal.eventCount -= 1;
      journal.byID.delete(old);
    }
  }
}

function clear() {
  journal.byID.clear();
  journal.ids = [];
  journal.changed.clear();
  journal.eventCount = 0;
  journal.generation += 1;
  journal.loading = '';
  resume();
}

export function resume() {
  journal.pausedIDs = null;
  $('pause').setAttribute('aria-pressed', 'false');
}

/// Returns the ids of the entries to show.
export const shownIDs = () => journal.pausedIDs ?? journal.ids;

/// True if the journal is the same as before the connection was lost: a restarted server has the same ids, but no entry
/// at the same microsecond.
async function isSame() {
  const { entries: [oldest] } = await read('journal?after=0&limit=1');
  return oldest ? journal.byID.get(oldest.id)?.at === oldest.at : journal.ids.length === 0;
}

export const pause = delay => new Promise(resolve => setTimeout(resolve, delay));

/// Reads the newest entries before a seq, and returns them with the seq from which to continue, or null at the end.
async function readBefore(seq, limit) {
  const { entries } = await read(`journal?before=${seq}&limit=${limit}`);
  return { entries, next: entries.length === limit ? entries[0].seq : null };
}

/// Reads the older entries in batches, while the newest ones are already shown.
async function readOlder(seq) {
  const generation = journal.generation;
  journal.loading = 'older';
  try {
    for (let next = seq; next !== null && generation === journal.generation;) {
      const older = await readBefore(next, 500);
      if (generation !== journal.generation) return;
      for (const entry of older.entries) put(entry, true);
      next = older.next;
      changed();
      await pause(0);
    }
  } finally {
    if (generation === journal.generation) journal.loading = '';
    changed();
  }
}

async function follow() {
  if (journal.loading === 'first' || !await isSame()) {
    clear();
    journal.seq = 0;
    journal.loading = 'first';
    changed();
    const newest = await readBefore(Number.MAX_SAFE_INTEGER, 200);
    for (const entry of newest.entries) put(entry, true);
    journal.loading = '';
    changed();
    if (newest.next !== null) readOlder(newest.next).catch(error => warn(String(error.message)));
  }
  const controller = new AbortController();
  const reply = await request(`journal/stream?after=${journal.seq}`, { signal: controller.signal });
  showLink('live');
  for (const listener of connected) listener();
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  let began = performance.now();
  for (;;) {
    // The server sends at least a comment every fifteen seconds.
    const timeout = setTimeout(() => controller.abort(), 40_000);
    const { value, done } = await reader.read().finally(() => clearTimeout(timeout));
    if (done) return;
    const events = (unread + value).split('\n\n');
    unread = events.pop();
    for (const event of events) {
      const start = event.indexOf('data: ');
      if (start >= 0) put(JSON.parse(event.slice(start + 6)));
      // Yields to the browser, so that input is not delayed by thousands of entries. A read that has its bytes already does
      // not yield, so the time runs on over several reads.
      if (performance.now() - began > 10) {
        await pause(0);
        began = performance.now();
      }
    }
    changed();
  }
}

export async function stayConnected() {
  for (let wait = 500; ; wait = Math.min(wait * 2, 4_000)) {
    const began = performance.now();
    let state = 'lost';
    try {
      await follow();
    } catch (error) {
      if (error.status === 404) state = 'gone';
    }
    showLink(state);
    if (performance.now() - began > 5_000) wait = 500;
    await pause(wait);
  }
}

"""#

  package static let `page.js` =
#"""
// The choice of the sandbox, and the start of the page.

import { $, element, setChildren, setText } from 'elements';
import { connected, stayConnected } from 'journal';
import { coalesced, read } from 'server';
import { animateTimeline } from 'timeline';
import 'backend';
import 'faults';
import 'report';
import 'scenario';
import 'state';
import 'table';

/// The server's URL.
let serverURL = '';

async function readSandboxes() {
  const [{ sandboxes }, report] = await Promise.all([read('sandboxes'), read('report?format=json')]);
  serverURL = sandboxes[0].url;
  const names = sandboxes.map(({ name }) => name);
  if (!names.includes(report.sandbox)) names.push(report.sandbox);
  const options = [...$('sandbox').options].map(({ value }) => value);
  if (String(options) !== String(names)) setChildren($('sandbox'), names.map(name => element('option', { value: name }, name)));
  $('sandbox').value = report.sandbox;
  const own = sandboxes.find(({ name }) => name === report.sandbox);
  setText($('url'), own?.url ?? location.origin);
  document.title = report.sandbox === 'default' ? 'Understudy' : `${report.sandbox} · Understudy`;
  // The port of an offline sandbox accepts no connections, including those of this page.
  const isOwnPort = own?.port && String(own.port) === location.port;
  $('offline').title = isOwnPort ? `Once offline, this port accepts no connection. Open ${serverURL}/@${own.name}/_mock/ to switch it on again.` : '';
}

$('sandbox').addEventListener('change', () => {
  const name = $('sandbox').value;
  const origin = new URL(serverURL).host === location.host ? location.origin : serverURL;
  location.assign(`${origin}${name === 'default' ? '' : `/@${name}`}/_mock/`);
});
const refresh = coalesced(100, readSandboxes);
connected.push(refresh);
setInterval(() => { if (!document.hidden && $('link').className === 'live') refresh(); }, 5_000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) animateTimeline(); });
// What scrolls to the top of the page stays below its header.
new ResizeObserver(() => document.documentElement.style.setProperty('--header', `${$('top').offsetHeight}px`)).observe($('top'));
stayConnected();

"""#

  package static let `preference.js` =
#"""
// The `Prefer` field that asks for the faults of a plan again.

/// Quotes a value that is no token (RFC 7240 section 2).
const value = text => /^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text : `"${String(text).replace(/["\\]/g, '\\$&')}"`;
const parameters = entries => entries.filter(([, given]) => given !== undefined).map(([name, given]) => `; ${name}=${value(given)}`).join('');

/// Returns a preference for one effect of a plan; nothing for one that only a rule can have.
function preference({ effect, phase }) {
  const { fault, status, latency, retryAfter, retryAfterDate, body, ...others } = effect;
  const phased = [['phase', phase]];
  if (fault) return `fault=${fault}${parameters([...Object.entries(others), ...phased])}`;
  if (status) return `status=${status}${parameters([['retryAfter', retryAfter], ...phased])}`;
  if (latency) return `latency=${value(latency)}${parameters(phased)}`;
  return null;
}

/// The faults that draw what they do to the bytes from the seed and the number of the request.
const drawn = new Set(['drift', 'corrupt', 'garbage', 'bad-chunk']);

/// Returns what `Prefer` cannot carry of an effect, as sentences.
function losses({ effect }) {
  return [
    !preference({ effect }) && `It does not repeat the ${Object.keys(effect)[0]}.`,
    effect.body !== undefined && 'It does not repeat the body of the rule.',
    effect.retryAfterDate && 'Retry-After is in seconds instead of a date.',
  ];
}

/// Returns the value of `Prefer` with which a request gets the faults of a plan, null if it asked for them itself or there
/// are none; and sentences that say in what the repetition differs.
export function repetition(entry) {
  const asked = Object.entries(entry.request.headers).some(([name, text]) =>
    name.toLowerCase() === 'prefer' && /\b(fault|status|code|latency|delay)\s*=/i.test(text));
  const effects = entry.plan?.effects ?? [];
  const found = asked ? [] : effects.map(preference).filter(Boolean);
  const differences = [...(asked ? [] : effects.flatMap(losses)),
    ...effects.map(({ effect }) => drawn.has(effect.fault) && `What ${effect.fault} changes is drawn anew for each request.`)];
  return { prefer: found.length ? found.join(', ') : null, differences: differences.filter(Boolean) };
}

"""#

  package static let `report-page.css` =
#"""
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: clamp(1.6rem, 5vw, 2.3rem); line-height: 1.15; margin: 0 0 .5rem; letter-spacing: -.02em; }
h2 { font-size: 1.25rem; } section { margin-top: 3rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.eyebrow { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
.facts, footer { color: var(--soft); overflow-wrap: anywhere; }
.facts b { color: var(--ink); font-weight: 600; }
.command { color: var(--bad); margin-top: .3rem; overflow-wrap: anywhere; }
.tally { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; margin: 1.25rem 0 1.75rem; }
.tally li { display: flex; align-items: center; gap: .4rem; color: var(--ink); }
.tally .none { color: var(--soft); }
.tally .fail .glyph { color: var(--bad); } .tally .warn .glyph { color: var(--warn); } .tally .pass .glyph { color: var(--good); }
.checks { border-bottom: 1px solid var(--rule); }
.checks li { font-size: 1rem; padding: .7rem 0; } .checks li.idle { font-size: .9rem; padding: .4rem 0; }
.ids { font-size: .85rem; color: var(--soft); } .ids a { color: inherit; }
.how { color: var(--soft); font-size: .85rem; margin: .3rem 0 .8rem; max-width: 44rem; }
.keys { margin-bottom: 1rem; }

article, .entry { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .9rem 1rem .5rem;
  margin-bottom: .9rem; }
article > :first-child { display: flex; flex-wrap: wrap; gap: .15rem .6rem; align-items: baseline; margin-bottom: .5rem; font-size: 1rem;
  font-weight: 400; overflow-wrap: anywhere; }
article code { min-width: 0; }
article > :first-child span { color: var(--soft); font-size: .85rem; margin-left: auto; }
article li { display: grid; grid-template-columns: 3rem minmax(0, 1fr) minmax(0, 17rem); gap: .75rem;
  align-items: center; padding: .2rem 0; border-radius: .3rem; font-size: .85rem; }
article li p { color: var(--soft); overflow-wrap: anywhere; line-height: 1.35; }
article em { display: block; font-style: normal; color: var(--ink); }
.no { color: var(--soft); text-align: right; }
.lane { position: relative; height: 1.5rem; margin-right: .8rem; background: linear-gradient(var(--rule),
  var(--rule)) 0 50% / 100% 1px no-repeat; }
.lane, .key, .scale { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.lane i { position: absolute; top: .35rem; height: .8rem; border-radius: .15rem; min-width: 2px; }
.whole { background: var(--bar); }
.lane .actual, .key.actual { height: 3px; background: var(--ink); } .lane .actual { top: 1.25rem; }
.asked { border-top: 2px dotted var(--warn); } .lane .asked { top: .68rem; } .lane .asked, .key.asked { height: 0; border-radius: 0; }
.end { position: absolute; top: .35rem; margin-left: .15rem; line-height: 0; background: radial-gradient(var(--card) 60%, transparent 62%); }
.axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .75rem;
  margin: .2rem calc(17rem + 1.5rem) 0 3.75rem; }
.more { color: var(--soft); font-size: .85rem; padding-left: 3.75rem; }
.entry { border-radius: .4rem; padding: .4rem .8rem; margin-bottom: .4rem; font-size: .9rem; }
.entry[open] { padding-bottom: .9rem; } .entry .scale { margin: .8rem 0; }
.entry h3 { font-size: .95rem; margin: 1rem 0 .4rem; }
li:target, :target > summary { background: color-mix(in srgb, var(--warn) 18%, var(--card)); }

.run { border-top: 1px solid var(--rule); } .run[open] { padding-bottom: 2.5rem; }
.run > summary { padding: .7rem 0 .7rem .8rem; border-left: .25rem solid var(--good); } .run.failed > summary { border-color: var(--bad); }
.run > h2 { margin-top: 1rem; } .run section { margin-top: 2rem; } .run h3 { font-size: 1.05rem; }
.checks + .run { margin-top: 2.5rem; }
footer { margin-top: 2.5rem; font-size: .85rem; }
#cards > pre { max-height: none; }
@media (max-width: 40rem) { main { padding: 1.5rem 1rem 3rem; }
  article li { grid-template-columns: 2.6rem minmax(0, 1fr); row-gap: 0; padding: .35rem 0; }
  article li p { grid-column: 2; } .axis { margin: .2rem .8rem 0 3.35rem; } .more { padding-left: 3.35rem; } }

.scroll { overflow-x: auto; } .cells { border-collapse: collapse; margin: 1.5rem 0; } .cells th, .cells td { padding: .3rem .6rem;
  text-align: left; border-top: 1px solid var(--rule); white-space: nowrap; }
.cells .survived { color: var(--good); } .cells .failed, .cells .hung, .cells .crashed { color: var(--bad); font-weight: 600; }
.cells .warned { color: var(--warn); } details pre { overflow-x: auto; margin: .5rem 0 1rem; }

"""#

  package static let `report-page.html` =
#"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>Understudy report</title>
<style nonce="{nonce}">
/* style */
</style>
<script type="importmap" nonce="{nonce}">{modules}</script>
</head>
<body>
<main>
<p class="eyebrow">Understudy report</p>
<div id="cards">
<noscript><p>This viewer runs no scripts, so the report is shown as text.</p></noscript>
<pre>{text}</pre>
</div>
<footer>Evidence and attempts are named by their ids in <code>/_mock/journal</code>.</footer>
</main>
<script type="application/json" id="data">{data}</script>
<script type="application/json" id="reference">{reference}</script>
<script type="module" nonce="{nonce}">import 'report-page';</script>
</body>
</html>

"""#

  package static let `report-page.js` =
#"""
// The report page: draws the cards that are part of it as data.

import { attemptKeys, dashboard, dashboardLink, requestView } from 'attempts';
import { checkItems, headline, styles, verdictCounts, withVerdict } from 'checks';
import { $, element, glyph, plain } from 'elements';
import { entryDetails, measure, outcomeText } from 'entry';
import { counted, number } from 'formats';

const { cards, checks } = JSON.parse($('data').textContent);
const isFailing = card => card.verdict === 'fail' || Boolean(card.failure);

/// Opens what hides an element of the page.
function unfold(id) {
  for (let node = $(id); node; node = node.parentElement) if (node.localName === 'details') node.open = true;
}

/// Returns a function that returns the element for a journal entry: a link to the dashboard, or in a file to the first of
/// the places where the card shows it.
function references(prefix, ...places) {
  const anchors = new Map(places.reverse().flatMap(([letter, items]) => items.map(({ id }) => [id, `${letter}${prefix}${id}`])));
  return id => {
    if (dashboard || !anchors.has(id)) return dashboardLink(id, `#${id}`);
    return element('a', { href: `#${anchors.get(id)}`, onclick: () => unfold(anchors.get(id)) }, `#${id}`);
  };
}

// Folded, the checks that were not exercised do not part the verdicts from their proof.
const checkList = (checks, entryReference) => {
  const isOpen = checks.every(({ verdict }) => verdict === 'not exercised');
  return element('ul', { class: 'checks', 'aria-label': 'Checks' }, checkItems(checks, entryReference, name => name === 'idle' && isOpen));
};

function entryView(entry, prefix) {
  measure(entry);
  return element('details', { class: 'entry', id: `e${prefix}${entry.id}` },
    element('summary', {}, `#${entry.id} `, element('code', {}, entry.event ?? `${entry.method} ${entry.target}`), ' ',
      element('span', { class: 'soft' }, glyph(entry.kind), ` ${outcomeText(entry)}`)),
    entryDetails(entry), element('p', { class: 'soft' }, dashboardLink(entry.id, `#${entry.id} in the journal`)));
}

/// Returns the sections of a card. `prefix` distinguishes its anchors, `level` is that of its headline.
function cardView(card, prefix, level) {
  const { entries, requests } = card;
  const attempts = (requests ?? []).flatMap(request => request.attempts);
  const section = (name, about, ...content) =>
    element('section', { 'aria-label': name }, element(`h${level + 1}`, {}, name), element('p', { class: 'how' }, about), content);
  return [
    element(`h${level}`, {}, headline(card)),
    element('p', { class: 'facts' }, 'Sandbox ', element('b', {}, card.sandbox), ' · scenario ', element('b', {}, card.scenario),
      ' · seed ', element('b', {}, card.seed), ` · ${counted(card.exchanges, 'exchange')}`,
      card.replays ? `, ${number.format(card.replays)} of them repeated by a transport` : ''),
    card.failure ? element('p', { class: 'command' }, `${card.failure}.`) : null,
    card.run ? element('dl', { class: 'pairs' }, card.run.map(([name, value]) => [element('dt', {}, name), element('dd', {}, element('code', {}, value))])) : null,
    element('ul', { class: 'tally' }, verdictCounts(card.checks).map(([verdict, n]) =>
      element('li', { class: `${styles[verdict]} ${n ? '' : 'none'}` }, glyph(styles[verdict]), element('b', {}, n), ` ${verdict}`))),
    checkList(card.checks, references(prefix, ['e', entries], ['a', attempts])),
    entries.length ? section('Entries', 'The entries of the journal that the verdicts cite, and those of the newest requests with a fault. Secrets are masked.',
      entries.map(entry => entryView(entry, prefix))) : null,
    requests?.length ? section('Attempts', 'A row is one attempt, named by its id in the journal. Its bar goes from the arrival of the request '
      + 'to the end of its exchange, on a time axis for this request only. Its plan is shown beside it.',
      attemptKeys(), requests.map(request => requestView(request, prefix, `h${level + 2}`, references(prefix, ['e', entries])))) : null,
    requests?.length === 0 ? section('Attempts', 'No request failed or had a fault.') : null,
    card.partial ? element('p', { class: 'soft' }, 'The journal is partial: older entries were evicted. The verdicts still count them.') : null,
  ];
}

/// Returns the line that is visible while a card is folded.
function summary({ source, seed, sandbox, failure, checks, verdict }) {
  const failures = [failure, ...withVerdict(checks, 'fail').map(({ id }) => id)].filter(Boolean);
  return [source ? [element('b', {}, source), ', seed '] : 'Seed ', element('b', {}, seed), ', sandbox ', element('b', {}, sandbox), ': ',
    failures.join(', ') || verdict];
}

function overview() {
  const first = cards.find(isFailing);
  return [
    element('h1', {}, `${cards.filter(isFailing).length} of ${counted(cards.length, 'card')} with a failure`),
    checks.length ? checkList(checks, id => element('span', {}, `#${id}`)) : null,
    cards.map((card, index) => element('details', { class: `run ${isFailing(card) ? 'failed' : ''}`, open: card === first },
      element('summary', {}, summary(card)), cardView(card, `${index + 1}-`, 2))),
  ];
}

document.title = cards.length === 1 ? `Report card: ${plain(cards[0].sandbox)}` : 'Report cards';
$('cards').replaceChildren(element('div', {}, cards.length === 1 ? cardView(cards[0], '', 1) : overview()));
function showTarget() {
  if (!location.hash) return;
  unfold(location.hash.slice(1));
  $(location.hash.slice(1))?.scrollIntoView();
}
addEventListener('hashchange', showTarget);
showTarget();

"""#

  package static let `report.js` =
#"""
// The report card, and the histogram of planned and measured delays.

import { checkItems, headline, styles, verdictCounts } from 'checks';
import { $, element, glyph, setText, svgElement } from 'elements';
import { counted, durationText, milliseconds, number } from 'formats';
import { connected, listeners } from 'journal';
import { base, coalesced, read } from 'server';

/// Returns a link to the details of an entry, which the module `detail` opens.
const entryLink = id => element('a', { href: `#request-${id}`, 'aria-label': `Request ${id}` }, `#${id}`);

function drawCard(report) {
  const { checks, exchanges } = report;
  setText($('verdict'), headline(report) + (exchanges === 0 ? '.' : `. ${counted(exchanges, 'exchange')}: `
    + verdictCounts(checks).filter(([, n]) => n).map(([verdict, n]) => `${n} ${verdict}`).join(', ')));
  $('tally').replaceChildren(...verdictCounts(checks).slice(0, 3).map(([verdict, n]) => {
    const first = checks.find(check => check.verdict === verdict);
    const words = `${n} ${verdict}`;
    return n ? element('a', { class: styles[verdict], href: `#check-${first.id}` }, glyph(styles[verdict]), words)
      : element('span', { class: 'soft' }, words);
  }));
  const open = new Set([...$('checks').querySelectorAll('details[open]')].map(details => details.dataset.check));
  const focus = document.activeElement?.closest('#checks') ? document.activeElement.textContent : null;
  $('checks').replaceChildren(...checkItems(checks, entryLink, name => open.has(name)));
  // The counts above lead to them.
  for (const name of $('checks').querySelectorAll('li > div > b')) name.closest('li').id = `check-${name.textContent}`;
  if (focus) [...$('checks').querySelectorAll('a, summary')].find(node => node.textContent === focus)?.focus();
}

/// Sums a histogram's buckets into bars of equal width on a logarithmic scale.
function binned({ buckets }, low, high, n) {
  const found = new Array(n).fill(0);
  for (const bucket of buckets) {
    const middle = (milliseconds(bucket.over) + milliseconds(bucket.upTo)) / 2;
    const index = Math.floor(Math.log(middle / low) / Math.log(high / low) * n);
    found[Math.min(n - 1, Math.max(0, index))] += bucket.count;
  }
  return found;
}

/// The meaning of the figures.
const explanations = {
  delays: 'The number of responses that the plan delayed.',
  'late (median)': 'The time between the planned and the actual start of a response: half of the responses were at most this late.',
  'late (p99)': 'The time between the planned and the actual start of a response: 99 % of the responses were at most this late.',
  'late (maximum)': 'The longest time between the planned and the actual start of a response.',
  early: 'The number of responses that began before their planned time. It is always 0, unless the clock was set back.',
};

/// Draws planned delays above the line and measured ones below it; they are symmetric if the delays are exact.
function drawHistogram({ planned, measured, lateness, early }) {
  if (planned.count === 0) {
    $('histogram').replaceChildren(element('p', { class: 'soft' }, 'No response was delayed yet.'));
    return $('figures').replaceChildren();
  }
  const [width, half, n] = [340, 74, 34];
  const ends = [planned, measured].flatMap(({ buckets }) => [milliseconds(buckets[0].upTo), milliseconds(buckets.at(-1).upTo)]);
  const low = 10 ** Math.floor(Math.log10(Math.min(...ends) * .9));
  const high = Math.max(low * 10, 10 ** Math.ceil(Math.log10(Math.max(...ends) * 1.1)));
  const [above, below] = [binned(planned, low, high, n), binned(measured, low, high, n)];
  const highest = Math.max(...above, ...below);
  const shapes = [];
  for (let index = 0; index < n; index += 1) {
    const [x, size] = [index * width / n + .75, width / n - 1.5];
    const [up, down] = [above[index] / highest * (half - 6), below[index] / highest * (half - 6)];
    if (up) shapes.push(svgElement('rect', { class: 'p', x, y: half - up, width: size, height: up }),
      ...[...Array(Math.floor(up / 5))].map((_, line) => svgElement('path', { class: 'h', d: `M${x} ${half - line * 5 - 2}l${size} -3` })));
    if (down) shapes.push(svgElement('rect', { class: 'm', x, y: half + 1, width: size, height: down }));
  }
  for (let value = low; value <= high * 1.01; value *= 10) {
    const x = Math.log(value / low) / Math.log(high / low) * width;
    shapes.push(svgElement('text', { x, y: half * 2 + 16, 'text-anchor': x < 20 ? 'start' : x > width - 20 ? 'end' : 'middle' }, durationText(value)));
  }
  const label = `${counted(planned.count, 'delay')}, planned above and measured below: half were planned at most ${durationText(milliseconds(planned.p50))} `
    + `and measured at most ${durationText(milliseconds(measured.p50))}, the longest ${durationText(milliseconds(planned.max))} and ${durationText(milliseconds(measured.max))}.`;
  $('histogram').replaceChildren(svgElement('svg', { viewBox: `0 0 ${width} ${half * 2 + 22}`, role: 'img', 'aria-label': label },
    svgElement('path', { class: 'x', d: `M0 ${half}H${width}` }), ...shapes));
  $('figures').replaceChildren(...[['delays', number.format(planned.count)], ['late (median)', durationText(milliseconds(lateness.p50))],
    ['late (p99)', durationText(milliseconds(lateness.p99))], ['late (maximum)', durationText(milliseconds(lateness.max))], ['early', number.format(early)]]
    .map(([name, value]) => element('div', {}, element('dt', { title: explanations[name] }, name), element('dd', {}, value))));
}

const readReport = coalesced(700, async () => {
  const report = await read('report?format=json');
  drawCard(report);
  drawHistogram(report.delays);
});
$('full').href = `${base}/_mock/report?format=html`;
listeners.push(readReport);
connected.push(readReport);

"""#

  package static let `scenario.js` =
#"""
// The timeline of the scenario's windows, and the controls that change the scenario.

import { $, element, setChildren, setText } from 'elements';
import { counted, durationText, milliseconds } from 'formats';
import { connected, listeners } from 'journal';
import { attempt, coalesced, read, warn, write } from 'server';

/// The armed scenario, and those that the server knows by name.
let scenario = { name: '', rules: [], seed: 1 };
let scenarios = [];
let elapsed = { at: 0, read: 0, frozen: true };

/// The state of the network switch, which is independent of the scenario.
let network = { state: 'online' };

const elapsedNow = () => elapsed.at + (elapsed.frozen ? 0 : performance.now() - elapsed.read);

export function effectText(effect) {
  const [[name, value]] = Object.entries(effect);
  switch (name) {
    case 'fault': return effect.for ? `${value} for ${effect.for}` : value;
    case 'offline': return name;
    case 'rateLimit': return `${value.limit} requests in ${value.window}`;
    case 'coldStart': return `cold start ${value.delay} after ${value.idle} of rest`;
    case 'pace': return `pace ${value.bytesPerSecond} B/s`;
    case 'rivals': return `rivals every ${value.every}`;
    case 'latency': return `latency ${typeof value === 'string' ? value : Object.entries(value).map(([kind, parts]) =>
      kind === 'uniform' ? parts.join(' to ') : Object.entries(parts).map(([key, part]) => `${key.replace(/^\d/, 'p$&')} ${part}`).join(', '))}`;
    default: return `${name} ${value}`;
  }
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = n => n + { one: 'st', two: 'nd', few: 'rd', other: 'th' }[ordinals.select(n)];

export function ruleText({ match = {}, when = {}, phase, effect }) {
  const whom = [[match.method ?? []].flat().join(' or '), match.path ?? match.api, match.operation, match.changes === true && 'writes'].filter(Boolean).join(' ');
  const often = [when.chance && `${when.chance.replace('/', ' in ')}`, when.nth && `every ${ordinal(when.nth)}`, when.first && `the first ${when.first}`,
    when.requests && `requests ${when.requests}`].filter(Boolean).join(', ');
  return [effectText(effect) + (phase === 'after' ? ' after commit' : ''), often, whom].filter(Boolean).join(' · ');
}

/// True if a rule has a window of time.
const isTimed = ({ when = {} }) => when.from !== undefined || when.until !== undefined || when.every !== undefined;

/// Returns the spans in which a rule's window is open, between two times since the scenario was armed.
function spans({ when }, start, end) {
  const [from, until, every] = [milliseconds(when.from ?? '0s'), when.until ? milliseconds(when.until) : Infinity, milliseconds(when.every)];
  if (!every) return until > start && from < end ? [[from, until]] : [];
  const found = [];
  for (let period = Math.floor(start / every) * every; period < end; period += every) found.push([period + from, period + Math.min(until, every)]);
  return found;
}

/// Formats a time since the scenario was armed.
const minutes = ms => ms < 60_000 ? durationText(ms) : `${Math.floor(ms / 60_000)}:${String(ms / 1000 % 60).padStart(2, '0')}`;

function drawStrip() {
  const timed = scenario.rules.filter(isTimed);
  const longest = Math.max(40_000, ...timed.map(({ when }) => milliseconds(when.every ?? when.until ?? when.from)));
  const length = longest * 1.5;
  const present = elapsedNow();
  const start = Math.max(0, present - length / 3);
  const at = time => `${Math.min(100, Math.max(0, 100 * (time - start) / length))}%`;
  const mark = (style, time, text) => element(text === undefined ? 'i' : 'span', { class: style, style: { left: at(time) } }, text);
  const room = ($('strip').clientWidth || 900) - ($('strip').clientWidth < 600 ? 110 : 220);
  const step = [5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200].find(step => step * 1000 / length * room > 75) * 1000 || longest;
  const ticks = [];
  for (let time = Math.ceil(start / step) * step; (time - start) / length < 1 - 24 / room; time += step) {
    if (Math.abs(time - present) / length * room > 48) ticks.push(mark('tick', time, time ? minutes(time) : 'armed'));
  }
  const lane = (name, title, bands) => [element('b', { title }, name), element('div', { class: 'track' }, bands.map(([from, until]) => {
    const band = mark('', from);
    band.style.right = `${100 - Number.parseFloat(at(until))}%`;
    return band;
  }), mark('now', present))];
  const others = scenario.rules.length - timed.length;
  const lanes = timed.map(rule => lane(rule.name ?? effectText(rule.effect), ruleText(rule), spans(rule, start, start + length)));
  if (others) lanes.push(lane(timed.length ? `${counted(others, 'more rule')}` : 'at all times', null, [[0, Infinity]]));
  if (!scenario.rules.length) lanes.push(lane('nothing', null, []));
  $('strip').replaceChildren(...lanes.flat(), element('span'), element('div', { class: 'axis' }, ...ticks, mark('now', present, 'now')));
  const active = timed.filter(rule => spans(rule, present, present + 1).some(([from, until]) => present >= from && present < until));
  const label = !timed.length ? 'No rule depends on time.' : `Active now: ${active.map(rule => rule.name ?? effectText(rule.effect)).join(', ') || 'no rule that depends on time'}.`;
  $('strip').setAttribute('aria-label', `${durationText(present)} since it was armed${elapsed.frozen ? ', and its clock is stopped' : ''}. ${label}`);
}

function networkText() {
  const time = network.for ? ` for another ${network.for} of the sandbox's clock` : '';
  if (network.state === 'held') return `Held: responses of this sandbox are kept back${time}.`;
  if (network.state === 'online') return '';
  return { reset: 'Offline: every connection of this sandbox is reset', refused: 'Offline: the port of this sandbox refuses connections',
    silence: 'Offline: this sandbox sends nothing' }[network.as] + time + '. The scenario waits and is not armed again.';
}

/// The displayed warning about the network: only this one is replaced or cleared, other warnings stay.
let networkWarning = '';
function tellNetwork(text) {
  if (text || $('alert').textContent === networkWarning) warn(text);
  networkWarning = text;
}

/// True if a scenario or a seed was chosen that is not armed, and the scenario that is.
let hasChoice = false;
let armedName = '';

/// Says that what is chosen is not armed.
function drawChoice() {
  const isOther = $('scenario').value !== scenario.name || $('seed').value !== String(scenario.seed);
  hasChoice &&= isOther;
  setText($('unarmed'), hasChoice
    ? `${$('scenario').value} with seed ${$('seed').value || '…'} is chosen, but not armed. ${scenario.name} with seed ${scenario.seed} is in effect.` : '');
  $('arm').classList.toggle('pending', hasChoice);
}

/// The scenario whose rules were expanded automatically, which happens once if they are few.
let unfolded = '';

function drawScenario() {
  setText($('scene-title'), `Scenario ${scenario.name}`);
  setText($('about'), scenario.about || (scenario.rules.length ? '' : 'No faults.'));
  $('rules').replaceChildren(...scenario.rules.map(rule =>
    element('li', {}, rule.name ? element('b', {}, rule.name) : null, rule.name ? ` ${ruleText(rule)}` : ruleText(rule))));
  setText($('rules').previousElementSibling, counted(scenario.rules.length, 'rule'));
  $('rules').parentElement.hidden = scenario.rules.length === 0;
  if (unfolded !== scenario.name) $('rules').parentElement.open = scenario.rules.length <= 8;
  unfolded = scenario.name;
  const names = scenarios.map(({ name }) => name);
  if (!names.includes(scenario.name)) names.push(scenario.name);
  // New options would drop a choice.
  if (String([...$('scenario').options].map(({ value }) => value)) !== String(names)) {
    setChildren($('scenario'), names.map(name => element('option', { value: name }, name)));
  }
  // A choice that is not armed yet stays, as long as the same scenario is armed.
  if (armedName !== scenario.name || !hasChoice) $('scenario').value = scenario.name;
  if (armedName !== scenario.name) hasChoice = false;
  armedName = scenario.name;
  if (document.activeElement !== $('seed') && !hasChoice) $('seed').value = scenario.seed;
  drawChoice();
  $('offline').disabled = false;
  $('offline').setAttribute('aria-checked', String(network.state !== 'online'));
  tellNetwork(networkText());
  drawStrip();
}

export async function readScenario() {
  const [armed, time, position] = await Promise.all([read('scenario'), read('clock'), read('network')]);
  scenario = armed;
  network = position;
  elapsed = { at: milliseconds(time.elapsed), read: performance.now(), frozen: time.frozen };
  drawScenario();
}

$('arm').addEventListener('submit', event => {
  event.preventDefault();
  attempt(async () => {
    const name = $('scenario').value;
    if (name !== scenario.name) await write('PUT', 'scenario', name);
    await write('PATCH', 'scenario', { seed: Number($('seed').value) });
    hasChoice = false;
    await readScenario();
  });
});
for (const id of ['scenario', 'seed']) $(id).addEventListener('input', () => { hasChoice = true; drawChoice(); });
$('offline').addEventListener('click', () => attempt(async () => {
  await write('PATCH', 'network', { state: network.state === 'online' ? 'offline' : 'online' });
  await readScenario();
}));
$('reset').addEventListener('click', () => $('over').showModal());
$('over').addEventListener('close', () => {
  if ($('over').returnValue === 'reset') attempt(() => write('POST', 'reset'));
});

// The journal has an event for each change of the scenario and of the network switch, by any client.
const rearmed = coalesced(100, readScenario);
listeners.push(news => { for (const entry of news) if (/^(armed|reset|switched the network|the network)/.test(entry.event)) rearmed(); });
connected.push(async () => {
  scenarios = (await read('scenarios')).scenarios;
  await readScenario();
});
setInterval(() => { if (!document.hidden && scenario.name) drawStrip(); }, 500);
setInterval(() => { if (!document.hidden && $('link').className === 'live') rearmed(); }, 10_000);

"""#

  package static let `server.js` =
#"""
// Requests to the server that sent the page, and the state of the connection to it.

import { $, setText } from 'elements';

/// The path of the sandbox: the labels in the page's path.
export const base = location.pathname.replace(/\/+_mock\/*$/, '');
let token = sessionStorage.getItem('token') ?? '';

/// Sends a request with the token in UTF-8. `fetch` encodes fields as Latin-1, so each byte is one character.
function send(path, options, token) {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token));
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${bytes}` }) };
  return fetch(`${base}/_mock/${path}`, { ...options, headers, cache: 'no-store' });
}

/// The open question for the token, which all refused requests share.
let asking = null;
function askForToken() {
  asking ??= new Promise(resolve => {
    setText($('refusal'), token && 'The server refuses the token of this tab.');
    $('ask').addEventListener('close', resolve, { once: true });
    $('ask').showModal();
  }).finally(() => { asking = null; });
  return asking;
}

/// Returns the reason why a token is not accepted; empty if it is.
async function refusal(given) {
  if (!given.trim()) return 'The token is blank.';
  if (/[\0-\x08\n-\x1f\x7f]/.test(given)) return 'The token contains a control character. Remove it.';
  try {
    const { ok, status } = await send('clock', {}, given);
    return ok ? '' : status === 401 ? 'The server refused this token.' : `The server answered ${status}.`;
  } catch {
    return 'The server was not reached. Try again.';
  }
}

$('ask').addEventListener('submit', async event => {
  event.preventDefault();
  const given = $('token').value;
  const reason = await refusal(given);
  setText($('refusal'), reason);
  if (reason) return $('token').select();
  token = given;
  sessionStorage.setItem('token', token);
  $('ask').close();
});

export async function request(path, options = {}) {
  const reply = await send(path, options, token);
  if (reply.status === 401) {
    await askForToken();
    return request(path, options);
  }
  if (!reply.ok) {
    // The detail contains the errors.
    const { detail, errors } = await reply.json().catch(() => ({}));
    throw Object.assign(new Error(detail ?? `The server answered ${reply.status}.`), { status: reply.status, errors });
  }
  return reply;
}

export const read = async path => (await request(path)).json();
export const write = (method, path, body) =>
  request(path, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });

export function warn(text) {
  $('alert').hidden = !text;
  setText($('alert'), text);
}

/// Returns a function that runs `body` once after a delay, however often it is called in the meantime. A call while `body`
/// runs is not lost: what it reads may have changed since, so it runs once more.
export function coalesced(delay, body) {
  let timer = 0;
  let isRunning = false;
  let isCalledAgain = false;
  const run = async () => {
    [timer, isRunning] = [0, true];
    try {
      await body();
    } catch (error) {
      // Without a status the server was not reached: the connection's state shows that, and everything is read again
      // after it is restored.
      if (error.status) warn(error.message);
      else if (!(error instanceof TypeError && /fetch|network/i.test(error.message))) throw error;
    } finally {
      isRunning = false;
      if (isCalledAgain) call();
    }
  };
  const call = () => {
    isCalledAgain = isRunning;
    if (!isRunning) timer ||= setTimeout(run, delay);
  };
  return call;
}

/// Runs the action of a control, and shows its error.
export async function attempt(body) {
  try {
    warn('');
    await body();
  } catch (error) {
    warn(String(error.message));
  }
}

export function showLink(state) {
  $('link').className = state;
  setText($('link').lastElementChild,
    { live: 'Live', lost: 'Disconnected, trying again', gone: 'This sandbox is gone' }[state]);
}

"""#

  package static let `state.js` =
#"""
// The data of the served APIs, each as its app would show it; a record that a client changed is highlighted for a short
// time.

import { isUpstream } from 'backend';
import { $, element, setChildren, svgElement } from 'elements';
import { counted, dateText, day, number } from 'formats';
import { apis, connected, listeners, pause } from 'journal';
import { coalesced, read, request } from 'server';

/// The maximum number of records shown of one API.
const maximumShown = 12;
/// The shown records of each API by id: their JSON and their elements.
const shownRecords = new Map();

const drop = 'M6 .5c2.4 3.2 4 5.2 4 7a4 4 0 0 1-8 0c0-1.8 1.6-3.8 4-7z';
const icons = {
  warm_water: ['warm water', drop, 'warn'], cold_water: ['cold water', drop, 'cold'],
  heating: ['heating', 'M2 1.5v9M5 1.5v9M8 1.5v9M11 1.5v9M1 3h11M1 9h11', 'line fail'],
  inbound: ['inbound', 'M10.5 1.5 2 10M2 3.5V10h6.5', 'line'], outbound: ['outbound', 'M1.5 10.5 10 2M3.5 2H10v6.5', 'line'],
};
const icon = name => icons[name] ? svgElement('svg', { class: `glyph ${icons[name][2]}`, viewBox: '0 0 12 12', role: 'img', 'aria-label': icons[name][0] },
  svgElement('path', { d: icons[name][1] })) : element('span', { class: 'soft' }, String(name));

const titled = (title, detail) => element('div', {}, element('b', {}, title), element('small', {}, detail));
const when = text => text ? dateText(day, new Date(text)) : '';

/// Returns an item of a list: a record with its id, its content, and the style of both.
const item = (id, record, children, style = '') => ({ id, record, children, style });

/// The views of APIs whose apps show more than names. Each returns the items of an API's data.
const views = {
  devices: data => data.map(device => item(device.id, device, [icon(device.type), titled(device.meterPointDescription || device.type, device.id),
    device.installationDate ? element('small', {}, 'installed ', element('br'), when(device.installationDate)) : element('small', {}, 'not installed')])),
  activities: data => data.map(call => item(call.id, call, [icon(call.direction), titled((call.direction === 'inbound' ? call.from : call.to) ?? 'unknown',
    `${call.call_type}, ${Math.floor(call.duration / 60)}:${String(call.duration % 60).padStart(2, '0')}, via ${call.via}`),
    element('small', {}, call.is_archived ? 'archived' : when(call.created_at))], call.is_archived ? 'archived' : '')),
  house: data => [item('', data.temperature, [element('b', {}, `${data.temperature} °C`)]),
    ...Object.entries(data.rooms).map(([name, fixtures]) => item(name, fixtures, [element('b', {}, name),
      element('div', {}, Object.entries(fixtures).map(([fixture, lit]) => element('span', { class: lit ? 'lit' : '' }, `${fixture} ${lit ? 'on' : 'off'}`)))]))],
  users: data => data.map(user => item(user.id, user, [element('span', { class: 'face', 'aria-hidden': 'true' },
    String(user.name).split(/\s+/).map(word => word[0]).join('').slice(0, 2)), titled(user.name, `@${user.username} · ${user.email}`)])),
  booking: data => data.rooms.map(room => item(room.name, room, [picture(room.name), element('div', {}, element('b', {}, room.name),
    element('span', {}, room.spots ? counted(room.spots, 'spot') : 'full'))], room.spots ? '' : 'full')),
};

/// Returns the items of any other data: the elements of an array or the members of an object, as JSON.
const plainItems = data => Object.entries(data).map(([key, record]) => {
  const id = record?.id ?? key;
  return item(id, record, [titled(String(record?.name ?? id), JSON.stringify(record))]);
});

const pictures = new Map();

/// Returns the image of a room, which is fetched with the token and cached.
function picture(room) {
  const image = element('img', { alt: '', width: 300, height: 200 });
  if (!pictures.has(room)) {
    pictures.set(room, request(`pictures/${encodeURIComponent(room)}`).then(reply => reply.blob()).then(blob => URL.createObjectURL(blob)));
  }
  pictures.get(room).then(url => { image.src = url; }, () => pictures.delete(room));
  return image;
}

/// The lists of items by the names of their APIs.
const lists = new Map([...apis].map(([name, title]) => {
  const list = element('ul', { 'aria-label': title });
  $('views').append(element('article', { class: 'card', 'data-api': name }, element('h3', {}, title), list));
  return [name, list];
}));

function drawView(name, data) {
  const items = (views[name] ?? plainItems)(data);
  const before = shownRecords.get(name) ?? new Map();
  const after = new Map();
  const nodes = items.slice(0, maximumShown).map(({ id, record, children, style }) => {
    const text = JSON.stringify(record);
    const known = before.get(id);
    const node = known?.text === text ? known.node : element('li', { class: `${style} ${known ? 'changed' : ''}` }, children);
    after.set(id, { text, node });
    return node;
  });
  if (items.length > maximumShown) nodes.push(element('li', { class: 'soft' }, `and ${number.format(items.length - maximumShown)} more`));
  setChildren(lists.get(name), nodes);
  shownRecords.set(name, after);
}

let stateCost = 0;
const readState = coalesced(150, async () => {
  const began = performance.now();
  const state = await read('state');
  for (const name of apis.keys()) drawView(name, state[name]);
  stateCost = performance.now() - began;
  // Large data is read less often.
  if (stateCost > 100) await pause(stateCost * 4);
});

// The state of a backend is its own.
if (!isUpstream) {
  listeners.push(news => { for (const entry of news) if (entry.applied || entry.event) return readState(); });
  connected.push(readState);
}

"""#

  package static let `table.js` =
#"""
// The table of requests, with a filter and a limited number of rows.

import { showDetails } from 'detail';
import { $, element, glyph, setChildren, setText, shapes } from 'elements';
import { outcomeText } from 'entry';
import { counted, dateText, durationText, instant, number } from 'formats';
import { apis, clientOf, journal, listeners, resume, searchText, shortTarget, shownIDs } from 'journal';
import { attempt, coalesced, request } from 'server';
import { animateTimeline, now } from 'timeline';

/// The number of rows at first, and of those that the button adds. What is below the table stays within reach.
const [firstRows, furtherRows] = [25, 100];
let rowLimit = firstRows;
const rows = new Map();
/// The oldest ids of the runs of events that are unfolded.
const unfolded = new Set();

function durationLane(entry, longest) {
  const bar = (style, value) => element('i', { class: style, style: { width: `${100 * value / longest}%` } });
  return element('span', { class: 'lane', 'aria-hidden': 'true' }, bar('planned', entry.planned), bar('actual', entry.actual));
}

function delayCell(entry, longest) {
  if (entry.event || !entry.planned) return [];
  const [planned, measured] = [durationText(entry.planned), entry.kind === 'pending' ? '…' : durationText(entry.actual)];
  // A common unit is written once.
  const [, unit] = planned.split(' ');
  return [element('span', {}, `${measured.endsWith(` ${unit}`) ? planned.slice(0, -unit.length) : `${planned} `}→ ${measured}`),
    durationLane(entry, longest)];
}

/// Returns the plan's description without the delays, which have their own column.
const shortPlan = entry => entry.plan.words.replace(/latency [\d.]+[a-z]+/g, 'latency').replace(/^latency; /, '');

function row(id, style, title, button, notes, outcome, delay, time) {
  return element('tr', { class: style, id },
    element('td', { class: 'wide' }, title), element('td', {}, button, notes), element('td', {}, outcome),
    element('td', { class: 'delay' }, delay), element('td', { class: 'wide soft' }, dateText(instant, time)));
}

function requestRow(entry, longest) {
  const note = (text, style = 'note') => text ? element('small', { class: style }, text) : null;
  const networkNote = { held: 'held by the network switch', offline: 'the network switch was offline' }[entry.network];
  return row(`request-${entry.id}`, entry.event ? 'event' : null, String(entry.id),
    element('button', { type: 'button', 'aria-haspopup': 'dialog', onclick: () => showDetails(entry.id) },
      entry.event ?? `${entry.method} ${shortTarget(entry.target)}`, entry.operation ? ` (${entry.operation})` : ''),
    [entry.plan?.words ? note(shortPlan(entry), entry.plan.fault || entry.plan.status ? '' : 'note') : null, note(networkNote),
      note(entry.replayOf && `repeats ${entry.replayOf} by itself`), note(entry.remark)],
    element('span', { class: 'end' }, glyph(entry.kind), outcomeText(entry)), delayCell(entry, longest), entry.time);
}

/// Returns the row that stands for a run of rivals' events.
function runRow(run) {
  const [newest, oldest] = [run[0], run.at(-1)];
  const isOpen = unfolded.has(oldest.id);
  return row(`run-${oldest.id}`, 'event', `${oldest.id}–${newest.id}`,
    element('button', { type: 'button', 'aria-expanded': String(isOpen), onclick: () => toggle(oldest.id) },
      `${isOpen ? '▾' : '▸'} ${run.length} events of rivals`),
    element('small', { class: 'note' }, `the last one: ${newest.event}`),
    element('span', { class: 'end' }, glyph('event'), 'events'), [], newest.time);
}

function toggle(id) {
  if (!unfolded.delete(id)) unfolded.add(id);
  drawTable();
  $(`run-${id}`)?.querySelector('button').focus();
}

/// True for the action of a rival, of which a scenario may cause many.
const isOfRival = entry => /^a rival /.test(entry.event ?? '');

function filter() {
  const words = $('words').value.toLowerCase().split(/\s+/).filter(Boolean);
  const [api, client, kind] = [$('api').value, $('client').value, $('kind').value];
  if (!api && !client && !kind && words.length === 0) return null;
  return entry => (!api || entry.api === api) && (!client || clientOf(entry) === client)
    && (kind === 'trouble' ? !['ok', 'event', 'pending'].includes(entry.kind) : !kind || entry.kind === kind)
    && words.every(word => searchText(entry).includes(word));
}

/// Returns the newest runs of entries that match the filter, the newest first, and the number of all matches.
///
/// A run is one entry, or successive events of rivals.
function matchingRuns(limit = rowLimit) {
  const [ids, matches, runs] = [shownIDs(), filter(), []];
  let total = 0;
  let wasOfRival = false;
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    const entry = journal.byID.get(ids[index]);
    if (!entry || matches && !matches(entry)) continue;
    total += 1;
    const continues = wasOfRival && isOfRival(entry);
    wasOfRival = isOfRival(entry);
    if (continues && runs.length <= limit) runs.at(-1).push(entry);
    else if (runs.length <= limit) runs.push([entry]);
    // Without a filter, the number of all is known.
    else if (!matches) return { runs: runs.slice(0, limit), total: ids.length, hasMore: true };
  }
  return { runs: runs.slice(0, limit), total, hasMore: runs.length > limit };
}

/// Returns the entry above or below another one in the filtered table.
export function neighbour(entry, step) {
  const found = matchingRuns(Infinity).runs.flat();
  const index = found.findIndex(({ id }) => id === entry.id);
  return index < 0 ? undefined : found[index - step];
}

/// Returns the scale of the bars, a power of two, so that it changes rarely and rows need not be redrawn for each
/// request.
const scaleOf = entries => 2 ** Math.ceil(Math.log2(Math.max(1, ...entries.map(entry => Math.max(entry.planned, entry.planned && entry.actual)))));

export function drawTable() {
  const { runs, total, hasMore } = matchingRuns();
  const longest = scaleOf(runs.map(([entry]) => entry));
  const kept = new Set();
  /// Returns the row of this name, drawn again if its content has changed.
  const drawn = (name, content, draw) => {
    const known = rows.get(name);
    kept.add(name);
    if (known && known.content.every((value, index) => value === content[index])) return known;
    const fresh = Object.assign(draw(), { content });
    // A redrawn row keeps the focus.
    if (known?.contains(document.activeElement)) queueMicrotask(() => fresh.querySelector('button').focus());
    rows.set(name, fresh);
    return fresh;
  };
  const requestRows = run => run.map(entry => drawn(entry.id, [entry, longest], () => requestRow(entry, longest)));
  setChildren($('rows'), runs.flatMap(run => {
    if (run.length === 1) return requestRows(run);
    const id = run.at(-1).id;
    const head = drawn(`run-${id}`, [run[0].id, unfolded.has(id)], () => runRow(run));
    return unfolded.has(id) ? [head, ...requestRows(run)] : [head];
  }));
  for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
  setText($('count'), countText(total));
  $('more').hidden = !hasMore;
}

/// Describes the numbers of requests and events, and what is still loading or paused.
function countText(total) {
  const all = shownIDs().length;
  if (journal.loading === 'first') return 'Loading the newest requests …';
  const sum = `${counted(all - journal.eventCount, 'request')}${journal.eventCount ? ` and ${counted(journal.eventCount, 'event')}` : ''}`;
  const shown = all === 0 ? 'No requests yet' : total === all ? sum : `${number.format(total)} of ${sum}`;
  const news = journal.pausedIDs ? journal.ids.length - journal.pausedIDs.length : 0;
  return [shown, journal.loading === 'older' && 'loading older ones …',
    journal.pausedIDs && `paused, ${number.format(Math.max(0, news))} new`].filter(Boolean).join(', ');
}

$('pause').addEventListener('click', () => {
  if (journal.pausedIDs) resume();
  else {
    [journal.pausedIDs, journal.pausedAt] = [[...journal.ids], now()];
    $('pause').setAttribute('aria-pressed', 'true');
  }
  drawTable();
  animateTimeline();
});

// Screen readers announce the result of a filter, but not each new request.
const announce = coalesced(400, () => setText($('told'), $('count').textContent));

listeners.push(drawTable);
/// The clients that the filter offers.
const clients = new Set();
listeners.push(news => {
  for (const entry of news) {
    const client = clientOf(entry);
    if (!client || clients.has(client) || clients.size >= 100) continue;
    clients.add(client);
    $('client').append(element('option', { value: client }, client));
  }
});

/// Saves the journal as a file. A link could not send the token.
const save = (path, accept, name) => attempt(async () => {
  const reply = await request(path, { headers: { Accept: accept } });
  const url = URL.createObjectURL(await reply.blob());
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
});
$('har').addEventListener('click', () => save('journal?format=har', '*/*', 'journal.har'));
$('jsonl').addEventListener('click', () => save('journal', 'application/jsonl', 'journal.jsonl'));

for (const id of ['words', 'api', 'client', 'kind']) {
  $(id).addEventListener('input', () => { rowLimit = firstRows; drawTable(); announce(); });
}
$('filter').addEventListener('submit', event => event.preventDefault());
$('more').addEventListener('click', () => {
  const last = $('rows').lastElementChild;
  rowLimit += furtherRows;
  drawTable();
  // The next Tab goes on where the new rows begin.
  last?.nextElementSibling?.querySelector('button').focus({ preventScroll: true });
});
for (const api of apis.keys()) $('api').append(element('option', { value: api }, api));
for (const kind of ['ok', 'refused', 'unavailable', 'damaged', 'lost', 'gone', 'pending', 'event']) {
  $('kind').append(element('option', { value: kind }, shapes[kind][0]));
}

"""#

  package static let `timeline.js` =
#"""
// The requests of the last seconds, drawn to scale: their arrival, their planned delay and their duration.

import { showDetails } from 'detail';
import { $, legend, plain, shapes } from 'elements';
import { outcomeText } from 'entry';
import { clock, counted } from 'formats';
import { journal, listeners, shortTarget, shownIDs } from 'journal';

const canvas = $('canvas');
const context = canvas.getContext('2d');
const paths = Object.fromEntries(Object.entries(shapes).map(([kind, shape]) => [kind, new Path2D(shape[1])]));
const laneHeight = 22;
/// The maximum number of drawn requests; more would be unreadable, and take longer than a frame.
const maximumDrawn = 1_500;
/// The end of the last request in each lane.
let laneEnds = [];
/// The drawn requests with their bounds, for the pointer.
let drawnEntries = [];
/// The scale for which the lanes were chosen.
let laneScale = '';
/// The server's clock minus the browser's.
let clockSkew = 0;

const span = () => Number($('span').value) * 1000;
const endOf = entry => entry.time + (entry.kind === 'pending' ? Math.max(entry.planned, now() - entry.time) : entry.total);
/// The server's time.
export const now = () => Date.now() + clockSkew;

/// Returns the time at the right edge: now, or a little after the end of the last request.
function edge() {
  const last = journal.byID.get(shownIDs().at(-1));
  if (!last) return now();
  if (journal.pausedIDs) return Math.min(journal.pausedAt, Math.max(endOf(last), last.time) + span() * .08);
  return Math.min(now(), Math.max(endOf(last), last.time) + span() * .08);
}

function visible(left) {
  const found = [];
  const ids = shownIDs();
  for (let index = ids.length - 1; index >= 0 && found.length < maximumDrawn; index -= 1) {
    const entry = journal.byID.get(ids[index]);
    if (!entry) continue;
    if (entry.time < left - 120_000) break;
    if (endOf(entry) >= left) found.push(entry);
  }
  return found.reverse();
}

/// Returns the lane of a request, which keeps it. A lane is free when its last request has ended and there is room for
/// the mark.
function lane(entry, count, room) {
  if (entry.lane !== undefined && entry.lane < count) {
    laneEnds[entry.lane] = Math.max(laneEnds[entry.lane] ?? 0, endOf(entry) + room);
    return entry.lane;
  }
  let best = 0;
  for (let index = 0; index < count; index += 1) {
    if ((laneEnds[index] ?? 0) <= entry.time) { best = index; break; }
    if ((laneEnds[index] ?? 0) < laneEnds[best]) best = index;
  }
  laneEnds[best] = endOf(entry) + room;
  return entry.lane = best;
}

const colors = () => {
  const style = getComputedStyle(document.documentElement);
  return name => style.getPropertyValue(`--${name}`).trim();
};
/// The color of each outcome, by its name in the style.
const colorNames = { ok: 'good', refused: 'warn', unavailable: 'warn', damaged: 'warn', lost: 'bad', gone: 'soft', pending: 'soft', event: 'soft' };

function hatch(x, y, width, height, color) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1.3;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 5) { context.moveTo(x + offset, y + height); context.lineTo(x + offset + height, y); }
  context.stroke();
  context.restore();
  context.lineWidth = 1.3;
  context.strokeStyle = color;
  context.strokeRect(x + .65, y + .65, Math.max(0, width - 1.3), height - 1.3);
}

function drawMark(entry, x, y, color) {
  context.save();
  context.translate(x, y);
  context.fillStyle = context.strokeStyle = color(colorNames[entry.kind]);
  context.lineWidth = 2;
  context.lineCap = 'round';
  if (shapes[entry.kind][2]) context.stroke(paths[entry.kind]); else context.fill(paths[entry.kind]);
  context.restore();
}

function drawAxis(left, right, x, height, color) {
  const step = [1, 2, 5, 10, 30, 60, 120].find(step => span() / 1000 / step <= canvas.clientWidth / 90) * 1000;
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  for (let time = Math.ceil(left / step) * step; time <= right; time += step) {
    const at = x(time);
    context.fillStyle = color('rule');
    context.fillRect(at, 0, 1, height - 18);
    context.fillStyle = color('soft');
    if (at > 25 && at < canvas.clientWidth - 25) context.fillText(clock.format(time), at, height - 4);
  }
}

export function drawTimeline() {
  const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const right = edge();
  const left = right - span();
  const x = time => (time - left) / span() * (width - 20);
  const count = Math.max(1, Math.floor((height - 24) / laneHeight));
  if (laneScale !== `${span()} ${width}`) {
    for (const entry of journal.byID.values()) delete entry.lane;
    laneScale = `${span()} ${width}`;
  }
  laneEnds = [];
  drawnEntries = [];
  const color = colors();
  drawAxis(left, right, x, height, color);
  const entries = visible(left);
  for (const entry of entries) {
    const y = lane(entry, count, span() / width * 18) * laneHeight + 4;
    const [start, end] = [x(entry.time), Math.min(x(endOf(entry)), width)];
    if (entry.planned) hatch(start, y, Math.max(2, x(entry.time + entry.planned) - start), 9, color('plan'));
    if (entry.kind !== 'event') {
      context.fillStyle = color('bar');
      context.fillRect(start, entry.planned ? y + 11 : y + 3.5, Math.max(1.5, end - start), 4);
    }
    const mark = Math.max(end, entry.planned && entry.kind !== 'pending' ? x(entry.time + entry.planned) : 0) + 3;
    drawMark(entry, Math.min(mark, width - 13), y, color);
    drawnEntries.push({ entry, left: start - 3, right: mark + 15, top: y - 4, bottom: y + laneHeight - 4 });
  }
  $('idle').hidden = journal.ids.length > 0 || journal.loading === 'first';
  canvas.setAttribute('aria-label', entries.length === 0 ? 'No requests in this window'
    : `${description(entries)}. The table below lists them.`);
}

/// Returns the description of the timeline for screen readers.
function description(entries) {
  const kinds = Object.keys(colorNames).map(kind => [kind, entries.filter(entry => entry.kind === kind).length]).filter(([, n]) => n);
  return `${counted(entries.length, 'request')}: ${kinds.map(([kind, n]) => `${n} ${shapes[kind][0]}`).join(', ')}`;
}

const entryAt = event => drawnEntries.findLast(({ left, right, top, bottom }) =>
  event.offsetX >= left && event.offsetX <= right && event.offsetY >= top && event.offsetY <= bottom)?.entry;

canvas.addEventListener('click', event => { const entry = entryAt(event); if (entry) showDetails(entry.id); });
canvas.addEventListener('mousemove', event => {
  const entry = entryAt(event);
  const title = entry ? plain(`${entry.event ?? `${entry.method} ${shortTarget(entry.target)}`}\n${outcomeText(entry)}${entry.plan?.words ? `\n${entry.plan.words}` : ''}`) : '';
  if (canvas.title !== title) canvas.title = title;
});

let drawing = false;
/// Draws frames as long as the timeline moves.
export function animateTimeline() {
  if (drawing) return;
  drawing = true;
  const step = () => {
    drawTimeline();
    drawing = !journal.pausedIDs && now() - edge() < 300 && !document.hidden;
    if (drawing) setTimeout(() => requestAnimationFrame(step), 60);
  };
  requestAnimationFrame(step);
}

listeners.push(news => {
  for (const entry of news) clockSkew = Math.max(clockSkew, entry.time - Date.now());
  animateTimeline();
});
$('span').addEventListener('change', drawTimeline);
if (innerWidth < 600) $('span').value = '10';
new ResizeObserver(drawTimeline).observe(canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawTimeline);
$('keys').append(...legend('ok', 'refused', 'unavailable', 'damaged', 'lost', 'gone', 'pending'));

"""#

  package static let `ReportCard.md` =
#"""
# What the report card's checks mean

When each check passes, warns and fails, and which settings of client libraries satisfy it.

## Overview

A check asks under which explanations of the requests they are a mistake: are they one client's or several clients', one wish or two, the
app's or its HTTP library's, and did a person see the response? Under each: it fails. Under some: it warns, and its sentence ends with what
would excuse the client. Under none: it passes. It is *not exercised* if it had nothing to judge.

A **client** is known by its name in `Understudy-Client`, or else by address and `User-Agent`. For an unnamed one, a mistake that two
would explain only warns: set the field, or run with `--clients one`. An `Idempotency-Key` is the identity of a write, from any client.

**Equal** requests have the same method and path, and content of the same meaning: JSON by value, forms as sets of pairs, a multipart
content without its boundary, compressed content by what it holds. Another credential, token of the backend or media type makes another
request of it, and so does another `Range`; a signature made anew does not. Equal but for times and random ids is *perhaps the same*.

A **retry** repeats a request within 60 seconds after a failure (408, 425, 429, 5xx, a lost or unreadable response), or after its
`Retry-After`. What a transport repeats by itself within 250 ms is counted apart: after the loss of a reused connection, and of a new one
if the `User-Agent` is that of a transport which does so. A **look** is a complete read of the record or its list after the failure, or an
open stream, but no steady poll; in front of a backend a read of the path itself, above or below it. HEAD shows whether a record is there,
and not how often. Time offline and advances of the clock do not count.

## Retries

### retry-amplification

- **Passes:** five attempts of one request in 10 seconds, without those in an outage or after `Retry-After`.
- **Warns:** six to eight; a retry loop within another.
- **Fails:** more than eight; more retries in 10 seconds than a fifth of a client's requests and 100.

### backoff-grows

- **Passes:** waits that grow; full jitter; a steady poll.
- **Warns:** waits that shrink, perhaps by chance; single retries at once.
- **Fails:** several retries after at most 25 ms each; four equal waits; waits that always shrink, or on average do not grow. Waits from
  2.5 seconds on, after the client's timeout, or set by `Retry-After` do not count, nor do those that the client keeps after successes, too.

### backoff-jitter

- **Passes:** waits before the same attempt that differ by a tenth.
- **Fails:** five such waits, of any clients, that are alike to within a few per cent.
- **Set:** jitter, such as p-retry's `randomize: true` or Polly's `UseJitter = true`.

### retry-after-honoured

- **Passes:** a retry after the date, or the seconds since the response was made.
- **Warns:** an earlier retry, perhaps of another client, or sent before the response came; three other requests while a 429 asks to wait.
- **Fails:** a retry more than 50 ms early; three other requests that are refused, too, while a 429 asks to wait.
- **Set:** pass the value to tenacity, stamina, p-retry and cenkalti/backoff, which ignore the field.

### no-retry-of-4xx

- **Passes:** a refused request repeated only with a change, under another key, or after 412 and a read.
- **Warns:** a refused write repeated within a second; a missing record read thrice more in a row, and never found.
- **Fails:** four repetitions in a row. Missing records, 401, 408, 423, 425, 429, a key that is under way and a person's pace do not count.
- **Set:** retry only 408, 425, 429, 502, 503, 504.

### no-stampede

- **Passes:** up to ten retries of one client under way within 100 milliseconds: one on each connection.
- **Warns:** ten clients in the same 100 milliseconds after a wait.
- **Fails:** more than ten of one client.

## Writes

### no-duplicate-effect

- **Passes:** a repetition that has the first `Idempotency-Key`, follows a look, or changes nothing.
- **Warns:** a write that took effect twice because the transport repeated it, after a 2xx, beside an open stream, with another time or
  random id in it, under a key of its own and followed by a look, or perhaps by another client.
- **Fails:** a write that took effect twice while the first outcome was unknown: lost, slow, failed after the commit, or sent in parallel.
- **Set:** store the key before the first attempt.

### lost-reply-followed-up

- **Passes:** a repetition or a look within 30 seconds online after a write without a readable response, or answered with a failure
  such as 502, 503 or 504 although it was done.
- **Warns:** a later one; only a poll that ran before; only a look by another User-Agent of the same address; only a request to the same
  path whose content never came, such as libcurl sends for URLSession on Linux; neither, if the command of the run then fails, if the
  failure was neither 502 nor 504, or if a reset of the sandbox cuts the time short.
- **Fails:** neither, unless the run ends offline; a write that `--semantics` declares after any failure, if the command then ends with 0.

### key-reuse

- **Passes:** one key for each intended write and its retries.
- **Warns:** a key used again after two answers, by another named client after one, or for two paths; for two contents of over 64 KiB
  that differ by their bytes.
- **Fails:** one key for two writes; by other named clients after two answers; a key used seconds after its answer thrice, or after the
  server forgot it.

### lost-update

- **Passes:** a write with `If-Match`, or after a new read of the record or its list.
- **Warns:** a write over another client's unread change, by a client that had an entity tag.

### damaged-reply-trusted

- **Passes:** another read or write after a 2xx with unreadable content.
- **Warns:** neither after a captive portal's page: a person may have seen it. Only an equal write, by a client that sends equal writes after
  successes, too: it may be meant for itself.
- **Fails:** a later request that builds on it: a write below the path of a record that was not set, an id such as `undefined`, an
  `If-None-Match` or `If-Match` with the tag of a truncated body.

### gave-up-at-once

- **Passes:** a write tried again, or replaced, after 429, 503, a 500 after the commit, or a loss with a key; a look after the last two.
- **Warns:** no further attempt within 30 seconds or before the end; a read refused with `Retry-After` if its command then fails.
- **Fails:** the same of a write that `--semantics` declares, if the command of the run then ends with 0.
- **Set:** POST in urllib3's `allowed_methods` and got's `methods`. OkHttp does not repeat it either.

## Reads

### stream-resumed

- **Passes:** a stream resumed with the id of a received event, as `EventSource` does, or the tag of a read.
- **Warns:** a broken stream repeatedly reopened without `Last-Event-ID`; the id of an incomplete event, perhaps by another client.
- **Fails:** a stream resumed with the id of an incomplete event.

### conditional-requests

- **Passes:** reads with the last entity tag as `If-None-Match`.
- **Warns:** three complete responses with the same tag.
- **Set:** a cache, as in URLSession, or OkHttp's `Cache`; requests, aiohttp and curl have none.

### freshness

- **Passes:** no request before `max-age` has expired, except with `Cache-Control: no-cache`.
- **Warns:** three earlier requests.
- **Set:** a cache, as in URLSession, OkHttp's `Cache`, or CacheControl for requests.

### polling-interval

- **Passes:** reads as often as the operation allows: the weather once a minute.
- **Warns:** a shorter interval.
- **Fails:** three of them.

### requests-in-a-loop

- **Passes:** fewer than 200 requests of one method and path with equal answers, or with a pause between them; answers that took half a
  second, or differ. Requests side by side count once.
- **Warns:** more, if they ask different questions: with queries that differ by more than times and random ids.
- **Fails:** more, each within milliseconds of a response. In React, an effect must not depend on what its response sets; an interceptor
  must not get a new token for each 401.

## Timeouts and rules

### timeouts-sane

- **Passes:** an exchange without a response given up after 1 to 60 seconds.
- **Warns:** a longer or shorter wait; nearly every slow response given up. Cancelled searches and hedges do not count.
- **Set:** requests' `timeout=(3, 10)`, Go's `Timeout: 10 * time.Second`, curl's `--max-time 10`.

### backend-keeps-keys

It speaks of the backend, and counts for no client.

- **Passes:** one result for each `Idempotency-Key`.
- **Warns:** another `Location`, `id` or content for a write with the same key.

### faults-delivered

- **Passes:** each rule about a used API took effect.
- **Warns:** one did not: the run was too short, or sent other requests; or no rule applies to the backend.

## In front of a backend

| check | without `--semantics` | with it |
|---|---|---|
| `no-duplicate-effect` | POST warns; PUT, PATCH and DELETE pass | what is declared as `add` fails |
| `lost-reply-followed-up` | PUT, PATCH and DELETE fail if their client neither reads nor removes anything more; POST warns | fails; warns if the command then fails, and for what is declared as `add` also if its client reads another path |
| `gave-up-at-once` | warns | fails if the command then ends with 0 |
| `damaged-reply-trusted` | warns; fails where a later request builds on it | the same |
| `lost-update`, `polling-interval`, `stream-resumed` | not exercised: the backend's state is not known | the same |
| all others | as for the five | as for the five |

After the backend's own 500, 502 or 504, a cut answer, or a redirect with 301 or 302, only the backend knows whether a write took effect:
that counts neither as a duplicate nor as a loss. Two equal writes that it redirects to the same place warn.

## The waits of libraries

Of clients that wait like these, the card fails only the last three, which have no jitter. The attempts include the first.

| library and setting | attempts | waits read in |
|---|---|---|
| urllib3 and requests, `Retry(total=4, backoff_factor=0.5, backoff_jitter=0.5)` | 5 | urllib3 2, `util/retry.py`, `get_backoff_time` |
| tenacity, `wait_random_exponential(multiplier=1, max=60)` | 5 | tenacity 8, `wait.py` |
| tenacity, `wait_exponential_jitter(initial=1, max=60, jitter=1)` | 5 | tenacity 8, `wait.py` |
| stamina, as it comes | 10 | stamina, `_core.py`, `retry` |
| aiohttp-retry, `JitterRetry(attempts=4)` | 4 | aiohttp-retry 2, `retry_options.py` |
| go-retryablehttp, `RateLimitLinearJitterBackoff`, 800 ms to 1.2 s | 5 | go-retryablehttp 0.7, `client.go` |
| cenkalti/backoff, `NewExponentialBackOff()` | 6 | cenkalti/backoff 4, `exponential.go` |
| p-retry, `{retries: 4, randomize: true}` | 5 | node-retry 0.13, `lib/retry.js`, `createTimeout` |
| got, `{retry: {limit: 3, noise: 1000}}` | 4 | got, `source/core/calculate-retry-delay.ts` |
| faraday-retry, `max: 3, interval: 0.5, interval_randomness: 0.5, backoff_factor: 2` | 4 | faraday-retry 2, `middleware.rb`, `calculate_retry_interval` |
| Polly, exponential with `UseJitter`, base 2 s | 4 | Polly 8, `RetryHelper.cs`, `DecorrelatedJitterBackoffV2` |
| AWS SDKs, mode `standard` | 3 | AWS SDKs and Tools Reference Guide, Retry behavior |
| gRPC, service config with 0.5 s to 10 s, factor 2 | 5 | gRFC A6 of August 2024, Exponential Backoff (full jitter before) |
| axios-retry, `exponentialDelay` | 4 | axios-retry 4, `src/index.ts` |
| google-api-core, `Retry()` | 5 | google-api-core 2, `retry/retry_base.py`, `exponential_sleep_generator` |
| Azure SDK for JavaScript, as it comes | 4 | @azure/core-rest-pipeline, `calculateRetryDelay` |
| client-go, `wait.Backoff{Duration: 500ms, Factor: 2, Jitter: 0.1}` | 5 | apimachinery, `util/wait/backoff.go` |
| Resilience4j, `ofExponentialRandomBackoff()` | 3 | Resilience4j 2, `IntervalFunction.java` |
| Failsafe, `withBackoff(1s, 30s).withJitter(.1)` | 4 | Failsafe 3, `RetryPolicyBuilder.java` |
| backoff for Python, `expo` | 5 | backoff 2, `_jitter.py`, `full_jitter` |
| OkHttp, as it comes | 1 | OkHttp 4, `RetryAndFollowUpInterceptor.kt` |
| curl, `--retry 4` | 5 | curl 7.88, its manual page, `--retry` |
| go-retryablehttp, `DefaultBackoff` | 5 | go-retryablehttp 0.7, `client.go` |
| Alamofire, `RetryPolicy()` | 3 | Alamofire 5, `RetryPolicy.swift` |

"""#
}
