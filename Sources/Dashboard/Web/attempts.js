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
