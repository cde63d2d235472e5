// The report page: draws the cards that are part of it as data.

const { cards, checks } = JSON.parse($('data').textContent);
const isFailing = card => card.verdict === 'fail' || Boolean(card.failure);

/// Opens what hides an element of the page.
function unfold(id) {
  for (let node = $(id); node; node = node.parentElement) if (node.localName === 'details') node.open = true;
}

/// Returns a function that returns the element for a journal entry: a link if the card shows the entry or the attempt.
function references({ entries, requests = [] }, prefix) {
  const anchors = new Map(requests.flatMap(({ attempts }) => attempts).map(({ id }) => [id, `a${prefix}${id}`]));
  for (const { id } of entries) anchors.set(id, `e${prefix}${id}`);
  return id => anchors.has(id)
    ? el('a', { href: `#${anchors.get(id)}`, onclick: () => unfold(anchors.get(id)) }, `#${id}`) : el('span', {}, `#${id}`);
}

const checkList = (checks, reference) =>
  el('ul', { class: 'checks', 'aria-label': 'Checks' }, checkItems(checks, reference, true));

function entryView(entry, prefix) {
  measure(entry);
  return el('details', { class: 'entry', id: `e${prefix}${entry.id}` },
    el('summary', {}, `#${entry.id} `, el('code', {}, entry.event ?? `${entry.method} ${entry.target}`), ' ',
      el('span', { class: 'soft' }, glyph(entry.kind), ` ${outcomeWords(entry)}`)),
    parts(entry));
}

/// Returns the sections of a card. `prefix` distinguishes its anchors, `level` is that of its headline.
function cardView(card, prefix, level) {
  const { entries, requests } = card;
  const section = (name, about, ...content) =>
    el('section', { 'aria-label': name }, el(`h${level + 1}`, {}, name), el('p', { class: 'how' }, about), content);
  return [
    el(`h${level}`, {}, headline(card)),
    el('p', { class: 'facts' }, 'Sandbox ', el('b', {}, card.sandbox), ' · scenario ', el('b', {}, card.scenario), ' · seed ', el('b', {}, card.seed),
      ` · ${count(card.exchanges, 'exchange')}`, card.replays ? `, ${number.format(card.replays)} of them repeated by a transport` : ''),
    card.failure ? el('p', { class: 'command' }, `${card.failure}.`) : null,
    el('ul', { class: 'tally' }, verdictCounts(card.checks).map(([verdict, n]) =>
      el('li', { class: `${styles[verdict]} ${n ? '' : 'none'}` }, glyph(styles[verdict]), el('b', {}, n), ` ${verdict}`))),
    checkList(card.checks, references(card, prefix)),
    entries.length ? section('Entries', 'The entries of the journal that the verdicts cite. Secrets are masked.',
      entries.map(entry => entryView(entry, prefix))) : null,
    requests?.length ? section('Attempts', 'A row is one attempt, named by its id in the journal. Its bar goes from the arrival of the request '
      + 'to the end of its exchange, on a time axis for this request only. Its plan is shown beside it.',
      attemptKeys(), requests.map(request => requestView(request, prefix, `h${level + 2}`))) : null,
    requests?.length === 0 ? section('Attempts', 'No request failed or had a fault.') : null,
    card.partial ? el('p', { class: 'soft' }, 'The journal is partial: older entries were evicted. The verdicts still count them.') : null,
  ];
}

/// Returns the line that is visible while a card is folded.
function summary({ source, seed, sandbox, failure, checks, verdict }) {
  const failures = [failure, ...withVerdict(checks, 'fail').map(({ id }) => id)].filter(Boolean);
  return [source ? [el('b', {}, source), ', seed '] : 'Seed ', el('b', {}, seed), ', sandbox ', el('b', {}, sandbox), ': ',
    failures.join(', ') || verdict];
}

function overview() {
  const first = cards.find(isFailing);
  return [
    el('h1', {}, `${cards.filter(isFailing).length} of ${count(cards.length, 'card')} with a failure`),
    checks.length ? checkList(checks, id => el('span', {}, `#${id}`)) : null,
    cards.map((card, index) => el('details', { class: `run ${isFailing(card) ? 'failed' : ''}`, open: card === first },
      el('summary', {}, summary(card)), cardView(card, `${index + 1}-`, 2))),
  ];
}

document.title = cards.length === 1 ? `Report card: ${plain(cards[0].sandbox)}` : 'Report cards';
$('cards').replaceChildren(el('div', {}, cards.length === 1 ? cardView(cards[0], '', 1) : overview()));
function showTarget() {
  if (!location.hash) return;
  unfold(location.hash.slice(1));
  $(location.hash.slice(1))?.scrollIntoView();
}
addEventListener('hashchange', showTarget);
showTarget();
