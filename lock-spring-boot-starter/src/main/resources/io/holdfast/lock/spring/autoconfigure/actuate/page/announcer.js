// Announces what matters to screen readers, and nothing twice: deadlocks, losses, and whether the data is up to date.

function announce(text) { byId('announcer').textContent = text; }

class Announcer {
  constructor() {
    this.deadlocks = 0;
    this.newest = null;
    this.state = 'live';
    this.quietUntil = 0;
    this.losses = 0;
  }

  add(snapshot) {
    const news = [];
    const deadlocks = snapshot.deadlocks?.length ?? 0;
    if (deadlocks !== this.deadlocks) news.push(deadlocks === 0 ? 'No more deadlocks.' : `${count(deadlocks, 'deadlock')}.`);
    this.deadlocks = deadlocks;
    const losses = (snapshot.events ?? []).filter(each => each.type === 'LOST').map(each => Date.parse(each.time));
    if (this.newest !== null) this.losses += losses.filter(time => time > this.newest).length;
    this.newest = Math.max(this.newest ?? 0, ...losses);
    if (this.losses > 0 && performance.now() >= this.quietUntil) {
      news.push(`${count(this.losses, 'lock was', 'locks were')} lost.`);
      this.losses = 0;
      this.keepQuiet();
    }
    if (news.length > 0) announce(news.join(' '));
  }

  /** Losses are announced together, at most every ten seconds. */
  keepQuiet() { this.quietUntil = performance.now() + 10_000; }

  became(state) {
    if (state === 'failed' && this.state !== 'failed') announce('No data: the server is not responding.');
    if (state === 'live' && this.state === 'failed') announce('The data is up to date again.');
    this.state = state;
  }
}
