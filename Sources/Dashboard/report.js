// The report card, and the histogram of planned and measured delays.

const entryButton = id => el('button', { type: 'button', 'aria-label': `Request ${id}`, onclick: () => open(id) }, `#${id}`);

function drawCard(report) {
  const { checks, exchanges } = report;
  setText($('verdict'), headline(report) + (exchanges === 0 ? '.' : `. ${count(exchanges, 'exchange')}: `
    + verdictCounts(checks).filter(([, n]) => n).map(([verdict, n]) => `${n} ${verdict}`).join(', ')));
  const wasOpen = $('checks').querySelector('details')?.open;
  const focus = document.activeElement?.closest('#checks') ? document.activeElement.textContent : null;
  $('checks').replaceChildren(...checkItems(checks, entryButton, wasOpen));
  if (focus) [...$('checks').querySelectorAll('button, summary')].find(node => node.textContent === focus)?.focus();
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

/// Draws planned delays above the line and measured ones below it; they are symmetric if the delays are exact.
function drawHistogram({ planned, measured, lateness, early }) {
  if (planned.count === 0) {
    $('histogram').replaceChildren(el('p', { class: 'soft' }, 'No response was delayed yet.'));
    return $('figures').replaceChildren();
  }
  const [width, half, n] = [340, 74, 34];
  const ends = [planned, measured].flatMap(({ buckets }) => [milliseconds(buckets[0].upTo), milliseconds(buckets.at(-1).upTo)]);
  const low = 10 ** Math.floor(Math.log10(Math.min(...ends) * .9));
  const high = Math.max(low * 10, 10 ** Math.ceil(Math.log10(Math.max(...ends) * 1.1)));
  const [above, below] = [binned(planned, low, high, n), binned(measured, low, high, n)];
  const most = Math.max(...above, ...below);
  const shapes = [];
  for (let index = 0; index < n; index += 1) {
    const [x, size] = [index * width / n + .75, width / n - 1.5];
    const [up, down] = [above[index] / most * (half - 6), below[index] / most * (half - 6)];
    if (up) shapes.push(svg('rect', { class: 'p', x, y: half - up, width: size, height: up }),
      ...[...Array(Math.floor(up / 5))].map((_, line) => svg('path', { class: 'h', d: `M${x} ${half - line * 5 - 2}l${size} -3` })));
    if (down) shapes.push(svg('rect', { class: 'm', x, y: half + 1, width: size, height: down }));
  }
  for (let value = low; value <= high * 1.01; value *= 10) {
    const x = Math.log(value / low) / Math.log(high / low) * width;
    shapes.push(svg('text', { x, y: half * 2 + 16, 'text-anchor': x < 20 ? 'start' : x > width - 20 ? 'end' : 'middle' }, words(value)));
  }
  const label = `${count(planned.count, 'delay')}, planned above and measured below: half were planned at most ${words(milliseconds(planned.p50))} `
    + `and measured at most ${words(milliseconds(measured.p50))}, the longest ${words(milliseconds(planned.max))} and ${words(milliseconds(measured.max))}.`;
  $('histogram').replaceChildren(svg('svg', { viewBox: `0 0 ${width} ${half * 2 + 22}`, role: 'img', 'aria-label': label },
    svg('path', { class: 'x', d: `M0 ${half}H${width}` }), ...shapes));
  $('figures').replaceChildren(...[['delays', number.format(planned.count)], ['late (median)', words(milliseconds(lateness.p50))],
    ['late (p99)', words(milliseconds(lateness.p99))], ['late (maximum)', words(milliseconds(lateness.max))], ['early', number.format(early)]]
    .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

const readReport = lazily(700, async () => {
  const report = await read('report?format=json');
  drawCard(report);
  drawHistogram(report.delays);
});
$('full').href = `${base}/_mock/report?format=html`;
listeners.push(readReport);
connected.push(readReport);
