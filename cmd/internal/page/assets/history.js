// What the page has seen in the last quarter of an hour. The counters are those of the process; rates are made here.

export const KEPT = 15 * 60; // seconds
const SMOOTH = 5; // seconds over which a rate is taken: commits come in batches
const LEAST = 2.5; // seconds over which it may be taken at first

/** History keeps samples {at, unique, duplicate, rejected, lag, behind, delay}, at in seconds. */
export class History {
  samples = [];
  points = []; // what is drawn, one for each sample but the first

  /** add takes the next sample. Counters that go down belong to a new process: there is a gap then. */
  add(sample) {
    const last = this.samples.at(-1);
    if (last && sample.at <= last.at) return;
    if (last && total(sample) < total(last)) {
      this.points.push({ at: sample.at, gap: true });
      this.samples = [];
    }
    this.samples.push(sample);
    const from = this.before(SMOOTH);
    this.points.push(sample.at - from.at < LEAST ? { at: sample.at, gap: true, lag: sample.lag, behind: sample.behind } : point(from, sample));
    const oldest = sample.at - KEPT;
    while (this.samples.length > 0 && this.samples[0].at < oldest) this.samples.shift();
    while (this.points.length > 0 && this.points[0].at < oldest) this.points.shift();
  }

  /** before returns the last sample that is at least so many seconds older than the newest, or else the oldest. */
  before(seconds) {
    const newest = this.samples.at(-1);
    let found = this.samples[0];
    for (let i = this.samples.length - 1; i >= 0; i--) {
      if (this.samples[i].at <= newest.at - seconds) {
        found = this.samples[i];
        break;
      }
    }
    return found;
  }

  /** over sums up the last so many seconds; null where there is nothing to compare. */
  over(seconds) {
    const newest = this.samples.at(-1);
    if (!newest) return null;
    const from = this.before(seconds);
    return from === newest ? null : point(from, newest);
  }

  /** reach is how many seconds a plot shows: it grows with what there is. */
  reach(now) {
    const seen = this.points.length > 0 ? now - this.points[0].at : 0;
    return [60, 120, 300, 600].find((r) => seen <= r) ?? KEPT;
  }
}

const total = (s) => s.unique + s.duplicate + s.rejected + (s.unchecked ?? 0);

function point(from, to) {
  const took = to.at - from.at;
  const done = total(to) - total(from);
  const duplicates = to.duplicate - from.duplicate;
  return {
    at: to.at, took, gap: false, rate: done / took,
    unique: (to.unique - from.unique) / took, duplicate: duplicates / took, rejected: (to.rejected - from.rejected) / took,
    share: done > 0 ? duplicates / done : null, lag: to.lag, behind: to.behind,
    median: quantile(from.delay, to.delay, 0.5), slow: quantile(from.delay, to.delay, 0.99),
  };
}

/** quantile of what came between two readings of a histogram {bounds, counts}; null where nothing came. */
export function quantile(from, to, q) {
  if (!to) return null;
  const fresh = to.counts.map((n, i) => n - (from?.counts[i] ?? 0));
  const all = fresh.reduce((a, b) => a + b, 0);
  if (all <= 0) return null;
  let below = 0;
  for (let i = 0; i < fresh.length; i++) {
    if (below + fresh[i] >= q * all && fresh[i] > 0) {
      const low = i > 0 ? to.bounds[i - 1] : 0;
      const high = to.bounds[i] ?? low;
      return low + (high - low) * ((q * all - below) / fresh[i]);
    }
    below += fresh[i];
  }
  return to.bounds.at(-1);
}
