// One lock's last two minutes, and the rest of its lease, on the canvas of its row.

const timeline = {
  /** The position of a time, in pixels. */
  x(time, now, width) { return (time - now + WINDOW) / (WINDOW + AHEAD) * width; },

  timeAt(x, now, width) { return x / width * (WINDOW + AHEAD) - WINDOW + now; },

  /** Does not measure the canvas itself, since that would make the browser lay out the page once for each row. */
  draw(canvas, track, now, { width, height }) {
    if (width === 0) return;
    const scale = Math.min(3, devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const pen = canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const at = time => this.x(time, now, width);
    this.drawGrid(pen, at, now, height);
    this.drawWaiters(pen, at, now, track, height);
    this.drawBusy(pen, at, track);
    this.drawHolds(pen, at, now, track);
    this.drawMarks(pen, at, now, track);
  },

  drawGrid(pen, at, now, height) {
    pen.fillStyle = colors.of('--grid');
    for (let back = 30_000; back <= WINDOW; back += 30_000) pen.fillRect(Math.round(at(now - back)), 0, 1, height);
    pen.fillStyle = colors.of('--now');
    pen.fillRect(Math.round(at(now)), 0, 1, height);
  },

  drawWaiters(pen, at, now, track, height) {
    pen.fillStyle = colors.of('--wait');
    const steps = track.waiting;
    steps.forEach(([time, waiters], i) => {
      if (waiters === 0) return;
      const from = Math.round(Math.max(0, at(i === 0 ? time - 1000 : time)));
      const to = Math.round(at(i + 1 < steps.length ? steps[i + 1][0] : now));
      const tall = Math.min(12, 1.5 + 2 * waiters);
      if (to > from) pen.fillRect(from, height - tall - 3, to - from, tall);
    });
  },

  drawBusy(pen, at, track) {
    pen.fillStyle = colors.of('--busy');
    for (const [from, to] of track.busy) {
      const left = Math.max(0, at(from));
      pen.fillRect(left, 12, at(to) - left, 4);
    }
  },

  drawHolds(pen, at, now, track) {
    for (const hold of track.holds) {
      const isOpen = hold.end === null;
      const left = Math.max(0, at(hold.start));
      const right = at(isOpen ? now : hold.end);
      if (right < 0) continue;
      const tall = hold.shared ? 3 : 14;
      const top = 7 + hold.lane * 4;
      const color = colors.of(hold.instance.color);
      pen.fillStyle = color;
      if (isOpen && track.isPresent) this.drawLease(pen, at, now, hold, top, tall);
      this.drawBar(pen, left, top, Math.max(2, right - left), tall, hold.shared);
      if (!hold.shared && right - left > 15) {
        pen.fillStyle = colors.of('--on-instance');
        pen.font = '600 10px system-ui, sans-serif';
        pen.textBaseline = 'middle';
        pen.fillText(hold.instance.letter, left + 4, top + tall / 2 + .5);
      }
    }
  },

  drawBar(pen, left, top, width, tall, shared) {
    pen.beginPath();
    pen.roundRect(left, top, width, tall, Math.min(2, width / 2));
    pen.globalAlpha = shared ? .8 : 1;
    pen.fill();
    pen.globalAlpha = 1;
  },

  drawLease(pen, at, now, hold, top, tall) {
    const ends = Math.min(hold.seen + hold.remaining, now + AHEAD);
    const from = at(now), width = at(ends) - from;
    if (width <= 0) return;
    pen.globalAlpha = .28;
    pen.fillRect(from, top, width, tall);
    pen.globalAlpha = 1;
    if (ends < now + AHEAD) pen.fillRect(from + width - 1, top, 1, tall);
  },

  drawMarks(pen, at, now, track) {
    for (const mark of track.marks) {
      const x = at(mark.time);
      if (x < 0) continue;
      pen.strokeStyle = pen.fillStyle = colors.of(isLoss(mark) ? '--bad' : mark.type === 'FORCE_RELEASED' ? '--forced' : '--ink');
      pen.lineWidth = 2;
      pen.beginPath();
      if (isLoss(mark)) {
        pen.moveTo(x - 4, 10); pen.lineTo(x + 4, 18); pen.moveTo(x + 4, 10); pen.lineTo(x - 4, 18);
        pen.stroke();
      } else if (mark.type === 'FORCE_RELEASED') {
        pen.moveTo(x - 5, 2); pen.lineTo(x + 5, 2); pen.lineTo(x, 9);
        pen.fill();
      } else {
        pen.lineWidth = 1.5;
        pen.arc(x, 4.5, 2.5, 0, 7);
        pen.stroke();
      }
    }
  },

  /** Describes what is under the pointer. */
  describe(track, time, now) {
    if (time > now) return null;
    const slack = 400;
    const holds = track.holds.filter(each => each.start - slack <= time && time <= (each.end ?? now) + slack);
    if (holds.length === 0) return null;
    const shown = holds.slice(0, 3).map(each => `${each.instance.letter} ${where(each.holder)}, from ${clock(each.start)}`
      + ` for ${timespan((each.end ?? now) - each.start)}`);
    return shown.join('\n') + (holds.length > 3 ? `\nand ${holds.length - 3} more` : '');
  },
};

function drawAxis(axis) {
  const labels = [[-120, '2 min ago'], [-60, '60 s'], [-30, '30 s'], [0, 'now'], [30, 'lease']];
  for (const [seconds, text] of labels) {
    const label = make('i', { 'aria-hidden': 'true' }, text);
    label.style.left = `${timeline.x(seconds * 1000, 0, 100)}%`;
    if (seconds === -120) label.className = 'first';
    if (seconds === 0) label.className = 'now';
    if (seconds === 30) label.className = 'last';
    axis.append(label);
  }
}
