// Where the modules meet: the status is asked for once a second, and each section draws what it shows of it.

import { ask, hasToken, setToken } from './api.js';
import { by, say } from './dom.js';
import { span } from './format.js';
import { pairOf, read } from './hash.js';
import { settingOf, topicsOf } from './model.js';
import { charts, similarities } from './charts.js';
import { Compare } from './compare.js';
import { Lookup } from './lookup.js';
import { Recent } from './recent.js';
import * as health from './health.js';
import * as labels from './labels.js';
import * as members from './members.js';
import * as reasons from './reasons.js';
import * as window_ from './window.js';

const EVERY = 1000; // ms
const HIDDEN = 10_000; // ms, while nobody sees the page
const TROUBLE = 2000; // ms
const POINTS = 5000; // ms, after which the member's history has another point

const drawCharts = charts();
const drawSimilarities = similarities();
const compare = new Compare((copy, by) => recent.step(copy, by));
const recent = new Recent((copy) => compare.copy(copy));
const lookup = new Lookup((text, match) => compare.text(text, match));

by('late').remove(); // the page has started

let heard = 0; // when the last answer came
let due = 0; // when the history is asked for, in ms
let spoken = '';
let live = false;
let timer = 0;
let looking = false;

/** speak says something to those who do not see the page, once. */
function speak(text) {
  if (text === spoken) return;
  spoken = text;
  say(by('said'), text);
}

async function look() {
  if (looking) return;
  looking = true;
  clearTimeout(timer);
  let wait = document.hidden ? HIDDEN : EVERY;
  try {
    const past = Date.now() >= due;
    const [status, history] = await Promise.all([ask('status'), past && ask('history').catch(() => null)]); // the page goes on without it
    if (!live) recent.start().then(openPair);
    live = true;
    heard = Date.now() / 1000;
    draw(status);
    if (past) {
      if (history) drawCharts(history.points);
      due = Date.now() + POINTS;
    }
  } catch (failure) {
    wait = trouble(failure);
  }
  looking = false;
  timer = setTimeout(look, wait);
}

/** openPair opens the pair that the address names. */
function openPair() {
  const { pair } = read();
  const copy = recent.find(pair) ?? pairOf(pair);
  if (copy) compare.copy(copy);
}

function draw(status) {
  const now = Date.now() / 1000;
  phase('live');
  by('forget').hidden = !hasToken();
  say(by('group'), `group ${status.group}, member ${status.member}`);
  say(by('version'), `unecho ${status.version}`);
  const state = health.show(status);
  drawSimilarities(status.similarity, status.window.threshold);
  window_.show(status, status.rate?.unique_per_s ?? null);
  members.show(status, now);
  reasons.show(status);
  const scoped = status.settings.some((s) => /^sources\[\d+\]\.scope$/.test(s.key) && s.value !== '');
  lookup.scoped(scoped);
  by('recent').dataset.scoped = String(scoped || read().scope !== '' || document.activeElement === by('filter-scope'));
  recent.topics(topicsOf(status));
  recent.texts = settingOf(status, 'http.show_text') === 'true';
  labels.use(status.group);
  const word = { ok: 'Healthy', look: 'Needs a look', starts: 'Not ready', bad: 'Not ready' }[state];
  document.title = `${word} · ${status.group} · unecho`;
  speak(word);
}

/** trouble shows what went wrong, and returns after how many ms to try again. */
function trouble(failure) {
  if (failure.status === 401 || failure.status === 403) {
    live = false;
    gate(failure);
    return HIDDEN;
  }
  phase('lost', failure);
  speak('No answer: trying again');
  return TROUBLE;
}

/** phase is one of loading, live, lost, gate. */
function phase(name, failure) {
  document.body.dataset.phase = name;
  by('gate').hidden = name !== 'gate';
  by('content').hidden = name === 'gate';
  const silent = heard > 0 ? ` for ${span(Math.round(Date.now() / 1000 - heard))}` : '';
  say(by('link-text'), { live: 'live', lost: 'not live', gate: 'not open', loading: 'connecting' }[name]);
  if (name === 'lost') {
    document.title = 'No answer · unecho';
    by('hero').dataset.state = 'lost';
    say(by('sentence'), failure.status === 0 ? `No answer${silent}. Trying again.` : `No good answer: ${failure.message}.`);
    say(by('more'), heard > 0 ? 'What stands below is as it was then.' : 'See whether the process runs, and whether this address leads to it.');
  }
}

function gate(failure) {
  phase('gate');
  const closed = failure.status === 403;
  say(by('gate-title'), closed ? 'This page is closed' : 'This member asks for a token');
  say(by('gate-why'), `${failure.message[0].toUpperCase()}${failure.message.slice(1)}. ${closed ? 'To open it: ' + failure.remedy + '.' : ''}`);
  if (!closed) say(by('gate-why'), hasToken() ? 'The token that was given is not the one of http.token.' : 'Give it the value of http.token.');
  by('gate-form').hidden = closed;
  document.title = (closed ? 'Closed' : 'Token') + ' · unecho';
  speak(by('gate-title').textContent);
}

by('gate-form').addEventListener('submit', (event) => {
  event.preventDefault();
  setToken(by('token').value.trim());
  by('token').value = '';
  look();
});
by('forget').addEventListener('click', () => {
  setToken('');
  location.reload();
});
by('keys').addEventListener('click', () => by('help').showModal());
by('help').addEventListener('click', () => by('help').close());
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address has the filter there
  by('recent').focus();
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return;
  if (event.key === '?') by('help').showModal();
  if (event.key !== '/') return;
  event.preventDefault();
  by('lookup-text').focus();
});
addEventListener('hashchange', () => {
  recent.follow();
  recent.start().then(openPair);
});
document.addEventListener('visibilitychange', () => {
  recent.seen(!document.hidden);
  if (!document.hidden) look();
});
look();
