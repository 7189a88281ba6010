// The last duplicates, as they are found: pause, filter, open side by side.

import { ask, query, textOf } from './api.js';
import { by, el, put, say } from './dom.js';
import { clock, count, pair, place, similarity, span } from './format.js';
import { read, write } from './hash.js';
import { Stream } from './stream.js';

const SHOWN = 100;
const EVERY = 250; // ms between two changes of the list, so that it can be read and clicked
const WORDS = 200; // letters of a text that a row has room for
const REST = 5000; // ms without a question for a text, after one that was not answered
const BUSY = 1000; // ms, after one too many at a time
const PASSED = 60_000; // ms for which a row is passed over whose text was not given

/** Recent is the list. It stands still while it is paused, pointed at or used by keyboard. */
export class Recent {
  #open; #stream; #rows = []; #waiting = []; #missed = 0; #paused = false; #topics = new Set(); #parts; #failure = null; #loaded = false; #timer = 0; #asked = 0; #reading = false; #rest = 0;

  texts = false; // whether texts are shown

  constructor(open) {
    this.#open = open;
    this.#parts = this.#frame(by('recent'));
    this.follow();
    this.#stream = new Stream((e) => this.#tell(e), (state, failure) => this.#state(state, failure));
    setInterval(() => this.#flush(), EVERY);
  }

  /** start loads the list and follows it. It is called again when the filter changes. */
  async start() {
    const asked = ++this.#asked;
    this.#rows = [];
    this.#waiting = [];
    this.#missed = 0;
    this.#loaded = false;
    this.#draw();
    this.#stream.start('events' + query(this.#filter()), document.hidden);
    try {
      const { copies } = await ask('recent' + query({ ...this.#filter(), limit: SHOWN }));
      if (asked !== this.#asked) return;
      this.#take(copies.reverse());
      this.#loaded = true;
      this.#failure = null;
    } catch (failure) {
      if (asked !== this.#asked) return;
      this.#failure = failure;
    }
    this.#flush(true);
    this.#draw();
  }

  /** follow takes the filter from the address. */
  follow() {
    const { topic, scope, min } = read();
    if (topic) this.#topic(topic);
    this.#parts.topic.value = topic;
    this.#parts.scope.value = scope;
    this.#parts.least.value = String(Number(min) || 0);
    this.#bound();
  }

  /** seen says whether anybody can see the page. A browser has six connections to a server for all its tabs: those in the back keep none. */
  seen(seen) {
    if (!seen) this.#stream.stop();
    else if (this.#asked > 0 && !this.#stream.resume()) this.start();
  }

  /** topics names the topics that can be chosen. */
  topics(names) {
    for (const name of names) this.#topic(name);
  }

  /** step returns the row beside another: 1 is the next older one. */
  step(copy, by) {
    const i = this.#rows.findIndex((r) => keyOf(r) === keyOf(copy));
    return i < 0 ? undefined : this.#rows[i + by];
  }

  /** find returns the row of a pair, if it is there. */
  find(name) {
    return this.#rows.find((r) => pair(r) === name);
  }

  #filter() {
    const { topic, scope, least } = this.#parts;
    return { topic: topic.value, scope: scope.value.trim(), min_similarity: Number(least.value) > 0 ? least.value : '' };
  }

  #frame(into) {
    const changed = () => {
      this.#bound();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        const { topic, scope, min_similarity: min } = this.#filter();
        write({ topic, scope, min });
        this.start();
      }, 250);
    };
    const p = {
      topic: el('select', { id: 'filter-topic', onchange: changed }, el('option', { value: '' }, 'all')),
      scope: el('input', { id: 'filter-scope', type: 'text', placeholder: 'any', spellcheck: false, autocomplete: 'off', oninput: changed }),
      least: el('input', { id: 'filter-least', type: 'range', min: '0', max: '1', step: '0.01', value: '0', oninput: changed }),
      most: el('output', { htmlFor: 'filter-least' }, 'any'),
      pause: el('button', { type: 'button', className: 'quiet', 'aria-pressed': 'false', onclick: () => this.#pause(!this.#paused) }, 'Pause'),
      fresh: el('button', { type: 'button', className: 'fresh', hidden: true, onclick: () => this.#flush(true) }),
      list: el('ol', { className: 'copies' }),
      note: el('p', { className: 'soft small' }),
      empty: el('p', { className: 'empty' }),
    };
    p.list.addEventListener('keydown', (e) => this.#key(e));
    p.list.addEventListener('focusin', (e) => this.#stop(e.target));
    put(into,
      el('div', { className: 'head' }, el('h2', { id: 'recent-title' }, 'Recent duplicates'), p.note, el('span', { className: 'push' }), p.fresh, p.pause),
      el('form', { className: 'filters', 'aria-label': 'Filter the duplicates', onsubmit: (e) => e.preventDefault() },
        el('label', { htmlFor: 'filter-topic' }, 'Topic'), p.topic,
        el('label', { htmlFor: 'filter-scope' }, 'Scope'), p.scope,
        el('label', { htmlFor: 'filter-least' }, 'Similarity from'), el('span', { className: 'slider' }, p.least, p.most)),
      p.list, p.empty);
    return p;
  }

  #bound() {
    const { least, most } = this.#parts;
    say(most, Number(least.value) > 0 ? similarity(Number(least.value)) : 'any');
  }

  #pause(paused) {
    this.#paused = paused;
    const b = this.#parts.pause;
    b.setAttribute('aria-pressed', String(paused));
    say(b, paused ? 'Go on' : 'Pause');
    if (!paused) this.#flush(true);
  }

  #tell({ type, data }) {
    if (type === 'copy') this.#take([JSON.parse(data)]);
    else if (type === 'missed') this.#missed += JSON.parse(data).copies;
  }

  #take(copies) {
    const known = new Set([...this.#rows, ...this.#waiting].map(keyOf));
    for (const copy of copies) {
      this.#topic(copy.document.topic);
      if (!known.has(keyOf(copy))) this.#waiting.push(copy);
    }
    if (this.#waiting.length > SHOWN) {
      this.#missed += this.#waiting.length - SHOWN;
      this.#waiting = this.#waiting.slice(-SHOWN);
    }
  }

  #topic(name) {
    if (this.#topics.has(name)) return;
    this.#topics.add(name);
    this.#parts.topic.append(el('option', { value: name }, name));
  }

  #state(state, failure) {
    const was = this.#failure;
    this.#failure = state === 'open' ? null : failure;
    if (state === 'open' && was) this.start(); // what came meanwhile is in the list of the last ones
    this.#draw();
  }

  /** held says whether somebody reads the list at this moment. */
  #held() {
    const { list } = this.#parts;
    return this.#paused || document.querySelector('dialog[open]') !== null || list.matches(':hover') || list.contains(document.activeElement);
  }

  #flush(anyway = false) {
    if (this.#waiting.length === 0 || (this.#held() && !anyway)) {
      this.#notes();
      this.#words();
      return;
    }
    const come = this.#waiting.sort((a, b) => Date.parse(b.judged) - Date.parse(a.judged) || b.number - a.number);
    this.#rows = [...come, ...this.#rows].slice(0, SHOWN);
    this.#waiting = [];
    this.#draw();
  }

  #notes() {
    const { fresh, note } = this.#parts;
    fresh.hidden = this.#waiting.length === 0;
    say(fresh, `${count(this.#waiting.length)} new`);
    say(note, this.#failure ? 'not live at the moment' : this.#missed > 0 ? `live, ${count(this.#missed)} not shown` : 'live');
  }

  #draw() {
    this.#notes();
    const { list, empty } = this.#parts;
    const old = new Map([...list.children].map((li) => [li.dataset.key, li]));
    list.replaceChildren(...this.#rows.map((copy) => old.get(keyOf(copy)) ?? this.#row(copy)));
    this.#stop(list.contains(document.activeElement) ? document.activeElement : list.querySelector('.copy'));
    empty.hidden = this.#rows.length > 0;
    say(empty, this.#message());
  }

  /** stop makes one row the only one that Tab comes to. */
  #stop(row) {
    for (const b of this.#parts.list.querySelectorAll('.copy')) b.tabIndex = b === row ? 0 : -1;
  }

  /** words shows how the text of the next row begins, of those that are seen. One is read at a time, while the list stands still. */
  async #words() {
    if (!this.texts || this.#reading || document.hidden || Date.now() < this.#rest) return;
    const { list } = this.#parts;
    const box = list.getBoundingClientRect();
    const i = [...list.children].findIndex((li) => {
      const r = li.getBoundingClientRect();
      return !(li.dataset.read > Date.now()) && r.bottom > Math.max(0, box.top) && r.top < Math.min(innerHeight, box.bottom);
    });
    if (i < 0) return;
    const li = list.children[i];
    this.#reading = true;
    li.dataset.read = Infinity;
    try {
      const { text } = await textOf(this.#rows[i].document);
      const words = text.text.slice(0, WORDS).replace(/\s+/g, ' ').trim();
      const [name, of] = li.querySelectorAll('.name');
      if (words) {
        say(of, `${name.textContent}, ${of.textContent}`);
        say(name, words);
      }
    } catch (failure) {
      const busy = failure.status === 429;
      if (failure.status !== 403 && failure.status !== 404) {
        li.dataset.read = busy ? 0 : Date.now() + PASSED;
        this.#rest = Date.now() + (busy ? BUSY : REST);
      }
    }
    this.#reading = false;
  }

  #message() {
    if (this.#failure && !this.#loaded) return `${this.#failure.message[0].toUpperCase()}${this.#failure.message.slice(1)}. ${this.#failure.remedy ?? ''}`;
    if (!this.#loaded) return 'Asking for the last duplicates …';
    const filtered = Object.values(this.#filter()).some((v) => v !== '');
    return filtered ? 'No duplicate passes this filter.' : 'No duplicate was found since this member started. The next one shows here.';
  }

  #row(copy) {
    const { document: d, match: m } = copy;
    const apart = Math.abs(Date.parse(d.time) - Date.parse(m.time)) / 1000;
    const bar = el('span', { className: 'alike', 'aria-hidden': 'true' }, el('span', {}));
    bar.firstChild.style.setProperty('--share', String(m.similarity));
    const button = el('button', { type: 'button', className: 'copy', tabIndex: -1, onclick: () => this.#open(copy) },
      el('span', { className: 'score' }, el('b', {}, similarity(m.similarity)), bar),
      el('span', { className: 'which' }, el('span', { className: 'name' }, nameOf(d)), el('span', { className: 'soft small name' }, `copy ${count(m.copy)} of ${nameOf(m)}`)),
      el('span', { className: 'tags small' }, this.#topics.size > 1 && el('span', { className: 'soft' }, d.topic), copy.reemitted && el('span', { className: 'chip' }, 'let through')),
      el('span', { className: 'when small soft' }, el('time', { dateTime: copy.judged }, clock(copy.judged)), el('span', {}, Number.isFinite(apart) && apart > 0 ? `${span(apart)} apart` : 'at once')));
    return el('li', { 'data-key': keyOf(copy) }, button);
  }

  #key(event) {
    const all = [...this.#parts.list.querySelectorAll('button')];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || !all[to]) {
      if (event.key === 'Escape') document.activeElement.blur();
      return;
    }
    event.preventDefault();
    all[to].focus();
  }
}

const keyOf = (copy) => place(copy.document) + ' ' + copy.judged;
const nameOf = (p) => p.id ?? place(p);
