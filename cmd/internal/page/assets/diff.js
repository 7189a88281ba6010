// The differences of two texts, word by word. Words that differ in case or punctuation alone are the same to the filter,
// and are told apart here.

const MOST_WORDS = 6000; // of each text; the rest is shown, and not compared
const MOST_STEPS = 300_000; // of the comparison; beyond it what lies between the common ends counts as different

// Scripts that are written without spaces: a letter of them is a word here.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTERS = new RegExp(`\\s*(?:${UNSPACED.source}\\p{M}*|(?:(?!${UNSPACED.source})\\S)+)|\\s+$`, 'gu');

/** words splits a text so that its pieces, joined, are the text again. */
export const words = (text) => text.match(LETTERS) ?? [];

/** bare is the normal form of a word by default (index/text): nothing of a word that has no letter and no number. */
const bare = (word) => word.replace(/\p{Default_Ignorable_Code_Point}+/gu, '').normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();

/** keysOf returns what is compared of words: of a text without letters and numbers the words themselves. */
const keysOf = (sides) => {
  const keys = sides.map((side) => side.map(bare));
  return keys.every((side) => side.some((key) => key !== '')) ? keys : sides.map((side) => side.map((word) => word.trim()));
};

/**
 * diff returns {left, right, changed, soft, places, cut}: pieces {text, kind, at} of either side, where kind is same, soft (case
 * or punctuation) or changed; how many words of both sides are changed or soft; in how many places some are changed, and at is the
 * number of the place; and whether the texts were too long to compare whole. The n-th pieces that are the same belong together.
 */
export function diff(a, b) {
  const whole = [words(a), words(b)];
  const [left, right] = whole.map((w) => w.slice(0, MOST_WORDS));
  const keys = keysOf([left, right]);
  const pairs = common(keys[0], keys[1]);
  const out = { left: [], right: [], changed: 0, soft: 0, places: 0, words: left.length + right.length, cut: whole.some((w) => w.length > MOST_WORDS) || pairs.cut };
  let stretch = 0; // of words that are on both sides, or on one
  const mark = (side, text, kind) => {
    const last = side.at(-1);
    if (last?.kind === kind && last.stretch === stretch) last.text += text;
    else side.push({ text, kind, stretch, at: out.places });
  };
  const alone = (side, text, key) => {
    if (key === '') out.soft++;
    else out.changed++;
    mark(side, text, key === '' ? 'soft' : 'changed');
  };
  let i = 0;
  let j = 0;
  for (const [x, y] of [...pairs, [left.length, right.length]]) {
    if (i < x || j < y) {
      const before = out.changed;
      stretch++;
      for (; i < x; i++) alone(out.left, left[i], keys[0][i]);
      for (; j < y; j++) alone(out.right, right[j], keys[1][j]);
      stretch++;
      if (out.changed > before) out.places++;
    }
    if (x === left.length) break;
    const kind = left[i].trim() === right[j].trim() ? 'same' : 'soft';
    if (kind === 'soft') out.soft++;
    mark(out.left, left[i++], kind);
    mark(out.right, right[j++], kind);
  }
  for (const [side, at] of [[out.left, 0], [out.right, 1]]) {
    const rest = whole[at].slice(MOST_WORDS).join('');
    if (rest) mark(side, rest, 'rest');
  }
  return out;
}

/** common returns pairs of positions of a longest common subsequence (Myers 1986), after the common ends are set aside. */
function common(a, b) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const pairs = [];
  for (let i = 0; i < head; i++) pairs.push([i, i]);
  const middle = myers(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  for (const [x, y] of middle) pairs.push([x + head, y + head]);
  for (let i = tail; i > 0; i--) pairs.push([a.length - i, b.length - i]);
  pairs.cut = middle.cut ?? false;
  return pairs;
}

function myers(a, b) {
  const most = a.length + b.length;
  const trace = [];
  let v = new Map([[1, 0]]);
  let steps = 0;
  for (let d = 0; d <= most; d++) {
    trace.push(new Map(v));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && v.get(k - 1) < v.get(k + 1)) ? v.get(k + 1) : v.get(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) {
        x++;
        steps++;
      }
      v.set(k, x);
      if (x >= a.length && x - k >= b.length) return walk(trace, a, b);
    }
    steps += 2 * d + 1; // the copy that is kept
    if (steps > MOST_STEPS) break;
  }
  const none = [];
  none.cut = true;
  return none;
}

function walk(trace, a, b) {
  const pairs = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const v = trace[d];
    const k = x - y;
    const before = k === -d || (k !== d && v.get(k - 1) < v.get(k + 1)) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : v.get(before);
    const fromY = d === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    x = fromX;
    y = fromY;
  }
  return pairs.reverse();
}
