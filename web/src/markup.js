// Mathematics that the server wrote as markup, made into elements one by one.  Only what it
// writes is known here: other elements become their contents, other attributes are left out.

const MATH = 'http://www.w3.org/1998/Math/MathML';
const HTML = 'http://www.w3.org/1999/xhtml';
const PLAIN = new Set(['div', 'p', 'h3', 'span', 'code', 'em', 'strong', 'br']);
const ATTRIBUTES = new Set(
  [
    'class',
    'display',
    'accent',
    'stretchy',
    'form',
    'fence',
    'separator',
    'width',
  ].concat([
    'mathvariant',
    'columnalign',
    'columnspacing',
    'rowspacing',
    'linethickness',
  ]),
);
const TOKEN = /<(\/?)([a-zA-Z0-9]+)((?:\s+[a-zA-Z-]+="[^"]*")*)\s*(\/?)>|([^<]+|<)/g;
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' };

function plain(text) {
  return text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, (whole, name) => {
    if (name.startsWith('#')) {
      const code =
        name[1] === 'x' ? parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : '\ufffd';
    }
    return ENTITIES[name] ?? whole;
  });
}

function elementOf(tag, attributes) {
  const math = tag === 'math' || /^m[a-z]+$/.test(tag);
  if (!math && !PLAIN.has(tag)) {
    return document.createDocumentFragment();
  }
  const element = document.createElementNS(math ? MATH : HTML, tag);
  for (const [, name, value] of attributes.matchAll(/([a-zA-Z-]+)="([^"]*)"/g)) {
    if (ATTRIBUTES.has(name)) {
      element.setAttribute(name, plain(value));
    }
  }
  return element;
}

/** The elements of a piece of markup, in a fragment. */
export function elementsOf(text) {
  const root = document.createDocumentFragment();
  const open = [{ tag: '', element: root }];
  for (const [, end, name, attributes, empty, words] of text.matchAll(TOKEN)) {
    const top = open[open.length - 1];
    if (words !== undefined) {
      top.element.append(plain(words));
    } else if (!end) {
      const element = elementOf(name, attributes);
      if (empty || name === 'br') {
        top.element.append(element);
      } else {
        open.push({ tag: name, element });
      }
    } else if (open.length > 1 && top.tag === name) {
      open.pop();
      open[open.length - 1].element.append(top.element);
    }
  }
  while (open.length > 1) {
    const { element } = open.pop();
    open[open.length - 1].element.append(element);
  }
  return root;
}
