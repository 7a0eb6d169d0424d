// Axes of plots: their looks, ticks and ranges.

import { tick } from './format.js';
import { color } from './theme.js';

const FLAT = 1e-6; // changes that are smaller than this part of the values look like none
const PADDING = 0.06;
const FONT = '12px system-ui, sans-serif';

/** An axis of uPlot for a scale. */
export function axis(scale, label, more = {}) {
  return {
    scale,
    label,
    labelSize: label ? 20 : 0,
    labelGap: 2,
    size: 32,
    gap: 6,
    labelFont: FONT,
    font: FONT,
    stroke: () => color('muted'),
    grid: { stroke: () => color('grid'), width: 1 },
    ticks: { stroke: () => color('grid'), width: 1, size: 5 },
    values: (u, splits, index, space, step) => splits.map((v) => tick(v, step)),
    ...more,
  };
}

function textWidth(u, texts) {
  u.ctx.save();
  u.ctx.font = FONT;
  const widths = texts.map((text) => u.ctx.measureText(text).width);
  u.ctx.restore();
  return Math.max(0, ...widths);
}

/** A vertical axis, as wide as its numbers. */
export function sideAxis(scale, label, more = {}) {
  return axis(scale, label, {
    size: (u, values) => (values ? Math.ceil(textWidth(u, values)) + 16 : 40),
    ...more,
  });
}

/** A range with room around it in which rounding does not look like motion. */
export function paddedRange(min, max) {
  if (min === null || max === null) {
    return [0, 1];
  }
  const size = Math.max(Math.abs(min), Math.abs(max));
  const least = size > 0 ? FLAT * size : 2;
  const middle = (min + max) / 2;
  const half = (Math.max(max - min, least) / 2) * (1 + 2 * PADDING);
  return [middle - half, middle + half];
}

/** Two ranges for a plot of so many pixels in which lengths are the same both ways. */
export function equalRanges([x0, x1], [y0, y1], width, height) {
  const scale = Math.max((x1 - x0) / width, (y1 - y0) / height);
  const around = (a, b, pixels) => [
    (a + b) / 2 - (scale * pixels) / 2,
    (a + b) / 2 + (scale * pixels) / 2,
  ];
  return [around(x0, x1, width), around(y0, y1, height)];
}
