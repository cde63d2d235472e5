// The checks of a report card, as the dashboard and the report page show them.

import { $, element, glyph } from 'elements';
import { counted } from 'formats';

const severity = ['fail', 'warn', 'pass', 'not exercised'];
export const styles = { fail: 'fail', warn: 'warn', pass: 'pass', 'not exercised': 'idle' };

/// The description of each check on the page Report card, as pairs of a term and its text.
const reference = JSON.parse($('reference').textContent);

export const withVerdict = (checks, verdict) => checks.filter(check => check.verdict === verdict);
/// Returns the number of checks with each verdict, the worst first.
export const verdictCounts = checks => severity.map(verdict => [verdict, withVerdict(checks, verdict).length]);

export function headline({ verdict, checks }) {
  const n = withVerdict(checks, verdict).length;
  switch (verdict) {
    case 'fail': return n === 1 ? 'One check failed' : `${n} checks failed`;
    case 'warn': return `Nothing failed, ${counted(n, 'warning')}`;
    case 'pass': return 'Everything that could be judged passed';
    default: return 'Nothing could be judged yet';
  }
}

/// Returns a text of Markdown with its code as elements.
const withCode = text => text.split('`').map((part, index) => index % 2 ? element('code', {}, part) : part.replaceAll('*', ''));

function explanation(id, isOpen) {
  const terms = reference[id];
  if (!terms) return null;
  return element('details', { class: 'about', 'data-check': id, open: isOpen }, element('summary', {}, `About ${id}`),
    element('dl', {}, terms.map(([term, text]) => [element('dt', {}, term), element('dd', {}, withCode(text))])));
}

function checkItem({ id, verdict, sentence, evidence }, entryReference, isOpen) {
  const proof = severity.indexOf(verdict) < 2 ? evidence.map(entryReference) : [];
  return element('li', { class: styles[verdict] }, glyph(styles[verdict]),
    element('div', {}, element('b', {}, id), ' ', element('span', {}, verdict),
      element('p', {}, sentence), proof.length ? element('p', { class: 'ids' }, proof) : null, explanation(id, isOpen(id))));
}

/// Returns the items of a list of checks, the worst first; those that were not exercised are in one that can be folded.
///
/// - `entryReference` returns the element that leads to a journal entry, by its id.
/// - `isOpen` returns true if what folds under a name is open: a check's explanation, or `idle`.
export function checkItems(checks, entryReference, isOpen) {
  const items = verdict => withVerdict(checks, verdict).map(check => checkItem(check, entryReference, isOpen));
  const idle = items('not exercised');
  return [...severity.slice(0, 3).flatMap(items), ...(idle.length
    ? [element('li', {}, element('details', { 'data-check': 'idle', open: isOpen('idle') },
      element('summary', {}, `${idle.length} not exercised`), element('ul', {}, idle)))] : [])];
}
