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
