// Elements of the page.  Texts of the model reach it through textContent alone.

/** Make an element with properties and children; strings become text. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name in element) {
      element[name] = value;
    } else {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** The width and height that the page has for what is drawn in an element. */
export function roomOf({ clientWidth, clientHeight }) {
  return { width: clientWidth, height: clientHeight };
}

/** A table with a heading for each column; cells are strings or elements. */
export function table(headings, rows) {
  const cells = (tag, row) => row.map((cell) => make(tag, {}, cell));
  return make(
    'div',
    { className: 'scroll' },
    make(
      'table',
      {},
      make('thead', {}, make('tr', {}, ...cells('th', headings))),
      make('tbody', {}, ...rows.map((row) => make('tr', {}, ...cells('td', row)))),
    ),
  );
}
