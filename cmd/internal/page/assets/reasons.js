// Documents that were rejected, or went on unchecked: why, how many, and the last ones.

import { ask } from './api.js';
import { by, el, put } from './dom.js';
import { count, moment, place } from './format.js';
import { sentenceOf } from './health.js';

let asked = 0;

/** show draws the panel, where there is anything to show. The list stands still while somebody uses it. */
export function show({ rejected, unchecked }) {
  const into = by('reasons');
  const kinds = [['rejected', rejected], ['unchecked', unchecked]].flatMap(([kind, of]) => Object.entries(of).map(([name, r]) => ({ kind, name, ...r })));
  const key = JSON.stringify(kinds);
  into.hidden = kinds.length === 0;
  if (into.dataset.shown === key || into.matches(':hover') || into.contains(document.activeElement)) return;
  into.dataset.shown = key;
  const told = into.querySelector('.found') ?? el('div', { className: 'found' });
  put(into,
    el('div', { className: 'head' }, el('h2', { id: 'reasons-title' }, 'Rejected and unchecked'), el('p', { className: 'soft small' }, 'since the start')),
    el('ul', { className: 'why-not' }, kinds.map((r) => el('li', {},
      el('div', { className: 'names' }, el('h3', {}, r.name), el('span', { className: 'chip' }, r.kind), el('span', { className: 'push' }), el('span', {}, count(r.count))),
      el('p', { className: 'soft small' }, sentenceOf(r.remedy)),
      el('p', { className: 'small' }, 'The last: ', r.last.map((at, i) => [i > 0 && ', ', link(at, `${place(at)}: ${r.kind}, ${r.name}`, told)]))))),
    told);
}

function link(at, title, told) {
  const path = `document/${encodeURIComponent(at.topic)}/${at.partition}/${at.offset}`;
  const onclick = (event) => {
    event.preventDefault(); // an address sends no token
    open(path, title, at, told);
  };
  return el('a', { href: 'api/v1/' + path, title: moment(at.time), onclick }, place(at));
}

/** open shows a document with its value, where texts may be shown. */
async function open(path, title, at, told) {
  const now = ++asked;
  let text = '';
  try {
    const { missing, raw } = (await ask(path + '?text=1')).text;
    text = missing ?? raw;
  } catch (failure) {
    text = `${sentenceOf(failure.message)} ${sentenceOf(failure.remedy)}`.trim();
  }
  if (now !== asked) return;
  put(told, el('h3', {}, title), el('p', { className: 'soft small' }, moment(at.time)),
    el('div', { className: 'text', role: 'region', 'aria-label': title, tabIndex: 0 }, text));
}
