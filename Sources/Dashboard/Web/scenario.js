// The timeline of the scenario's windows, and the controls that change the scenario.

import { $, element, setChildren, setText } from 'elements';
import { counted, durationText, milliseconds } from 'formats';
import { connected, listeners } from 'journal';
import { attempt, coalesced, read, warn, write } from 'server';

/// The armed scenario, and those that the server knows by name.
let scenario = { name: '', rules: [], seed: 1 };
let scenarios = [];
let elapsed = { at: 0, read: 0, frozen: true };

/// The state of the network switch, which is independent of the scenario.
let network = { state: 'online' };

const elapsedNow = () => elapsed.at + (elapsed.frozen ? 0 : performance.now() - elapsed.read);

export function effectText(effect) {
  const [[name, value]] = Object.entries(effect);
  switch (name) {
    case 'fault': return effect.for ? `${value} for ${effect.for}` : value;
    case 'offline': return name;
    case 'rateLimit': return `${value.limit} requests in ${value.window}`;
    case 'coldStart': return `cold start ${value.delay} after ${value.idle} of rest`;
    case 'pace': return `pace ${value.bytesPerSecond} B/s`;
    case 'rivals': return `rivals every ${value.every}`;
    case 'latency': return `latency ${typeof value === 'string' ? value : Object.entries(value).map(([kind, parts]) =>
      kind === 'uniform' ? parts.join(' to ') : Object.entries(parts).map(([key, part]) => `${key.replace(/^\d/, 'p$&')} ${part}`).join(', '))}`;
    default: return `${name} ${value}`;
  }
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = n => n + { one: 'st', two: 'nd', few: 'rd', other: 'th' }[ordinals.select(n)];

export function ruleText({ match = {}, when = {}, phase, effect }) {
  const whom = [[match.method ?? []].flat().join(' or '), match.path ?? match.api, match.operation, match.changes === true && 'writes'].filter(Boolean).join(' ');
  const often = [when.chance && `${when.chance.replace('/', ' in ')}`, when.nth && `every ${ordinal(when.nth)}`, when.first && `the first ${when.first}`,
    when.requests && `requests ${when.requests}`].filter(Boolean).join(', ');
  return [effectText(effect) + (phase === 'after' ? ' after commit' : ''), often, whom].filter(Boolean).join(' · ');
}

/// True if a rule has a window of time.
const isTimed = ({ when = {} }) => when.from !== undefined || when.until !== undefined || when.every !== undefined;

/// Returns the spans in which a rule's window is open, between two times since the scenario was armed.
function spans({ when }, start, end) {
  const [from, until, every] = [milliseconds(when.from ?? '0s'), when.until ? milliseconds(when.until) : Infinity, milliseconds(when.every)];
  if (!every) return until > start && from < end ? [[from, until]] : [];
  const found = [];
  for (let period = Math.floor(start / every) * every; period < end; period += every) found.push([period + from, period + Math.min(until, every)]);
  return found;
}

/// Formats a time since the scenario was armed.
const minutes = ms => ms < 60_000 ? durationText(ms) : `${Math.floor(ms / 60_000)}:${String(ms / 1000 % 60).padStart(2, '0')}`;

function drawStrip() {
  const timed = scenario.rules.filter(isTimed);
  const longest = Math.max(40_000, ...timed.map(({ when }) => milliseconds(when.every ?? when.until ?? when.from)));
  const length = longest * 1.5;
  const present = elapsedNow();
  const start = Math.max(0, present - length / 3);
  const at = time => `${Math.min(100, Math.max(0, 100 * (time - start) / length))}%`;
  const mark = (style, time, text) => element(text === undefined ? 'i' : 'span', { class: style, style: { left: at(time) } }, text);
  const room = ($('strip').clientWidth || 900) - ($('strip').clientWidth < 600 ? 110 : 220);
  const step = [5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200].find(step => step * 1000 / length * room > 75) * 1000 || longest;
  const ticks = [];
  for (let time = Math.ceil(start / step) * step; (time - start) / length < 1 - 24 / room; time += step) {
    if (Math.abs(time - present) / length * room > 48) ticks.push(mark('tick', time, time ? minutes(time) : 'armed'));
  }
  const lane = (name, title, bands) => [element('b', { title }, name), element('div', { class: 'track' }, bands.map(([from, until]) => {
    const band = mark('', from);
    band.style.right = `${100 - Number.parseFloat(at(until))}%`;
    return band;
  }), mark('now', present))];
  const others = scenario.rules.length - timed.length;
  const lanes = timed.map(rule => lane(rule.name ?? effectText(rule.effect), ruleText(rule), spans(rule, start, start + length)));
  if (others) lanes.push(lane(timed.length ? `${counted(others, 'more rule')}` : 'at all times', null, [[0, Infinity]]));
  if (!scenario.rules.length) lanes.push(lane('nothing', null, []));
  $('strip').replaceChildren(...lanes.flat(), element('span'), element('div', { class: 'axis' }, ...ticks, mark('now', present, 'now')));
  const active = timed.filter(rule => spans(rule, present, present + 1).some(([from, until]) => present >= from && present < until));
  const label = !timed.length ? 'No rule depends on time.' : `Active now: ${active.map(rule => rule.name ?? effectText(rule.effect)).join(', ') || 'no rule that depends on time'}.`;
  $('strip').setAttribute('aria-label', `${durationText(present)} since it was armed${elapsed.frozen ? ', and its clock is stopped' : ''}. ${label}`);
}

function networkText() {
  const time = network.for ? ` for another ${network.for} of the sandbox's clock` : '';
  if (network.state === 'held') return `Held: responses of this sandbox are kept back${time}.`;
  if (network.state === 'online') return '';
  return { reset: 'Offline: every connection of this sandbox is reset', refused: 'Offline: the port of this sandbox refuses connections',
    silence: 'Offline: this sandbox sends nothing' }[network.as] + time + '. The scenario waits and is not armed again.';
}

/// The displayed warning about the network: only this one is replaced or cleared, other warnings stay.
let networkWarning = '';
function tellNetwork(text) {
  if (text || $('alert').textContent === networkWarning) warn(text);
  networkWarning = text;
}

/// True if a scenario or a seed was chosen that is not armed, and the scenario that is.
let hasChoice = false;
let armedName = '';

/// Says that what is chosen is not armed.
function drawChoice() {
  const isOther = $('scenario').value !== scenario.name || $('seed').value !== String(scenario.seed);
  hasChoice &&= isOther;
  setText($('unarmed'), hasChoice
    ? `${$('scenario').value} with seed ${$('seed').value || '…'} is chosen, but not armed. ${scenario.name} with seed ${scenario.seed} is in effect.` : '');
  $('arm').classList.toggle('pending', hasChoice);
}

/// The scenario whose rules were expanded automatically, which happens once if they are few.
let unfolded = '';

function drawScenario() {
  setText($('scene-title'), `Scenario ${scenario.name}`);
  setText($('about'), scenario.about || (scenario.rules.length ? '' : 'No faults.'));
  $('rules').replaceChildren(...scenario.rules.map(rule =>
    element('li', {}, rule.name ? element('b', {}, rule.name) : null, rule.name ? ` ${ruleText(rule)}` : ruleText(rule))));
  setText($('rules').previousElementSibling, counted(scenario.rules.length, 'rule'));
  $('rules').parentElement.hidden = scenario.rules.length === 0;
  if (unfolded !== scenario.name) $('rules').parentElement.open = scenario.rules.length <= 8;
  unfolded = scenario.name;
  const names = scenarios.map(({ name }) => name);
  if (!names.includes(scenario.name)) names.push(scenario.name);
  // New options would drop a choice.
  if (String([...$('scenario').options].map(({ value }) => value)) !== String(names)) {
    setChildren($('scenario'), names.map(name => element('option', { value: name }, name)));
  }
  // A choice that is not armed yet stays, as long as the same scenario is armed.
  if (armedName !== scenario.name || !hasChoice) $('scenario').value = scenario.name;
  if (armedName !== scenario.name) hasChoice = false;
  armedName = scenario.name;
  if (document.activeElement !== $('seed') && !hasChoice) $('seed').value = scenario.seed;
  drawChoice();
  $('offline').disabled = false;
  $('offline').setAttribute('aria-checked', String(network.state !== 'online'));
  tellNetwork(networkText());
  drawStrip();
}

export async function readScenario() {
  const [armed, time, position] = await Promise.all([read('scenario'), read('clock'), read('network')]);
  scenario = armed;
  network = position;
  elapsed = { at: milliseconds(time.elapsed), read: performance.now(), frozen: time.frozen };
  drawScenario();
}

$('arm').addEventListener('submit', event => {
  event.preventDefault();
  attempt(async () => {
    const name = $('scenario').value;
    if (name !== scenario.name) await write('PUT', 'scenario', name);
    await write('PATCH', 'scenario', { seed: Number($('seed').value) });
    hasChoice = false;
    await readScenario();
  });
});
for (const id of ['scenario', 'seed']) $(id).addEventListener('input', () => { hasChoice = true; drawChoice(); });
$('offline').addEventListener('click', () => attempt(async () => {
  await write('PATCH', 'network', { state: network.state === 'online' ? 'offline' : 'online' });
  await readScenario();
}));
$('reset').addEventListener('click', () => $('over').showModal());
$('over').addEventListener('close', () => {
  if ($('over').returnValue === 'reset') attempt(() => write('POST', 'reset'));
});

// The journal has an event for each change of the scenario and of the network switch, by any client.
const rearmed = coalesced(100, readScenario);
listeners.push(news => { for (const entry of news) if (/^(armed|reset|switched the network|the network)/.test(entry.event)) rearmed(); });
connected.push(async () => {
  scenarios = (await read('scenarios')).scenarios;
  await readScenario();
});
setInterval(() => { if (!document.hidden && scenario.name) drawStrip(); }, 500);
setInterval(() => { if (!document.hidden && $('link').className === 'live') rearmed(); }, 10_000);
