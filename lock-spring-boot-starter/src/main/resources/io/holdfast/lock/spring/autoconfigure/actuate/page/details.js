// One lock in full, and its forced release, which must be confirmed.

class Details {
  constructor(path, poll, now) {
    this.path = path;
    this.poll = poll;
    this.now = now;
    this.waits = [];
    this.writable = document.documentElement.dataset.writable === 'true';
    this.dialog = byId('details');
    this.question = byId('question');
    this.track = null;
    for (const button of this.dialog.querySelectorAll('.close')) button.addEventListener('click', () => this.dialog.close());
    for (const each of [this.dialog, this.question]) each.addEventListener('click', event => { if (event.target === each) each.close(); });
    byId('keep').addEventListener('click', () => this.question.close());
    byId('release').addEventListener('click', () => this.release());
  }

  open(track) {
    this.track = track;
    byId('details-title').replaceChildren(keyName(track.lock));
    this.refresh();
    this.dialog.showModal();
    this.dialog.querySelector('.close').focus();
  }

  /** @param waits the waits of threads that hold other locks, as last reported */
  refresh(waits = this.waits) {
    this.waits = waits;
    if (!this.track || this.dialog.open && this.dialog.contains(getSelection()?.anchorNode) && !getSelection().isCollapsed) return;
    const { track } = this, { lock } = track;
    const holders = track.isPresent ? lock.holders : [], queue = track.isPresent ? lock.queue ?? [] : [];
    const hadFocus = document.activeElement?.id === 'ask';
    if (this.question.open) this.describeRelease();
    byId('details-body').replaceChildren(
      make('p', { className: 'muted' }, 'Last fencing token ', make('code', {}, String(lock.lastFencingToken))),
      make('h3', {}, holders.length === 0 ? 'Free' : 'Held by'),
      ...holders.slice(0, 50).map(each => this.party(each, [
        ['mode', each.mode.toLowerCase()], ['since', clock(Date.parse(each.since))], [each.keptByMinHold ? 'released, kept by minHold for' : 'lease left', timespan(milliseconds(each.remaining))],
        ['token', String(each.fencingToken)], ['client', shortened(each.clientId, 40)], ...(each.traceId ? [['trace', each.traceId]] : [])])),
      make('h3', {}, `Queue: ${count(track.waiters, 'waiter')}${track.waiters > 0 && lock.longestWait ? `, longest wait ${timespan(milliseconds(lock.longestWait))}` : ''}`),
      ...queue.slice(0, 50).map(each => this.party(each, [
        ['waiting for', this.waited(each)], ['mode', each.mode.toLowerCase()], ...(each.fair ? [['', 'fair']] : []), ...(each.reserved ? [['', 'reserved for it']] : [])])),
      queue.length < track.waiters ? make('p', { className: 'muted' }, 'Not listed: threads that wait behind a holder or waiter of their own process.') : '',
      this.releaseBar(holders));
    if (hadFocus) byId('ask')?.focus();
  }

  /** A thread that holds other locks reports its wait; for other threads, only the time when they were first seen is known. */
  waited(waiter) {
    const reported = this.waits.find(each => each.id === this.track.id && waiterId(each) === waiterId(waiter));
    return reported ? timespan(milliseconds(reported.waitedFor)) : `${timespan(this.now() - this.track.queued.get(waiterId(waiter)))} or more`;
  }

  party(party, facts) {
    return make('div', { className: 'party' }, badge(instances.of(party)), make('div', {}, make('bdi', {}, where(party)),
      make('dl', {}, ...facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))))));
  }

  releaseBar(holders) {
    if (!this.writable) {
      return make('p', { className: 'muted' }, 'Read-only: forced releases require ',
        make('code', {}, 'management.endpoint.locks.access=unrestricted'), '.');
    }
    if (isHidden(this.track.lock.key) || isMasked(this.track.lock.key)) {
      return make('p', { className: 'muted' }, `Keys are ${isHidden(this.track.lock.key) ? 'hidden' : 'masked'}, so this lock cannot be released from here.`);
    }
    if (holders.length === 0) return '';
    const button = make('button', { type: 'button', id: 'ask', className: 'danger' }, 'Release by force …');
    button.addEventListener('click', () => this.ask());
    return make('div', { className: 'answers' }, button);
  }

  ask() {
    byId('question-problem').textContent = '';
    byId('release').disabled = false;
    byId('question-key').replaceChildren(isolated(this.track.lock.key, Infinity));
    this.describeRelease();
    this.question.showModal();
    byId('keep').focus();
  }

  /** Who loses the lock may change while the question is open. */
  describeRelease() {
    const { lock, isPresent } = this.track, holders = isPresent ? lock.holders : [];
    const escapes = signsOf(lock.key, Infinity).filter(isEscape).length;
    const about = escapes > 0 ? `This key has ${count(escapes, 'invisible character')}, shown as ${escapes === 1 ? 'an escape' : 'escapes'}. ` : '';
    const loser = holders.length === 1 ? `${where(holders[0])} loses it and is` : `${holders.length} holders lose it and are`;
    const next = this.track.waiters > 0 ? `The first of ${count(this.track.waiters, 'waiter')} acquires it.` : 'Nobody is waiting for it.';
    byId('question-text').textContent = about + (holders.length === 0 ? 'Nobody holds this lock any more.'
      : `${loser} notified by a message. If the message is lost, two holders may believe that they hold the lock until the next renewal. ${next}`);
  }

  async release() {
    const { lock } = this.track;
    byId('release').disabled = true;
    try {
      const answer = await fetch(`${this.path}/-?exactKey=${encodeURIComponent(lock.key)}`, {
        method: 'DELETE', credentials: 'same-origin', headers: { Accept: 'application/json', ...crossSiteToken() } });
      const body = await answer.json().catch(() => ({}));
      if (!answer.ok) throw new Error(body.error ?? `The server responded with status ${answer.status}. ${REASONS[answer.status] ?? ''}`);
      if (body.released.length === 0) throw new Error('Nobody held the lock any more, so nothing was released.');
      this.question.close();
      this.dialog.close();
      announcer.keepQuiet(); // the loss that this causes is not news
      announce(`${keyText(lock)} was released by force: ${count(body.released.length, 'former holder')}.`);
      this.poll();
    } catch (e) {
      byId('question-problem').textContent = e.message;
      byId('release').disabled = false;
    }
  }
}

const TOO_LONG = 'The key may be too long for the address of a request: release the lock in code.';
const REASONS = { 403: 'You may lack permission, or the request may require a CSRF token.', 400: TOO_LONG, 413: TOO_LONG, 414: TOO_LONG, 431: TOO_LONG };

/** If Spring Security's cookie repository is used, its token is sent back. */
function crossSiteToken() {
  const token = /(?:^|;\s*)XSRF-TOKEN=([^;]+)/.exec(document.cookie)?.[1];
  return token ? { 'X-XSRF-TOKEN': decodeURIComponent(token) } : {};
}
