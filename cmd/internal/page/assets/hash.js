// What the address has behind #: the filter of the list and the pair that is open. Who is given the address sees the same.

const PLACE = '([\\w.-]{1,249})/(\\d{1,10})/(\\d{1,19})';
const PAIR = new RegExp(`^${PLACE},${PLACE}$`);

/** read returns {topic, scope, min, pair}, as texts; what the address does not have is empty. */
export function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(['topic', 'scope', 'min', 'pair'].map((key) => [key, given.get(key) ?? '']));
}

/** write changes some of it. */
export function write(change) {
  const given = Object.entries({ ...read(), ...change }).filter(([, value]) => value !== '');
  const hash = String(new URLSearchParams(given)).replaceAll('%2F', '/').replaceAll('%2C', ',');
  window.history.replaceState(null, '', location.pathname + location.search + (hash && '#' + hash));
}

/** pairOf reads "COPY,ORIGINAL", each TOPIC/PARTITION/OFFSET, as a copy of the API; null if it is none. */
export function pairOf(text) {
  const m = PAIR.exec(text);
  return m && { document: { topic: m[1], partition: m[2], offset: m[3] }, match: { topic: m[4], partition: m[5], offset: m[6] } };
}
