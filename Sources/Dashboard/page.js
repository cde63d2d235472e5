// The choice of the sandbox, and the start of the page.

let home = '';

async function readSandboxes() {
  const [{ sandboxes }, report] = await Promise.all([read('sandboxes'), read('report?format=json')]);
  home = sandboxes[0].url;
  const names = sandboxes.map(({ name }) => name);
  if (!names.includes(report.sandbox)) names.push(report.sandbox);
  const options = [...$('sandbox').options].map(({ value }) => value);
  if (String(options) !== String(names)) setChildren($('sandbox'), names.map(name => el('option', { value: name }, name)));
  $('sandbox').value = report.sandbox;
  const own = sandboxes.find(({ name }) => name === report.sandbox);
  setText($('url'), own?.url ?? location.origin);
  document.title = report.sandbox === 'default' ? 'Understudy' : `${report.sandbox} · Understudy`;
  // The port of an offline sandbox accepts no connections, including those of this page.
  const isOwnPort = own?.port && String(own.port) === location.port;
  $('offline').title = isOwnPort ? `Once offline, this port accepts no connection. Open ${home}/@${own.name}/_mock/ to switch it on again.` : '';
}

$('sandbox').addEventListener('change', () => {
  const name = $('sandbox').value;
  const origin = new URL(home).host === location.host ? location.origin : home;
  location.assign(`${origin}${name === 'default' ? '' : `/@${name}`}/_mock/`);
});
for (const api of Object.keys(views)) $('api').append(el('option', { value: api }, api));
const refresh = lazily(100, readSandboxes);
connected.push(refresh);
setInterval(() => { if (!document.hidden && $('link').className === 'live') refresh(); }, 5_000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) animateTimeline(); });
stayConnected();
