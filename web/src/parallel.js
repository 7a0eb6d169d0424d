// Parallel coordinates: an axis for each quantity, a line for each run.

import { make } from './dom.js';
import { markedName, number, withUnit } from './format.js';
import { color, onTheme, seriesColor } from './theme.js';

const MOST_AXES = 12;
const TOP = 42; // room for a row of names
const NAME = 15; // and for each further one
const MOST_NAMES = 6; // rows
const APART = 8; // names in a row
const BOTTOM = 24;
const SIDE = 60;
const NAME_FONT = '600 12px system-ui, sans-serif';
const NEAR = 14; // pixels from an axis at which a drag belongs to it

function rangeOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return [low, high];
}

// Write a number unless it would lie on the one before; returns where the last one ends.
function writeNumber(ctx, value, [x, y], end) {
  const text = number(value, 4);
  const half = ctx.measureText(text).width / 2;
  if (x - half < end) {
    return end;
  }
  ctx.fillText(text, x, y);
  return x + half + APART / 2;
}

/** The columns that have an axis: those that are not the same in all runs. */
export function axesOf(columns) {
  const axes = columns.slice(1).map((column) => {
    const [low, high] = rangeOf(column.values);
    return { column, low, high, brush: null };
  });
  return axes.filter(({ low, high }) => low < high).slice(0, MOST_AXES);
}

/** Whether a run is within all that was marked. */
export function isWithin(axes, row) {
  return axes.every(({ column, brush }) => {
    const value = column.values[row];
    return !brush || (value !== null && value >= brush[0] && value <= brush[1]);
  });
}

export class Parallel {
  constructor(columns, rows, onSelect) {
    this.axes = axesOf(columns);
    this.rows = rows;
    this.onSelect = onSelect;
    this.chosen = -1;
    this.names = []; // of axes: what is written where
    this.top = TOP;
    this.ends = { high: 0, low: 0 }; // of numbers that are written, from left to right
    this.canvas = make('canvas', {
      role: 'img',
      'aria-label': 'Runs in parallel coordinates',
    });
    this.canvas.addEventListener('pointerdown', (event) => this.press(event));
    this.canvas.addEventListener('pointermove', (event) => this.drag(event));
    this.canvas.addEventListener('pointerup', () => this.release());
    this.canvas.addEventListener('pointercancel', () => this.release());
    onTheme(() => this.draw());
  }

  start() {
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.draw();
  }

  get selected() {
    return Array.from({ length: this.rows }, (_, row) => row).filter((row) =>
      isWithin(this.axes, row),
    );
  }

  placeX(i) {
    const { clientWidth } = this.canvas;
    return SIDE + (i * (clientWidth - 2 * SIDE)) / Math.max(1, this.axes.length - 1);
  }

  placeY({ low, high }, value) {
    const height = this.canvas.clientHeight - this.top - BOTTOM;
    return this.top + height * (1 - (value - low) / (high - low));
  }

  valueAt({ low, high }, y) {
    const height = this.canvas.clientHeight - this.top - BOTTOM;
    const part = Math.min(1, Math.max(0, 1 - (y - this.top) / height));
    return low + part * (high - low);
  }

  press({ offsetX, offsetY, pointerId }) {
    const i = this.axes.findIndex((_, k) => Math.abs(this.placeX(k) - offsetX) < NEAR);
    if (i >= 0) {
      this.canvas.setPointerCapture(pointerId);
      this.dragged = { axis: this.axes[i], from: offsetY };
      this.axes[i].brush = null;
      this.draw();
    }
  }

  drag({ offsetY }) {
    if (this.dragged && Math.abs(offsetY - this.dragged.from) > 3) {
      const { axis, from } = this.dragged;
      const ends = [this.valueAt(axis, from), this.valueAt(axis, offsetY)];
      axis.brush = ends.sort((a, b) => a - b);
      this.draw();
    }
  }

  release() {
    if (this.dragged) {
      this.dragged = null;
      this.draw();
      this.onSelect(this.selected);
    }
  }

  /** Let all runs count again. */
  clear() {
    this.axes.forEach((axis) => {
      axis.brush = null;
    });
    this.draw();
    this.onSelect(this.selected);
  }

  /** Draw one run before all others. */
  choose(row) {
    this.chosen = row;
    this.draw();
  }

  line(ctx, row) {
    let pen = false;
    ctx.beginPath();
    this.axes.forEach((axis, i) => {
      const value = axis.column.values[row];
      if (value === null) {
        pen = false;
        return;
      }
      const place = [this.placeX(i), this.placeY(axis, value)];
      (pen ? ctx.lineTo : ctx.moveTo).apply(ctx, place);
      pen = true;
    });
    ctx.stroke();
  }

  drawLines(ctx) {
    const inside = this.selected;
    const within = new Set(inside);
    ctx.lineWidth = 1;
    ctx.strokeStyle = color('grid');
    for (let row = 0; row < this.rows; row++) {
      if (!within.has(row)) {
        this.line(ctx, row);
      }
    }
    ctx.strokeStyle = seriesColor(0);
    ctx.globalAlpha = Math.min(1, Math.max(0.06, 60 / Math.max(1, inside.length)));
    inside.forEach((row) => this.line(ctx, row));
    ctx.globalAlpha = 1;
    if (this.chosen >= 0) {
      ctx.lineWidth = 3;
      ctx.strokeStyle = color('mark');
      this.line(ctx, this.chosen);
    }
  }

  drawAxis(ctx, axis, i) {
    const x = this.placeX(i);
    const [low, high] = [this.placeY(axis, axis.low), this.placeY(axis, axis.high)];
    ctx.lineWidth = 1;
    ctx.strokeStyle = color('muted');
    ctx.beginPath();
    ctx.moveTo(x, low);
    ctx.lineTo(x, high);
    ctx.stroke();
    ctx.fillStyle = color('ink');
    ctx.textAlign = 'center';
    ctx.font = NAME_FONT;
    const name = this.names[i];
    ctx.fillText(name.text, name.x, this.top - 28 - NAME * name.row);
    ctx.font = '12px system-ui, sans-serif';
    ctx.fillStyle = color('muted');
    this.ends.high = writeNumber(ctx, axis.high, [x, high - 8], this.ends.high);
    this.ends.low = writeNumber(ctx, axis.low, [x, low + 16], this.ends.low);
    if (axis.brush) {
      const [a, b] = axis.brush.map((value) => this.placeY(axis, value));
      ctx.fillStyle = color('accent');
      ctx.globalAlpha = 0.35;
      ctx.fillRect(x - 7, b, 14, Math.max(2, a - b));
      ctx.globalAlpha = 1;
    }
  }

  // Names that would lie on each other have rows of their own, the first next to the axes.
  placeNames(ctx) {
    const ends = [];
    ctx.font = NAME_FONT;
    this.names = this.axes.map(({ column }, i) => {
      const text = withUnit(markedName(column.name, column), column.unit);
      const half = ctx.measureText(text).width / 2;
      const most = this.canvas.clientWidth - half;
      const x = Math.max(half, Math.min(most, this.placeX(i)));
      const free = ends.findIndex((end) => x - half > end + APART);
      const row = free >= 0 ? free : Math.min(ends.length, MOST_NAMES - 1);
      ends[row] = x + half;
      return { text, x, row };
    });
    this.top = TOP + NAME * Math.max(0, ends.length - 1);
  }

  draw() {
    const { canvas } = this;
    const scale = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    const ctx = canvas.getContext('2d');
    ctx.scale(scale, scale);
    this.placeNames(ctx);
    this.drawLines(ctx);
    this.ends = { high: 0, low: 0 };
    this.axes.forEach((axis, i) => this.drawAxis(ctx, axis, i));
  }
}
