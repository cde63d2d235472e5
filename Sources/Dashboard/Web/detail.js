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
