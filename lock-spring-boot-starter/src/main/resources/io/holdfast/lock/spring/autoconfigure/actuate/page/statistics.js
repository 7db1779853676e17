// How long locks were held and waited for: a histogram with a logarithmic scale, the median and the longest.

const BINS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, Infinity];
const BIN_LABELS = [[0, '10 ms'], [2, '0.1 s'], [4, '1 s'], [6, '10 s'], [8, '100 s']];

const LONGEST_GAP = 15_000;

/** Waits of the last two minutes. A wait that is no longer reported ended at about the time when it was last seen. */
class Waits {
  constructor() { this.seen = new Map(); }

  add(snapshot) {
    const now = Date.parse(snapshot.time);
    for (const wait of snapshot.nestedWaits ?? []) {
      const waited = milliseconds(wait.waitedFor);
      const began = Math.round((now - waited) / 1000); // the same in every sample of a wait
      const name = `${wait.clientId}/${wait.thread}/${wait.id}`;
      const known = this.seen.get(name);
      const same = known && Math.abs(known.began - began) <= 2;
      if (known && !same) this.seen.set(`${name}/${known.began}`, known);
      this.seen.set(name, { began, waited: same ? Math.max(known.waited, waited) : waited, at: now });
    }
    for (const [name, wait] of this.seen) if (wait.at < now - WINDOW) this.seen.delete(name);
  }

  get all() { return [...this.seen.values()].map(each => each.waited); }
}

/**
 * How long callers of all instances waited in the last two minutes, by the name before the first colon of the key; a hidden key has no name.
 * Between two samples, as many waited as the mean of both; a page that was not visible has no samples.
 */
function waitedByName(history) {
  const sums = new Map();
  for (const track of history.tracks.values()) {
    let sum = 0;
    track.waiting.slice(1).forEach(([to, after], i) => {
      const [from, before] = track.waiting[i];
      if (to - from < LONGEST_GAP) sum += (to - Math.max(from, history.last - WINDOW)) * (before + after) / 2;
    });
    if (sum === 0) continue;
    const { key } = track.lock;
    const name = isHidden(key) || isMasked(key) ? null : key.split(':', 1)[0];
    const id = name === null ? track.id : `name ${name}`;
    const known = sums.get(id) ?? { lock: name === null ? track.lock : { key: name }, waited: 0 };
    known.waited += sum;
    sums.set(id, known);
  }
  return [...sums.values()].sort((a, b) => b.waited - a.waited);
}

function holdTimes(history) {
  const times = [];
  for (const track of history.tracks.values()) {
    for (const hold of track.holds) times.push((hold.end ?? history.last) - hold.start);
  }
  return times;
}

function plot(figure, title, color, times) {
  const sorted = times.toSorted((a, b) => a - b);
  const isEmpty = sorted.length === 0;
  const summary = isEmpty ? 'none seen' : `median ${timespan(sorted[Math.floor(sorted.length / 2)])}, longest ${timespan(sorted.at(-1))}`;
  figure.replaceChildren(make('figcaption', {}, make('b', {}, title), ' ', make('span', { className: 'muted' }, summary),
    make('span', { className: 'hidden' }, ` of ${count(sorted.length, 'sample')}`)), isEmpty ? '' : histogram(sorted, color));
}

function histogram(times, color) {
  const bins = BINS.map(() => 0);
  for (const time of times) bins[BINS.findIndex(limit => time < limit)]++;
  const highest = Math.max(...bins);
  const drawing = svg('svg', { viewBox: '0 -5 300 71', 'aria-hidden': 'true' });
  bins.forEach((n, i) => {
    const height = n === 0 ? 1 : 2 + 36 * n / highest;
    const bar = svg('rect', { x: i * 30 + 1, y: 50 - height, width: 28, height, rx: 1.5 });
    bar.style.fill = n === 0 ? 'var(--line)' : `var(${color})`;
    drawing.append(bar);
    if (n > 0) drawing.append(svg('text', { x: i * 30 + 15, y: 46 - height, 'text-anchor': 'middle', class: 'value' }, n.toLocaleString('en')));
  });
  for (const [i, label] of BIN_LABELS) {
    drawing.append(svg('text', { x: (i + 1) * 30, y: 63, 'text-anchor': 'middle' }, label));
  }
  return drawing;
}
