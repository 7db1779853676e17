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
    byId('details-body').replaceChildren(
      make('p', { className: 'muted' }, 'Last fencing token ', make('code', {}, String(lock.fencingToken))),
      make('h3', {}, holders.length === 0 ? 'Free' : 'Held by'),
      ...holders.slice(0, 50).map(each => this.party(each, [
        ['mode', each.mode.toLowerCase()], ['since', clock(Date.parse(each.since))], ['lease left', timespan(milliseconds(each.remaining))],
        ['token', String(each.fencingToken)], ['client', shortened(each.clientId, 40)]])),
      make('h3', {}, `Queue: ${count(track.waiters, 'waiter')}`),
      ...queue.slice(0, 50).map(each => this.party(each, [
        ['waiting for', this.waited(each)], ['mode', each.mode.toLowerCase()], ...(each.fair ? [['', 'fair']] : []), ...(each.reserved ? [['', 'reserved for it']] : [])])),
      queue.length < track.waiters ? make('p', { className: 'muted' }, 'More threads of these clients may be waiting behind the ones listed.') : '',
      this.releaseBar(holders));
    if (hadFocus) byId('ask')?.focus();
  }

  /** A thread that holds other locks reports its wait; for other threads, only the time when they were first seen is known. */
  waited(waiter) {
    const reported = this.waits.find(each => each.id === this.track.id && waiterId(each) === waiterId(waiter));
    return reported ? timespan(milliseconds(reported.waited)) : `${timespan(this.now() - this.track.queued.get(waiterId(waiter)))} or more`;
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
    if (isHidden(this.track.lock.key)) {
      return make('p', { className: 'muted' }, 'Keys are hidden, so this lock cannot be released from here.');
    }
    if (holders.length === 0) return '';
    const button = make('button', { type: 'button', id: 'ask', className: 'danger' }, 'Release by force …');
    button.addEventListener('click', () => this.ask());
    return make('div', { className: 'answers' }, button);
  }

  ask() {
    const { lock } = this.track, holders = lock.holders;
    byId('question-key').replaceChildren(isolated(lock.key, 300));
    const loser = holders.length === 1 ? `${where(holders[0])} loses it and is` : `${holders.length} holders lose it and are`;
    const next = this.track.waiters > 0 ? `The first of ${count(this.track.waiters, 'waiter')} acquires it.` : 'Nobody is waiting for it.';
    byId('question-text').textContent = `${loser} notified by a message. If the message is lost, two holders may believe that they`
      + ` hold the lock until the next renewal. ${next}`;
    byId('question-problem').textContent = '';
    byId('release').disabled = false;
    this.question.showModal();
    byId('keep').focus();
  }

  async release() {
    const { lock } = this.track;
    byId('release').disabled = true;
    try {
      const answer = await fetch(`${this.path}/-?exactKey=${encodeURIComponent(lock.key)}`, {
        method: 'DELETE', credentials: 'same-origin', headers: { Accept: 'application/json', ...crossSiteToken() } });
      const body = await answer.json().catch(() => ({}));
      if (!answer.ok) throw new Error(body.error ?? `The server responded with status ${answer.status}. ${answer.status === 403 ? 'You may lack permission, or the request may require a CSRF token.' : ''}`);
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

/** If Spring Security's cookie repository is used, its token is sent back. */
function crossSiteToken() {
  const token = /(?:^|;\s*)XSRF-TOKEN=([^;]+)/.exec(document.cookie)?.[1];
  return token ? { 'X-XSRF-TOKEN': decodeURIComponent(token) } : {};
}
