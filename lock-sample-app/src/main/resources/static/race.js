// Races: started here or by another instance, watched while they run.

import { ask, at, busy, cell, make, onTheme, say } from './common.js';
import { drawRibbon, drawStock } from './pictures.js';

const LABELS = [...document.querySelectorAll('.results th')].map(each => each.textContent);
const LIVE = 150;
const IDLE = 2000;
const shown = { race: null, sales: [], names: [] }; // always of one race, and of one moment
let watching = null; // the id of the race that is to be shown, while it may still change

const letter = name => String.fromCharCode(65 + Math.max(0, shown.names.indexOf(name)));
const tone = name => `--i${Math.max(0, shown.names.indexOf(name)) % 4}`;
const title = race => race.locked ? race.pause ? 'with the lock, and a pause' : 'with the lock' : 'without the lock';

function badge(name) {
  const made = make('b', 'badge', letter(name));
  made.setAttribute('aria-hidden', 'true');
  made.style.setProperty('--tone', `var(${tone(name)})`);
  return made;
}

/**
 * A later call takes over. However long a response takes, or a timer in the background, nothing is shown before all of the data
 * has arrived, so that figures of two races, or of two moments, are never shown side by side.
 */
async function watch(id) {
  watching = id;
  let sales = [];
  try {
    while (watching === id) {
      const race = await ask(`races/${id}`);
      if (race.state === 'DONE') sales = []; // all again, since sales may have appeared out of order
      await fetchSales(id, sales);
      if (watching !== id) return;
      show(race, sales);
      if (race.state === 'DONE') return;
      await new Promise(done => setTimeout(done, LIVE));
    }
  } finally { if (watching === id) watching = null; }
}

async function fetchSales(id, sales) {
  for (;;) {
    const more = await ask(`races/${id}/sales?after=${sales.at(-1)?.id ?? 0}`);
    if (more.length === 0) return;
    sales.push(...more);
  }
}

function show(race, sales) {
  Object.assign(shown, { race, sales: [...sales], names: race.instances.map(each => each.instance) });
  at('arena').hidden = false;
  const sold = new Map(), refused = new Map();
  const times = new Map();
  const again = new Map();
  for (const sale of shown.sales) {
    const figures = sale.refused ? refused : sold;
    figures.set(sale.instance, (figures.get(sale.instance) ?? 0) + 1);
    if (sale.refused) continue;
    const before = times.get(sale.item) ?? 0;
    times.set(sale.item, before + 1);
    if (before > 0) again.set(sale.instance, (again.get(sale.instance) ?? 0) + 1);
  }
  at('runners').replaceChildren(...race.instances.map(each => runner(race, each,
    { sold: sold.get(each.instance) ?? 0, again: again.get(each.instance) ?? 0, refused: refused.get(each.instance) ?? 0 })));
  draw();
  showRefused(shown.sales.filter(each => each.refused));
}

/** Sales are counted, as in the pictures; the race itself was requested a moment earlier. */
function runner(race, each, { sold, again, refused }) {
  const box = make('div', 'runner', make('div', 'name', badge(each.instance), each.instance),
    make('b', 'sold', sold.toLocaleString('en')), make('p', '', 'sold',
      ...(again > 0 ? [', ', make('span', 'bad', `${again.toLocaleString('en')} already sold`)] : [])));
  if (race.locked && race.state === 'DONE') box.append(make('p', '', `waited ${each.meanWaitMillis} ms on average`));
  if (refused > 0) box.append(make('p', 'bad', `${refused} late ${refused === 1 ? 'write' : 'writes'} refused`));
  if (each.state === 'GONE') box.append(make('p', '', 'no response since'));
  box.style.setProperty('--tone', `var(${tone(each.instance)})`);
  return box;
}

function draw() {
  if (!shown.race) return;
  const stock = drawStock(at('stock'), shown.race.items, shown.sales, tone);
  at('stock').setAttribute('aria-label', `${stock.once} items sold once, ${stock.more} sold more than once, ${shown.race.items - stock.once - stock.more} not sold`);
  const ribbon = drawRibbon(at('ribbon'), shown.sales, shown.names, tone);
  at('ribbon-title').textContent = shown.race.locked ? 'The lock changes hands' : 'Nobody waits for anybody';
  at('ribbon-text').textContent = shown.sales.length === 0 ? '' : `the latest ${ribbon.shown} sales; the instance changed ${ribbon.changes.toLocaleString('en')} times in all`;
}

function showRefused(refused) {
  at('refused').hidden = refused.length === 0;
  if (refused.length === 0) return;
  const lines = refused.map(sale => {
    const newer = shown.sales.filter(each => !each.refused && each.id < sale.id).at(-1);
    return make('li', '', badge(sale.instance), ` ${sale.instance} paused with item ${sale.item}. Its lease expired, and others sold. Its write, with token `,
      make('code', '', String(sale.fencingToken)), ', was refused', newer ? ': the stock had ' : '.', ...(newer ? [make('code', '', String(newer.fencingToken)), '.'] : []));
  });
  at('refused').replaceChildren(make('b', '', 'The token refuses a late write'), make('ul', '', ...lines));
}

function list(races) {
  at('races').replaceChildren();
  for (const race of races.filter(each => each.state === 'DONE')) {
    const row = at('races').insertRow();
    cell(row, title(race));
    cell(row, race.instances.length, 'n');
    cell(row, race.items, 'n');
    cell(row, race.sold, 'n');
    cell(row, race.oversold, `n ${race.oversold ? 'bad' : 'good'}`);
    cell(row, race.refused || (race.pause ? 0 : '–'), 'n');
    cell(row, race.locked ? `${race.meanWaitMillis} ms` : '–', 'n');
    cell(row, race.locked ? `${race.maxWaitMillis} ms` : '–', 'n');
    cell(row, `${(race.durationMillis / 1000).toFixed(1)} s`, 'n');
    row.role = 'row';
    [...row.cells].forEach((each, i) => { each.role = 'cell'; each.dataset.label = LABELS[i]; });
  }
}

let idling = 0, isStarting = false;

async function start(settings) {
  isStarting = true;
  try { await run(settings); } finally { isStarting = false; }
}

async function run(settings) {
  say('race-status', 'Calling the instances …');
  const query = new URLSearchParams({ items: at('items').value, locked: settings.locked, pause: settings.pause ?? false });
  const before = (await ask('races'))[0]?.id ?? 0;
  let isOver = false;
  const race = ask(`races?${query}`, 'POST').finally(() => { isOver = true; });
  while (!isOver) {
    const latest = (await ask('races'))[0];
    if (latest && latest.id > before) {
      say('race-status', `Racing ${title(latest)} …`);
      await watch(latest.id);
      break;
    }
    await new Promise(done => setTimeout(done, LIVE));
  }
  const result = await race;
  if (shown.race?.id !== result.id || shown.race.state !== 'DONE') await watch(result.id);
  list(await ask('races'));
  if (result.oversold > 0) say('race-status', `${result.oversold.toLocaleString('en')} items were sold that were not in stock.`, 'bad');
  else say('race-status', result.sold === result.items ? 'Every item was sold exactly once.' : 'Nothing was oversold.', 'good');
}

async function idle() {
  clearTimeout(idling);
  try {
    if (!document.hidden && watching === null && !isStarting) {
      const [races, instances] = await Promise.all([ask('races'), ask('races/instances')]);
      if (isStarting) return;
      at('running').textContent = instances.length > 1
        ? `${instances.length} instances are running.`
        : 'One instance is running: start another one on this machine to see instances race.';
      const isNew = races[0] && (shown.race?.id !== races[0].id || shown.race.state !== 'DONE');
      if (isNew) {
        say('race-status', ''); // it was about an earlier race
        await watch(races[0].id);
      }
      if (watching === null && !isStarting) list(isNew ? await ask('races') : races);
    }
  } catch { /* the next attempt may work */ } finally {
    clearTimeout(idling);
    idling = setTimeout(idle, IDLE);
  }
}

for (const button of document.querySelectorAll('[data-locked]')) {
  button.addEventListener('click', () => busy('race-status', () => start(button.dataset)));
}
onTheme(draw);
new ResizeObserver(draw).observe(at('stock'));
document.addEventListener('visibilitychange', () => { if (!document.hidden) idle(); });
idle();
