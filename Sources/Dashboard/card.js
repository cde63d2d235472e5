// The checks of a report card, as the dashboard and the report page show them.

const severity = ['fail', 'warn', 'pass', 'not exercised'];
const styles = { fail: 'fail', warn: 'warn', pass: 'pass', 'not exercised': 'idle' };

const withVerdict = (checks, verdict) => checks.filter(check => check.verdict === verdict);
/// Returns the number of checks with each verdict, the worst first.
const verdictCounts = checks => severity.map(verdict => [verdict, withVerdict(checks, verdict).length]);

function headline({ verdict, checks }) {
  const n = withVerdict(checks, verdict).length;
  switch (verdict) {
    case 'fail': return n === 1 ? 'One check failed' : `${n} checks failed`;
    case 'warn': return `Nothing failed, ${count(n, 'warning')}`;
    case 'pass': return 'Everything that could be judged passed';
    default: return 'Nothing could be judged yet';
  }
}

function checkItem({ id, verdict, sentence, evidence }, reference) {
  const proof = severity.indexOf(verdict) < 2 ? evidence.map(reference) : [];
  return el('li', { class: styles[verdict] }, glyph(styles[verdict]), el('div', {}, el('b', {}, id), ' ', el('span', {}, verdict),
    el('p', {}, sentence), proof.length ? el('p', { class: 'ids' }, proof) : null));
}

/// Returns the items of a list of checks, the worst first; those that were not exercised are in one that can be folded.
///
/// `reference` returns the element that leads to a journal entry, by its id.
function checkItems(checks, reference, isOpen) {
  const items = verdict => withVerdict(checks, verdict).map(check => checkItem(check, reference));
  const idle = items('not exercised');
  return [...severity.slice(0, 3).flatMap(items), ...(idle.length
    ? [el('li', {}, el('details', { open: isOpen }, el('summary', {}, `${idle.length} not exercised`), el('ul', {}, idle)))] : [])];
}
