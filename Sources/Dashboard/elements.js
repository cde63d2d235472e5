'use strict';
// Adds content to the page as elements and text, never as markup.

const $ = id => document.getElementById(id);

/// Returns a text with escapes instead of the control characters that change its direction.
const plain = text => String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  control => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? '' : name === 'title' ? plain(value) : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== '')
    .map(child => child instanceof Node ? child : plain(child)));
  return node;
}

const el = (tag, props = {}, ...children) => fill(document.createElement(tag), props, children);
const svg = (tag, props = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

/// Replaces the children of an element, but does not move equal ones, so that focus and selection stay.
function setChildren(parent, children) {
  children.forEach((child, index) => {
    if (parent.childNodes[index] !== child) parent.insertBefore(child, parent.childNodes[index] ?? null);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}

function setText(node, text) {
  const shown = plain(text);
  if (node.textContent !== shown) node.textContent = shown;
}

// Each outcome and each verdict has its own shape, so that color is not the only difference.
const shapes = {
  ok: ['answered', 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9z'],
  refused: ['refused (4xx)', 'M1.5 1.5h9v9h-9z'],
  unavailable: ['failed (5xx, 429)', 'M6 1 11.5 11H.5z'],
  damaged: ['damaged', 'M6 .5 11.5 6 6 11.5.5 6z'],
  lost: ['cut off', 'M1.5 1.5l9 9M10.5 1.5l-9 9', 'line'],
  gone: ['client left', 'M8 1a5 5 0 0 0 0 10z'],
  pending: ['under way', 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9z', 'line'],
  event: ['event', 'M6 0v12', 'line'],
  pass: ['pass', 'M1 6.5 4.5 10 11 2.5', 'line'], warn: ['warn', 'M6 .8 11.4 10.8H.6z'],
  fail: ['fail', 'M1.5 1.5l9 9M10.5 1.5l-9 9', 'line'], idle: ['not exercised', 'M1.5 6h9', 'line'],
};

const glyph = (kind, label) => svg('svg', {
  class: `glyph ${kind} ${shapes[kind][2] ?? ''}`, viewBox: '0 0 12 12',
  ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }),
}, svg('path', { d: shapes[kind][1] }));

const swatch = (style, text) => el('span', {}, el('i', { class: `key ${style}` }), text);
/// Returns the legend of planned and measured delays, and of kinds of outcomes.
const legend = (...kinds) => [swatch('planned', 'planned'), swatch('actual', 'measured'),
  ...kinds.map(kind => el('span', {}, glyph(kind), shapes[kind][0]))];

const units = { us: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 };

/// Parses a duration, and returns milliseconds.
function milliseconds(text) {
  const parts = /^([\d.]+)(us|ms|s|m|h)$/.exec(text ?? '');
  return parts ? parts[1] * units[parts[2]] : 0;
}

/// Formats milliseconds with three significant digits and a unit.
function words(ms) {
  if (ms === 0) return '0';
  const [value, unit] = ms < 1 ? [ms * 1e3, 'µs'] : ms < 1e3 ? [ms, 'ms'] : ms < 6e4 ? [ms / 1e3, 's'] : [ms / 6e4, 'min'];
  return `${value >= 100 ? Math.round(value) : +value.toPrecision(3)} ${unit}`;
}

const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
/// Formats the time of a request with milliseconds, because two may arrive in the same second.
const instant = new Intl.DateTimeFormat('en-GB',
  { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const count = (n, noun) => `${number.format(n)} ${noun}${n === 1 ? '' : 's'}`;
const say = (format, date) => isNaN(date) ? 'an unknown date' : format.format(date);
