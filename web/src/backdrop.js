// What is behind the picture: a grid with numbers in the plane, a floor in space.

import { tick } from './format.js';
import { color } from './theme.js';

const CELL = 70; // pixels that a cell has at least

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
}

function steps(from, to, step) {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

function segment(ctx, a, b) {
  ctx.beginPath();
  ctx.moveTo(a[0], a[1]);
  ctx.lineTo(b[0], b[1]);
  ctx.stroke();
}

function drawGrid(ctx, camera) {
  const { width, height } = camera;
  const step = niceStep(CELL / camera.scale);
  const [left, top] = camera.unproject(0, 0);
  const [right, bottom] = camera.unproject(width, height);
  ctx.lineWidth = 1;
  ctx.font = '11px system-ui, sans-serif';
  ctx.textBaseline = 'alphabetic';
  for (const x of steps(left, right, step)) {
    const [at] = camera.project([x, 0]);
    ctx.strokeStyle = color(x === 0 ? 'axis' : 'grid');
    segment(ctx, [at, 0], [at, height]);
    ctx.fillStyle = color('muted');
    ctx.textAlign = 'center';
    const label = tick(x, step);
    const half = ctx.measureText(label).width / 2;
    if (at - half >= 2 && at + half <= width - 2) {
      ctx.fillText(label, at, height - 6); // whole: half of −0.5 says something else
    }
  }
  for (const y of steps(bottom, top, step)) {
    const [, at] = camera.project([0, y]);
    ctx.strokeStyle = color(y === 0 ? 'axis' : 'grid');
    segment(ctx, [0, at], [width, at]);
    ctx.fillStyle = color('muted');
    ctx.textAlign = 'left';
    if (at < height - 22 && at > 20) {
      ctx.fillText(tick(y, step), 6, at - 4);
    }
  }
}

// The plane z = 0 if it is near, else the lowest that is drawn.
function floorHeight({ min, max }) {
  return min[2] <= 0 && max[2] >= 0 ? 0 : min[2];
}

function drawFloor(ctx, camera, { min, max }) {
  const span = Math.max(max[0] - min[0], max[1] - min[1]);
  const step = niceStep(span / 8);
  const z = floorHeight({ min, max });
  const [x0, x1] = [Math.floor(min[0] / step) * step, Math.ceil(max[0] / step) * step];
  const [y0, y1] = [Math.floor(min[1] / step) * step, Math.ceil(max[1] / step) * step];
  ctx.lineWidth = 1;
  ctx.strokeStyle = color('grid');
  for (const x of steps(x0, x1, step)) {
    segment(ctx, camera.project([x, y0, z]), camera.project([x, y1, z]));
  }
  for (const y of steps(y0, y1, step)) {
    segment(ctx, camera.project([x0, y, z]), camera.project([x1, y, z]));
  }
}

// The directions of x, y and z, in a corner.
function drawTriad(ctx, camera) {
  const origin = [38, camera.height - 38];
  ctx.font = '12px system-ui, sans-serif';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 1.5;
  ['x', 'y', 'z'].forEach((name, i) => {
    const axis = [0, 0, 0];
    axis[i] = 1;
    const [right, up] = camera.turn(axis);
    ctx.strokeStyle = color('muted');
    ctx.fillStyle = color('muted');
    segment(ctx, origin, [origin[0] + 20 * right, origin[1] - 20 * up]);
    ctx.fillText(name, origin[0] + 29 * right, origin[1] - 29 * up);
  });
}

/** Draw what is behind a picture of things within bounds. */
export function drawBackdrop(ctx, camera, bounds) {
  if (camera.spatial) {
    drawFloor(ctx, camera, bounds);
    drawTriad(ctx, camera);
  } else {
    drawGrid(ctx, camera);
  }
}
