// The jobs of this application: their last runs, who runs them now, when they run next, and buttons that pause them for all instances.

const MARKS = 20;

/** Outcomes differ in shape as well as in color. */
const OUTCOMES = {
  SUCCEEDED: ['succeeded', 'M7 2.5a4.5 4.5 0 1 0 .01 0z'],
  FAILED: ['failed', 'M3 3l8 8M11 3l-8 8'],
  LOST: ['lost', 'M7 1.5l5.5 5.5L7 12.5 1.5 7z'],
  SKIPPED: ['skipped', 'M2.5 7h9'],
  RUNNING: ['running', 'M7 2.5a4.5 4.5 0 1 0 4.5 4.5M9 2.5l2.5 1M11.5 3.5v-2.5'],
};

const outcomeOf = run => OUTCOMES[run.outcome] ?? [shortened(run.outcome, 20).toLowerCase(), 'M4 4h6v6H4z'];

const moment = ms => new Date(ms).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });

const markOf = run => svg('svg', { viewBox: '0 0 14 14', class: `mark o-${run.outcome}`, 'aria-hidden': 'true' }, svg('path', { d: outcomeOf(run)[1] }));

const attemptOf = run => run.attempt > 1 ? `, attempt ${run.attempt}` : '';

function describeRun(run) {
  const took = run.end && run.outcome !== 'SKIPPED' ? ` after ${timespan(Date.parse(run.end) - Date.parse(run.start))}` : '';
  const failure = run.failure ? `: ${shortened(run.failure, 200)}` : '';
  return `${moment(Date.parse(run.fireTime))}${attemptOf(run)}: ${outcomeOf(run)[0]}${took} on ${shortened(run.instance, 60)}${failure}`;
}

class JobList {
  /** @param now yields the time of Redis */
  constructor(path, now) {
    this.path = path;
    this.now = now;
    this.writable = document.documentElement.dataset.writable === 'true';
    this.rows = new Map();
    this.isAsking = false;
    this.problems = { list: '', pause: '' };
    byId('outcomes').append(...Object.keys(OUTCOMES).map(outcome => make('li', {}, markOf({ outcome }), OUTCOMES[outcome][0])));
  }

  async poll() {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const { jobs } = await this.ask('?scope=jobs', { signal: AbortSignal.timeout(15_000) });
      this.problems.list = '';
      this.show(jobs ?? []);
    } catch (e) {
      this.problems.list = `The jobs cannot be shown. ${e.message}`;
    }
    this.isAsking = false;
    this.showProblems();
  }

  async ask(query, options) {
    const answer = await fetch(this.path + query, { credentials: 'same-origin', cache: 'no-store', ...options, headers: { Accept: 'application/json', ...options.headers } });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(body.error ?? `The server responded with status ${answer.status}. ${answer.status === 403 ? REASONS[403] : ''}`);
    return body;
  }

  showProblems() {
    const text = Object.values(this.problems).filter(Boolean).join(' ');
    byId('jobs-problem').hidden = text === '';
    if (byId('jobs-problem').textContent !== text) byId('jobs-problem').textContent = text;
    byId('jobs').hidden = this.rows.size === 0 && text === '';
  }

  show(jobs) {
    const former = this.rows;
    this.rows = new Map();
    jobs.forEach((job, i) => {
      const id = `${job.name} ${job.method} ${jobs.slice(0, i).filter(each => each.name === job.name).length}`;
      const row = former.get(id) ?? this.makeRow();
      this.rows.set(id, row);
      this.fill(row, job);
    });
    const elements = [...this.rows.values()].map(each => each.element);
    if (elements.some((each, i) => byId('job-rows').children[i] !== each) || byId('job-rows').children.length !== elements.length) {
      byId('job-rows').replaceChildren(...elements);
    }
  }

  makeRow() {
    const cell = className => make('div', { className });
    const row = { job: null, name: cell('job-name'), runs: make('ol', { 'aria-label': 'Last runs, the latest at the end' }), state: cell('job-state'), next: cell('job-next'), shown: '' };
    row.button = make('button', { type: 'button' });
    row.button.addEventListener('click', () => this.pause(row));
    row.element = make('li', { className: 'job' }, row.name, row.runs, row.state, row.next, this.writable ? row.button : null);
    return row;
  }

  fill(row, job) {
    const [latest] = job.runs;
    if (!row.job) row.name.replaceChildren(make('b', { className: 'mono', title: shortened(job.method, 300) }, endKept(job.name)), make('small', { title: shortened(job.schedule, 300) }, shortened(job.schedule)));
    row.job = job;
    const shown = JSON.stringify(job.runs);
    if (row.shown !== shown) {
      row.shown = shown;
      row.runs.replaceChildren(...job.runs.slice(0, MARKS).reverse().map(run =>
        make('li', { title: describeRun(run) }, markOf(run), make('span', { className: 'hidden' }, describeRun(run)))));
    }
    row.state.replaceChildren(...latest ? this.stateOf(latest) : [make('span', { className: 'muted' }, 'has not run')]);
    row.next.replaceChildren(...this.nextOf(job));
    const action = job.paused ? 'Resume' : 'Pause';
    row.button.textContent = action;
    row.button.setAttribute('aria-label', `${action} job ${shortened(job.name, 80)} on all instances`);
  }

  stateOf(run) {
    const since = timespan(this.now() - Date.parse(run.end ?? run.start));
    const tone = { FAILED: 'bad', LOST: 'forced' }[run.outcome];
    const what = run.outcome === 'RUNNING' ? `running for ${since}` : `${outcomeOf(run)[0]} ${since} ago`;
    return [make('span', { className: tone, title: run.failure && shortened(run.failure, 300) }, what + attemptOf(run), run.failure ? `: ${shortened(run.failure, 120)}` : ''),
      make('small', {}, make('bdi', { title: shortened(run.instance, 200) }, shortened(run.instance, 60)))];
  }

  nextOf(job) {
    if (job.paused) return [make('b', { className: 'wait' }, 'paused')];
    if (!job.nextFireTime) return [make('small', {}, job.runs[0]?.outcome === 'RUNNING' ? 'after this run' : 'unknown')];
    const at = Date.parse(job.nextFireTime), left = at - this.now();
    return [make('span', {}, left > 0 ? `next in ${timespan(left)}` : 'due now'), make('small', {}, moment(at))];
  }

  async pause(row) {
    const { name, paused } = row.job;
    if (row.isBusy) return;
    row.isBusy = true;
    try {
      const job = await this.ask('', {
        method: 'POST', body: JSON.stringify({ job: name, paused: !paused }), headers: { 'Content-Type': 'application/json', ...crossSiteToken() } });
      this.problems.pause = '';
      for (const each of this.rows.values()) if (each.job.name === name) this.fill(each, { ...each.job, paused: job.paused });
      announce(`Job ${shortened(name, 80)} is ${job.paused ? 'paused' : 'resumed'} on all instances.`);
    } catch (e) {
      this.problems.pause = `Job ${shortened(name, 80)} was not ${paused ? 'resumed' : 'paused'}. ${e.message}`;
    }
    row.isBusy = false;
    this.showProblems();
  }
}
