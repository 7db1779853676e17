// Shared by the shop and the race.

export const at = id => document.getElementById(id);

export async function ask(path, method = 'GET') {
  const answer = await fetch(path, { method, cache: 'no-store' });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${body.title ?? ''}: ${body.detail ?? ''}`);
  return body;
}

export function cell(row, content, className = '') {
  const made = row.insertCell();
  made.className = className;
  made.append(content);
  return made;
}

export function make(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

export function say(id, text, tone = '') {
  at(id).textContent = text;
  at(id).className = tone;
}

/** Runs the action while the buttons of the page are disabled, and keeps the focus. */
export async function busy(id, action) {
  const focused = document.activeElement;
  const buttons = on => document.querySelectorAll('button').forEach(each => { each.disabled = !on; });
  buttons(false);
  try { await action(); } catch (e) { say(id, e.message, 'bad'); } finally {
    buttons(true);
    if (focused?.isConnected) focused.focus();
  }
}

/** A variable of the style sheet as it is in the current theme. */
export function color(name) {
  const probe = make('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const themes = new Set();
export const onTheme = action => themes.add(action);

function choose(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem('holdfast-theme', theme); } catch { /* not remembered */ }
  themes.forEach(each => each());
}

let remembered = 'auto';
try { remembered = localStorage.getItem('holdfast-theme') ?? 'auto'; } catch { /* not remembered */ }
for (const choice of document.querySelectorAll('[name=theme]')) {
  choice.checked = choice.value === remembered;
  choice.addEventListener('change', () => choose(choice.value));
}
choose(remembered);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => themes.forEach(each => each()));
