// One request in full: what was asked, what was planned, what was sent.

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

/// Planned, measured and whole duration under each other, on one scale.
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
  if (entry.event) return [pairs({ what: entry.event, at: entry.at, state: entry.versions && `version ${entry.versions.to}` })];
  const { request, plan, response } = entry;
  return [
    scale(entry),
    el('h3', {}, 'Asked'),
    pairs({ at: entry.at, trace: entry.traceparent, API: entry.api ?? 'none', target: entry.target, connection: entry.connection,
      'n of its kind': entry.n, 'repeats by itself': entry.replayOf && `request ${entry.replayOf}`, ...request.headers }),
    body(request.body),
    el('h3', {}, 'Planned'),
    plan ? pairs({ 'in words': plan.words, delay: plan.delay, fault: plan.fault, status: plan.status, phase: plan.phase,
      at: plan.at, rules: plan.rules.join(', ') }) : el('p', { class: 'soft' }, 'Nothing was to go wrong.'),
    el('h3', {}, 'Sent'),
    pairs({ outcome: entry.outcome, network: entry.network && `the switch was at ${entry.network}`, status: response?.status, body: response && `${response.bytes} of ${response.of} bytes`,
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

/// The entry that stands above or below one in the table, as it is filtered.
function beside(entry, step) {
  const { found } = matching(Infinity);
  const index = found.findIndex(({ id }) => id === entry.id);
  return index < 0 ? undefined : found[index - step];
}

const linkTo = entry => `${location.origin}${location.pathname}#request-${entry.id}`;

function open(id) {
  const entry = journal.byID.get(id);
  if (!entry) return warn(`Entry ${id} is not in the journal any more.`);
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

/// A text as one word of a POSIX shell.
const quoted = text => `'${String(text).replaceAll("'", "'\\''")}'`;

/// Fields that describe the connection are left out: curl sends its own.
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
    // Pages over plain http from another machine have no clipboard.
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

/// Opens what the address names, as soon as it has been read.
let wanted = null;
function openWanted() {
  const id = wanted;
  if (!journal.byID.has(id)) {
    if (journal.loading) return;
    wanted = null;
    return warn(`Entry ${id} is not in the journal any more.`);
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
  // The row may have been drawn anew meanwhile, and then the browser finds no one to give the focus back to.
  if (shown) $(`request-${shown.id}`)?.querySelector('button').focus();
  shown = null;
  history.replaceState(null, '', location.pathname);
});
// A request under way is shown as it goes on.
listeners.push(news => {
  for (const entry of news) if (entry.id === shown?.id && entry.at === shown.at) showEntry(entry);
});
