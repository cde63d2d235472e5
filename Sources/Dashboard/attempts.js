// The attempts of requests that failed or had a fault, as bars on a time axis of each request's own: one that hung for a
// minute would make all others invisible.

function ending({ outcome, status }) {
  const start = status ?? 'no response';
  if (outcome === 'gone') return `${start}, the client left`;
  return outcome === 'lost' && status ? `${start}, then cut off` : `${start}`;
}

/// The attempt with its times in milliseconds since the request's first one.
const timed = attempt => ({ ...attempt, start: milliseconds(attempt.start), took: milliseconds(attempt.duration),
  planned: milliseconds(attempt.planned), measured: milliseconds(attempt.measured), wait: milliseconds(attempt.retryAfter) });

function attemptItem(attempt, length, prefix) {
  const { id, outcome, start, took, planned, measured, wait } = attempt;
  const share = time => 100 * Math.min(1, time / length);
  const bar = (style, title, from, time) => time > 0 ? el('i', { class: style, title: `${title} ${words(time)}`,
    style: { left: `${share(from)}%`, width: `${share(from + time) - share(from)}%` } }) : null;
  const facts = [ending(attempt), words(took), attempt.retryAfter && `Retry-After ${words(wait)}`, attempt.applied && 'applied',
    attempt.replayed && 'repeated by the transport'];
  return el('li', { id: `a${prefix}${id}` }, el('span', { class: 'no' }, `#${id}`),
    el('div', { class: 'lane' }, bar('whole', 'exchange', start, took), bar('planned', 'planned', start, planned),
      bar('actual', 'measured', start, planned && measured), bar('asked', 'Retry-After', start + took, wait),
      el('span', { class: 'end', style: { left: `${share(start + took)}%` } }, glyph(outcome))),
    el('p', {}, facts.filter(Boolean).join(' · '), attempt.plan ? el('em', {}, attempt.plan) : null));
}

function requestView({ method, target, purpose, keyed, count: total, attempts }, prefix, heading) {
  const rows = attempts.map(timed);
  const length = Math.max(1, ...rows.map(({ start, took, planned }) => start + Math.max(took, planned)));
  return el('article', {},
    el(heading, {}, el('b', {}, method), ' ', el('code', {}, target), ' ', purpose ? el('code', { class: 'soft' }, purpose) : null,
      el('span', {}, count(total, 'attempt') + (keyed ? ', with a key' : ''))),
    el('ol', {}, rows.map(attempt => attemptItem(attempt, length, prefix))),
    total > rows.length ? el('p', { class: 'more' }, `and ${count(total - rows.length, 'more attempt')}`) : null,
    el('p', { class: 'axis' }, el('span', {}, '0'), el('span', {}, words(length))));
}

const attemptKeys = () => el('p', { class: 'keys' }, swatch('whole', 'exchange'), swatch('asked', 'Retry-After'),
  legend('ok', 'refused', 'unavailable', 'damaged', 'lost', 'gone'));
