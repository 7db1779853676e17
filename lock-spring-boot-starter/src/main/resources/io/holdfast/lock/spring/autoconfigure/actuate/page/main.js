// Requests a sample every two seconds while the page is visible, and shows it.

const INTERVAL = 2000;
const FRAME = 250;
const path = location.pathname.replace(/\/+$/, '');
const stillness = matchMedia('(prefers-reduced-motion: reduce)');
const lockHistory = new LockHistory();
const waits = new Waits();
const announcer = new Announcer();
const details = new Details(path, () => poll(), () => lockHistory.last);
const jobs = new JobList(path, () => Math.max(lockHistory.last, 0) + (performance.now() - view.sampledAt));
const grid = new Grid(lockHistory, track => details.open(track));
const view = { page: 0, isPaused: false, failures: 0, timer: 0, request: null, sampledAt: 0 };

/** Between two samples, the time of Redis is that of the last one plus the time that has passed here. */
grid.now = () => stillness.matches || view.isPaused
  ? lockHistory.last
  : lockHistory.last + Math.min(performance.now() - view.sampledAt, 3 * INTERVAL);

async function poll() {
  clearTimeout(view.timer);
  view.request?.abort();
  const request = view.request = new AbortController();
  try {
    const answer = await fetch(`${path}?scope=all&page=${view.page}&size=1000`, {
      headers: { Accept: 'application/json' }, credentials: 'same-origin', cache: 'no-store',
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(15_000)]) });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(body.error ?? `The server responded with status ${answer.status}.`);
    if (!Array.isArray(body.locks)) throw new Error('The server did not respond with a list of locks.');
    view.failures = 0;
    show(withStableIds(body));
    jobs.poll();
  } catch (e) {
    if (request.signal.aborted) return;
    fail(e);
  }
  again(view.failures === 0 ? INTERVAL : Math.min(10_000, INTERVAL * 2 ** (view.failures - 1)));
}

function again(delay) {
  clearTimeout(view.timer);
  if (!view.isPaused && !document.hidden) view.timer = setTimeout(poll, delay);
}

function fail(e) {
  view.failures++;
  setState('failed', 'No response');
  byId('problem').hidden = false;
  const shown = lockHistory.last > 0 ? ` The data shown is from ${clock(lockHistory.last)}.` : '';
  byId('problem').textContent = `${e.name === 'TypeError' ? 'The server cannot be reached.' : e.message} Trying again.${shown}`;
}

function show(snapshot) {
  const isNewPage = lockHistory.page !== null && lockHistory.page !== snapshot.page;
  lockHistory.add(snapshot);
  waits.add(snapshot);
  view.sampledAt = performance.now();
  if (isNewPage) byId('grid').scrollTop = 0;
  byId('problem').hidden = true;
  byId('incomplete').hidden = snapshot.complete !== false;
  byId('incomplete').textContent = 'Not all locks are shown: the scan of Redis did not reach all of them.';
  byId('unreadable').hidden = !(snapshot.unreadable > 0);
  byId('unreadable').textContent = `${count(snapshot.unreadable ?? 0, 'lock')} could not be read, because something else has written there. The log names them.`;
  byId('instance').textContent = `seen from ${processOf(snapshot.instance ?? {})}`;
  showDeadlocks(byId('deadlocks'), snapshot.deadlocks ?? []);
  showTrouble(byId('trouble'), snapshot, lockHistory);
  showCounts(byId('counts'), snapshot, lockHistory);
  grid.refresh();
  showLegend(byId('legend'), lockHistory, grid);
  showBlocked(byId('blocked'), snapshot, lockHistory);
  showWaited(byId('waited'), waitedByName(lockHistory));
  showEvents(byId('events'), snapshot, lockHistory);
  plot(byId('holds'), 'Held', '--hold', holdTimes(lockHistory));
  plot(byId('waits'), 'Waited', '--wait', waits.all);
  showPages(snapshot);
  details.refresh(snapshot.nestedWaits ?? []);
  const deadlocks = snapshot.deadlocks?.length ?? 0;
  document.title = deadlocks > 0 ? `(${deadlocks}) Deadlock – Locks` : 'Locks';
  announcer.add(snapshot);
  setState('live', 'Live');
}

function showPages(snapshot) {
  const { total, page, size } = snapshot;
  byId('pages').hidden = total <= size && page === 0;
  byId('range').textContent = `${(page * size + 1).toLocaleString('en')}–${Math.min(total, (page + 1) * size).toLocaleString('en')} of ${total.toLocaleString('en')}`;
  byId('previous').disabled = page === 0;
  byId('next').disabled = (page + 1) * size >= total;
}

function setState(state, text) {
  if (view.isPaused) [state, text] = ['paused', 'Paused'];
  byId('state').dataset.state = state;
  byId('state').textContent = text;
  document.body.classList.toggle('stale', state === 'failed');
  announcer.became(state);
}

function pause() {
  view.isPaused = !view.isPaused;
  byId('pause').setAttribute('aria-pressed', view.isPaused);
  byId('pause').textContent = view.isPaused ? 'Resume' : 'Pause';
  if (view.isPaused) { clearTimeout(view.timer); view.request?.abort(); setState('paused', 'Paused'); } else { poll(); }
}

function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  colors.forget();
  try { localStorage.setItem('holdfast-theme', theme); } catch { /* not remembered */ }
  grid.draw();
}

function rememberedTheme() {
  try { return localStorage.getItem('holdfast-theme') ?? 'auto'; } catch { return 'auto'; }
}

for (const choice of document.querySelectorAll('[name=theme]')) {
  choice.checked = choice.value === rememberedTheme();
  choice.addEventListener('change', () => chooseTheme(choice.value));
}
chooseTheme(rememberedTheme());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { colors.forget(); grid.draw(); });
drawAxis(byId('axis'));
byId('pause').addEventListener('click', pause);
byId('previous').addEventListener('click', () => { view.page--; poll(); });
byId('next').addEventListener('click', () => { view.page++; poll(); });
document.addEventListener('visibilitychange', () => {
  if (document.hidden) { clearTimeout(view.timer); view.request?.abort(); } else if (!view.isPaused) poll();
});
document.addEventListener('keydown', event => {
  if (event.key === '/' && !/INPUT|SELECT/.test(event.target.tagName) && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    byId('search').focus();
  }
});
setInterval(() => {
  if (!document.hidden && !stillness.matches && !view.isPaused && view.failures === 0) requestAnimationFrame(() => grid.draw());
}, FRAME);
poll();
