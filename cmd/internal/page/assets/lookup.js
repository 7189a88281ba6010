// A box to try a text against what is remembered. Nothing is inserted.

import { ask } from './api.js';
import { by, el, put } from './dom.js';
import { count, moment, place, plural, similarity, span } from './format.js';

/** Lookup asks; open(text, match) shows a text beside what it matched. */
export class Lookup {
  #parts; #open; #asking = null;

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

  /** scoped says whether documents have scopes, so that one can be given. */
  scoped(scoped) {
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
    const shown = result.duplicate ? result.matches : [result.nearest].filter(Boolean), best = shown[0];
    const like = best && `${similarity(best.similarity)} similar to ${best.id ?? place(best)}.`;
    return [
      el('p', { className: 'verdict' + (result.duplicate ? ' yes' : '') },
        result.duplicate ? `A duplicate: ${like}` : like ? `Unique, and ${like}` : 'Unique: nothing similar enough was found.'),
      best && gauge(best.similarity, result.threshold),
      el('ul', { className: 'reasons' }, reasons(result, best).map((r) => el('li', {}, r))),
      best && el('ol', { className: 'matches' }, shown.map((m) => this.#match(m, text))),
    ];
  }

  #match(m, text) {
    return el('li', {},
      el('p', { className: 'names' }, el('b', {}, similarity(m.similarity)), el('span', { className: 'name' }, m.id ?? place(m)),
        el('button', { type: 'button', className: 'quiet', onclick: () => this.#open(text, m) }, 'Side by side')),
      el('p', { className: 'soft small' }, [m.id && place(m), age(m.time), m.copy && copies(m.copy - 2)].filter(Boolean).join(', ')));
  }
}

const copies = (n) => (n > 0 ? plural(n, 'copy', 'copies') + ' so far' : 'no copy yet');

const age = (iso) => {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? `${span(seconds)} old` : moment(iso);
};

/** gauge shows a similarity against the threshold. */
function gauge(value, threshold) {
  const bar = el('div', { className: 'gauge', role: 'img', 'aria-label': `similarity ${similarity(value)}, threshold ${threshold}` },
    el('span', { className: 'filled' }), el('span', { className: 'at' }, el('span', { className: 'small soft' }, `threshold ${threshold}`)));
  bar.style.setProperty('--share', String(value));
  bar.style.setProperty('--at', String(threshold));
  return bar;
}

// What a similarity is made of, by the unit that its method counts.
const SHARED = {
  shingles: (n, all) => `${n} of the ${all} shingles that either has are in both`,
  slots: (n, all) => `${n} of ${all} numbers of their sketches agree`,
  bits: (n, all) => `${n} of ${all} bits of their sketches agree`,
  parts: (n, all) => `Letter by letter, ${n} of ${all} parts agree`,
};

/** reasons explain an answer, a sentence each. */
function reasons({ duplicate, threshold, bands, compared, cut }, best) {
  const out = [], lacks = best?.missing > 0;
  if (best?.method === 'identical') out.push('After case, punctuation and spacing are set aside, both texts are the same.');
  else if (best) out.push(`By ${best.method}, that ${lacks ? 'is below' : 'reaches'} the threshold of ${threshold}.`);
  const counted = SHARED[best?.shared?.of];
  if (counted) out.push(counted(count(best.shared.part), count(best.shared.whole)) + (lacks ? `; ${count(best.missing)} more would make it a duplicate.` : '.'));
  if (best?.missing === 0) out.push('It is unique all the same: once in a thousand times the digests of two documents say otherwise.');
  if (best?.bands.length > 0) out.push(`They were compared because they share ${best.bands.length} of ${plural(bands, 'band')}.`);
  if (!best && compared > 0) out.push(`${plural(compared, 'document')} of the window ${compared === 1 ? 'was' : 'were'} alike enough to be compared, and none reaches the threshold of ${threshold}.`);
  if (!best && compared === 0) out.push('No document was compared.');
  if (!duplicate) out.push(`Documents that share none of its ${plural(bands, 'band')} were not compared: one may be nearer.`);
  if (cut) out.push('Too many documents have much in common with it to compare them all: one that was left out may be alike enough.');
  return out;
}
