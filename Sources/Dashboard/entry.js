// An entry of the journal: its outcome, and its details.

const damages = new Set(['corrupt', 'drift', 'wrong-type', 'captive-portal', 'stale', 'garbage', 'bad-chunk']);

function outcome(entry) {
  const status = entry.response?.status ?? 0;
  if (entry.event) return 'event';
  if (entry.outcome === 'pending') return 'pending';
  if (entry.outcome === 'peer gone' || entry.outcome === 'cut') return 'gone';
  if (damages.has(entry.plan?.fault) && entry.outcome !== 'not deliverable') return 'damaged';
  if (entry.outcome === 'reset' || entry.outcome === 'closed') return 'lost';
  return [408, 425, 429].includes(status) || status >= 500 ? 'unavailable' : status >= 400 ? 'refused' : 'ok';
}

const outcomeWords = entry => entry.event ? 'event'
  : entry.response && entry.outcome === 'sent' ? String(entry.response.status)
  : (entry.response ? `${entry.response.status}, ` : '') + entry.outcome;

/// True if the network switch or the scenario had taken the sandbox offline; planned delays are then skipped.
const isOffline = entry => entry.network === 'offline' || entry.plan?.fault === 'offline';

/// Adds the kind of an entry's outcome, and its durations in milliseconds.
function measure(entry) {
  entry.kind = outcome(entry);
  entry.planned = isOffline(entry) ? 0 : milliseconds(entry.timing?.planned);
  entry.actual = milliseconds(entry.timing?.actual);
  entry.total = milliseconds(entry.timing?.total);
}

function pairs(...objects) {
  const rows = objects.flatMap(object => Object.entries(object ?? {})).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return el('dl', { class: 'pairs' }, rows.map(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))]));
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

const body = text => text ? el('pre', { tabindex: '0' }, indented(text)) : null;

/// Returns bars of the planned, the measured and the total duration, on one scale.
function scale(entry) {
  const longest = Math.max(entry.planned, entry.actual, entry.total, 1e-3);
  const row = (name, value, style) => [el('span', { class: 'soft' }, name),
    el('span', {}, el('i', { class: style, style: { width: `${100 * value / longest}%` } })), el('span', {}, words(value))];
  return el('div', { class: 'scale' },
    row('planned', entry.planned, 'planned'), row('first byte', entry.actual, 'actual'), row('whole', entry.total, 'total'));
}

/// Returns the details of an entry; one of a file may lack any of them.
function parts(entry) {
  if (entry.event) return [pairs({ event: entry.event, at: entry.at, state: entry.versions && `version ${entry.versions.to}` })];
  const { request, plan, response } = entry;
  return [
    scale(entry),
    el('h3', {}, 'Request'),
    pairs({ at: entry.at, trace: entry.traceparent, API: entry.api ?? 'none', target: entry.target, connection: entry.connection,
      'n (ordinal)': entry.n, 'transport retry of': entry.replayOf && `request ${entry.replayOf}` }, request?.headers),
    body(request?.body),
    el('h3', {}, 'Planned'),
    plan ? pairs({ summary: plan.words, delay: plan.delay, fault: plan.fault, status: plan.status, phase: plan.phase,
      at: plan.at, rules: [plan.rules].flat().join(', ') }) : el('p', { class: 'soft' }, 'No fault was planned.'),
    el('h3', {}, 'Response'),
    pairs({ outcome: entry.outcome, network: entry.network && `the switch was ${entry.network}`, status: response?.status, body: response && `${response.bytes} of ${response.of} bytes`,
      applied: entry.applied ? 'yes, the state changed' : 'no, the state is as before', remark: entry.remark,
      'state version': entry.applied && entry.versions ? `${entry.versions.from} to ${entry.versions.to}` : null },
    response?.headers),
  ];
}
