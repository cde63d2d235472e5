// Content is added to the page as elements and text, never as markup.

export const $ = id => document.getElementById(id);

/// Returns a text with escapes instead of the control characters that change its direction.
export const plain = text => String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  control => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? '' : name === 'title' ? plain(value) : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== '')
    .map(child => child instanceof Node ? child : plain(child)));
  return node;
}

export const element = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
export const svgElement = (tag, properties = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);

/// Replaces the children of an element, but does not move equal ones, so that focus and selection stay.
export function setChildren(parent, children) {
  children.forEach((child, index) => {
    if (parent.childNodes[index] !== child) parent.insertBefore(child, parent.childNodes[index] ?? null);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}

export function setText(node, text) {
  const shown = plain(text);
  if (node.textContent !== shown) node.textContent = shown;
}

// Each outcome and each verdict has its own shape, so that color is not the only difference.
export const shapes = {
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

export const glyph = (kind, label) => svgElement('svg', {
  class: `glyph ${kind} ${shapes[kind][2] ?? ''}`, viewBox: '0 0 12 12',
  ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }),
}, svgElement('path', { d: shapes[kind][1] }));

export const swatch = (style, text) => element('span', {}, element('i', { class: `key ${style}` }), text);
/// Returns the legend of planned and measured delays, and of kinds of outcomes.
export const legend = (...kinds) => [swatch('planned', 'planned'), swatch('actual', 'measured'),
  ...kinds.map(kind => element('span', {}, glyph(kind), shapes[kind][0]))];
