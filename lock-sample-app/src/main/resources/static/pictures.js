// The stock, and who sold when, as canvases.

import { color } from './common.js';

function pen(canvas) {
  const scale = Math.min(3, devicePixelRatio || 1), width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const made = canvas.getContext('2d');
  made.setTransform(scale, 0, 0, scale, 0, 0);
  return { draw: made, width, height };
}

/** Each cell stands for one item, or for several of a large stock; the worst one is shown. */
export function drawStock(canvas, items, sales, tone) {
  const { draw, width, height } = pen(canvas);
  const cells = Math.min(items, 4000), each = items / cells;
  const size = Math.max(3, Math.min(26, Math.floor(Math.sqrt(width * height / cells))));
  let side = size;
  while (side > 2 && Math.ceil(cells / Math.floor(width / side)) * side > height) side--;
  const columns = Math.max(1, Math.floor(width / side));
  const sold = new Map();
  for (const sale of sales) {
    if (sale.refused) continue;
    const known = sold.get(sale.item);
    if (known) known.times++; else sold.set(sale.item, { times: 1, instance: sale.instance });
  }
  const worst = new Array(cells).fill(null);
  let once = 0, more = 0;
  for (const [item, sale] of sold) {
    if (sale.times > 1) more++; else once++;
    const i = Math.min(cells - 1, Math.floor((items - item) / each));
    if (!worst[i] || worst[i].times < sale.times) worst[i] = sale;
  }
  const tones = new Map(), gap = side > 5 ? 1 : .5;
  const toneOf = instance => { if (!tones.has(instance)) tones.set(instance, color(tone(instance))); return tones.get(instance); };
  const bad = color('--bad'), empty = color('--empty');
  worst.forEach((sale, i) => {
    const x = i % columns * side, y = Math.floor(i / columns) * side;
    draw.fillStyle = sale === null ? empty : sale.times > 1 ? bad : toneOf(sale.instance);
    draw.globalAlpha = sale && sale.times > 1 ? Math.min(1, .55 + .12 * (sale.times - 1)) : 1;
    draw.fillRect(x, y, side - gap, side - gap);
  });
  return { once, more };
}

/** A lane for each instance; the line follows the sales. */
export function drawRibbon(canvas, sales, names, tone) {
  const { draw, width, height } = pen(canvas);
  const wide = 5, latest = sales.slice(-Math.floor(width / wide));
  const lanes = Math.max(2, names.length), lane = name => (names.indexOf(name) + .5) * height / lanes;
  const tall = Math.min(14, height / lanes - 8);
  let changes = 0;
  sales.forEach((sale, i) => { if (i > 0 && sales[i - 1].instance !== sale.instance) changes++; });
  draw.strokeStyle = color('--line');
  draw.lineWidth = 1.5;
  draw.beginPath();
  latest.forEach((sale, i) => draw[i === 0 ? 'moveTo' : 'lineTo'](i * wide + wide / 2, lane(sale.instance)));
  draw.stroke();
  const bad = color('--bad'), tones = new Map(names.map(name => [name, color(tone(name))]));
  const seen = new Set(sales.slice(0, sales.length - latest.length).filter(each => !each.refused).map(each => each.item));
  latest.forEach((sale, i) => {
    const x = i * wide, y = lane(sale.instance) - tall / 2;
    if (sale.refused) {
      draw.strokeStyle = bad;
      draw.lineWidth = 2;
      draw.strokeRect(x, y - 3, wide - 1, tall + 6);
      return;
    }
    draw.fillStyle = seen.has(sale.item) ? bad : tones.get(sale.instance) ?? bad;
    seen.add(sale.item);
    draw.fillRect(x, y, wide - 1, tall);
  });
  return { shown: latest.length, changes };
}
