// The legend of a plot: switches for its curves, with the values at the cursor.

import { make } from './dom.js';
import { number, unit } from './format.js';
import { onTheme, seriesColor } from './theme.js';

export class Legend {
  /** `toggle(i, shown)` is called when curve i is switched. */
  constructor(curves, toggle) {
    this.curves = curves;
    this.place = make('span', { className: 'place' });
    this.values = curves.map(() => make('span', { className: 'value' }));
    this.swatches = curves.map(() => make('span', { className: 'swatch' }));
    const buttons = curves.map((curve, i) => this.button(curve, i, toggle));
    this.element = make('div', { className: 'legend' }, ...buttons, this.place);
    this.forget = onTheme(() => this.paint());
    this.paint();
  }

  button(curve, i, toggle) {
    const button = make(
      'button',
      {
        'aria-pressed': 'true',
        title: 'Show or hide this curve',
        onclick: () => {
          const shown = button.getAttribute('aria-pressed') !== 'true';
          button.setAttribute('aria-pressed', String(shown));
          toggle(i, shown);
        },
      },
      this.swatches[i],
      make('span', {}, curve.label),
      this.values[i],
    );
    return button;
  }

  paint() {
    this.swatches.forEach((swatch, i) => {
      swatch.style.background = seriesColor(i);
    });
  }

  /** Show where the cursor is, and the values of all curves there. */
  show(place, values) {
    this.place.textContent = place;
    values.forEach((value, i) => {
      const text = unit(this.curves[i].unit);
      this.values[i].textContent = `${number(value)}${text ? ` ${text}` : ''}`;
    });
  }
}
