// The table of locks. Only the rows in view exist, however many locks there are.

const SORTS = {
  trouble: (a, b) => weight(b) - weight(a) || byKey(a, b),
  held: (a, b) => a.since - b.since || byKey(a, b),
  key: (a, b) => byKey(a, b),
};
const LONG = 60_000;
const order = new Intl.Collator('en', { numeric: true });

const byKey = (a, b) => order.compare(a.lock.key, b.lock.key) || (a.id < b.id ? -1 : 1);

/** In steps, so that rows do not change places with every sample. */
function weight(track) {
  if (track.isDeadlocked) return 9;
  const crowd = track.waiters === 0 ? 0 : track.waiters < 5 ? 2 : 3;
  return crowd * 2 + (track.held ? 1 : 0);
}

class Grid {
  constructor(history, open) {
    this.history = history;
    this.open = open;
    this.box = byId('grid');
    this.body = byId('rows');
    this.pool = [];
    this.tracks = [];
    this.active = -1;
    this.activeId = null;
    this.instance = null;
    this.box.addEventListener('scroll', () => this.place(), { passive: true });
    this.box.addEventListener('keydown', event => this.key(event));
    this.box.addEventListener('focus', () => { if (this.active < 0) this.move(this.firstInView()); });
    new ResizeObserver(() => { this.measure(); this.place(true); }).observe(this.box);
    this.measure();
    for (const control of ['search', 'contended', 'sort']) byId(control).addEventListener('input', () => this.refresh());
    this.tip();
  }

  measure() {
    this.rowHeight = parseFloat(getComputedStyle(this.box).getPropertyValue('--row'));
    this.headHeight = this.box.firstElementChild.offsetHeight;
    this.line = null;
  }

  /** The size of all canvases, which changes only with that of the table. */
  lineSize() {
    if (!this.line) {
      const { clientWidth: width, clientHeight: height } = this.pool.find(each => each.track).canvas;
      if (width > 0) this.line = { width, height };
    }
    return this.line ?? { width: 0, height: 0 };
  }

  /** Called after a sample, or when the filter has changed. */
  refresh() {
    const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const contended = byId('contended').checked;
    this.tracks = [...this.history.tracks.values()].filter(track =>
      (!contended || track.waiters > 0)
      && (!this.instance || track.holds.some(hold => hold.instance.clientId === this.instance && hold.end === null))
      && words.every(word => track.text.includes(word)));
    this.tracks.sort(SORTS[byId('sort').value]);
    this.active = this.activeId === null ? -1 : this.tracks.findIndex(each => each.id === this.activeId);
    this.box.setAttribute('aria-rowcount', this.tracks.length + 1);
    this.body.style.setProperty('--rows', this.tracks.length);
    const all = this.history.tracks.size;
    byId('shown').textContent = this.tracks.length === all ? '' : `${this.tracks.length} of ${all}`;
    byId('empty').hidden = this.tracks.length > 0;
    byId('empty').textContent = all === 0 ? 'No lock is held or waited for.' : 'No lock matches the filter.';
    this.place(true);
  }

  place(isNew = false) {
    const rows = Math.ceil(this.box.clientHeight / this.rowHeight) + 2;
    while (this.pool.length < rows) this.pool.push(this.makeRow(this.pool.length));
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.rowHeight) - 1);
    const size = this.pool.length, drawn = [];
    this.pool.forEach((row, slot) => {
      const index = first + (slot - first % size + size) % size;
      const track = this.tracks[index];
      row.element.hidden = !track;
      if (!track) { row.track = null; return; }
      const changed = row.track !== track;
      if (row.index !== index) {
        row.index = index;
        row.element.style.setProperty('--index', index);
        row.element.setAttribute('aria-rowindex', index + 2);
      }
      row.track = track;
      if (!changed && !isNew) return;
      this.fill(row);
      drawn.push(row);
    });
    this.draw(drawn);
    this.mark();
  }

  makeRow(slot) {
    const cell = className => make('span', { role: 'gridcell', className });
    const row = {
      track: null, index: -1,
      key: cell('key-cell'), holder: cell('holder-cell'), held: cell('n held-cell'), waiting: cell('n waiting-cell'), line: cell('line-cell'),
      canvas: make('canvas', { 'aria-hidden': 'true' }), lineText: make('span', { className: 'hidden' }),
    };
    row.line.append(row.canvas, row.lineText);
    row.element = make('div', { role: 'row', id: `row-${slot}`, className: 'row' }, row.key, row.holder, row.held, row.waiting, row.line);
    row.element.addEventListener('click', () => { this.move(row.index); this.open(row.track); });
    this.body.append(row.element);
    return row;
  }

  fill(row) {
    const { track } = row, { lock } = track, holders = track.isPresent ? lock.holders : [];
    row.element.classList.toggle('deadlocked', track.isDeadlocked);
    row.element.classList.toggle('gone', !track.held);
    row.key.replaceChildren(keyName(lock, endKept));
    row.key.title = shortened(lock.key, 1000);
    if (holders.length === 0) {
      row.holder.replaceChildren(make('span', { className: 'muted' }, 'free'));
    } else {
      const rest = holders.length > 1 ? `\u00a0and ${holders.length - 1} more` : '';
      row.holder.replaceChildren(badge(instances.of(holders[0])), threadOf(holders[0]), rest);
    }
    row.holder.title = holders.slice(0, 8).map(where).join('\n');
    const held = track.held ? this.history.last - track.since : 0;
    row.held.textContent = track.held ? timespan(held) : '';
    row.held.classList.toggle('long', held > LONG);
    row.waiting.replaceChildren(track.waiters > 0 ? make('b', {}, String(track.waiters)) : '');
    if (track.waiters > 0) row.waiting.append(make('span', { className: 'hidden' }, ' waiting'));
    const grants = track.holds.length;
    row.lineText.textContent = `${count(grants, 'hold')} seen${track.busy.length > 0 ? ', often changed hands' : ''}`;
  }

  now() { return this.history.last; }

  /** Called a few times a second: the lines move, the texts stay. */
  draw(rows = this.pool.filter(each => each.track)) {
    const now = this.now();
    for (const row of rows) timeline.draw(row.canvas, row.track, now, this.lineSize());
  }

  firstInView() { return Math.floor(this.box.scrollTop / this.rowHeight); }

  key(event) {
    const page = Math.max(1, Math.floor((this.box.clientHeight - this.headHeight) / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.move(Math.max(0, this.active) + steps[event.key]);
    } else if ((event.key === 'Enter' || event.key === ' ') && this.tracks[this.active]) {
      event.preventDefault();
      this.open(this.tracks[this.active]);
    }
  }

  move(to) {
    if (this.tracks.length === 0) return;
    this.active = Math.min(this.tracks.length - 1, Math.max(0, to));
    this.activeId = this.tracks[this.active].id;
    const top = this.active * this.rowHeight, room = this.box.clientHeight - this.headHeight - this.rowHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top > this.box.scrollTop + room) this.box.scrollTop = top - room;
    this.place();
  }

  mark() {
    let active = null;
    for (const row of this.pool) {
      const isActive = row.track !== null && row.index === this.active;
      row.element.classList.toggle('active', isActive);
      if (isActive) active = row.element.id;
    }
    if (active) this.box.setAttribute('aria-activedescendant', active); else this.box.removeAttribute('aria-activedescendant');
  }

  tip() {
    const tip = byId('tip');
    const hide = () => { tip.hidden = true; };
    this.box.addEventListener('pointermove', event => {
      const row = this.pool.find(each => each.line.contains(event.target));
      if (!row?.track || event.pointerType === 'touch') return hide();
      const box = row.canvas.getBoundingClientRect(), now = this.now();
      const text = timeline.describe(row.track, timeline.timeAt(event.clientX - box.left, now, box.width), now);
      tip.hidden = text === null;
      tip.textContent = text ?? '';
      tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${box.bottom + 4}px`;
    });
    this.box.addEventListener('pointerleave', hide);
    this.box.addEventListener('scroll', hide, { passive: true });
  }
}
