// The report card, and the histogram of planned and measured delays.

import { checkItems, headline, styles, verdictCounts } from 'checks';
import { $, element, glyph, setText, svgElement } from 'elements';
import { counted, durationText, milliseconds, number } from 'formats';
import { connected, listeners } from 'journal';
import { base, coalesced, read } from 'server';

/// Returns a link to the details of an entry, which the module `detail` opens.
const entryLink = id => element('a', { href: `#request-${id}`, 'aria-label': `Request ${id}` }, `#${id}`);

function drawCard(report) {
  const { checks, exchanges } = report;
  setText($('verdict'), headline(report) + (exchanges === 0 ? '.' : `. ${counted(exchanges, 'exchange')}: `
    + verdictCounts(checks).filter(([, n]) => n).map(([verdict, n]) => `${n} ${verdict}`).join(', ')));
  $('tally').replaceChildren(...verdictCounts(checks).slice(0, 3).map(([verdict, n]) => {
    const first = checks.find(check => check.verdict === verdict);
    const words = `${n} ${verdict}`;
    return n ? element('a', { class: styles[verdict], href: `#check-${first.id}` }, glyph(styles[verdict]), words)
      : element('span', { class: 'soft' }, words);
  }));
  const open = new Set([...$('checks').querySelectorAll('details[open]')].map(details => details.dataset.check));
  const focus = document.activeElement?.closest('#checks') ? document.activeElement.textContent : null;
  $('checks').replaceChildren(...checkItems(checks, entryLink, name => open.has(name)));
  // The counts above lead to them.
  for (const name of $('checks').querySelectorAll('li > div > b')) name.closest('li').id = `check-${name.textContent}`;
  if (focus) [...$('checks').querySelectorAll('a, summary')].find(node => node.textContent === focus)?.focus();
}

/// Sums a histogram's buckets into bars of equal width on a logarithmic scale.
function binned({ buckets }, low, high, n) {
  const found = new Array(n).fill(0);
  for (const bucket of buckets) {
    const middle = (milliseconds(bucket.over) + milliseconds(bucket.upTo)) / 2;
    const index = Math.floor(Math.log(middle / low) / Math.log(high / low) * n);
    found[Math.min(n - 1, Math.max(0, index))] += bucket.count;
  }
  return found;
}

/// The meaning of the figures.
const explanations = {
  delays: 'The number of responses that the plan delayed.',
  'late (median)': 'The time between the planned and the actual start of a response: half of the responses were at most this late.',
  'late (p99)': 'The time between the planned and the actual start of a response: 99 % of the responses were at most this late.',
  'late (maximum)': 'The longest time between the planned and the actual start of a response.',
  early: 'The number of responses that began before their planned time. It is always 0, unless the clock was set back.',
};

/// Draws planned delays above the line and measured ones below it; they are symmetric if the delays are exact.
function drawHistogram({ planned, measured, lateness, early }) {
  if (planned.count === 0) {
    $('histogram').replaceChildren(element('p', { class: 'soft' }, 'No response was delayed yet.'));
    return $('figures').replaceChildren();
  }
  const [width, half, n] = [340, 74, 34];
  const ends = [planned, measured].flatMap(({ buckets }) => [milliseconds(buckets[0].upTo), milliseconds(buckets.at(-1).upTo)]);
  const low = 10 ** Math.floor(Math.log10(Math.min(...ends) * .9));
  const high = Math.max(low * 10, 10 ** Math.ceil(Math.log10(Math.max(...ends) * 1.1)));
  const [above, below] = [binned(planned, low, high, n), binned(measured, low, high, n)];
  const highest = Math.max(...above, ...below);
  const shapes = [];
  for (let index = 0; index < n; index += 1) {
    const [x, size] = [index * width / n + .75, width / n - 1.5];
    const [up, down] = [above[index] / highest * (half - 6), below[index] / highest * (half - 6)];
    if (up) shapes.push(svgElement('rect', { class: 'p', x, y: half - up, width: size, height: up }),
      ...[...Array(Math.floor(up / 5))].map((_, line) => svgElement('path', { class: 'h', d: `M${x} ${half - line * 5 - 2}l${size} -3` })));
    if (down) shapes.push(svgElement('rect', { class: 'm', x, y: half + 1, width: size, height: down }));
  }
  for (let value = low; value <= high * 1.01; value *= 10) {
    const x = Math.log(value / low) / Math.log(high / low) * width;
    shapes.push(svgElement('text', { x, y: half * 2 + 16, 'text-anchor': x < 20 ? 'start' : x > width - 20 ? 'end' : 'middle' }, durationText(value)));
  }
  const label = `${counted(planned.count, 'delay')}, planned above and measured below: half were planned at most ${durationText(milliseconds(planned.p50))} `
    + `and measured at most ${durationText(milliseconds(measured.p50))}, the longest ${durationText(milliseconds(planned.max))} and ${durationText(milliseconds(measured.max))}.`;
  $('histogram').replaceChildren(svgElement('svg', { viewBox: `0 0 ${width} ${half * 2 + 22}`, role: 'img', 'aria-label': label },
    svgElement('path', { class: 'x', d: `M0 ${half}H${width}` }), ...shapes));
  $('figures').replaceChildren(...[['delays', number.format(planned.count)], ['late (median)', durationText(milliseconds(lateness.p50))],
    ['late (p99)', durationText(milliseconds(lateness.p99))], ['late (maximum)', durationText(milliseconds(lateness.max))], ['early', number.format(early)]]
    .map(([name, value]) => element('div', {}, element('dt', { title: explanations[name] }, name), element('dd', {}, value))));
}

const readReport = coalesced(700, async () => {
  const report = await read('report?format=json');
  drawCard(report);
  drawHistogram(report.delays);
});
$('full').href = `${base}/_mock/report?format=html`;
listeners.push(readReport);
connected.push(readReport);
