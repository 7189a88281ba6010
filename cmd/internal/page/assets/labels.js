// Which pairs a person says are copies, and which are not. The browser keeps them, by group, until they are deleted.

import { pair, place } from './format.js';

const PREFIX = 'unecho.labels.';
let group = '';
let labels = {}; // by pair: whether it is a copy, and its lines of the file
let changed = () => {};

export let kept = true; // whether the browser keeps them

/** watch has a function called after each change, by any tab. There is one at a time. */
export const watch = (call) => {
  changed = call;
};

addEventListener('storage', () => {
  load();
  changed();
});

/** use takes the labels of a group. */
export function use(name) {
  if (name === group) return;
  group = name;
  labels = {};
  kept = true;
  load();
}

/** load takes what another tab has labelled since. Labels that could not be kept are in this one alone. */
function load() {
  if (!kept) return;
  try {
    labels = JSON.parse(localStorage.getItem(PREFIX + group)) ?? labels;
  } catch { /* storage is closed */ }
}

export const size = () => Object.keys(labels).length;

/** of says how a copy is labelled: true if it is one, false if not, undefined if nobody has said. */
export const of = (copy) => labels[pair(copy)]?.yes;

/** label labels a copy. */
export function label(copy, yes) {
  load();
  if (yes === undefined) delete labels[pair(copy)];
  else labels[pair(copy)] = { yes, lines: lines(copy, yes) };
  keep();
}

/** clear deletes all labels of the group. */
export function clear() {
  labels = {};
  keep();
}

function keep() {
  try {
    localStorage.setItem(PREFIX + group, JSON.stringify(labels));
    kept = true;
  } catch {
    kept = false; // storage is full or closed
  }
  changed();
}

/** files are what `unecho tune --topic TOPIC --pairs` reads: {topic, text, size, copies}. Pairs of two topics have no topic: no tune takes them. */
export const files = () => [...new Set(Object.keys(labels).map(topicOf))].map((topic) => {
  const its = Object.keys(labels).filter((name) => topicOf(name) === topic).map((name) => labels[name]);
  return { topic, text: its.map((l) => l.lines).join(''), size: its.length, copies: its.filter((l) => l.yes).length };
});

const topicOf = (name) => {
  const [copy, original] = name.split(',').map((at) => at.split('/')[0]);
  return copy === original ? copy : '';
};

/** lines are as `unecho dedup --pairs` writes them. Documents that are no copies are each paired with themselves: tune then looks at both, and takes them for none. */
function lines({ document: d, match: m }, yes) {
  const line = (a, b, share) => [...[a, b].map(nameOf), share, ...[a, b].flatMap((p) => [`${p.topic}/${p.partition}`, p.offset])].join('\t') + '\n';
  return yes ? line(d, m, m.similarity ?? '') : line(d, d, '') + line(m, m, '');
}

const ESCAPED = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const nameOf = (p) => (p.id ?? place(p)).replace(/[\\\t\n\r]/g, (c) => ESCAPED[c]);
