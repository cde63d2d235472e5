// The table of requests, with a filter and a limited number of rows.

const page = 100;
let rowsWanted = page;
const shownIDs = () => paused ?? journal.ids;
const rows = new Map();

function bars(entry, longest) {
  const bar = (style, value) => el('i', { class: style, style: { width: `${100 * value / longest}%` } });
  return el('span', { class: 'lane', 'aria-hidden': 'true' }, bar('planned', entry.planned), bar('actual', entry.actual));
}

function delayCell(entry, longest) {
  if (entry.event || !entry.planned) return [];
  const [planned, measured] = [words(entry.planned), entry.kind === 'pending' ? '…' : words(entry.actual)];
  // A common unit is written once.
  const [, unit] = planned.split(' ');
  return [el('span', {}, `${measured.endsWith(` ${unit}`) ? planned.slice(0, -unit.length) : `${planned} `}→ ${measured}`), bars(entry, longest)];
}

/// Returns the plan's description without the delays, which have their own column.
const shortWords = entry => entry.plan.words.replace(/latency [\d.]+[a-z]+/g, 'latency').replace(/^latency; /, '');

function makeRow(entry, longest) {
  const name = entry.event ?? `${entry.method} ${shortTarget(entry.target)}`;
  const row = el('tr', { class: entry.event ? 'event' : null, id: `request-${entry.id}` },
    el('td', { class: 'wide' }, String(entry.id)),
    el('td', {}, el('button', { type: 'button', 'aria-haspopup': 'dialog', onclick: () => open(entry.id) }, name),
      entry.plan?.words ? el('small', { class: entry.plan.fault || entry.plan.status ? '' : 'note' }, shortWords(entry)) : null,
      entry.network ? el('small', { class: 'note' }, entry.network === 'held' ? 'held by the network switch' : 'the network switch was offline') : null,
      entry.replayOf ? el('small', { class: 'note' }, `repeats ${entry.replayOf} by itself`) : null,
      entry.remark ? el('small', { class: 'note' }, entry.remark) : null),
    el('td', {}, el('span', { class: 'end' }, glyph(entry.kind), outcomeWords(entry))),
    el('td', { class: 'delay' }, delayCell(entry, longest)),
    el('td', { class: 'wide soft' }, say(instant, entry.time)));
  return Object.assign(row, { entry, longest });
}

/// Returns the newest `limit` entries that match the filter, the newest first, and the number of all matches.
function matching(limit = rowsWanted) {
  const ids = shownIDs();
  const tokens = $('words').value.toLowerCase().split(/\s+/).filter(Boolean);
  const [api, kind] = [$('api').value, $('kind').value];
  if (!api && !kind && tokens.length === 0) {
    return { found: ids.slice(-limit).reverse().map(id => journal.byID.get(id)).filter(Boolean), total: ids.length };
  }
  const found = [];
  let total = 0;
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    const entry = journal.byID.get(ids[index]);
    if (!entry) continue;
    if (api && entry.api !== api) continue;
    if (kind === 'trouble' ? ['ok', 'event', 'pending'].includes(entry.kind) : kind && entry.kind !== kind) continue;
    if (!tokens.every(token => entry.hay.includes(token))) continue;
    total += 1;
    if (found.length < limit) found.push(entry);
  }
  return { found, total };
}

/// Returns the scale of the bars, a power of two, so that it changes rarely and rows need not be redrawn for each
/// request.
const scaleOf = entries => 2 ** Math.ceil(Math.log2(Math.max(1, ...entries.map(entry => Math.max(entry.planned, entry.planned && entry.actual)))));

function drawTable() {
  const { found, total } = matching();
  const longest = scaleOf(found);
  const kept = new Set();
  setChildren($('rows'), found.map(entry => {
    const row = rows.get(entry.id);
    kept.add(entry.id);
    if (row?.entry === entry && row.longest === longest) return row;
    const fresh = makeRow(entry, longest);
    // A redrawn row keeps the focus.
    if (row?.contains(document.activeElement)) queueMicrotask(() => fresh.querySelector('button').focus());
    rows.set(entry.id, fresh);
    return fresh;
  }));
  for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
  setText($('count'), countWords(total));
  $('more').hidden = total <= rowsWanted;
}

/// Describes the numbers of requests and events, and what is still loading or paused.
function countWords(total) {
  const all = shownIDs().length;
  if (journal.loading === 'first') return 'Loading the newest requests …';
  const sum = `${count(all - journal.events, 'request')}${journal.events ? ` and ${count(journal.events, 'event')}` : ''}`;
  const shown = all === 0 ? 'No requests yet' : total === all ? sum : `${number.format(total)} of ${sum}`;
  const news = paused ? journal.ids.length - paused.length : 0;
  return [shown, journal.loading === 'older' && 'loading older ones …', paused && `paused, ${number.format(Math.max(0, news))} new`]
    .filter(Boolean).join(', ');
}

function resumeFollowing() {
  paused = null;
  $('pause').setAttribute('aria-pressed', 'false');
}

$('pause').addEventListener('click', () => {
  if (paused) resumeFollowing();
  else {
    paused = [...journal.ids];
    $('pause').setAttribute('aria-pressed', 'true');
  }
  pausedAt = paused ? now() : 0;
  drawTable();
  animateTimeline();
});

// Screen readers announce the result of a filter, but not each new request.
const announce = lazily(400, () => setText($('told'), $('count').textContent));

listeners.push(drawTable);
for (const id of ['words', 'api', 'kind']) {
  $(id).addEventListener('input', () => { rowsWanted = page; drawTable(); announce(); });
}
$('filter').addEventListener('submit', event => event.preventDefault());
$('more').addEventListener('click', () => { rowsWanted += page; drawTable(); });
for (const kind of ['ok', 'refused', 'unavailable', 'damaged', 'lost', 'gone', 'pending', 'event']) {
  $('kind').append(el('option', { value: kind }, shapes[kind][0]));
}
