// A box to try a text against what is remembered. Nothing is inserted.

import { ask } from './api.js';
import { by, el, put } from './dom.js';
import { count, moment, place, similarity, span } from './format.js';

/** Lookup asks; open(text, match) shows a text beside what it matched. */
export class Lookup {
  #parts; #open; #threshold = null; #asking = null;

  constructor(open) {
    this.#open = open;
    const p = {
      text: el('textarea', { id: 'lookup-text', rows: 5, placeholder: 'Paste a text as the service would read it', spellcheck: false }),
      scope: el('input', { id: 'lookup-scope', type: 'text', spellcheck: false, autocomplete: 'off' }),
      scopes: null,
      go: el('button', { type: 'submit', className: 'main' }, 'Look it up'),
      out: el('div', { className: 'found', role: 'status', 'aria-label': 'Answer' }),
    };
    p.scopes = el('p', { className: 'row scope', hidden: true }, el('label', { htmlFor: 'lookup-scope' }, 'Scope'), p.scope);
    const form = el('form', { onsubmit: (e) => this.#submit(e) },
      el('label', { className: 'sr', htmlFor: 'lookup-text' }, 'Text to look up'), p.text, p.scopes,
      el('div', { className: 'row' }, p.go, el('span', { className: 'soft small' }, 'Nothing is stored.')));
    form.addEventListener('keydown', (e) => {
      if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) form.requestSubmit();
    });
    put(by('lookup'), el('div', { className: 'head' }, el('h2', { id: 'lookup-title' }, 'Is this a duplicate?')), form, p.out);
    this.#parts = p;
  }

  /** settings takes what the answer is explained with. */
  settings({ threshold, scoped }) {
    this.#threshold = threshold;
    this.#parts.scopes.hidden = !scoped;
  }

  async #submit(event) {
    event.preventDefault();
    const { text, scope, go, out } = this.#parts;
    if (text.value.trim() === '') {
      put(out, el('p', { className: 'empty' }, 'There is no text to look up.'));
      text.focus();
      return;
    }
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    go.setAttribute('aria-busy', 'true');
    try {
      const asked = text.value;
      const body = { text: asked, most: 5, ...(scope.value.trim() ? { scope: scope.value.trim() } : {}) };
      const { results } = await ask('lookup', { method: 'POST', body, signal: asking.signal });
      put(out, this.#answer(results[0], asked));
    } catch (failure) {
      if (asking.signal.aborted) return;
      put(out, el('p', { className: 'verdict bad' }, `No answer: ${failure.message}.`), failure.remedy && el('p', { className: 'soft' }, failure.remedy[0].toUpperCase() + failure.remedy.slice(1) + '.'));
    } finally {
      if (this.#asking === asking) go.removeAttribute('aria-busy');
    }
  }

  #answer(result, text) {
    if (result.empty) return el('p', { className: 'verdict' }, 'There are no words to compare in it. As a document it would be rejected.');
    const best = result.matches[0] ?? result.explanation?.nearest;
    const threshold = result.explanation?.threshold ?? this.#threshold;
    return [
      el('p', { className: 'verdict' + (result.duplicate ? ' yes' : '') }, result.duplicate ? `A duplicate: ${similarity(best.similarity)} like ${best.id ?? place(best)}.` : 'Unique: nothing that is remembered is like it.'),
      result.duplicate && gauge(best.similarity, threshold),
      el('ul', { className: 'reasons' }, reasons(result, threshold).map((r) => el('li', {}, r))),
      result.matches.length > 0 && el('ol', { className: 'matches' }, result.matches.map((m) => this.#match(m, text))),
    ];
  }

  #match(m, text) {
    return el('li', {},
      el('p', { className: 'names' }, el('b', {}, similarity(m.similarity)), el('span', { className: 'name' }, m.id ?? place(m)),
        el('button', { type: 'button', className: 'quiet', onclick: () => this.#open(text, m) }, 'Side by side')),
      el('p', { className: 'soft small' }, `${m.id ? place(m) + ', ' : ''}${age(m.time)}, ${m.copy > 2 ? count(m.copy - 2) + (m.copy === 3 ? ' copy' : ' copies') + ' so far' : 'no copy yet'}`));
  }
}

const age = (iso) => {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? `${span(seconds)} old` : moment(iso);
};

/** gauge shows a similarity against the threshold. */
function gauge(value, threshold) {
  const bar = el('div', { className: 'gauge', role: 'img', 'aria-label': `similarity ${similarity(value)}${threshold ? `, threshold ${threshold}` : ''}` },
    el('span', { className: 'filled' }), typeof threshold === 'number' && el('span', { className: 'at' }, el('span', { className: 'small soft' }, `threshold ${threshold}`)));
  bar.style.setProperty('--share', String(value));
  if (typeof threshold === 'number') bar.style.setProperty('--at', String(threshold));
  return bar;
}

/** reasons explain an answer, a sentence each. */
function reasons(result, threshold) {
  const x = result.matches[0]?.explanation ?? result.explanation ?? {};
  const best = result.matches[0];
  const out = [];
  if (best?.method === 'identical') out.push('After case, punctuation and spacing are set aside, both texts are the same.');
  else if (best && typeof threshold === 'number') out.push(`The similarity, by ${best.method}, reaches the threshold of ${threshold}.`);
  if (!best && typeof threshold === 'number') out.push(`Nothing reaches the threshold of ${threshold}.`);
  if (typeof x.shared === 'number' && typeof x.union === 'number') out.push(`${count(x.shared)} of ${count(x.union)} shingles are in both.`);
  if (typeof x.bands === 'number' && typeof x.bands_hit === 'number') out.push(`${count(x.bands_hit)} of ${count(x.bands)} bands agree.`);
  return out;
}
