// The choice of the sandbox, and the start of the page.

import { $, element, setChildren, setText } from 'elements';
import { connected, stayConnected } from 'journal';
import { coalesced, read } from 'server';
import { animateTimeline } from 'timeline';
import 'backend';
import 'faults';
import 'report';
import 'scenario';
import 'state';
import 'table';

/// The server's URL.
let serverURL = '';

async function readSandboxes() {
  const [{ sandboxes }, report] = await Promise.all([read('sandboxes'), read('report?format=json')]);
  serverURL = sandboxes[0].url;
  const names = sandboxes.map(({ name }) => name);
  if (!names.includes(report.sandbox)) names.push(report.sandbox);
  const options = [...$('sandbox').options].map(({ value }) => value);
  if (String(options) !== String(names)) setChildren($('sandbox'), names.map(name => element('option', { value: name }, name)));
  $('sandbox').value = report.sandbox;
  const own = sandboxes.find(({ name }) => name === report.sandbox);
  setText($('url'), own?.url ?? location.origin);
  document.title = report.sandbox === 'default' ? 'Understudy' : `${report.sandbox} · Understudy`;
  // The port of an offline sandbox accepts no connections, including those of this page.
  const isOwnPort = own?.port && String(own.port) === location.port;
  $('offline').title = isOwnPort ? `Once offline, this port accepts no connection. Open ${serverURL}/@${own.name}/_mock/ to switch it on again.` : '';
}

$('sandbox').addEventListener('change', () => {
  const name = $('sandbox').value;
  const origin = new URL(serverURL).host === location.host ? location.origin : serverURL;
  location.assign(`${origin}${name === 'default' ? '' : `/@${name}`}/_mock/`);
});
const refresh = coalesced(100, readSandboxes);
connected.push(refresh);
setInterval(() => { if (!document.hidden && $('link').className === 'live') refresh(); }, 5_000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) animateTimeline(); });
// What scrolls to the top of the page stays below its header.
new ResizeObserver(() => document.documentElement.style.setProperty('--header', `${$('top').offsetHeight}px`)).observe($('top'));
stayConnected();
