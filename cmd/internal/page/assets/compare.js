// Two documents side by side, their differences marked word by word.

import { Failure, ask } from './api.js';
import { by, el, put } from './dom.js';
import { count, moment, place, plural, similarity } from './format.js';
import { diff } from './diff.js';

/** Compare is the dialog. step(copy, by) returns the copy beside another in the list, or undefined. */
export class Compare {
  #dialog = by('compare'); #asked = 0; #step; #copy = null; #from = null;

  constructor(step) {
    this.#step = step;
    this.#dialog.addEventListener('keydown', (e) => {
      if (e.target.matches?.('input, textarea, select')) return;
      if (e.key === 'ArrowRight' || e.key === 'j') this.#go(1);
      if (e.key === 'ArrowLeft' || e.key === 'k') this.#go(-1);
    });
    this.#dialog.addEventListener('click', (e) => {
      if (e.target === this.#dialog) this.#dialog.close(); // beside the sheet
    });
    this.#dialog.addEventListener('close', () => {
      this.#asked++;
      this.#from?.isConnected && this.#from.focus();
    });
  }

  /** copy opens a duplicate beside what it matched. */
  copy(copy) {
    this.#copy = copy;
    this.#show(copy.match, { title: 'Original', place: copy.match }, { title: 'Duplicate', place: copy.document });
  }

  /** text opens a text beside what it would match. */
  text(text, match) {
    this.#copy = null;
    this.#show(match, { title: 'Remembered', place: match }, { title: 'Your text', text });
  }

  #go(by) {
    const next = this.#copy && this.#step(this.#copy, by);
    if (next) this.copy(next);
  }

  async #show(match, left, right) {
    const asked = ++this.#asked;
    const sides = [left, right].map((side) => this.#side(side));
    const verdict = el('p', { className: 'soft' }, 'Fetching the texts …');
    put(this.#dialog, el('div', { className: 'sheet' },
      el('div', { className: 'head' },
        el('h2', { id: 'compare-title' }, `${similarity(match.similarity)} alike`, el('span', { className: 'soft' }, `, by ${match.method}`)),
        el('span', { className: 'push' }),
        this.#copy && el('button', { type: 'button', className: 'quiet', onclick: () => this.#go(-1), disabled: !this.#step(this.#copy, -1), title: 'The newer one (left arrow)' }, 'Newer'),
        this.#copy && el('button', { type: 'button', className: 'quiet', onclick: () => this.#go(1), disabled: !this.#step(this.#copy, 1), title: 'The older one (right arrow)' }, 'Older'),
        el('button', { type: 'button', className: 'quiet', onclick: () => this.#dialog.close() }, 'Close')),
      el('div', { className: 'told' }, verdict,
        el('p', { className: 'soft small' }, el('mark', { className: 'changed' }, 'another word'), ' ', el('mark', { className: 'soft-mark' }, 'other case or punctuation'), ' which the filter does not see')),
      el('div', { className: 'sides' }, sides.map((s) => s.box))));
    if (!this.#dialog.open) {
      this.#from = document.activeElement;
      this.#dialog.showModal();
    }
    const texts = await Promise.all([left, right].map((side, i) => this.#fetch(side, sides[i])));
    if (asked !== this.#asked) return;
    mark(sides, texts, verdict);
  }

  #side({ title, place: at, text }) {
    const facts = el('dl', { className: 'facts small' });
    const body = el('div', { className: 'text' }, el('span', { className: 'bone wide' }), el('span', { className: 'bone' }), el('span', { className: 'bone wide' }));
    const box = el('section', { className: 'side' }, el('h3', {}, title), facts, body);
    if (at) factsOf(facts, [['Place', place(at)], at.id && ['Id', at.id], ['Time', moment(at.time)]]);
    else factsOf(facts, [['Length', plural(text.length, 'character')]]);
    return { box, body, facts };
  }

  /** fetch returns the text of a side, or a Failure. */
  async #fetch(side, { facts }) {
    if (side.text !== undefined) return side.text;
    const at = side.place;
    try {
      const got = await patient(() => ask(`document/${encodeURIComponent(at.topic)}/${at.partition}/${at.offset}?text=1`));
      const { text } = got;
      factsOf(facts, [['Place', place(at)], at.id && ['Id', at.id], ['Time', moment(at.time)], ...remembered(got)]);
      if (text.missing) return new Failure(404, text.missing);
      if (text.rejected) return new Failure(404, `such a record is no document any more: ${text.rejected}`);
      return text.text;
    } catch (failure) {
      return failure;
    }
  }
}

/** patient asks again where too many ask at a time. */
async function patient(question) {
  for (let tries = 1; ; tries++) {
    try {
      return await question();
    } catch (failure) {
      if (failure.status !== 429 || tries === 4) throw failure;
      await new Promise((done) => setTimeout(done, 500 * tries));
    }
  }
}

/** remembered is what the index knows of a document, as rows. */
function remembered(got) {
  const rows = [];
  if (got.copies > 0) rows.push(['Copies', count(got.copies)]);
  if (got.in_window && got.leaves?.at) rows.push(['Leaves', `${moment(got.leaves.at)}, by duplicates.remember.${got.leaves.bound}`]);
  if (!got.in_window && got.verdict === 'unique') rows.push(['Window', 'left it']);
  if (got.text?.cut) rows.push(['Shown', 'the beginning only']);
  return rows;
}

function factsOf(list, rows) {
  put(list, rows.filter(Boolean).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

function mark(sides, texts, verdict) {
  const failed = texts.find((t) => typeof t !== 'string');
  if (failed) {
    put(verdict, failed.message[0].toUpperCase() + failed.message.slice(1) + '.', failed.remedy ? ' ' + failed.remedy[0].toUpperCase() + failed.remedy.slice(1) + '.' : '');
    sides.forEach((s, i) => put(s.body, typeof texts[i] === 'string' ? texts[i] : el('span', { className: 'empty' }, 'The text is not shown.')));
    return;
  }
  const d = diff(texts[0], texts[1]);
  put(sides[0].body, pieces(d.left, 'del'));
  put(sides[1].body, pieces(d.right, 'ins'));
  put(verdict, told(d));
}

/** pieces marks what differs; the space before a word is not marked. */
const pieces = (side, tag) => side.map(({ text, kind }) => {
  if (kind !== 'changed' && kind !== 'soft') return text;
  const space = text.match(/^\s*/)[0];
  const marked = kind === 'changed' ? el(tag, { className: 'changed' }, text.slice(space.length)) : el('span', { className: 'soft-mark' }, text.slice(space.length));
  return [space, marked];
});

function told(d) {
  if (d.changed === 0 && d.soft === 0) return 'Both texts are the same, word by word.';
  const parts = [];
  if (d.changed > 0) parts.push(`${count(d.changed)} of the ${count(d.words)} words of both differ`);
  if (d.soft > 0) parts.push(`${plural(d.soft, 'pair')} of words ${d.soft === 1 ? 'differs' : 'differ'} in case or punctuation alone`);
  return parts.join('; ') + '.' + (d.cut ? ' The texts are too long or too different to compare every word.' : '');
}

