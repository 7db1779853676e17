// Everything beside the table: counts, instances, who blocks whom, what was lost.

function showCounts(box, snapshot, history) {
  const tracks = [...history.tracks.values()];
  const waiters = tracks.reduce((sum, each) => sum + each.waiters, 0);
  const longest = Math.min(...tracks.map(each => each.since));
  const losses = snapshot.events.filter(each => each.type === 'LOST').length;
  const forced = snapshot.events.filter(each => each.type === 'FORCE_RELEASED').length;
  const onPage = snapshot.total > snapshot.size ? ' (this page)' : '';
  const deadlocks = snapshot.deadlocks?.length ?? 0;
  const response = milliseconds(snapshot.responseTime);
  const figures = [
    [snapshot.total === 1 ? 'lock' : 'locks', snapshot.total.toLocaleString('en')],
    [`held${onPage}`, tracks.filter(each => each.held).length.toLocaleString('en')],
    [`waiting${onPage}`, waiters.toLocaleString('en'), waiters > 0 ? 'wait' : ''],
    ['longest held', Number.isFinite(longest) ? timespan(history.last - longest) : '–'],
    [deadlocks === 1 ? 'deadlock' : 'deadlocks', deadlocks, deadlocks ? 'bad' : ''],
    ['lost here', losses, losses ? 'bad' : ''],
    ['forced here', forced, forced ? 'forced' : ''],
    ...(snapshot.responseTime ? [['response of Redis', timespan(Math.max(1, response)), response >= SLOW ? 'bad' : '']] : []),
  ];
  box.replaceChildren(...figures.map(([name, value, tone]) =>
    make('div', { className: tone || undefined }, make('dt', {}, name), make('dd', {}, String(value)))));
}

const SLOW = 250;

/** What the table does not show: slow calls, and renewals that fail, so that locks will be lost. */
function showTrouble(box, snapshot, history) {
  const late = new Map();
  for (const track of history.tracks.values()) {
    for (const hold of track.holds) {
      const isHere = hold.instance.clientId === snapshot.instance?.clientId;
      if (hold.end === null && !isHere && isOverdue(hold)) late.set(hold.instance.name, (late.get(hold.instance.name) ?? 0) + 1);
    }
  }
  if (snapshot.lateRenewals > 0) late.set(processOf(snapshot.instance), snapshot.lateRenewals);
  const response = milliseconds(snapshot.responseTime);
  const text = [
    response >= SLOW ? `Redis is slow: a call took ${timespan(response)}.` : '',
    ...[...late].slice(0, 5).map(([name, locks]) => `${name} does not renew ${count(locks, 'lock')}, and loses ${locks === 1 ? 'it' : 'them'} at the end of the lease.`),
    late.size > 0 ? 'See its log and health.' : '',
  ].filter(Boolean).join(' ');
  box.hidden = text === '';
  if (box.textContent !== text) box.textContent = text;
}

function showLegend(box, history, grid) {
  const holds = new Map();
  for (const track of history.tracks.values()) {
    for (const hold of track.holds) {
      const id = hold.instance.clientId;
      holds.set(id, (holds.get(id) ?? 0) + (hold.end === null ? 1 : 0));
    }
  }
  const listed = [...instances.known.values()].filter(each => holds.has(each.clientId));
  const signature = listed.map(each => `${each.clientId}=${holds.get(each.clientId)}`).join() + grid.instance;
  if (box.dataset.signature === signature) return;
  box.dataset.signature = signature;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.instance : null;
  box.replaceChildren(...listed.slice(0, 24).map(instance => {
    const button = make('button', { type: 'button', className: 'instance', 'aria-pressed': String(grid.instance === instance.clientId) },
      badge(instance), make('bdi', {}, instance.name), make('span', { className: 'muted' }, `${holds.get(instance.clientId)} held`));
    button.dataset.instance = instance.clientId;
    button.addEventListener('click', () => {
      grid.instance = grid.instance === instance.clientId ? null : instance.clientId;
      grid.refresh();
      showLegend(box, history, grid);
    });
    return button;
  }));
  if (focused) [...box.children].find(each => each.dataset.instance === focused)?.focus();
}

const keyOf = lock => make('code', { title: shortened(lock.key, 1000) }, keyName(lock, endKept));

function showBlocked(box, snapshot, history) {
  const waits = (snapshot.nestedWaits ?? []).toSorted((a, b) => milliseconds(b.waitedFor) - milliseconds(a.waitedFor));
  if (waits.length === 0) {
    box.replaceChildren(make('p', { className: 'muted' }, 'No thread that holds a lock is waiting for another one.'));
    return;
  }
  const stuck = new Set((snapshot.deadlocks ?? []).flatMap(each => each.waits.map(wait => `${wait.clientId}/${wait.thread}`)));
  const list = make('ul', { className: 'lines' }, ...waits.slice(0, 12).map(wait => {
    const holder = history.tracks.get(wait.id)?.lock?.holders[0];
    return make('li', { className: stuck.has(`${wait.clientId}/${wait.thread}`) ? 'bad-line' : undefined },
      make('div', {}, badge(instances.of(wait)), threadOf(wait), make('span', { className: 'n wait' }, timespan(milliseconds(wait.waitedFor)))),
      make('div', { className: 'muted' }, 'waits for ', keyOf(wait),
        holder ? make('span', { className: 'holder' }, 'of ', badge(instances.of(holder)), threadOf(holder)) : null));
  }));
  box.replaceChildren(list);
  if (waits.length > 12) box.append(make('p', { className: 'muted' }, `and ${(waits.length - 12).toLocaleString('en')} more`));
}

/** Which locks cost the most time. */
function showWaited(box, sums) {
  box.replaceChildren(sums.length === 0 ? make('p', { className: 'muted' }, 'Nobody was seen waiting.') : make('ul', { className: 'lines' },
    ...sums.slice(0, 8).map(each => make('li', {}, make('div', {}, keyOf(each.lock), make('span', { className: 'n wait' }, timespan(each.waited)))))));
}

const EVENT_NAMES = {
  LOST: ['×', 'lost', 'bad'], EXPIRED: ['×', 'lease ran out', 'bad'], FORCE_RELEASED: ['▾', 'released by force', 'forced'],
};

/** The names of other causes are shown as they are. */
const CAUSES = { EXPIRED: 'lease expired', REVOKED: 'no longer in Redis: released by force elsewhere, deleted or evicted' };

/** Long holds are shown in the table, for each holder. */
function showEvents(box, snapshot, history) {
  const scope = make('p', { className: 'muted' }, `Only what ${[...reports.values()].map(each => processOf(each.instance)).join(', ')} has seen.`
    + ' Of other instances, only leases that run out while this page is open.');
  const expired = [...history.tracks.values()].flatMap(track => track.expired.map(({ time, hold: { holder } }) =>
    ({ ...track.lock, ...holder, type: 'EXPIRED', time: new Date(time).toISOString() })));
  const events = [...snapshot.events, ...expired].filter(each => each.type in EVENT_NAMES).toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
  if (events.length === 0) {
    box.replaceChildren(make('p', { className: 'muted' }, 'No lock was lost, or released by force.'), scope);
    return;
  }
  box.replaceChildren(scope, make('ul', { className: 'lines' }, ...events.slice(0, 12).map(event => {
    const [sign, name, tone] = EVENT_NAMES[event.type];
    const cause = event.cause && event.cause !== event.type ? `, ${CAUSES[event.cause] ?? shortened(event.cause, 30).toLowerCase().replaceAll('_', ' ')}` : '';
    return make('li', {},
      make('div', {}, make('b', { className: `sign ${tone}`, 'aria-hidden': 'true' }, sign), keyOf(event),
        make('span', { className: 'n muted' }, `${timespan(history.last - Date.parse(event.time))} ago`)),
      make('div', { className: 'muted' }, `${name}${cause} · `, make('bdi', {}, [event.host, event.thread].filter(Boolean).map(each => shortened(each, 40)).join(' · '))));
  })));
}
