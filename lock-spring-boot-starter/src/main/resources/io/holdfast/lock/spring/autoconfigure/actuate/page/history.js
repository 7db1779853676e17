// The history of each lock in the last two minutes, from one sample to the next.

const WINDOW = 120_000;
const AHEAD = 30_000;

const waiterId = each => `${each.clientId}/${each.thread}`;

class Track {
  constructor(id) {
    this.id = id;
    this.holds = [];    // as created by begin(); end is null while the lock is held
    this.waiting = [];  // [time, waiters]
    this.busy = [];     // [from, to]: held at both samples, by different grants
    this.marks = [];    // events of this lock
    this.expired = [];  // leases that ran out
    this.lock = null;   // as in the last sample that contained it
    this.isPresent = false;
    this.isDeadlocked = false;
    this.heldSince = Infinity;
    this.words = null;
    this.queued = new Map(); // by client and thread: when each waiter was first seen
  }

  get held() { return this.isPresent && this.lock.holders.length > 0; }
  get waiters() { return this.isPresent ? this.lock.waiters : 0; }
  get since() { return this.held ? this.heldSince : Infinity; }

  /** The text that the filter searches, created when it is needed. */
  get text() {
    return this.words ??= [this.lock.key, ...this.lock.holders.concat(this.lock.queue ?? []).map(where)]
      .join('\n').toLowerCase();
  }

  see(lock, now, before) {
    const name = holder => `${holder.clientId}/${holder.fencingToken}/${holder.thread}`;
    const known = new Map(this.holds.filter(each => each.end === null).map(each => [each.name, each]));
    const present = new Map(lock.holders.map(each => [name(each), each]));
    const gone = [...known.values()].filter(each => !present.has(each.name));
    for (const hold of gone) this.end(hold, now);
    const fresh = [];
    for (const [each, holder] of present) {
      let hold = known.get(each);
      if (!hold) fresh.push(hold = this.begin(each, holder, now));
      this.lease(hold, holder, now);
    }
    const successor = Math.min(now, ...fresh.filter(each => !each.shared).map(each => each.start));
    for (const hold of gone) hold.end = Math.max(hold.end, successor);
    if (gone.length > 0 && fresh.length > 0 && before) this.changedHands(before, now);
    this.waiting.push([now, lock.waiters]);
    this.queued = new Map((lock.queue ?? []).map(each => [waiterId(each), this.queued.get(waiterId(each)) ?? now]));
    this.lock = lock;
    this.isPresent = true;
    this.heldSince = Math.min(...lock.holders.map(each => Date.parse(each.since)));
    this.words = null;
  }

  begin(name, holder, now) {
    const shared = holder.mode === 'SHARED';
    const start = Math.min(now, Date.parse(holder.since) || now);
    const hold = { name, holder, instance: instances.of(holder), shared, lane: shared ? this.freeLane() : 0, start, end: null };
    this.holds.push(hold);
    return hold;
  }

  /** What is left of the lease shrinks until a renewal restores it. */
  lease(hold, holder, now) {
    const remaining = milliseconds(holder.remaining);
    hold.isRenewed ||= hold.seen !== undefined && remaining - hold.remaining > hold.seen - now + 1000;
    hold.isKept = holder.keptByMinHold === true;
    hold.most = Math.max(hold.most ?? 0, remaining);
    hold.seen = now;
    hold.remaining = remaining;
  }

  end(hold, now) {
    hold.end = hold.seen;
    const end = hold.seen + hold.remaining;
    if (isOverdue(hold) && end <= now) this.expired.push({ type: 'EXPIRED', time: end, hold });
  }

  /** Shared holds are drawn in four lanes, and stay in theirs. */
  freeLane() {
    const used = [0, 0, 0, 0];
    for (const hold of this.holds) if (hold.end === null) used[hold.lane]++;
    return used.indexOf(Math.min(...used));
  }

  changedHands(from, to) {
    const last = this.busy.at(-1);
    if (last && last[1] >= from) last[1] = to; else this.busy.push([from, to]);
  }

  missed(now) {
    for (const hold of this.holds) if (hold.end === null) this.end(hold, now);
    this.waiting.push([now, 0]);
    this.queued.clear();
    this.isPresent = false;
    this.isDeadlocked = false;
  }

  forget(limit) {
    this.holds = this.holds.filter(each => each.end === null || each.end > limit);
    this.busy = this.busy.filter(each => each[1] > limit);
    this.expired = this.expired.filter(each => each.time > limit);
    while (this.waiting.length > 1 && this.waiting[1][0] < limit) this.waiting.shift();
    return !this.isPresent && this.holds.length === 0;
  }
}

/**
 * Leases are renewed when a third has passed. This holder has renewed its lease, but not any more; one that has a fixed lease, or
 * keeps a released lock for its minHold, never does.
 */
const isOverdue = hold => hold.isRenewed && !hold.isKept && hold.remaining < hold.most / 2;

const isLoss = event => event.type === 'LOST' || event.type === 'EXPIRED';

/** A forced release and the loss that it causes are one event. */
function withoutForcedLosses(events) {
  const grant = each => `${each.id}/${each.fencingToken}`;
  const forced = new Set(events.filter(each => each.type === 'FORCE_RELEASED' && each.fencingToken).map(grant));
  return events.filter(each => each.type !== 'LOST' || !forced.has(grant(each)));
}

/** What each instance that has responded last said of its own events. */
const reports = new Map();

/**
 * Ids of locks differ from instance to instance, and behind a load balancer each sample may come from a different one. A key that
 * is shown is the same everywhere, so it is the better id.
 */
function withStableIds(snapshot) {
  const waits = [...snapshot.nestedWaits ?? [], ...(snapshot.deadlocks ?? []).flatMap(each => each.waits)];
  for (const each of [...snapshot.locks, ...snapshot.events ?? [], ...waits, ...waits.flatMap(wait => wait.holds ?? [])]) {
    if (!isHidden(each.key)) each.id = `key ${each.key}`;
  }
  reports.set(snapshot.instance?.clientId, { instance: snapshot.instance ?? {}, events: snapshot.events ?? [] });
  if (reports.size > 50) reports.delete(reports.keys().next().value);
  snapshot.events = withoutForcedLosses([...reports.values()].flatMap(each => each.events));
  return snapshot;
}

class LockHistory {
  constructor() {
    this.tracks = new Map();
    this.last = 0;      // time of the last sample, by the server's clock
    this.page = null;
  }

  add(snapshot) {
    const now = Date.parse(snapshot.time);
    if (this.page !== snapshot.page) this.tracks.clear();
    this.page = snapshot.page;
    if (now <= this.last && this.tracks.size > 0) return;
    const present = new Set();
    for (const lock of snapshot.locks) {
      present.add(lock.id);
      let track = this.tracks.get(lock.id);
      if (!track) this.tracks.set(lock.id, track = new Track(lock.id));
      track.see(lock, now, this.last);
    }
    const stuck = new Set((snapshot.deadlocks ?? []).flatMap(each => each.waits.map(wait => wait.id)));
    const events = new Map();
    for (const event of snapshot.events ?? []) {
      if (!events.has(event.id)) events.set(event.id, []);
      events.get(event.id).push({ type: event.type, time: Date.parse(event.time) });
    }
    for (const [id, track] of this.tracks) {
      if (!present.has(id)) track.missed(now);
      track.isDeadlocked = stuck.has(id);
      track.expired = track.expired.filter(each => !snapshot.events.some(event =>
        event.type === 'LOST' && event.id === id && event.fencingToken === each.hold.holder.fencingToken));
      track.marks = [...events.get(id) ?? [], ...track.expired];
      if (track.forget(now - WINDOW)) this.tracks.delete(id);
    }
    this.last = now;
  }
}
