// What happened in a run, as marks in its plots.

import { color } from './theme.js';

const NEAR = 6; // pixels

/** A hook of uPlot that draws a line for each mark. */
export function drawMarks(marks) {
  return (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.beginPath();
    ctx.strokeStyle = color('mark');
    ctx.setLineDash([4, 4]);
    for (const { t } of marks) {
      const x = Math.round(u.valToPos(t, 'x', true));
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  };
}

/** What happened near a place of a plot; null when nothing did. */
export function markAt(u, marks, left) {
  const near = marks
    .map((mark) => ({ mark, distance: Math.abs(u.valToPos(mark.t, 'x') - left) }))
    .filter(({ distance }) => distance <= NEAR)
    .sort((a, b) => a.distance - b.distance);
  return near.length > 0 ? near[0].mark : null;
}
