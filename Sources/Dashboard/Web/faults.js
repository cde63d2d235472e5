// Faults by hand: each is a rule beside the scenario, for the next request that it matches or for each one.

import { $, element, setText } from 'elements';
import { counted } from 'formats';
import { apis, connected, journal, listeners } from 'journal';
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
$('fault-api').append(...[...apis.keys()].map(api => element('option', { value: api }, api)));

/// The GET operations that can change the state, each with its API and its path.
const changingReads = JSON.parse($('changing-reads').textContent);

/// True if a path with wildcards and a path with variables can have a path in common.
function meets(pattern, template) {
  const [parts, variables] = [pattern.split('/'), template.split('/')];
  for (const [index, part] of parts.entries()) {
    if (part === '**') return true;
    if (index >= variables.length || !(part === variables[index] || part.includes('*') || variables[index].startsWith('{'))) return false;
  }
  return parts.length === variables.length;
}

/// True if a request as chosen may change the state.
function canChange() {
  const [api, method, path] = ['fault-api', 'fault-method', 'fault-path'].map(id => $(id).value.trim());
  if (method === 'HEAD') return false;
  return method !== 'GET' || changingReads.some(operation => (!api || operation.api === api) && (!path || meets(path, operation.path)));
}

/// Offers the phase after the change only where there may be one, and forgets the error of an earlier choice.
function drawChoice() {
  const after = $('fault-phase').querySelector('[value=after]');
  after.disabled = !canChange();
  if (after.disabled) $('fault-phase').value = 'before';
  setText($('fault-error'), '');
}
$('fault').addEventListener('input', drawChoice);
drawChoice();

/// The fields of the form by the positions in a rule that they fill.
const fields = { '/match/api': 'API', '/match/method': 'Method', '/match/path': 'Path', '/phase': 'Phase', '/effect': 'Fault', '/count': 'Requests' };

/// Returns the sentences of a refusal in the words of the form.
function refusal({ errors, message }) {
  if (!errors?.length) return message;
  return errors.map(({ pointer, detail }) =>
    `${Object.entries(fields).find(([start]) => pointer.startsWith(start))?.[1] ?? 'The fault'}: ${detail}.`).join(' ');
}

const howMany = ({ remaining }) => remaining === undefined ? 'each one' : remaining === 1 ? 'the next one' : `the next ${remaining}`;

async function readFaults() {
  const { faults } = await read('faults');
  $('faults').replaceChildren(...faults.map(fault => element('li', {}, element('b', {}, howMany(fault)), ` ${ruleText(fault)} `,
    element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove the fault ${fault.id}`,
      onclick: () => attempt(async () => { await write('DELETE', `faults/${fault.id}`); await readFaults(); }) }, 'Remove'))));
  setText($('faults-title'), faults.length ? `${counted(faults.length, 'fault')} by hand` : 'One fault by hand');
}

/// Chooses an option, which a request may have and the form may not.
function choose(select, value) {
  if (![...select.options].some(option => option.value === value)) select.append(element('option', { value }, value));
  select.value = value;
}

/// Fills the form for a request like one in the table. Two APIs may have the same path.
export function fillFault({ api, method, path }) {
  $('by-hand').open = true;
  $('fault-api').value = apis.has(api) ? api : '';
  choose($('fault-method'), method);
  $('fault-path').value = path;
  drawChoice();
  $('fault-effect').focus();
  $('by-hand').scrollIntoView({ block: 'center' });
}

$('fault').addEventListener('submit', event => {
  event.preventDefault();
  attempt(async () => {
    const [api, method, path] = ['fault-api', 'fault-method', 'fault-path'].map(id => $(id).value.trim());
    try {
      await write('POST', 'faults', {
        ...((api || method || path) && { match: { ...(api && { api }), ...(method && { method }), ...(path && { path }) } }),
        ...($('fault-phase').value === 'after' && { phase: 'after' }),
        effect: effect($('fault-effect').value),
        ...($('fault-count').value && { count: Number($('fault-count').value) }),
      });
    } catch (error) {
      if (!error.status) throw error;
      return setText($('fault-error'), refusal(error));
    }
    setText($('fault-error'), '');
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
