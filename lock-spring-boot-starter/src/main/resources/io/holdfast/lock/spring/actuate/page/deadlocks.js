// Deadlocks: the cycle drawn, and the same in words.

const CIRCLE = { width: 380, x: 190, rx: 122 };

function showDeadlocks(section, deadlocks) {
  section.hidden = deadlocks.length === 0;
  section.replaceChildren(...deadlocks.slice(0, 5).map(drawDeadlock));
  if (deadlocks.length > 5) section.append(make('p', { className: 'bad' }, `and ${count(deadlocks.length - 5, 'more deadlock', 'more deadlocks')}`));
}

function drawDeadlock(deadlock) {
  const { waits } = deadlock;
  const title = make('h2', {}, make('span', { 'aria-hidden': 'true' }, '⟲ '), `Deadlock of ${count(waits.length, 'thread')}`);
  const list = make('ol', {}, ...waits.map(wait => make('li', {},
    badge(instances.of(wait)), make('span', {}, make('bdi', {}, where(wait)),
      ' holds ', ...commaSeparated(wait.holds ?? []), ' and waits for ', mono(wait), make('span', { className: 'muted' }, `, ${timespan(milliseconds(wait.waited))}`)))));
  const hint = make('p', { className: 'muted' }, 'Each of them waits until its waitFor expires, or a lock of the cycle is released by force.');
  return make('article', { className: 'deadlock' }, make('div', {}, title, list, hint), drawCircle(waits));
}

const mono = lock => make('code', {}, keyName(lock, 60));

function commaSeparated(locks) {
  const shown = locks.slice(0, 4).flatMap((lock, i) => i === 0 ? [mono(lock)] : [', ', mono(lock)]);
  return locks.length > 4 ? [...shown, ` and ${locks.length - 4} more`] : shown;
}

function drawCircle(waits) {
  const shown = waits.slice(0, 8);
  const isPair = shown.length === 2, ry = isPair ? 0 : 62, middle = isPair ? 58 : 102;
  const places = shown.map((_, i) => {
    const angle = Math.PI * (isPair ? 1 : 1.5) + 2 * Math.PI * i / shown.length;
    return { x: CIRCLE.x + CIRCLE.rx * Math.cos(angle), y: middle + ry * Math.sin(angle) };
  });
  const drawing = svg('svg', {
    viewBox: `0 0 ${CIRCLE.width} ${middle * 2 + 6}`, role: 'img',
    'aria-label': `Cycle of ${shown.map(each => each.thread).join(', ')}`, class: 'circle',
  });
  drawing.append(svg('defs', {}, svg('marker', { id: 'tip-of-arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    svg('path', { d: 'M0 0 8 4 0 8z', class: 'arrow-tip' }))));
  shown.forEach((wait, i) => drawing.append(...drawArrow(wait, places[i], places[holderOf(wait, shown, i)])));
  shown.forEach((wait, i) => drawing.append(drawThread(wait, places[i])));
  return drawing;
}

function holderOf(wait, waits, i) {
  const found = waits.findIndex(each => (each.holds ?? []).some(held => held.id === wait.id));
  return found < 0 ? (i + 1) % waits.length : found;
}

/** An arc, bent away from the middle, from who waits to who holds the lock, with the key on it. */
function drawArrow(wait, from, to) {
  const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1;
  const bend = Math.min(56, length / 4);
  const middle = { x: (from.x + to.x) / 2 + dy / length * bend, y: (from.y + to.y) / 2 - dx / length * bend };
  const start = towards(from, middle, 30), end = towards(to, middle, 32);
  const label = { x: (start.x + end.x) / 4 + middle.x / 2, y: (start.y + end.y) / 4 + middle.y / 2 };
  const name = keyText(wait);
  const text = svg('text', { x: label.x, y: label.y + 4, 'text-anchor': 'middle', class: 'edge' }, shortened(name, 22));
  const width = Math.min(name.length, 22) * 6.7 + 12;
  return [
    svg('path', { d: `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`, class: 'arrow', 'marker-end': 'url(#tip-of-arrow)' }),
    svg('rect', { x: label.x - width / 2, y: label.y - 10, width, height: 19, rx: 4, class: 'edge-back' }),
    text,
  ];
}

function towards(from, to, distance) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + (to.x - from.x) * distance / length, y: from.y + (to.y - from.y) * distance / length };
}

function drawThread(wait, place) {
  const instance = instances.of(wait);
  const isOnTop = place.y < 50;
  const disc = svg('circle', { cx: place.x, cy: place.y, r: 18 });
  disc.style.fill = `var(${instance.color})`;
  return svg('g', { class: 'thread' }, disc,
    svg('text', { x: place.x, y: place.y + 5, 'text-anchor': 'middle', class: 'letter' }, instance.letter),
    svg('text', { x: place.x, y: place.y + (isOnTop ? -24 : 33), 'text-anchor': 'middle' }, shortened(wait.thread, 24)));
}
