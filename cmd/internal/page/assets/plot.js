// Plots of time, of buckets and of numbers, as SVG. Each says in words what it shows.

import { el, svg, put, say } from './dom.js';
import { DASH, short } from './format.js';

const HEIGHT = 168;
const TALL = 320;
const PAD = { left: 52, right: 12, top: 10, bottom: 24 };
const SLACK = 25; // seconds without a value that a line spans

/** nice returns a round number that is at least n, and into how many parts the axis is divided. */
export function nice(n) {
  if (!(n > 0)) return [1, 2];
  const size = 10 ** Math.floor(Math.log10(n));
  for (const [step, parts] of [[1, 2], [2, 2], [3, 3], [4, 2], [5, 2], [6, 3], [8, 4], [10, 2]]) {
    if (n <= step * size * 1.0001) return [step * size, parts];
  }
  return [10 * size, 2];
}

/** panel makes what all plots have: a heading, the values of now, the drawing. */
export function panel(into, title, { legend = [], note, tall }) {
  const id = into.id + '-title';
  const values = legend.map((s) => el('span', { className: 'value' }, DASH));
  const drawing = svg('svg', { class: tall ? 'plot tall' : 'plot', role: 'img', height: tall ? TALL : HEIGHT, 'aria-label': title + ': no values yet' });
  const empty = el('p', { className: 'empty', hidden: true });
  put(into,
    el('div', { className: 'head' }, el('h2', { id }, title), note && el('p', { className: 'soft small' }, note)),
    legend.length > 0 && el('ul', { className: 'legend' }, legend.map((s, i) => el('li', {}, el('span', { className: 'key ' + s.paint, 'aria-hidden': 'true' }), s.name, ' ', values[i]))),
    el('div', { className: 'canvas' }, drawing, empty));
  return { drawing, values, empty };
}

/** TimePlot draws series {key, name, paint, area} of points {at} against the time. Areas stand on one another. */
export class TimePlot {
  #into; #title; #series; #format; #axis; #parts; #last = null; #pointed = null; #floor; #most;

  constructor(into, title, { series, format, axis = format, note, floor = 0, most = Infinity }) {
    Object.assign(this, { wide: 0 });
    this.#into = into;
    this.#title = title;
    this.#series = series;
    this.#format = format;
    this.#axis = axis;
    this.#floor = floor;
    this.#most = most;
    this.#parts = panel(into, title, { legend: series, note });
    const drawing = this.#parts.drawing;
    new ResizeObserver(([entry]) => {
      this.wide = Math.round(entry.contentRect.width);
      this.#draw();
    }).observe(drawing.parentElement);
    drawing.addEventListener('pointermove', (e) => this.#point(e.clientX - drawing.getBoundingClientRect().left));
    drawing.addEventListener('pointerleave', () => this.#point(null));
  }

  /** show draws points up to now; reach is how many seconds there are on the axis. */
  show(points, reach, now) {
    this.#last = { points: points.filter((p) => p.at >= now - reach), reach, now };
    this.#draw();
  }

  #point(x) {
    this.#pointed = x;
    this.#draw();
  }

  #draw() {
    if (!this.#last || this.wide === 0) return;
    const { points, reach, now } = this.#last;
    const { drawing, values, empty } = this.#parts;
    const has = points.some((p) => this.#series.some((s) => typeof p[s.key] === 'number'));
    empty.hidden = has;
    say(empty, 'Nothing to show yet.');
    const area = { left: PAD.left, right: this.wide - PAD.right, top: PAD.top, bottom: HEIGHT - PAD.bottom };
    const x = (at) => area.right - ((now - at) / reach) * (area.right - area.left);
    const [top, parts] = this.#top(points);
    const y = (v) => area.bottom - (Math.min(v, top) / top) * (area.bottom - area.top);
    const shown = this.#pointed === null ? points.at(-1) : nearest(points, x, this.#pointed);
    drawing.setAttribute('viewBox', `0 0 ${this.wide} ${HEIGHT}`);
    put(drawing, grid(area, top, parts, y, this.#axis), times(area, reach, now, x), this.#lines(points, x, y), this.#cursor(shown, area, x, y));
    this.#series.forEach((s, i) => say(values[i], this.#format(shown?.[s.key])));
    drawing.setAttribute('aria-label', this.#words(points, reach));
  }

  #top(points) {
    const stacked = this.#series.filter((s) => s.area);
    let most = this.#floor;
    for (const p of points) {
      most = Math.max(most, stacked.reduce((sum, s) => sum + (p[s.key] ?? 0), 0), ...this.#series.filter((s) => !s.area).map((s) => p[s.key] ?? 0));
    }
    const [top, parts] = nice(most);
    return top > this.#most ? [this.#most, parts] : [top, parts];
  }

  #lines(points, x, y) {
    const marks = [];
    const base = points.map(() => 0);
    for (const s of this.#series) {
      if (s.area && points.every((p) => !(p[s.key] > 0))) continue; // a line of zeros would stand on the one below
      for (const run of runs(points, s.key)) {
        const upper = run.map((i) => [x(points[i].at), y((s.area ? base[i] : 0) + points[i][s.key])]);
        if (s.area || s.wash) {
          const lower = run.map((i) => [x(points[i].at), y(s.area ? base[i] : 0)]).reverse();
          marks.push(svg('path', { class: 'area ' + s.paint, d: path([...upper, ...lower]) + 'Z' }));
        }
        marks.push(svg('path', { class: 'line ' + s.paint, d: path(upper) }));
      }
      if (s.area) points.forEach((p, i) => (base[i] += p[s.key] ?? 0));
    }
    return marks;
  }

  #cursor(shown, area, x, y) {
    if (this.#pointed === null || !shown) return [];
    const at = x(shown.at);
    let base = 0;
    const dots = this.#series.map((s) => {
      const value = shown[s.key];
      if (typeof value !== 'number') return null;
      base = s.area ? base + value : value;
      return svg('circle', { class: 'dot ' + s.paint, cx: at, cy: y(base), r: 3.5 });
    });
    return [svg('line', { class: 'cursor', x1: at, x2: at, y1: area.top, y2: area.bottom }), ...dots];
  }

  #words(points, reach) {
    const parts = this.#series.map((s) => {
      const all = points.filter((p) => typeof p[s.key] === 'number').map((p) => p[s.key]);
      if (all.length === 0) return `${s.name}: no values yet`;
      return `${s.name}: now ${this.#format(all.at(-1))}, lowest ${this.#format(Math.min(...all))}, highest ${this.#format(Math.max(...all))}`;
    });
    return `${this.#title}, the last ${ago(reach)}. ${parts.join('. ')}.`;
  }
}

const ago = (seconds) => (seconds < 120 ? `${seconds} seconds` : `${seconds / 60} minutes`);

/** runs are the stretches of points, by position, that have a value. */
function* runs(points, key) {
  let run = [];
  for (let i = 0; i < points.length; i++) {
    if (typeof points[i][key] !== 'number') continue;
    if (run.length > 0 && points[i].at - points[run.at(-1)].at > SLACK) {
      yield run;
      run = [];
    }
    run.push(i);
  }
  if (run.length > 0) yield run;
}

/** path is a line through dots; one alone is a dot. */
const path = (dots) => 'M' + (dots.length > 1 ? dots : [...dots, ...dots]).map(([a, b]) => a.toFixed(1) + ' ' + b.toFixed(1)).join('L');

function nearest(points, x, at) {
  let best;
  for (const p of points) {
    if (!best || Math.abs(x(p.at) - at) < Math.abs(x(best.at) - at)) best = p;
  }
  return best;
}

function grid(area, top, parts, y, format, low = 0) {
  return Array.from({ length: parts + 1 }, (_, i) => {
    const value = low + ((top - low) / parts) * i;
    return [
      svg('line', { class: i === 0 ? 'axis' : 'rule', x1: area.left, x2: area.right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick', x: area.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, format(value)),
    ];
  });
}

function times(area, reach, now, x) {
  const step = { 60: 20, 120: 30, 300: 60, 600: 120 }[reach] ?? 300;
  const room = (area.right - area.left) / (reach / step) < 70 ? 2 : 1;
  const marks = [];
  for (let back = 0; back <= reach; back += step * room) {
    const anchor = back === 0 ? 'end' : x(now - back) < area.left + 12 ? 'start' : 'middle';
    marks.push(svg('text', { class: 'tick', x: x(now - back), y: HEIGHT - 6, 'text-anchor': anchor }, back === 0 ? 'now' : back % 60 === 0 ? `−${back / 60} min` : `−${back} s`));
  }
  return marks;
}

/** bars draws buckets {label, value, paint}, and a line with a text before one of them. */
export function bars({ drawing, empty }, wide, title, buckets, format, mark, none = 'No matches yet.') {
  const all = buckets.reduce((sum, b) => sum + b.value, 0);
  empty.hidden = all > 0;
  say(empty, none);
  const area = { left: PAD.left, right: wide - PAD.right, top: PAD.top + 14, bottom: HEIGHT - PAD.bottom };
  const [top, parts] = nice(Math.max(...buckets.map((b) => b.value), 2));
  const y = (v) => area.bottom - (v / top) * (area.bottom - area.top);
  const each = (area.right - area.left) / buckets.length;
  drawing.setAttribute('viewBox', `0 0 ${wide} ${HEIGHT}`);
  put(drawing, grid(area, top, parts, y, format), buckets.map((b, i) => [
    b.value > 0 && svg('rect', { class: 'bar ' + b.paint, x: area.left + i * each + 2, width: Math.max(1, each - 4), y: y(b.value), height: Math.max(1, area.bottom - y(b.value)), rx: 2 }),
    b.label && svg('text', { class: 'tick', x: area.left + i * each + (b.centre ? each / 2 : 0), y: HEIGHT - 6, 'text-anchor': 'middle' }, b.label),
  ]), mark && [
    svg('line', { class: 'threshold', x1: area.left + mark.at * each, x2: area.left + mark.at * each, y1: PAD.top, y2: area.bottom }),
    svg('text', { class: 'tick strong', x: area.left + mark.at * each + 5, y: PAD.top + 8, 'text-anchor': 'start' }, mark.text),
  ]);
  const told = buckets.filter((b) => b.value > 0).map((b) => `${b.name}: ${format(b.value)}`);
  drawing.setAttribute('aria-label', `${title}. ${told.length > 0 ? told.join(', ') : none}`);
}

/**
 * chart draws a plot {title, x, y, note} of bars as bars has them, with a mark, or of numbers between left and right, low
 * and top: lines {name, colour, dashed, best, dots}, points {name, label, best, at}, marks {name, at, flat}. A dot is [x, y].
 */
export function chart(into, p) {
  const named = (p.lines ?? []).filter((l) => l.name);
  const legend = named.map((l) => ({ name: l.name, paint: paintOf(l) }));
  const parts = panel(into, p.title, { legend, note: `${p.y} by ${p.x}: ${p.note}`, tall: !p.bars });
  const place = parts.drawing.parentElement;
  let wide = 0;
  const draw = (pointed) => {
    if (wide === 0) return;
    if (p.bars) return bars(parts, wide, p.title, p.bars, tidy, p.mark, 'None.');
    const x = numbers(parts.drawing, wide, p, pointed);
    named.forEach((l, i) => {
      const dot = pointed !== undefined && l.dots.reduce((a, b) => (Math.abs(x(b[0]) - pointed) < Math.abs(x(a[0]) - pointed) ? b : a));
      say(parts.values[i], dot ? `${tidy(dot[1])} at ${tidy(dot[0])}` : '');
    });
  };
  new ResizeObserver(([entry]) => {
    wide = Math.round(entry.contentRect.width);
    draw();
  }).observe(place);
  place.addEventListener('pointermove', (e) => draw(e.clientX - place.getBoundingClientRect().left));
  place.addEventListener('pointerleave', () => draw());
}

const COLOURS = 8;
const paintOf = (l) => `c${l.colour % COLOURS}${l.dashed ? ' dashed' : ''}${l.best ? ' best' : ''}`;
const tidy = (n) => (n >= 10_000 ? short(n) : String(Number(n.toPrecision(4))));

function numbers(drawing, wide, p, pointed) {
  const area = { left: PAD.left, right: wide - PAD.right, top: PAD.top + 14, bottom: TALL - PAD.bottom };
  const scale = p.log ? Math.log : Number;
  const x = (v) => area.left + ((scale(v) - scale(p.left)) / (scale(p.right) - scale(p.left))) * (area.right - area.left);
  const y = (v) => area.bottom - ((v - p.low) / (p.top - p.low)) * (area.bottom - area.top);
  const tenths = Math.round((p.top - p.low) * 10);
  drawing.setAttribute('viewBox', `0 0 ${wide} ${TALL}`);
  put(drawing, grid(area, p.top, tenths > 2 ? tenths : 5, y, tidy, p.low),
    (p.xs ?? ticks(p)).map((v) => svg('text', { class: 'tick', x: x(v), y: TALL - 6, 'text-anchor': 'middle' }, tidy(v))),
    (p.marks ?? []).map((m) => [
      svg('line', m.flat ? { class: 'threshold', x1: area.left, x2: area.right, y1: y(m.at), y2: y(m.at) } : { class: 'threshold', x1: x(m.at), x2: x(m.at), y1: area.top, y2: area.bottom }),
      svg('text', { class: 'tick strong', x: m.flat ? area.left : x(m.at), y: area.top - 5, 'text-anchor': m.flat ? 'start' : 'middle' }, m.name),
    ]),
    (p.lines ?? []).filter((l) => l.dots.length > 0).map((l) => [
      svg('path', { class: 'line ' + paintOf(l), d: path(l.dots.map(([a, b]) => [x(a), y(b)])) }),
      l.name && l.dots.length < 12 && l.dots.map(([a, b]) => svg('circle', { class: 'dot ' + paintOf(l), cx: x(a), cy: y(b), r: 3 })),
    ]),
    (p.points ?? []).map((pt) => svg('circle', { class: pt.best ? 'dot c1' : 'dot c0', cx: x(pt.at[0]), cy: y(pt.at[1]), r: pt.best ? 6 : 4 }, svg('title', {}, pt.name))),
    labels(p.points ?? [], x, y, area),
    pointed > area.left && pointed < area.right && svg('line', { class: 'cursor', x1: pointed, x2: pointed, y1: area.top, y2: area.bottom }));
  drawing.setAttribute('aria-label', `${p.title}. ${told(p)}`);
  return x;
}

/** told says what lines begin and end with, and which point is the best. */
function told(p) {
  const lines = (p.lines ?? []).filter((l) => l.name && l.dots.length > 0).map((l) => `${l.name}: ${tidy(l.dots[0][1])} at ${tidy(l.dots[0][0])}, ${tidy(l.dots.at(-1)[1])} at ${tidy(l.dots.at(-1)[0])}.`);
  const points = p.points ? [`${p.points.length} points.`, ...p.points.filter((pt) => pt.best).map((pt) => `The best: ${pt.name}.`)] : [];
  return [...lines, ...points].join(' ') || p.note;
}

/** ticks are 1, 2 and 5 times powers of ten on a logarithmic axis, all digits on a short one, and else tenths of it. */
function ticks({ left, right, log }) {
  if (!log) return Array.from({ length: 11 }, (_, i) => left + ((right - left) / 10) * i);
  const all = [];
  const digits = right > 10 * left ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 8];
  for (let unit = 10 ** Math.floor(Math.log10(left)); unit <= right; unit *= 10) all.push(...digits.map((n) => n * unit));
  return all.filter((v) => v >= left && v <= right);
}

/** labels are the names of some points, moved apart where they would cover each other. */
function labels(points, x, y, area) {
  const placed = [];
  return points.filter((pt) => pt.label).sort((a, b) => a.at[0] - b.at[0]).map((pt) => {
    const half = 3.3 * pt.label.length;
    const at = Math.min(x(pt.at[0]), area.right - half);
    const below = y(pt.at[1]) + 18 < area.bottom - 4;
    let down = y(pt.at[1]) + (below ? 18 : -9);
    while (placed.some(([a, b, h]) => Math.abs(a - at) < h + half && Math.abs(b - down) < 13)) down += below ? 13 : -13;
    placed.push([at, down, half]);
    return svg('text', { class: 'tick strong', x: at, y: down, 'text-anchor': 'middle' }, pt.label);
  });
}
