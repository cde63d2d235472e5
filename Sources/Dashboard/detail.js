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
    pairs({ at: entry.at, API: entry.api ?? 'none', target: entry.target, connection: entry.connection,
      'n of its kind': entry.n, 'repeats by itself': entry.replayOf && `request ${entry.replayOf}`, ...request.headers }),
    body(request.body),
    el('h3', {}, 'Planned'),
    plan ? pairs({ 'in words': plan.words, delay: plan.delay, fault: plan.fault, status: plan.status, phase: plan.phase,
      at: plan.at, rules: plan.rules.join(', ') }) : el('p', { class: 'soft' }, 'Nothing was to go wrong.'),
    el('h3', {}, 'Sent'),
    pairs({ outcome: entry.outcome, status: response?.status, body: response && `${response.bytes} of ${response.of} bytes`,
      applied: entry.applied ? 'yes, the state changed' : 'no, the state is as before', remark: entry.remark,
      'state version': entry.applied && entry.versions ? `${entry.versions.from} to ${entry.versions.to}` : null,
      ...response?.headers }),
  ];
}

let shown = null;

function showEntry(entry) {
  setText($('detail-id'), `Request ${entry.id}, ${outcomeWords(entry)}`);
  setText($('detail-title'), entry.event ?? `${entry.method} ${shortTarget(entry.target)}`);
  $('parts').replaceChildren(...parts(entry).filter(Boolean));
}

function open(id) {
  const entry = journal.byID.get(id);
  if (!entry) return warn(`Entry ${id} is not in the journal any more.`);
  shown = entry;
  showEntry(entry);
  $('detail').showModal();
  $('detail').scrollTop = 0;
}

$('close').addEventListener('click', () => $('detail').close());
$('detail').addEventListener('click', event => { if (event.target === $('detail')) $('detail').close(); });
$('detail').addEventListener('close', () => { shown = null; });
// A request under way is shown as it goes on.
listeners.push(news => {
  for (const entry of news) if (entry.id === shown?.id && entry.at === shown.at) showEntry(entry);
});
