// Faults by hand: each is a rule beside the scenario, for the next request that it matches or for each one.

import { $, element, setText } from 'elements';
import { counted } from 'formats';
import { connected, journal, listeners } from 'journal';
import { ruleText } from 'scenario';
import { attempt, coalesced, read, write } from 'server';

/// The effects that are no faults in the words of a rule.
const others = {
  'status 500': { status: 500 }, 'status 503, retry after 2s': { status: 503, retryAfter: '2s' },
  'status 429, retry after 2s': { status: 429, retryAfter: '2s' }, 'latency 3s': { latency: '3s' }, 'latency 30s': { latency: '30s' },
};
const effect = name => others[name] ?? { fault: name };

for (const name of [...JSON.parse($('fault-names').textContent), ...Object.keys(others)]) {
  $('fault-effect').append(element('option', { value: name }, name));
}

const howMany = ({ remaining }) => remaining === undefined ? 'each one' : remaining === 1 ? 'the next one' : `the next ${remaining}`;

async function readFaults() {
  const { faults } = await read('faults');
  $('faults').replaceChildren(...faults.map(fault => element('li', {}, element('b', {}, howMany(fault)), ` ${ruleText(fault)} `,
    element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove the fault ${fault.id}`,
      onclick: () => attempt(async () => { await write('DELETE', `faults/${fault.id}`); await readFaults(); }) }, 'Remove'))));
  setText($('faults-title'), faults.length ? `${counted(faults.length, 'fault')} by hand` : 'One fault by hand');
}

/// Fills the form for a request like one in the table.
export function fillFault(method, path) {
  $('by-hand').open = true;
  $('fault-method').value = method;
  $('fault-path').value = path;
  $('fault-effect').focus();
  $('by-hand').scrollIntoView({ block: 'center' });
}

$('fault').addEventListener('submit', event => {
  event.preventDefault();
  attempt(async () => {
    const [method, path] = [$('fault-method').value, $('fault-path').value.trim()];
    await write('POST', 'faults', {
      ...((method || path) && { match: { ...(method && { method }), ...(path && { path }) } }),
      ...($('fault-phase').value === 'after' && { phase: 'after' }),
      effect: effect($('fault-effect').value),
      ...($('fault-count').value && { count: Number($('fault-count').value) }),
    });
    await readFaults();
  });
});

/// The paths of the newest requests, as suggestions.
$('fault-path').addEventListener('focus', () => {
  const paths = new Set();
  for (let index = journal.ids.length - 1; index >= 0 && paths.size < 12 && index >= journal.ids.length - 500; index -= 1) {
    const path = journal.byID.get(journal.ids[index])?.path;
    if (path) paths.add(path);
  }
  $('paths').replaceChildren(...[...paths].map(path => element('option', { value: path })));
});

const changed = coalesced(150, readFaults);
listeners.push(news => {
  for (const entry of news) if (/^(armed|removed|reset)/.test(entry.event ?? '') || entry.plan?.rules?.some(rule => rule.startsWith('by hand '))) return changed();
});
connected.push(changed);
