// The details of one request: the request, its plan and its response.

function pairs(object) {
  const rows = Object.entries(object).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return el('dl', {}, rows.map(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))]));
}

function body(text) {
  if (!text) return null;
  try {
    return el('pre', { tabindex: '0' }, JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return el('pre', { tabindex: '0' }, text);
  }
}

/// Returns bars of the planned, the measured and the total duration, on one scale.
function scale(entry) {
  const longest = Math.max(entry.planned, entry.actual, entry.total, 1e-3);
  const row = (name, value, style) => {
    const bar = el('i', { class: style });
    bar.style.width = `${100 * value / longest}%`;
    return [el('span', { class: 'soft' }, name), el('span', {}, bar), el('span', {}, words(value))];
  };
  return el('div', { class: 'scale' },
    row('planned', entry.planned, 'planned'), row('first byte', entry.actual, 'actual'), row('whole', entry.total, 'total'));
}

function parts(entry) {
  if (entry.event) return [pairs({ event: entry.event, at: entry.at, state: entry.versions && `version ${entry.versions.to}` })];
  const { request, plan, response } = entry;
  return [
    scale(entry),
    el('h3', {}, 'Request'),
    pairs({ at: entry.at, trace: entry.traceparent, API: entry.api ?? 'none', target: entry.target, connection: entry.connection,
      'n (ordinal)': entry.n, 'transport retry of': entry.replayOf && `request ${entry.replayOf}`, ...request.headers }),
    body(request.body),
    el('h3', {}, 'Planned'),
    plan ? pairs({ summary: plan.words, delay: plan.delay, fault: plan.fault, status: plan.status, phase: plan.phase,
      at: plan.at, rules: plan.rules.join(', ') }) : el('p', { class: 'soft' }, 'No fault was planned.'),
    el('h3', {}, 'Response'),
    pairs({ outcome: entry.outcome, network: entry.network && `the switch was ${entry.network}`, status: response?.status, body: response && `${response.bytes} of ${response.of} bytes`,
      applied: entry.applied ? 'yes, the state changed' : 'no, the state is as before', remark: entry.remark,
      'state version': entry.applied && entry.versions ? `${entry.versions.from} to ${entry.versions.to}` : null,
      ...response?.headers }),
  ];
}

let shown = null;

function showEntry(entry) {
  setText($('detail-id'), entry.event ? `Event ${entry.id}` : `Request ${entry.id}, ${outcomeWords(entry)}`);
  $('curl').hidden = Boolean(entry.event);
  $('newer').disabled = !beside(entry, 1);
  $('older').disabled = !beside(entry, -1);
  setText($('detail-title'), entry.event ?? `${entry.method} ${shortTarget(entry.target)}`);
  $('parts').replaceChildren(...parts(entry).filter(Boolean));
}

/// Returns the entry above or below another one in the filtered table.
function beside(entry, step) {
  const { found } = matching(Infinity);
  const index = found.findIndex(({ id }) => id === entry.id);
  return index < 0 ? undefined : found[index - step];
}

const linkTo = entry => `${location.origin}${location.pathname}#request-${entry.id}`;

function open(id) {
  const entry = journal.byID.get(id);
  if (!entry) return warn(`Entry ${id} is no longer in the journal.`);
  shown = entry;
  showEntry(entry);
  setText($('copied'), '');
  if (!$('detail').open) $('detail').showModal();
  $('detail').scrollTop = 0;
  history.replaceState(null, '', linkTo(entry));
}

function move(step) {
  const next = shown && beside(shown, step);
  if (next) open(next.id);
}

/// Quotes a text as one word for a POSIX shell.
const quoted = text => `'${String(text).replaceAll("'", "'\\''")}'`;

/// Fields that a curl command omits, because curl sends its own.
const ofConnection = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']);

function curl({ method, target, request }) {
  const host = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? location.host;
  const url = /^https?:/.test(target) ? target : `${location.protocol}//${host}${target}`;
  const fields = Object.entries(request.headers).filter(([name]) => !ofConnection.has(name.toLowerCase()));
  const words = [method === 'HEAD' ? '--head' : `-X ${method}`, quoted(url),
    ...fields.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`), ...(request.body ? [`--data-raw ${quoted(request.body)}`] : [])];
  return `curl -i ${words.join(' ')}`;
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    setText($('copied'), `${what} is copied.`);
  } catch {
    // Pages over http from another machine have no access to the clipboard.
    setText($('copied'), text);
  }
}

$('newer').addEventListener('click', () => move(1));
$('older').addEventListener('click', () => move(-1));
$('curl').addEventListener('click', () => copy(curl(shown), 'The command'));
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
  open(id);
}
function readAddress() {
  const [, id] = /^#request-(\d+)$/.exec(location.hash) ?? [];
  wanted = id ? Number(id) : null;
  if (wanted !== null) openWanted();
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
  for (const entry of news) if (entry.id === shown?.id && entry.at === shown.at) showEntry(entry);
});
