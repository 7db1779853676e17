// Deadlocks: the cycle as a drawing and in words.

const CHAIN = { width: 380, x: 36, text: 62, radius: 14, step: 56, most: 8 };

function showDeadlocks(section, deadlocks) {
  section.hidden = deadlocks.length === 0;
  section.replaceChildren(...deadlocks.slice(0, 5).map(drawDeadlock));
  if (deadlocks.length > 5) section.append(make('p', { className: 'bad' }, `and ${count(deadlocks.length - 5, 'more deadlock', 'more deadlocks')}`));
}

function drawDeadlock({ waits }, i) {
  const title = make('h2', {}, make('span', { 'aria-hidden': 'true' }, '⟲ '), `Deadlock of ${count(waits.length, 'thread')}`);
  const list = make('ol', {}, ...waits.map(wait => make('li', {},
    badge(instances.of(wait)), make('span', {}, make('bdi', {}, where(wait)),
      ' holds ', ...commaSeparated(wait.holds ?? []), ' and waits for ', mono(wait), make('span', { className: 'muted' }, `, ${timespan(milliseconds(wait.waitedFor))}`)))));
  const hint = make('p', { className: 'muted' }, 'Each thread waits until its waitFor expires, or until a lock in the cycle is released by force.');
  return make('article', { className: 'deadlock' }, make('div', {}, title, list, hint), drawCycle(waits, `tip-of-arrow-${i}`));
}

const mono = lock => make('code', {}, keyName(lock, key => isolated(key, 60)));

function commaSeparated(locks) {
  const shown = locks.slice(0, 4).flatMap((lock, i) => i === 0 ? [mono(lock)] : [', ', mono(lock)]);
  return locks.length > 4 ? [...shown, ` and ${locks.length - 4} more`] : shown;
}

/** A chain from each thread to the one whose lock it waits for, with the keys between them, and a line from the last one to the first. */
function drawCycle(waits, tip) {
  const shown = waits.slice(0, CHAIN.most), rest = waits.length - shown.length;
  const drawing = svg('svg', {
    viewBox: `0 0 ${CHAIN.width} ${heightOf(shown.length + (rest > 0 ? 1 : 0)) + CHAIN.step / 2 + 14}`, role: 'img',
    'aria-label': `Cycle of ${shown.map(each => each.thread).join(', ')}`, class: 'cycle',
  });
  drawing.append(svg('defs', {}, svg('marker', { id: tip, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    svg('path', { d: 'M0 0 8 4 0 8z', class: 'arrow-tip' }))));
  shown.forEach((wait, i) => {
    const isLast = i === shown.length - 1 && rest === 0;
    drawing.append(drawThread(wait, heightOf(i + 1)), ...drawArrow(wait, heightOf(i + 1), isLast, tip));
  });
  if (rest > 0) {
    const y = heightOf(shown.length + 1);
    drawing.append(svg('text', { x: CHAIN.text, y: y + 4 }, `and ${count(rest, 'more thread')}`), ...drawArrow(waits.at(-1), y, true, tip));
  }
  return drawing;
}

const heightOf = n => 22 + (n - 1) * CHAIN.step;

/** An arrow from the waiter, at a height, to the holder of the lock, below it or at the top. */
function drawArrow(wait, y, isLast, tip) {
  const { x, radius, step, text } = CHAIN, from = y + radius + 1;
  const line = isLast ? `M${x} ${from} V${y + step / 2} H8 V22 H${x - radius - 3}` : `M${x} ${from} V${y + step - radius - 3}`;
  const name = shortened(keyText(wait), 42);
  return [
    svg('path', { d: line, class: 'arrow', 'marker-end': `url(#${tip})` }),
    svg('rect', { x: text, y: y + step / 2 - 10, width: name.length * 6.7 + 12, height: 19, rx: 4, class: 'edge-back' }),
    svg('text', { x: text + 6, y: y + step / 2 + 4, class: 'edge' }, name),
  ];
}

function drawThread(wait, y) {
  const instance = instances.of(wait);
  const disc = svg('circle', { cx: CHAIN.x, cy: y, r: CHAIN.radius });
  disc.style.fill = `var(${instance.color})`;
  return svg('g', { class: 'thread' }, disc,
    svg('text', { x: CHAIN.x, y: y + 4.5, 'text-anchor': 'middle', class: 'letter' }, instance.letter),
    svg('text', { x: CHAIN.text, y: y + 4 }, shortened(wait.thread, 48)));
}
