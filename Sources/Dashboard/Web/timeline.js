// The requests of the last seconds, drawn to scale: their arrival, their planned delay and their duration.

import { showDetails } from 'detail';
import { $, legend, plain, shapes } from 'elements';
import { outcomeText } from 'entry';
import { clock, counted } from 'formats';
import { journal, listeners, shortTarget, shownIDs } from 'journal';

const canvas = $('canvas');
const context = canvas.getContext('2d');
const paths = Object.fromEntries(Object.entries(shapes).map(([kind, shape]) => [kind, new Path2D(shape[1])]));
const laneHeight = 22;
/// The maximum number of drawn requests; more would be unreadable, and take longer than a frame.
const maximumDrawn = 1_500;
/// The end of the last request in each lane.
let laneEnds = [];
/// The drawn requests with their bounds, for the pointer.
let drawnEntries = [];
/// The scale for which the lanes were chosen.
let laneScale = '';
/// The server's clock minus the browser's.
let clockSkew = 0;

const span = () => Number($('span').value) * 1000;
const endOf = entry => entry.time + (entry.kind === 'pending' ? Math.max(entry.planned, now() - entry.time) : entry.total);
/// The server's time.
export const now = () => Date.now() + clockSkew;

/// Returns the time at the right edge: now, or a little after the end of the last request.
function edge() {
  const last = journal.byID.get(shownIDs().at(-1));
  if (!last) return now();
  if (journal.pausedIDs) return Math.min(journal.pausedAt, Math.max(endOf(last), last.time) + span() * .08);
  return Math.min(now(), Math.max(endOf(last), last.time) + span() * .08);
}

function visible(left) {
  const found = [];
  const ids = shownIDs();
  for (let index = ids.length - 1; index >= 0 && found.length < maximumDrawn; index -= 1) {
    const entry = journal.byID.get(ids[index]);
    if (!entry) continue;
    if (entry.time < left - 120_000) break;
    if (endOf(entry) >= left) found.push(entry);
  }
  return found.reverse();
}

/// Returns the lane of a request, which keeps it. A lane is free when its last request has ended and there is room for
/// the mark.
function lane(entry, count, room) {
  if (entry.lane !== undefined && entry.lane < count) {
    laneEnds[entry.lane] = Math.max(laneEnds[entry.lane] ?? 0, endOf(entry) + room);
    return entry.lane;
  }
  let best = 0;
  for (let index = 0; index < count; index += 1) {
    if ((laneEnds[index] ?? 0) <= entry.time) { best = index; break; }
    if ((laneEnds[index] ?? 0) < laneEnds[best]) best = index;
  }
  laneEnds[best] = endOf(entry) + room;
  return entry.lane = best;
}

const colors = () => {
  const style = getComputedStyle(document.documentElement);
  return name => style.getPropertyValue(`--${name}`).trim();
};
/// The color of each outcome, by its name in the style.
const colorNames = { ok: 'good', refused: 'warn', unavailable: 'warn', damaged: 'warn', lost: 'bad', gone: 'soft', pending: 'soft', event: 'soft' };

function hatch(x, y, width, height, color) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1.3;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 5) { context.moveTo(x + offset, y + height); context.lineTo(x + offset + height, y); }
  context.stroke();
  context.restore();
  context.lineWidth = 1.3;
  context.strokeStyle = color;
  context.strokeRect(x + .65, y + .65, Math.max(0, width - 1.3), height - 1.3);
}

function drawMark(entry, x, y, color) {
  context.save();
  context.translate(x, y);
  context.fillStyle = context.strokeStyle = color(colorNames[entry.kind]);
  context.lineWidth = 2;
  context.lineCap = 'round';
  if (shapes[entry.kind][2]) context.stroke(paths[entry.kind]); else context.fill(paths[entry.kind]);
  context.restore();
}

function drawAxis(left, right, x, height, color) {
  const step = [1, 2, 5, 10, 30, 60, 120].find(step => span() / 1000 / step <= canvas.clientWidth / 90) * 1000;
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  for (let time = Math.ceil(left / step) * step; time <= right; time += step) {
    const at = x(time);
    context.fillStyle = color('rule');
    context.fillRect(at, 0, 1, height - 18);
    context.fillStyle = color('soft');
    if (at > 25 && at < canvas.clientWidth - 25) context.fillText(clock.format(time), at, height - 4);
  }
}

export function drawTimeline() {
  const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const right = edge();
  const left = right - span();
  const x = time => (time - left) / span() * (width - 20);
  const count = Math.max(1, Math.floor((height - 24) / laneHeight));
  if (laneScale !== `${span()} ${width}`) {
    for (const entry of journal.byID.values()) delete entry.lane;
    laneScale = `${span()} ${width}`;
  }
  laneEnds = [];
  drawnEntries = [];
  const color = colors();
  drawAxis(left, right, x, height, color);
  const entries = visible(left);
  for (const entry of entries) {
    const y = lane(entry, count, span() / width * 18) * laneHeight + 4;
    const [start, end] = [x(entry.time), Math.min(x(endOf(entry)), width)];
    if (entry.planned) hatch(start, y, Math.max(2, x(entry.time + entry.planned) - start), 9, color('plan'));
    if (entry.kind !== 'event') {
      context.fillStyle = color('bar');
      context.fillRect(start, entry.planned ? y + 11 : y + 3.5, Math.max(1.5, end - start), 4);
    }
    const mark = Math.max(end, entry.planned && entry.kind !== 'pending' ? x(entry.time + entry.planned) : 0) + 3;
    drawMark(entry, Math.min(mark, width - 13), y, color);
    drawnEntries.push({ entry, left: start - 3, right: mark + 15, top: y - 4, bottom: y + laneHeight - 4 });
  }
  $('idle').hidden = journal.ids.length > 0 || journal.loading === 'first';
  canvas.setAttribute('aria-label', entries.length === 0 ? 'No requests in this window'
    : `${description(entries)}. The table below lists them.`);
}

/// Returns the description of the timeline for screen readers.
function description(entries) {
  const kinds = Object.keys(colorNames).map(kind => [kind, entries.filter(entry => entry.kind === kind).length]).filter(([, n]) => n);
  return `${counted(entries.length, 'request')}: ${kinds.map(([kind, n]) => `${n} ${shapes[kind][0]}`).join(', ')}`;
}

const entryAt = event => drawnEntries.findLast(({ left, right, top, bottom }) =>
  event.offsetX >= left && event.offsetX <= right && event.offsetY >= top && event.offsetY <= bottom)?.entry;

canvas.addEventListener('click', event => { const entry = entryAt(event); if (entry) showDetails(entry.id); });
canvas.addEventListener('mousemove', event => {
  const entry = entryAt(event);
  const title = entry ? plain(`${entry.event ?? `${entry.method} ${shortTarget(entry.target)}`}\n${outcomeText(entry)}${entry.plan?.words ? `\n${entry.plan.words}` : ''}`) : '';
  if (canvas.title !== title) canvas.title = title;
});

let drawing = false;
/// Draws frames as long as the timeline moves.
export function animateTimeline() {
  if (drawing) return;
  drawing = true;
  const step = () => {
    drawTimeline();
    drawing = !journal.pausedIDs && now() - edge() < 300 && !document.hidden;
    if (drawing) setTimeout(() => requestAnimationFrame(step), 60);
  };
  requestAnimationFrame(step);
}

listeners.push(news => {
  for (const entry of news) clockSkew = Math.max(clockSkew, entry.time - Date.now());
  animateTimeline();
});
$('span').addEventListener('change', drawTimeline);
if (innerWidth < 600) $('span').value = '10';
new ResizeObserver(drawTimeline).observe(canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawTimeline);
$('keys').append(...legend('ok', 'refused', 'unavailable', 'damaged', 'lost', 'gone', 'pending'));
