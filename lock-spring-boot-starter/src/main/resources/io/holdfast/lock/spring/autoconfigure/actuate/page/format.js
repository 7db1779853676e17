// Small helpers: elements, times, colors. All text reaches the document as text, never as markup.

const byId = id => document.getElementById(id);

/** An element with attributes or properties, and children. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (name in made && name !== 'list') made[name] = value; else made.setAttribute(name, value);
  }
  made.append(...children.filter(each => each !== null && each !== undefined));
  return made;
}

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const isEscape = sign => sign.length > 2;

/**
 * What is shown for each character. Keys may be long, or contain characters that are invisible or change the direction of text: these
 * are escaped, as in the logs. Long texts are cut in the middle, since keys mostly differ at their ends.
 */
function signsOf(text, most) {
  const signs = [...String(text ?? '')].map(each => INVISIBLE.test(each) ? `\\u${each.codePointAt(0).toString(16).padStart(4, '0')}` : each);
  const end = Math.floor(most / 2);
  return signs.length <= most ? signs : [...signs.slice(0, most - 1 - end), '…', ...signs.slice(-end)];
}

const shortened = (text, most = 160) => signsOf(text, most).join('');

/** Escapes are marked, since another text may consist of the same letters. */
function marked(signs) {
  const nodes = [];
  for (const each of signs) {
    if (isEscape(each)) nodes.push(make('span', { className: 'escape' }, each), '');
    else nodes.push((nodes.pop() ?? '') + each);
  }
  return nodes;
}

const isolated = (text, most = 160) => make('bdi', {}, ...marked(signsOf(text, most)));

const END = 14;

/** Text that the style sheet cuts before its last characters, if there is no room for all of it. */
function endKept(text) {
  const signs = signsOf(text, 160);
  if (signs.join('').length <= END + 4) return make('bdi', {}, ...marked(signs));
  let end = signs.length;
  for (let length = 0; end > 0 && (length += signs[end - 1].length) <= END;) end--;
  return make('bdi', { className: 'end-kept' }, make('span', {}, ...marked(signs.slice(0, end))), make('span', {}, ...marked(signs.slice(end))));
}

/** An ISO-8601 duration of Java in milliseconds. */
function milliseconds(duration) {
  const parts = /^(-?)P(?:([\d.]+)D)?T?(?:(-?[\d.]+)H)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)S)?$/.exec(duration ?? '');
  if (!parts) return 0;
  const [, sign, days, hours, minutes, seconds] = parts;
  const sum = ((+(days || 0) * 24 + +(hours || 0)) * 60 + +(minutes || 0)) * 60000 + +(seconds || 0) * 1000;
  return sign ? -sum : sum;
}

/** About two significant figures: 840 ms, 2.4 s, 48 s, 3 min 20 s, 2 h 05 min. */
function timespan(ms) {
  const value = Math.max(0, ms);
  if (value < 1) return '0 s';
  if (value < 995) return `${Math.round(value)} ms`;
  if (value < 9950) return `${(value / 1000).toFixed(1)} s`;
  const seconds = Math.round(value / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.round(minutes / 1440)} days`;
}

const count = (n, one, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

const clock = ms => new Date(ms).toLocaleTimeString('en-GB');

const isHidden = key => key === '******';

const isMasked = key => /^sha256:[0-9a-f]{16}$/.test(key);

/** Hidden keys are distinguished by the lock's id. */
function keyName(lock, shown = isolated) {
  if (!isHidden(lock.key)) return shown(lock.key);
  return make('span', {}, '****** ', make('small', { className: 'muted' }, String(lock.id ?? '').slice(0, 8)));
}

const keyText = lock => isHidden(lock.key) ? `hidden key ${String(lock.id ?? '').slice(0, 8)}` : shortened(lock.key, 80);

/** The values of the style sheet's variables in the current theme, for canvases. */
const colors = {
  known: new Map(),
  of(name) {
    if (!this.known.has(name)) {
      const probe = make('i', { hidden: true });
      probe.style.color = `var(${name})`;
      document.body.append(probe);
      this.known.set(name, getComputedStyle(probe).color);
      probe.remove();
    }
    return this.known.get(name);
  },
  forget() { this.known.clear(); },
};

/** Instances get a letter and a color in the order in which they appear, and keep both. */
const instances = {
  known: new Map(),
  of(holder) {
    let found = this.known.get(holder.clientId);
    if (!found) {
      const n = this.known.size;
      const letter = String.fromCharCode(65 + n % 26) + (n < 26 ? '' : Math.floor(n / 26));
      found = { clientId: holder.clientId, letter, color: `--i${n % 8}`, name: processOf(holder) };
      this.known.set(holder.clientId, found);
    }
    return found;
  },
};

/** The letter of an instance in its color, as on the bars. */
function badge(instance) {
  const made = make('b', { className: 'badge', 'aria-hidden': 'true' }, instance.letter);
  made.style.background = `var(${instance.color})`;
  return made;
}

/** A colon would make the process look like a port. */
const processOf = party => `${shortened(party.host, 40)} (pid ${party.pid ?? '?'})`;

/** A thread, after the process of its instance if there is room for it. */
const threadOf = party => make('span', { className: 'caller', title: where(party) },
  make('span', { className: 'host' }, `${processOf(party)} · `), endKept(party.thread));

const where = party => `${processOf(party)} · ${shortened(party.thread, 60)}`;
