// Is it well? A sentence, five figures, and what needs a look.

import { by, el, put, say } from './dom.js';
import { clock, count, latency, percent, rate, span, plural } from './format.js';
import { windowOf } from './model.js';

const RUNBOOK = 'https://github.com/unecho/unecho/blob/main/deploy/docs/runbook.md';

/** show says how the member stands. It returns the state: ok, look (at warnings), starts (not ready, and not for long) or bad. */
export function show(status) {
  const now = status.rate;
  const firm = status.warnings.filter((w) => !w.pending);
  const state = !status.ready ? (firm.length > 0 ? 'bad' : 'starts') : firm.length > 0 ? 'look' : 'ok';
  by('hero').dataset.state = state;
  say(by('sentence'), sentence(status, now, firm, state));
  say(by('more'), more(status));
  figures(status, now ?? {});
  list(status);
  return state;
}

function sentence(status, now, warnings, state) {
  if (!status.ready) return 'Not ready: ' + (status.why ?? 'it says not why') + '.';
  const work = working(status, now);
  if (state === 'look') return `Needs a look: ${warnings.length === 1 ? 'one thing' : warnings.length + ' things'}. ${work[0].toUpperCase()}${work.slice(1)}.`;
  return `Healthy: ${work}.`;
}

function working(status, now) {
  const behind = status.lag.seconds;
  const lag = status.lag.documents;
  const late = behind > 0.05 ? span(behind) + ' behind' : lag > 0 ? plural(lag, 'document') + ' behind' : 'nothing behind';
  if (now === null) return late;
  if (now.documents_per_s === 0) return `no documents at the moment, ${late}`;
  return `${rate(now.documents_per_s)} documents a second, ${percent(now.duplicate_share)} duplicates, ${late}`;
}

function more(status) {
  const d = status.documents;
  const all = d.unique + d.duplicate + d.rejected + (d.unchecked ?? 0);
  return `This member has committed ${plural(all, 'document')} since it started: ${count(d.unique)} unique, ${plural(d.duplicate, 'duplicate')}, ${count(d.rejected)} rejected${d.unchecked ? `, ${count(d.unchecked)} unchecked` : ''}.${d.by_bytes ? ` Of ${count(d.by_bytes)}, more than 5 % is not UTF-8 or cannot be read: they are compared by their bytes.` : ''}`;
}

function figures(status, minute) {
  const over = minute.over_s ? 'of the last ' + span(Math.round(minute.over_s)) : 'not known yet';
  const window = windowOf(status.window, minute.unique_per_s);
  const behind = status.lag.seconds;
  const rows = [
    ['Documents a second', rate(minute.documents_per_s), over],
    ['Duplicates', percent(minute.duplicate_share), over],
    ['Behind', behind === null ? count(status.lag.documents) : span(behind), behind === null ? 'documents' : plural(status.lag.documents, 'document')],
    ['Latency (median)', latency(minute.median_s), minute.slowest_s ? 'slowest 1 %: ' + latency(minute.slowest_s) : 'from timestamp to commit'],
    ['Remembers', span(status.window.age_s), status.window.age_bound_s > 0 ? 'of ' + span(status.window.age_bound_s) : plural(status.window.documents, 'document')],
  ];
  if (window.bites && window.bites.key !== 'duplicates.remember.age') rows[4][2] += ', ' + window.bites.key + ' is full';
  const into = by('figures');
  if (into.children.length !== rows.length) {
    put(into, rows.map(([name]) => el('div', {}, el('dt', {}, name), el('dd', {}, el('span', { className: 'big' }), el('span', { className: 'soft small' })))));
  }
  rows.forEach(([, value, note], i) => {
    const [big, small] = into.children[i].querySelectorAll('dd > span');
    say(big, value);
    say(small, note);
  });
}

function list({ warnings }) {
  by('warnings').hidden = warnings.length === 0;
  by('warnings').dataset.calm = String(warnings.every((w) => w.pending));
  const into = by('warnings-list');
  const key = JSON.stringify(warnings);
  if (into.dataset.shown === key) return; // a reader may stand on one of its links
  into.dataset.shown = key;
  put(into, warnings.map((w) => el('li', {},
    el('p', { className: 'what' }, sentenceOf(w.text), ' ', w.pending && el('span', { className: 'chip' }, 'not for long yet')),
    w.remedy && el('p', {}, sentenceOf(w.remedy)),
    el('p', { className: 'small soft' }, w.since && `since ${clock(w.since)} `, w.runbook && el('a', { href: runbook(w.runbook), rel: 'noreferrer', target: '_blank' }, 'The runbook on ' + w.code)))));
}

/** sentenceOf writes a text of the API as a sentence; what is empty stays so. */
export const sentenceOf = (text) => text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

/** runbook is the address of a section; what is told is an anchor, with or without the page. */
function runbook(anchor) {
  const at = anchor.indexOf('#');
  return RUNBOOK + '#' + encodeURIComponent(at < 0 ? anchor : anchor.slice(at + 1));
}
