// A table of runs: sorted by any column, some rows at a time.

import { make } from './dom.js';
import { markedName, number, withUnit } from './format.js';

const ROWS = 100; // that are added at once

/** Rows in the order of a column; those without a number come last. */
export function sorted(rows, values, down) {
  const sign = down ? -1 : 1;
  const order = (a, b) =>
    a === null || b === null ? (a === null) - (b === null) : sign * (a - b);
  return [...rows].sort((i, k) => order(values[i], values[k]) || i - k);
}

export class RowTable {
  constructor(columns, failures, onChoose) {
    this.columns = columns;
    this.failures = failures;
    this.onChoose = onChoose;
    this.sort = { column: 0, down: false };
    this.shown = ROWS;
    this.chosen = -1;
    this.head = make('tr', {}, ...columns.map((_, i) => this.heading(i)));
    this.head.append(make('th', {}, 'status'));
    this.body = make('tbody');
    this.count = make('span', { className: 'muted' });
    const more = { className: 'on-screen', onclick: () => this.showMore() };
    this.more = make(
      'p',
      { className: 'rest' },
      this.count,
      make('button', more, 'More rows'),
    );
    const table = make('table', {}, make('thead', {}, this.head), this.body);
    this.element = make(
      'div',
      {},
      make('div', { className: 'scroll' }, table),
      this.more,
    );
  }

  heading(i) {
    const column = this.columns[i];
    const label = withUnit(markedName(column.name, column), column.unit);
    return make('th', {}, make('button', { onclick: () => this.sortBy(i) }, label));
  }

  sortBy(column) {
    const down = this.sort.column === column && !this.sort.down;
    this.sort = { column, down };
    this.show(this.rows);
  }

  showMore() {
    this.shown += ROWS;
    this.fill();
  }

  /** Show these rows. */
  show(rows) {
    this.rows = rows;
    this.shown = ROWS;
    const { column, down } = this.sort;
    this.order = sorted(rows, this.columns[column].values, down);
    [...this.head.children].forEach((cell, i) => {
      const way = down ? 'descending' : 'ascending';
      cell.setAttribute('aria-sort', i === column ? way : 'none');
    });
    this.fill();
  }

  row(index) {
    const failure = this.failures[this.columns[0].values[index]];
    const cells = this.columns.map(({ values }) =>
      make('td', {}, number(values[index] ?? NaN, 7)),
    );
    cells.push(make('td', { className: failure ? 'failed' : '' }, failure ?? 'ok'));
    const chosen = index === this.chosen;
    const choose = () => this.choose(index);
    return make(
      'tr',
      {
        className: chosen ? 'chosen' : '',
        tabIndex: 0,
        onclick: choose,
        onkeydown: (event) => event.key === 'Enter' && choose(),
      },
      ...cells,
    );
  }

  fill() {
    const visible = this.order.slice(0, this.shown);
    this.body.replaceChildren(...visible.map((index) => this.row(index)));
    this.count.textContent = `The first ${visible.length} of ${this.order.length}. `;
    this.more.hidden = this.order.length <= this.shown;
  }

  choose(index) {
    this.chosen = index;
    this.fill();
    this.onChoose(index);
  }
}
