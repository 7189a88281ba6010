// The plots of time: throughput, share of duplicates, lag, latency; and the histogram of similarities.

import { by, el, say } from './dom.js';
import { clock, count, latency, percent, rate, short, span } from './format.js';
import { secondsOf } from './model.js';
import { TimePlot, bars, panel } from './plot.js';

const KEPT = 15 * 60; // seconds that the member keeps

/** charts makes the plots and returns a function that draws the points of the member's history. */
export function charts() {
  const since = el('span');
  const throughput = new TimePlot(by('throughput'), 'Throughput', {
    note: el('span', {}, 'documents a second', since), format: rate, axis: short, floor: 2,
    series: [
      { key: 'duplicate_per_s', name: 'duplicates', paint: 'p-main', area: true },
      { key: 'unique_per_s', name: 'unique', paint: 'p-calm', area: true },
      { key: 'rejected_per_s', name: 'rejected', paint: 'p-bad', area: true },
    ],
  });
  const share = new TimePlot(by('share'), 'Share of duplicates', {
    format: percent, floor: 0.01, most: 1, series: [{ key: 'duplicate_share', name: 'duplicates', paint: 'p-main', wash: true }],
  });
  const lag = new TimePlot(by('lag'), 'Lag', {
    note: 'of the whole group', format: count, axis: short, floor: 10, series: [{ key: 'lag_documents', name: 'documents', paint: 'p-main', wash: true }],
  });
  const late = new TimePlot(by('latency'), 'Latency', {
    note: 'from timestamp to commit', format: latency, axis: span, floor: 0.1,
    series: [{ key: 'slowest_s', name: 'slowest 1 %', paint: 'p-calm' }, { key: 'median_s', name: 'median', paint: 'p-main' }],
  });
  const plots = [throughput, share, lag, late];
  return (history) => {
    const points = history.map((p) => ({ ...p, at: secondsOf(p.time) }));
    const now = points.at(-1)?.at ?? 0;
    const first = points.length > 0 ? points[0].at - points[0].over_s : now;
    const reach = [60, 120, 300, 600].find((r) => now - first <= r) ?? KEPT;
    say(since, now > first && now - first < KEPT - 5 ? `, kept since ${clock(1000 * first)}` : '');
    for (const plot of plots) plot.show(points, reach, now);
  };
}

/** similarities makes the histogram and returns a function that draws {bounds, counts} beside the threshold. */
export function similarities() {
  const into = by('similarity');
  const title = 'How alike the duplicates are';
  const parts = panel(into, title, { note: 'matches since the start, by similarity' });
  let wide = 0;
  let last = null;
  const draw = () => {
    if (wide > 0 && last) bars(parts, wide, title, bucketsOf(...last), short, markOf(...last));
  };
  new ResizeObserver(([entry]) => {
    wide = Math.round(entry.contentRect.width);
    draw();
  }).observe(parts.drawing.parentElement);
  return (histogram, threshold) => {
    last = [atLeast(histogram, threshold), threshold];
    draw();
  };
}

/**
 * atLeast returns the histogram with the matches that are exactly at the threshold above it. Its bounds belong to the buckets
 * below them, and no match is below the threshold.
 */
function atLeast({ bounds, counts }, threshold) {
  const at = bounds.indexOf(threshold);
  return { bounds, counts: counts.map((n, i) => (at < 0 || i < at || i > at + 1 ? n : i === at ? 0 : n + counts[at])) };
}

/** visible are the positions of the buckets that are drawn: from a little below the threshold, or the first match, to 1. */
function visible({ bounds, counts }, threshold) {
  const first = counts.findIndex((n) => n > 0);
  const from = Math.min(threshold ?? 0.5, first >= 0 ? (bounds[first - 1] ?? 0) : 1);
  return bounds.map((_, i) => i).filter((i) => bounds[i] > from - 0.1001);
}

function bucketsOf(histogram, threshold) {
  const { bounds, counts } = histogram;
  return visible(histogram, threshold).map((i) => {
    const low = i > 0 ? bounds[i - 1] : 0;
    const same = bounds[i] >= 1 && low > 0.999;
    return {
      value: counts[i], paint: same ? 'p-main strong' : 'p-main', centre: same,
      label: same ? 'same' : Math.round(low * 100) % 10 === 0 ? low.toFixed(1) : '',
      name: same ? 'the same text' : `${low} to ${bounds[i]}`,
    };
  });
}

function markOf(histogram, threshold) {
  if (typeof threshold !== 'number' || histogram.counts.every((n) => n === 0)) return null;
  const shown = visible(histogram, threshold);
  const { bounds } = histogram;
  const at = shown.findIndex((i) => bounds[i] > threshold);
  if (at < 0) return null;
  const low = shown[at] > 0 ? bounds[shown[at] - 1] : 0;
  return { at: at + Math.max(0, (threshold - low) / (bounds[shown[at]] - low)), text: 'threshold ' + threshold };
}
