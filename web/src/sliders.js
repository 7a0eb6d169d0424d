// Sliders for parameters and start values.

import { make } from './dom.js';
import { unit } from './format.js';

const MOST = 400; // of one kind; of more it is told that they are there
const DEGREE = Math.PI / 180;

// A range in which a value may sensibly be tried: its sign stays, and it stays off zero,
// which many parameters cannot be.
function rangeOf(value, { angle, free, whole }) {
  if (whole) {
    return [Math.min(1, value), Math.max(3 * value, value + 5)];
  }
  if (angle && Math.abs(value) <= angle) {
    return [-angle, angle];
  }
  if (value === 0) {
    return [-1, 1];
  }
  const size = Math.abs(value);
  if (free) {
    return [-3 * size, 3 * size];
  }
  return value > 0 ? [0.05 * size, 3 * size] : [-3 * size, -0.05 * size];
}

class Row {
  constructor({ name, text, value, onInput, ...kind }) {
    this.name = name;
    this.home = value;
    this.onInput = onInput;
    this.kind = kind;
    const label = make('span', { className: 'name', title: name }, name);
    this.range = make('input', {
      type: 'range',
      step: kind.whole ? '1' : 'any',
      'aria-label': name,
      title: 'Double click: the value of the model',
      oninput: () => this.take(Number(this.range.value), false),
      ondblclick: () => this.reset(),
    });
    this.field = make('input', {
      type: 'text',
      inputMode: 'decimal',
      'aria-label': `${name}, value`,
      onchange: () => this.take(Number(this.field.value.replace('−', '-')), true),
    });
    this.back = make(
      'button',
      {
        className: 'back',
        title: 'Back to the value of the model',
        'aria-label': `Reset ${name}`,
        onclick: () => this.reset(),
      },
      '↺',
    );
    const tail = make('span', { className: 'unit' }, unit(text));
    this.element = make('div', { className: 'row' }, label, this.range, this.field);
    this.element.append(tail, this.back);
    this.lay(value);
    this.show(value, false);
  }

  // The range about a value of the model.
  lay(value) {
    const [min, max] = rangeOf(value, this.kind);
    Object.assign(this.range, { min: String(min), max: String(max) });
  }

  /** The model has a value, which may be far from what it was. */
  comeHome(value) {
    this.home = value;
    if (value < Number(this.range.min) || value > Number(this.range.max)) {
      this.lay(value);
    }
  }

  take(value, typed) {
    if (!Number.isFinite(value)) {
      this.show(this.value, this.changed);
      return;
    }
    if (typed) {
      this.range.min = String(Math.min(Number(this.range.min), value));
      this.range.max = String(Math.max(Number(this.range.max), value));
    }
    this.show(value, true);
    this.onInput(value);
  }

  reset() {
    this.show(this.home, false);
    this.onInput(undefined);
  }

  show(value, changed) {
    this.value = value;
    this.changed = changed;
    this.range.value = String(value);
    this.field.value = String(Number(value.toPrecision(5)));
    this.back.style.visibility = changed ? 'visible' : 'hidden';
  }
}

/** A list of sliders that stays as long as its names do. */
export class Sliders {
  /** `onInput(name, value)`, value undefined for that of the model. */
  constructor(element, title, onInput) {
    this.onInput = onInput;
    this.rows = new Map();
    this.key = '';
    this.list = make('div', { className: 'rows' });
    this.element = element;
    this.rest = make('p', { className: 'muted' });
    element.append(make('h2', {}, title), this.list, this.rest);
  }

  /** Show entries { name, unit, value, angle, free }; `set` has the values that the user gave
   * by name. */
  show(entries, set) {
    const list = entries.slice(0, MOST);
    const key = JSON.stringify(
      list.map(({ name, unit: text, whole }) => [name, text, whole]),
    );
    this.rest.textContent =
      entries.length > MOST ? `${entries.length - MOST} more have no slider.` : '';
    this.element.hidden = list.length === 0;
    if (key !== this.key) {
      this.key = key;
      this.rows = new Map(list.map((entry) => [entry.name, this.row(entry)]));
      this.list.replaceChildren(...[...this.rows.values()].map((row) => row.element));
    }
    for (const { name, value } of list) {
      const row = this.rows.get(name);
      const given = set[name];
      if (given === undefined) {
        row.comeHome(value);
      }
      if (
        document.activeElement !== row.range &&
        document.activeElement !== row.field
      ) {
        row.show(given ?? value, given !== undefined);
      }
    }
  }

  row({ name, unit: text, ...entry }) {
    const onInput = (given) => this.onInput(name, given);
    return new Row({ name, text, ...entry, onInput });
  }
}

/** The entries for the parameters of a system. */
export function parameterEntries({ parameters }) {
  return parameters
    .filter(({ name }) => name !== '')
    .map(({ name, unit: text, value, degrees, sizes }) => ({
      name,
      unit: degrees ? 'deg' : text,
      value: degrees ? value / DEGREE : value,
      angle: degrees ? 180 : text === 'rad' ? Math.PI : 0,
      whole: sizes && Number.isInteger(value),
    }));
}

/** The entries for the start values of a run. */
export function startEntries(run) {
  if (run.rows === 0) {
    return [];
  }
  return run.columns
    .filter(({ kind }) => ['position', 'velocity', 'state'].includes(kind))
    .map(({ name, unit: text, data }) => ({
      name,
      unit: text,
      value: data[0],
      angle: text === 'rad' ? Math.PI : 0,
      free: true,
    }));
}
