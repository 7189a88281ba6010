// What is remembered, held against its bounds.

import { by, el, put, say, tell } from './dom.js';
import { DASH, bytes, count, span, percent, plural, rate } from './format.js';
import { windowOf } from './model.js';

const written = { span, bytes, count };

/** show draws the window. uniquePerSecond may be null. */
export function show(status, uniquePerSecond) {
  const into = by('window');
  const { bounds, bites, kept } = windowOf(status.window, uniquePerSecond);
  if (into.dataset.bounds !== String(bounds.length)) frame(into, bounds);
  const age = bounds.find((b) => b.key === 'duplicates.remember.age');
  say(into.querySelector('.headline'), status.window.documents === 0 ? 'Remembers nothing yet' : `Remembers ${span(status.window.age_s)}${age ? ' of ' + span(age.bound) : ''}`);
  bounds.forEach((b, i) => {
    const row = into.querySelectorAll('.bound')[i];
    const meter = row.querySelector('.meter');
    row.dataset.bites = String(b === bites);
    say(row.querySelector('.of'), `${written[b.kind](b.now)} of ${written[b.kind](b.bound)}`);
    say(row.querySelector('.chip'), b === bites ? 'full: it decides' : percent(b.share));
    meter.setAttribute('aria-valuenow', (b.share * 100).toFixed(1));
    meter.setAttribute('aria-valuetext', `${percent(b.share)} of ${b.key}`);
    meter.firstElementChild.style.setProperty('--share', String(b.share));
  });
  say(into.querySelector('.why'), why(status, bites, kept, age));
  tell(into.querySelector('.facts'), files(status.window, status.rate));
}

/** files are the facts on old documents in files, where the member has a directory for them. now is the rate of the last minute. */
function files({ documents, memory_bytes: memory, files: f }, now) {
  if (!f) return [];
  const reads = now?.file_reads_per_s ?? 0, late = now?.late_reads_per_s ?? 0;
  return [
    ['In memory', plural(Math.max(0, documents - f.documents), 'document'), bytes(memory)],
    ['In files', plural(f.documents, 'document'), bytes(f.bytes)],
    ['Reads of files', now ? rate(reads) + ' a second' : DASH, ''],
    ['Late, so judging waited', late > 0 ? percent(late / reads) + ' of the reads' : now ? 'none' : DASH, ''],
  ];
}

function frame(into, bounds) {
  into.dataset.bounds = String(bounds.length);
  put(into,
    el('div', { className: 'head' }, el('h2', { id: 'window-title' }, 'Window')),
    el('p', { className: 'headline' }),
    el('ul', { className: 'bounds' }, bounds.map((b) => el('li', { className: 'bound' },
      el('p', { className: 'names' }, el('span', {}, b.name), el('span', { className: 'of' }), el('span', { className: 'chip' })),
      el('div', { className: 'meter', role: 'meter', 'aria-label': b.name, 'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': '0' }, el('span', {}))))),
    el('p', { className: 'soft small why' }),
    el('dl', { className: 'facts' }));
}

function why(status, bites, kept, age) {
  if (status.window.documents === 0) return 'A copy is found while its original is remembered.';
  if (bites && bites.key !== 'duplicates.remember.age') {
    return `${bites.key} is full, so documents leave after ${span(status.window.age_s)}${age ? ', long before duplicates.remember.age' : ''}. Copies that come later pass as unique: raise ${bites.key} to find them.`;
  }
  if (bites) return `Documents leave after ${span(age.bound)}, as duplicates.remember.age says, and there is room for all of them.`;
  if (kept && kept.key !== 'duplicates.remember.age') return `No bound is reached yet. At this rate ${kept.key} will be full first, and hold ${span(kept.seconds)}.`;
  if (kept) return `No bound is reached yet. At this rate all of ${span(kept.seconds)} fit.`;
  return 'No bound is reached yet: nothing has had to leave.';
}
