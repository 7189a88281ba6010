// The members of the group, the partitions of the source, the journal and the snapshots.

import { by, el, put, tell } from './dom.js';
import { DASH, bytes, count, moment, plural, span } from './format.js';
import { membersOf, pageOf, readersOf, secondsOf } from './model.js';

const MOST = 200; // rows of a table

/** show draws both panels; now is in seconds. */
export function show(status, now) {
  members(status);
  journal(status, now);
}

function members(status) {
  const into = by('members');
  const all = membersOf(status);
  const readers = readersOf(status);
  const key = JSON.stringify([all, [...readers], status.partitions, status.members?.state]);
  if (into.dataset.shown === key) return;
  into.dataset.shown = key;
  const old = [...into.querySelectorAll('.scroll')].map((s) => [s.scrollTop, s === document.activeElement]);
  put(into,
    el('div', { className: 'head' }, el('h2', { id: 'members-title' }, 'Members and partitions'), el('p', { className: 'soft small' }, summary(status, all))),
    el('div', { className: 'pair' }, memberTable(status, all), partitionTable(status, readers)));
  [...into.querySelectorAll('.scroll')].forEach((s, i) => {
    s.scrollTop = old[i]?.[0] ?? 0;
    if (old[i]?.[1]) s.focus({ preventScroll: true });
  });
}

function summary(status, all) {
  const here = plural(status.assigned_partitions, 'partition') + ' of this member';
  if (all.length === 0) return here;
  const state = status.members.state === 'Stable' ? '' : ', the partitions are being dealt anew';
  return `${plural(all.length, 'member')}, ${here}${state}`;
}

function memberTable(status, all) {
  if (all.length === 0) return el('p', { className: 'empty' }, status.members?.error ?? 'Kafka has not said yet who is in the group.');
  return table('Members of the group', ['Member', 'Host', { number: 'Partitions' }], all.map((m) => [
    [nameOf(status, m, all), ' ', m.mine && chip('this one'), m.took && chip('last snapshot')], m.host, { number: count(m.partitions) },
  ]));
}

/** nameOf leads to the member's page, if it is one of unecho's and runs on another host than this one. */
function nameOf(status, m, all) {
  const href = !m.ours || all.some((other) => other.mine && other.host === m.host) ? undefined : pageOf(status, m.host);
  return href ? el('a', { href, rel: 'noreferrer' }, m.name) : m.name;
}

function partitionTable(status, readers) {
  if (status.partitions.length === 0) return el('p', { className: 'empty' }, 'How far the partitions are behind is not known yet.');
  const rows = [...status.partitions].sort((a, b) => (b.lag_s ?? 0) - (a.lag_s ?? 0) || a.topic.localeCompare(b.topic) || a.partition - b.partition);
  const left = rows.length > MOST ? ` (the ${MOST} that wait the longest)` : '';
  return table('Partitions of the source' + left, ['Partition', 'Read by', { number: 'Behind' }, { number: 'Waits' }], rows.slice(0, MOST).map((p) => {
    const name = `${p.topic}/${p.partition}`;
    return [name, readers.get(name) ?? DASH, { number: count(p.lag_documents) }, { number: span(p.lag_s) }];
  }));
}

const chip = (text) => el('span', { className: 'chip' }, text);

function table(name, heads, rows) {
  const cell = (tag, content, props = {}) => el(tag, { ...props, className: content?.number === undefined ? '' : 'number' }, content?.number ?? content);
  return el('div', { className: 'scroll', role: 'region', 'aria-label': name, tabIndex: 0 }, el('table', {},
    el('caption', { className: 'sr' }, name),
    el('thead', {}, el('tr', {}, heads.map((h) => cell('th', h, { scope: 'col' })))),
    el('tbody', {}, rows.map((row) => el('tr', {}, row.map((c) => cell('td', c)))))));
}

function journal(status, now) {
  const into = by('journal');
  if (!into.firstChild) put(into, el('div', { className: 'head' }, el('h2', { id: 'journal-title' }, 'Journal and snapshots')), el('dl', { className: 'facts' }));
  tell(into.querySelector('.facts'), [...journalRows(status.journal), ...snapshotRows(status, now)]);
}

function journalRows(j) {
  const left = j.end === null ? null : Math.max(0, j.end - j.next);
  const rows = [['Journal applied', j.next < 0 ? 'restoring' : left === 0 ? 'to its end' : left === null ? 'its end is not known' : plural(left, 'record') + ' to go', j.next < 0 ? '' : 'offset ' + count(j.next)]];
  if (j.kept_records !== null) rows.push(['Journal keeps', plural(j.kept_records, 'record'), j.kept_bytes === null ? '' : 'some ' + bytes(j.kept_bytes)]);
  return rows;
}

function snapshotRows({ snapshot, snapshots }, now) {
  const rows = [['Last snapshot', snapshot ? span(Math.max(0, now - secondsOf(snapshot.taken))) + ' ago' : 'none yet', snapshot ? moment(snapshot.taken) : '']];
  const due = secondsOf(snapshots.next);
  if (due !== null) rows.push(['Next snapshot', due > now ? 'in ' + span(due - now) : 'due', `every ${span(snapshots.every_s)}`]);
  else if (snapshots.every_s > 0) rows.push(['Next snapshot', `every ${span(snapshots.every_s)}`, '']);
  if (snapshots.failed) rows.push(['Failed', span(Math.max(0, now - secondsOf(snapshots.failed.time))) + ' ago', snapshots.failed.error]);
  return rows;
}
