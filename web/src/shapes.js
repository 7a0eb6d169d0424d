// The shapes of a drawing at one instant, as strokes on a canvas.

const THICK = 4.5;
const THIN = 2;
const JOINT = 4.2;
const DOT = 4.5;
const COILS = 10;

function trace(ctx, points, closed = false) {
  ctx.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
  if (closed) {
    ctx.closePath();
  }
}

function disc(ctx, [x, y], radius) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
}

function fillLightly(ctx) {
  ctx.save();
  ctx.globalAlpha *= 0.22;
  ctx.fill();
  ctx.restore();
}

function drawLine(ctx, camera, shape) {
  const points = shape.points.map((point) => camera.project(point));
  ctx.lineWidth = shape.own ? THICK : THIN;
  trace(ctx, points);
  ctx.stroke();
  for (const point of shape.own ? points : []) {
    disc(ctx, point, JOINT);
    ctx.fill();
  }
}

// A zigzag between two points, with straight ends.
function drawSpring(ctx, camera, shape) {
  const ends = shape.points.map((point) => camera.project(point));
  ctx.lineWidth = THIN;
  for (let i = 0; i + 1 < ends.length; i++) {
    const [[x0, y0], [x1, y1]] = [ends[i], ends[i + 1]];
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const side = [(-(y1 - y0) / length) * 7, ((x1 - x0) / length) * 7];
    const points = [[x0, y0]];
    for (let k = 0; k <= 2 * COILS; k++) {
      const part = 0.12 + (0.76 * k) / (2 * COILS);
      const sign = k === 0 || k === 2 * COILS ? 0 : k % 2 === 0 ? -1 : 1;
      points.push([
        x0 + part * (x1 - x0) + sign * side[0],
        y0 + part * (y1 - y0) + sign * side[1],
      ]);
    }
    trace(ctx, [...points, [x1, y1]]);
    ctx.stroke();
  }
}

// Without a radius it is a dot; in space it is a ball.
function drawCircle(ctx, camera, shape) {
  const [center] = shape.points;
  const radius = Math.abs(shape.size[0]) * camera.sizeAt(center);
  const place = camera.project(center);
  if (radius === 0) {
    disc(ctx, place, DOT);
    ctx.fill();
    return;
  }
  ctx.lineWidth = THIN;
  disc(ctx, place, Math.max(radius, 1.5));
  fillLightly(ctx);
  ctx.stroke();
}

function corners(shape) {
  const [center] = shape.points;
  const [w, h, d = 0] = shape.size;
  const [c, s] = [Math.cos(shape.angle ?? 0), Math.sin(shape.angle ?? 0)];
  const corner = (i, j, k) => {
    const [x, y] = [(i * w) / 2, (j * h) / 2];
    return [
      center[0] + c * x - s * y,
      center[1] + s * x + c * y,
      (center[2] ?? 0) + (k * d) / 2,
    ];
  };
  const face = (k) => [
    corner(-1, -1, k),
    corner(1, -1, k),
    corner(1, 1, k),
    corner(-1, 1, k),
  ];
  return d === 0 ? [face(0)] : [face(-1), face(1)];
}

function drawBox(ctx, camera, shape) {
  const faces = corners(shape).map((face) =>
    face.map((point) => camera.project(point)),
  );
  ctx.lineWidth = THIN;
  for (const face of faces) {
    trace(ctx, face, true);
    fillLightly(ctx);
    ctx.stroke();
  }
  if (faces.length === 2) {
    faces[0].forEach((point, i) => {
      trace(ctx, [point, faces[1][i]]);
      ctx.stroke();
    });
  }
}

// A trail: all of the way faintly, the part that is done plainly.
function drawPath(ctx, camera, shape) {
  const points = shape.trail.map((point) => camera.project(point));
  const past = points.slice(0, shape.past);
  ctx.lineWidth = 1.6;
  ctx.save();
  ctx.globalAlpha = 0.3;
  trace(ctx, points);
  ctx.stroke();
  ctx.restore();
  trace(ctx, [...past, camera.project(shape.points[0])]);
  ctx.stroke();
}

const DRAW = {
  line: drawLine,
  spring: drawSpring,
  circle: drawCircle,
  box: drawBox,
  path: drawPath,
};

/** Draw a shape in a color. */
export function drawShape(ctx, camera, shape, color) {
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  DRAW[shape.shape](ctx, camera, shape);
}

/** An arrow from a point along a vector of the model. */
export function drawArrow(ctx, camera, from, vector, color) {
  const start = camera.project(from);
  const end = camera.project(from.map((value, i) => value + vector[i]));
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(dx, dy);
  if (length < 2) {
    return;
  }
  const head = Math.min(11, length * 0.6);
  const [ux, uy] = [dx / length, dy / length];
  const neck = [end[0] - ux * head, end[1] - uy * head];
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = 2.2;
  trace(ctx, [start, neck]);
  ctx.stroke();
  trace(
    ctx,
    [
      end,
      [neck[0] - uy * head * 0.45, neck[1] + ux * head * 0.45],
      [neck[0] + uy * head * 0.45, neck[1] - ux * head * 0.45],
    ],
    true,
  );
  ctx.fill();
}
