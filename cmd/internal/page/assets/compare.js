// Two documents side by side, their differences marked word by word.

import { Failure, textOf } from './api.js';
import { by, el, put, say } from './dom.js';
import { count, moment, pair, place, plural, similarity } from './format.js';
import { diff, words } from './diff.js';
import { write } from './hash.js';
import * as labels from './labels.js';

const FOLDED = 40; // equal words from which on their middle is folded
const ENDS = 10; // of them, those that are shown at each end

const button = (text, onclick, props) => el('button', { type: 'button', className: 'quiet', onclick, ...props }, text);

/** Compare is the dialog. step(copy, by) returns the copy beside another in the list, or undefined. */
export class Compare {
  #dialog = by('compare'); #asked = 0; #step; #copy = null; #from = null; #next; #places = 0; #at = -1;

  constructor(step) {
    this.#step = step;
    this.#dialog.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      ({ ArrowRight: () => this.#go(1), j: () => this.#go(1), ArrowLeft: () => this.#go(-1), k: () => this.#go(-1), n: () => this.#jump(1), p: () => this.#jump(-1) })[e.key]?.();
    });
    this.#dialog.addEventListener('click', (e) => {
      if (e.target === this.#dialog) this.#dialog.close(); // beside the sheet
    });
    this.#dialog.addEventListener('close', () => {
      this.#asked++;
      write({ pair: '' });
      this.#from?.isConnected && this.#from.focus();
    });
  }

  /** copy opens a duplicate beside what it matched. Of a link only their places may be known. */
  copy(copy) {
    this.#copy = copy;
    write({ pair: pair(copy) });
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

  /** jump goes to another place where the texts differ. */
  #jump(by) {
    if (this.#places === 0) return;
    this.#at = (Math.max(this.#at, by < 0 ? 0 : -1) + by + this.#places) % this.#places;
    for (const e of this.#dialog.querySelectorAll('.changed')) e.classList.toggle('here', e.dataset.at === String(this.#at));
    this.#dialog.querySelector('.here').scrollIntoView({ block: 'center' });
    say(this.#next, `${count(this.#at + 1)} of ${count(this.#places)}`);
  }

  async #show(match, left, right) {
    const asked = ++this.#asked;
    const copy = this.#copy;
    const sides = [left, right].map((side) => this.#side(side));
    const title = el('h2', { id: 'compare-title' }, heading(match));
    const verdict = el('p', { className: 'soft' }, 'Fetching the texts …');
    const judge = el('div', { className: 'row judge' });
    this.#places = 0;
    this.#at = -1;
    this.#next = button('', () => this.#jump(1), { hidden: true, title: 'The next difference (n), the one before (p)' });
    put(this.#dialog, el('div', { className: 'sheet' },
      el('div', { className: 'head' }, title, el('span', { className: 'push' }), this.#next,
        copy && button('Newer', () => this.#go(-1), { disabled: !this.#step(copy, -1), title: 'The newer one (left arrow)' }),
        copy && button('Older', () => this.#go(1), { disabled: !this.#step(copy, 1), title: 'The older one (right arrow)' }),
        button('Close', () => this.#dialog.close())),
      el('div', { className: 'told' }, verdict,
        el('p', { className: 'soft small' }, el('mark', { className: 'changed' }, 'another word'), ' ', el('mark', { className: 'soft-mark' }, 'other case or punctuation'), ' which the filter does not see')),
      el('div', { className: 'sides' }, sides.map((s) => s.box)), judge));
    if (!this.#dialog.open) {
      this.#from = document.activeElement;
      this.#dialog.showModal();
    } else this.#dialog.focus(); // what had the focus is gone
    const texts = await Promise.all([left, right].map((side, i) => fetched(side, sides[i], match)));
    if (asked !== this.#asked) return;
    put(title, heading(match));
    const d = mark(sides, texts, verdict);
    if (!d) return;
    this.#places = d.places;
    this.#next.hidden = d.places === 0;
    say(this.#next, plural(d.places, 'difference'));
    if (copy) ask(judge, copy);
  }

  #side({ title, place: at, text }) {
    const facts = el('dl', { className: 'facts small' });
    const body = el('div', { className: 'text' }, el('span', { className: 'bone wide' }), el('span', { className: 'bone' }), el('span', { className: 'bone wide' }));
    const box = el('section', { className: 'side' }, el('h3', {}, title), facts, body);
    if (at) factsOf(facts, at);
    else rowsOf(facts, [['Length', plural(text.length, 'character')]]);
    return { box, body, facts };
  }
}

const heading = (match) => (match.similarity === undefined ? 'Two documents' : [`${similarity(match.similarity)} similar`, el('span', { className: 'soft' }, `, by ${match.method}`)]);

/** ask asks whether a copy is one. The answers make a file for `unecho tune --pairs`. */
function ask(into, copy) {
  const answer = (yes) => () => labels.label(copy, labels.of(copy) === yes ? undefined : yes);
  const answers = [button('Is a copy', answer(true)), button('Not a copy', answer(false))];
  const rest = el('span', { className: 'row' });
  const draw = () => {
    answers.forEach((b, i) => b.setAttribute('aria-pressed', String(labels.of(copy) === (i === 0))));
    put(rest, labels.size() > 0 && [
      labels.files().map(download),
      button('Delete', () => {
        if (!confirm(`Delete ${plural(labels.size(), 'label')}?`)) return;
        labels.clear();
        answers[0].focus();
      }, { 'aria-label': 'Delete the labels' }),
      !labels.kept && note('The browser does not keep the labels: download them before this page is closed.')]);
  };
  put(into, answers, rest);
  labels.watch(draw);
  draw();
}

const note = (told) => el('span', { className: 'soft small' }, told);

/** download offers the labels of a topic as a file, and says what it lacks. */
function download({ topic, text, size, copies }) {
  if (!topic) return note(`${plural(size, 'label')} of two topics ${size === 1 ? 'is' : 'are'} in no file.`);
  const save = () => el('a', { href: URL.createObjectURL(new Blob([text], { type: 'text/tab-separated-values' })), download: `labels-${topic}.tsv` }).click();
  return [button(`Download ${plural(size, 'label')} of ${topic}`, save, { title: `A file for unecho tune --topic ${topic} --pairs` }), copies === 0 && note('Label some as copies, too: tune needs them.')];
}

/** fetched returns the text of a side, or a Failure. What the member knows beside it goes to the facts, and to a match of which only the place is known. */
async function fetched(side, { facts }, match) {
  if (side.text !== undefined) return side.text;
  const at = side.place;
  try {
    const got = await patient(() => textOf(at));
    at.id ??= got.id;
    at.time ??= got.time;
    if (match.similarity === undefined && typeof got.match?.similarity === 'number' && place(got.match) === place(match)) Object.assign(match, got.match);
    factsOf(facts, at, remembered(got));
    if (got.text.missing) return new Failure(404, got.text.missing);
    if (got.text.rejected) return new Failure(404, `such a record is no document any more: ${got.text.rejected}`);
    return got.text.text;
  } catch (failure) {
    return failure;
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

const factsOf = (list, at, more = []) => rowsOf(list, [['Place', place(at)], at.id && ['Id', at.id], at.time && ['Time', moment(at.time)], ...more]);

function rowsOf(list, rows) {
  put(list, rows.filter(Boolean).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** mark shows both texts, and returns how they differ; null if one of them is not there. */
function mark(sides, texts, verdict) {
  const failed = texts.find((t) => typeof t !== 'string');
  if (failed) {
    put(verdict, failed.message[0].toUpperCase() + failed.message.slice(1) + '.', failed.remedy ? ' ' + failed.remedy[0].toUpperCase() + failed.remedy.slice(1) + '.' : '');
    sides.forEach((s, i) => put(s.body, typeof texts[i] === 'string' ? texts[i] : el('span', { className: 'empty' }, 'The text is not shown.')));
    return null;
  }
  const d = diff(texts[0], texts[1]);
  put(sides[0].body, pieces(d.left, 'del', d.places > 0));
  put(sides[1].body, pieces(d.right, 'ins', d.places > 0));
  put(verdict, told(d));
  return d;
}

/** pieces marks what differs, and folds what does not; the space before a word is not marked. */
function pieces(side, tag, fold) {
  let same = 0;
  return side.map(({ text, kind, at }) => {
    if (kind === 'same' && fold) return folded(text, same++);
    if (kind !== 'changed' && kind !== 'soft') return text;
    const space = text.match(/^\s*/)[0];
    const marked = kind === 'changed' ? el(tag, { className: 'changed', 'data-at': at }, text.slice(space.length)) : el('span', { className: 'soft-mark' }, text.slice(space.length));
    return [space, marked];
  });
}

/** folded shows the ends of a text; a click shows all of it, on both sides. */
function folded(text, n) {
  const all = words(text);
  if (all.length <= FOLDED) return text;
  const open = (e) => {
    const dialog = e.target.closest('dialog');
    for (const b of dialog.querySelectorAll(`[data-fold="${n}"]`)) b.replaceWith(b.dataset.text);
    dialog.focus(); // what had the focus is gone
  };
  return [all.slice(0, ENDS).join(''), button(`${count(all.length - 2 * ENDS)} equal words`, open, { className: 'quiet fold', 'data-fold': n, 'data-text': all.slice(ENDS, -ENDS).join('') }), all.slice(-ENDS).join('')];
}

function told(d) {
  if (d.changed === 0 && d.soft === 0) return 'Both texts are the same, word by word.';
  const parts = [];
  if (d.changed > 0) parts.push(`${count(d.changed)} of the ${count(d.words)} words of both differ`);
  if (d.soft > 0) parts.push(`${plural(d.soft, 'pair')} of words ${d.soft === 1 ? 'differs' : 'differ'} in case or punctuation alone`);
  return parts.join('; ') + '.' + (d.cut ? ' The texts are too long or too different to compare every word.' : '');
}
