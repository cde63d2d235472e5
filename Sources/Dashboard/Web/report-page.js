// The report page: draws the cards that are part of it as data.

import { attemptKeys, dashboard, dashboardLink, requestView } from 'attempts';
import { checkItems, headline, styles, verdictCounts, withVerdict } from 'checks';
import { $, element, glyph, plain } from 'elements';
import { entryDetails, measure, outcomeText } from 'entry';
import { counted, number } from 'formats';

const { cards, checks } = JSON.parse($('data').textContent);
const isFailing = card => card.verdict === 'fail' || Boolean(card.failure);

/// Opens what hides an element of the page.
function unfold(id) {
  for (let node = $(id); node; node = node.parentElement) if (node.localName === 'details') node.open = true;
}

/// Returns a function that returns the element for a journal entry: a link to the dashboard, or in a file to the first of
/// the places where the card shows it.
function references(prefix, ...places) {
  const anchors = new Map(places.reverse().flatMap(([letter, items]) => items.map(({ id }) => [id, `${letter}${prefix}${id}`])));
  return id => {
    if (dashboard || !anchors.has(id)) return dashboardLink(id, `#${id}`);
    return element('a', { href: `#${anchors.get(id)}`, onclick: () => unfold(anchors.get(id)) }, `#${id}`);
  };
}

// Folded, the checks that were not exercised do not part the verdicts from their proof.
const checkList = (checks, entryReference) => {
  const isOpen = checks.every(({ verdict }) => verdict === 'not exercised');
  return element('ul', { class: 'checks', 'aria-label': 'Checks' }, checkItems(checks, entryReference, name => name === 'idle' && isOpen));
};

function entryView(entry, prefix) {
  measure(entry);
  return element('details', { class: 'entry', id: `e${prefix}${entry.id}` },
    element('summary', {}, `#${entry.id} `, element('code', {}, entry.event ?? `${entry.method} ${entry.target}`), ' ',
      element('span', { class: 'soft' }, glyph(entry.kind), ` ${outcomeText(entry)}`)),
    entryDetails(entry), element('p', { class: 'soft' }, dashboardLink(entry.id, `#${entry.id} in the journal`)));
}

/// Returns the sections of a card. `prefix` distinguishes its anchors, `level` is that of its headline.
function cardView(card, prefix, level) {
  const { entries, requests } = card;
  const attempts = (requests ?? []).flatMap(request => request.attempts);
  const section = (name, about, ...content) =>
    element('section', { 'aria-label': name }, element(`h${level + 1}`, {}, name), element('p', { class: 'how' }, about), content);
  return [
    element(`h${level}`, {}, headline(card)),
    element('p', { class: 'facts' }, 'Sandbox ', element('b', {}, card.sandbox), ' · scenario ', element('b', {}, card.scenario),
      ' · seed ', element('b', {}, card.seed), ` · ${counted(card.exchanges, 'exchange')}`,
      card.replays ? `, ${number.format(card.replays)} of them repeated by a transport` : ''),
    card.failure ? element('p', { class: 'command' }, `${card.failure}.`) : null,
    card.run ? element('dl', { class: 'pairs' }, card.run.map(([name, value]) => [element('dt', {}, name), element('dd', {}, element('code', {}, value))])) : null,
    element('ul', { class: 'tally' }, verdictCounts(card.checks).map(([verdict, n]) =>
      element('li', { class: `${styles[verdict]} ${n ? '' : 'none'}` }, glyph(styles[verdict]), element('b', {}, n), ` ${verdict}`))),
    checkList(card.checks, references(prefix, ['e', entries], ['a', attempts])),
    entries.length ? section('Entries', 'The entries of the journal that the verdicts cite, and those of the newest requests with a fault. Secrets are masked.',
      entries.map(entry => entryView(entry, prefix))) : null,
    requests?.length ? section('Attempts', 'A row is one attempt, named by its id in the journal. Its bar goes from the arrival of the request '
      + 'to the end of its exchange, on a time axis for this request only. Its plan is shown beside it.',
      attemptKeys(), requests.map(request => requestView(request, prefix, `h${level + 2}`, references(prefix, ['e', entries])))) : null,
    requests?.length === 0 ? section('Attempts', 'No request failed or had a fault.') : null,
    card.partial ? element('p', { class: 'soft' }, 'The journal is partial: older entries were evicted. The verdicts still count them.') : null,
  ];
}

/// Returns the line that is visible while a card is folded.
function summary({ source, seed, sandbox, failure, checks, verdict }) {
  const failures = [failure, ...withVerdict(checks, 'fail').map(({ id }) => id)].filter(Boolean);
  return [source ? [element('b', {}, source), ', seed '] : 'Seed ', element('b', {}, seed), ', sandbox ', element('b', {}, sandbox), ': ',
    failures.join(', ') || verdict];
}

function overview() {
  const first = cards.find(isFailing);
  return [
    element('h1', {}, `${cards.filter(isFailing).length} of ${counted(cards.length, 'card')} with a failure`),
    checks.length ? checkList(checks, id => element('span', {}, `#${id}`)) : null,
    cards.map((card, index) => element('details', { class: `run ${isFailing(card) ? 'failed' : ''}`, open: card === first },
      element('summary', {}, summary(card)), cardView(card, `${index + 1}-`, 2))),
  ];
}

document.title = cards.length === 1 ? `Report card: ${plain(cards[0].sandbox)}` : 'Report cards';
$('cards').replaceChildren(element('div', {}, cards.length === 1 ? cardView(cards[0], '', 1) : overview()));
function showTarget() {
  if (!location.hash) return;
  unfold(location.hash.slice(1));
  $(location.hash.slice(1))?.scrollIntoView();
}
addEventListener('hashchange', showTarget);
showTarget();
