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
