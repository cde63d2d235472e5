// The data of the served APIs, each as its app would show it; a record that a client changed is highlighted for a short
// time.

import { isUpstream } from 'backend';
import { $, element, setChildren, svgElement } from 'elements';
import { counted, dateText, day, number } from 'formats';
import { apis, connected, listeners, pause } from 'journal';
import { coalesced, read, request } from 'server';

/// The maximum number of records shown of one API.
const maximumShown = 12;
/// The shown records of each API by id: their JSON and their elements.
const shownRecords = new Map();

const drop = 'M6 .5c2.4 3.2 4 5.2 4 7a4 4 0 0 1-8 0c0-1.8 1.6-3.8 4-7z';
const icons = {
  warm_water: ['warm water', drop, 'warn'], cold_water: ['cold water', drop, 'cold'],
  heating: ['heating', 'M2 1.5v9M5 1.5v9M8 1.5v9M11 1.5v9M1 3h11M1 9h11', 'line fail'],
  inbound: ['inbound', 'M10.5 1.5 2 10M2 3.5V10h6.5', 'line'], outbound: ['outbound', 'M1.5 10.5 10 2M3.5 2H10v6.5', 'line'],
};
const icon = name => icons[name] ? svgElement('svg', { class: `glyph ${icons[name][2]}`, viewBox: '0 0 12 12', role: 'img', 'aria-label': icons[name][0] },
  svgElement('path', { d: icons[name][1] })) : element('span', { class: 'soft' }, String(name));

const titled = (title, detail) => element('div', {}, element('b', {}, title), element('small', {}, detail));
const when = text => text ? dateText(day, new Date(text)) : '';

/// Returns an item of a list: a record with its id, its content, and the style of both.
const item = (id, record, children, style = '') => ({ id, record, children, style });

/// The views of APIs whose apps show more than names. Each returns the items of an API's data.
const views = {
  devices: data => data.map(device => item(device.id, device, [icon(device.type), titled(device.meterPointDescription || device.type, device.id),
    device.installationDate ? element('small', {}, 'installed ', element('br'), when(device.installationDate)) : element('small', {}, 'not installed')])),
  activities: data => data.map(call => item(call.id, call, [icon(call.direction), titled((call.direction === 'inbound' ? call.from : call.to) ?? 'unknown',
    `${call.call_type}, ${Math.floor(call.duration / 60)}:${String(call.duration % 60).padStart(2, '0')}, via ${call.via}`),
    element('small', {}, call.is_archived ? 'archived' : when(call.created_at))], call.is_archived ? 'archived' : '')),
  house: data => [item('', data.temperature, [element('b', {}, `${data.temperature} °C`)]),
    ...Object.entries(data.rooms).map(([name, fixtures]) => item(name, fixtures, [element('b', {}, name),
      element('div', {}, Object.entries(fixtures).map(([fixture, lit]) => element('span', { class: lit ? 'lit' : '' }, `${fixture} ${lit ? 'on' : 'off'}`)))]))],
  users: data => data.map(user => item(user.id, user, [element('span', { class: 'face', 'aria-hidden': 'true' },
    String(user.name).split(/\s+/).map(word => word[0]).join('').slice(0, 2)), titled(user.name, `@${user.username} · ${user.email}`)])),
  booking: data => data.rooms.map(room => item(room.name, room, [picture(room.name), element('div', {}, element('b', {}, room.name),
    element('span', {}, room.spots ? counted(room.spots, 'spot') : 'full'))], room.spots ? '' : 'full')),
};

/// Returns the items of any other data: the elements of an array or the members of an object, as JSON.
const plainItems = data => Object.entries(data).map(([key, record]) => {
  const id = record?.id ?? key;
  return item(id, record, [titled(String(record?.name ?? id), JSON.stringify(record))]);
});

const pictures = new Map();

/// Returns the image of a room, which is fetched with the token and cached.
function picture(room) {
  const image = element('img', { alt: '', width: 300, height: 200 });
  if (!pictures.has(room)) {
    pictures.set(room, request(`pictures/${encodeURIComponent(room)}`).then(reply => reply.blob()).then(blob => URL.createObjectURL(blob)));
  }
  pictures.get(room).then(url => { image.src = url; }, () => pictures.delete(room));
  return image;
}

/// The lists of items by the names of their APIs.
const lists = new Map([...apis].map(([name, title]) => {
  const list = element('ul', { 'aria-label': title });
  $('views').append(element('article', { class: 'card', 'data-api': name }, element('h3', {}, title), list));
  return [name, list];
}));

function drawView(name, data) {
  const items = (views[name] ?? plainItems)(data);
  const before = shownRecords.get(name) ?? new Map();
  const after = new Map();
  const nodes = items.slice(0, maximumShown).map(({ id, record, children, style }) => {
    const text = JSON.stringify(record);
    const known = before.get(id);
    const node = known?.text === text ? known.node : element('li', { class: `${style} ${known ? 'changed' : ''}` }, children);
    after.set(id, { text, node });
    return node;
  });
  if (items.length > maximumShown) nodes.push(element('li', { class: 'soft' }, `and ${number.format(items.length - maximumShown)} more`));
  setChildren(lists.get(name), nodes);
  shownRecords.set(name, after);
}

let stateCost = 0;
const readState = coalesced(150, async () => {
  const began = performance.now();
  const state = await read('state');
  for (const name of apis.keys()) drawView(name, state[name]);
  stateCost = performance.now() - began;
  // Large data is read less often.
  if (stateCost > 100) await pause(stateCost * 4);
});

// The state of a backend is its own.
if (!isUpstream) {
  listeners.push(news => { for (const entry of news) if (entry.applied || entry.event) return readState(); });
  connected.push(readState);
}
