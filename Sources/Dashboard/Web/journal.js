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
