// The backend in front of which the server stands, and what its file of semantics declares.

import { $, element, setText } from 'elements';
import { counted, number } from 'formats';
import { apis, connected, listeners } from 'journal';
import { coalesced, read } from 'server';

/// True if the server stands in front of a backend, and serves no API itself.
export const isUpstream = apis.size === 0;

function ruleItem({ match, where, name, effect, requests }) {
  const parts = Object.entries(where ?? {}).map(([part, pattern]) => `${part}: ${pattern}`).join(', ');
  return element('li', { class: requests ? '' : 'unused' }, element('code', {}, match), parts ? ` where ${parts}` : '',
    element('small', {}, [name, effect].filter(Boolean).join(' · ')),
    element('b', {}, requests ? counted(requests, 'request') : 'no request yet'));
}

function draw({ url, reachable, answered, failed, late, undeclared, semantics }) {
  setText($('backend-title'), `Backend ${url}`);
  $('reached').className = reachable === false ? 'lost' : reachable ? 'ok' : 'soft';
  setText($('reached'), { true: 'reachable', false: 'not reachable', null: 'not asked yet' }[String(reachable)]);
  $('asked').replaceChildren(...[['answered', answered], ['failed', failed], ['late', late]].map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, number.format(value)))));
  setText($('undeclared'), undeclared ? `${counted(undeclared, 'request')} could not be read as far as the rules look.` : '');
  const unused = semantics.filter(rule => rule.requests === 0).length;
  setText($('semantics').firstElementChild, semantics.length === 0 ? 'No declared semantics: requests mean what their methods say'
    : `${counted(semantics.length, 'rule')} of declared semantics${unused ? `, ${number.format(unused)} of them without a request yet` : ''}`);
  $('declared').replaceChildren(...semantics.map(ruleItem));
}

if (isUpstream) {
  for (const node of document.querySelectorAll('.of-apis')) node.hidden = true;
  $('backend').hidden = false;
  const readBackend = coalesced(700, async () => draw(await read('upstream')));
  listeners.push(readBackend);
  connected.push(readBackend);
}
