// The dialog with the details of one entry.

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
