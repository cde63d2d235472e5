// The dialog with the details of one entry.

import { $, setText } from 'elements';
import { entryDetails, outcomeText } from 'entry';
import { fillFault } from 'faults';
import { journal, listeners, shortTarget } from 'journal';
import { repetition } from 'preference';
import { warn } from 'server';
import { neighbour } from 'table';

/// The entry that is shown; null while the dialog is closed.
let shown = null;

function drawDetails(entry) {
  setText($('detail-id'), entry.event ? `Event ${entry.id}` : `Request ${entry.id}, ${outcomeText(entry)}`);
  $('curl').hidden = $('fail').hidden = Boolean(entry.event);
  $('curl').title = ['The command includes the Prefer field that repeats the faults of this request.', ...differences(entry)].join(' ');
  $('again').hidden = Boolean(entry.event);
  const reason = entry.event ? null : obstacle(entry);
  $('again').disabled = Boolean(reason);
  $('again').title = reason ?? ['Sends the request again, with the faults of this one.', ...differences(entry)].join(' ');
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
  setText($('copied'), '');
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

/// Returns the reason for which this page cannot send a request again; null if it can.
function obstacle({ method, target, request }) {
  const value = name => Object.entries(request.headers).find(([field]) => field.toLowerCase() === name)?.[1];
  if (value('host') !== location.host || !target.startsWith('/')) return 'It came to another address. The command sends it there.';
  if (['CONNECT', 'TRACE'].includes(method)) return `Browsers do not send ${method}.`;
  if (JSON.stringify(request).includes('(masked-')) return 'The journal has no credentials: start the server with --journal-secrets.';
  const size = Number(value('content-length') ?? 0);
  return new TextEncoder().encode(request.body ?? '').length < size ? 'The journal has only the beginning of its content.' : null;
}

/// Sends a request again. The journal shows what became of it, so a lost response is no error here.
async function sendAgain(entry) {
  const { method, target, request } = entry;
  const headers = Object.entries(request.headers).filter(([name]) => !ofConnection.has(name.toLowerCase()));
  const { prefer } = repetition(entry);
  if (prefer) headers.push(['Prefer', prefer]);
  setText($('copied'), 'It is sent. The newest row shows it.');
  await fetch(target, { method, headers, body: request.body || undefined, cache: 'no-store', credentials: 'omit', redirect: 'manual' }).catch(() => {});
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
