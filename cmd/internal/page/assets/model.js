// The status of a member as the page uses it.

/** secondsOf is a moment in seconds since 1970; null where there is none. */
export const secondsOf = (iso) => {
  const ms = Date.parse(iso ?? '');
  return Number.isNaN(ms) ? null : ms / 1000;
};

/** settingOf is the value of a setting, as text. */
export const settingOf = (status, key) => status.settings.find((s) => s.key === key)?.value ?? '';

/**
 * pageOf is the address of the page of another host's member, if it listens as this one does; undefined where that is only
 * for its own machine.
 */
export function pageOf(status, host) {
  const [, name, port] = /^\[?(.*?)\]?:(\d+)$/.exec(settingOf(status, 'http.listen')) ?? [];
  if (!port || /^(127\.|localhost$|::1$)/.test(name) || !/^[\w.:-]+$/.test(host)) return undefined;
  return `${settingOf(status, 'http.tls.cert_file') ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}

/** topicsOf are the topics of the source. */
export const topicsOf = (status) => [...new Set(status.partitions.map((p) => p.topic))];

/**
 * windowOf holds what is remembered against its bounds: bounds {key, name, now, bound, share}, those that are set, and the
 * one at which documents leave, if there is one yet. kept is for how many seconds a document will be remembered at this rate
 * of unique documents, and by which bound; null where that is not known.
 */
export function windowOf(window, uniquePerSecond) {
  const bounds = [
    { key: 'duplicates.remember.age', name: 'Age', kind: 'span', now: window.age_s, bound: window.age_bound_s },
    { key: 'duplicates.remember.memory', name: 'Memory', kind: 'bytes', now: window.bytes, bound: window.bytes_bound },
    { key: 'duplicates.remember.documents', name: 'Documents', kind: 'count', now: window.documents, bound: window.count_bound },
  ].filter((b) => b.bound > 0).map((b) => ({ ...b, share: Math.min(1, b.now / b.bound) }));
  return { bounds, bites: bounds.find((b) => b.key === 'duplicates.remember.' + window.bites) ?? null, kept: keptOf(window, uniquePerSecond) };
}

const ENOUGH = 100; // documents from which on the size of one is known

function keptOf(window, rate) {
  if (!(rate > 0) || window.documents < ENOUGH) return null;
  const room = [];
  if (window.bytes_bound > 0) room.push({ key: 'duplicates.remember.memory', seconds: (window.bytes_bound / window.bytes) * window.documents / rate });
  if (window.count_bound > 0) room.push({ key: 'duplicates.remember.documents', seconds: window.count_bound / rate });
  if (window.age_bound_s > 0) room.push({ key: 'duplicates.remember.age', seconds: window.age_bound_s });
  return room.sort((a, b) => a.seconds - b.seconds)[0] ?? null;
}

/** membersOf are the processes of the group {name, host, sessions, partitions, ours, mine, took}, by name; a session that is none of unecho's stands by itself. */
export function membersOf(status) {
  const all = new Map();
  for (const s of status.members?.sessions ?? []) {
    const name = s.member || s.instance || s.client_id, ours = s.member !== undefined;
    const m = all.get(s.member ?? s) ?? { name, host: s.host.replace(/^\//, ''), sessions: 0, partitions: 0, ours, mine: ours && s.member === status.member, took: ours && s.member === status.snapshots.by };
    m.sessions++;
    m.partitions += s.partitions.length;
    all.set(s.member ?? s, m);
  }
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** readersOf says which process reads a partition, by topic/partition. */
export function readersOf(status) {
  const readers = new Map();
  for (const s of status.members?.sessions ?? []) {
    for (const p of s.partitions) readers.set(`${p.topic}/${p.partition}`, s.member || s.client_id);
  }
  return readers;
}
