// Numbers, times and sizes as people read them. A value that is not known is a dash.

const NARROW = '\u202f'; // between a number and its unit
export const DASH = '–';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const known = (n) => typeof n === 'number' && Number.isFinite(n);

export const count = (n) => (known(n) ? grouped.format(n) : DASH);

/** short is for axes: 1.2k, 3M. */
export function short(n) {
  if (!known(n)) return DASH;
  for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (Math.abs(n) >= size) return trim(n / size) + unit;
  }
  return trim(n);
}

const trim = (n) => String(Number(n.toFixed(Math.abs(n) < 10 ? 1 : 0)));

/** rate is a number a second. */
export function rate(n) {
  if (!known(n)) return DASH;
  return n > 0 && n < 10 ? n.toFixed(1) : grouped.format(n);
}

/** percent is a share of 1. */
export function percent(share) {
  if (!known(share)) return DASH;
  const p = share * 100;
  const digits = p > 0 && p < 9.95 && Math.abs(p - Math.round(p)) > 0.05 ? 1 : 0;
  return p.toFixed(digits) + NARROW + '%';
}

/** similarity is rounded down, so that what is below the threshold never looks as if it reached it. */
export const similarity = (s) => (known(s) ? Math.floor(s * 100 + 1e-9) + NARROW + '%' : DASH);

const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

/** span is a duration in seconds, with its two largest units; days begin with the second. */
export function span(seconds) {
  if (!known(seconds)) return DASH;
  if (seconds < 0) seconds = 0;
  if (seconds === 0) return '0' + NARROW + 's';
  if (seconds < 1) return Math.max(1, Math.round(seconds * 1000)) + NARROW + 'ms';
  if (seconds < 9.95) return Number(seconds.toFixed(1)) + NARROW + 's';
  let left = Math.round(seconds);
  const parts = [];
  for (const [unit, size] of left < 48 * 3600 ? units.slice(1) : units) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0) parts.push(n + NARROW + unit);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/** latency is a span that is measured up to a day. */
export const latency = (seconds) => (seconds >= 86_400 ? 'a day or more' : span(seconds));

export function bytes(n) {
  if (!known(n)) return DASH;
  for (const [size, unit] of [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']]) {
    if (n >= size) return trim(n / size) + NARROW + unit;
  }
  return n + NARROW + 'B';
}

const clockOf = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const dayOf = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** clock is the time of day, in the reader's zone. */
export function clock(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? DASH : clockOf.format(at);
}

/** moment is a date and a time of day, in the reader's zone. */
export function moment(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? DASH : dayOf.format(at) + ' ' + clockOf.format(at);
}

/** place is a document's coordinates, as headers write them. */
export const place = (p) => `${p.topic}/${p.partition}/${p.offset}`;

/** pair names a copy and what it matched. */
export const pair = ({ document: d, match: m }) => `${place(d)},${place(m)}`;

/** plural writes a number with its noun. */
export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;
