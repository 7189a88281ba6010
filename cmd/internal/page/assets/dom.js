// Elements. Texts become text nodes: nothing here reads markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name in node && !name.includes('-') && !(node instanceof SVGElement)) node[name] = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** el makes an element; a string among its children is text. */
export const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** svg makes an element of a drawing. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const by = (id) => document.getElementById(id);

/** put replaces what a node contains. */
export function put(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

/** tell writes facts [name, value, note] into a list, and changes what differs. A list of none is hidden. */
export function tell(list, facts) {
  list.hidden = facts.length === 0;
  if (list.children.length !== facts.length) {
    put(list, facts.map(() => el('div', {}, el('dt', {}), el('dd', {}, el('span', {}), el('span', { className: 'soft small' })))));
  }
  facts.forEach((texts, i) => list.children[i].querySelectorAll('dt, dd > span').forEach((node, k) => say(node, texts[k])));
}

/** say changes a text where it differs, so that nothing is drawn or read out again that stands there already. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
