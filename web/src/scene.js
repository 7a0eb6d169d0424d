// The moving picture: drawings of the model at the time of the clock.

import { drawBackdrop } from './backdrop.js';
import { FlatCamera, SpaceCamera } from './camera.js';
import { make } from './dom.js';
import { listenToPointer } from './pointer.js';
import { extent, locate, valueAt } from './run.js';
import { drawArrow, drawShape } from './shapes.js';
import { color, onTheme, seriesColor } from './theme.js';

const TRAIL = 1500; // points of a path that are drawn
const FAR = 6; // sizes of itself that something may travel before the picture follows it
const ROOM = 4; // sizes of itself that are then in view
const LEAST_PART = 0.6; // of a view that a run takes before the view is made anew
const REACH = 0.2; // part of the picture that the longest arrow takes

function isSpatial(drawings) {
  return drawings.some(({ points }) => points.some((point) => point.length === 3));
}

// The rows at which a trail is drawn.
function trailRows(rows) {
  const step = Math.max(1, Math.ceil(rows / TRAIL));
  const list = [];
  for (let row = 0; row < rows; row += step) {
    list.push(row);
  }
  return list;
}

// Lines of a library lead from frames to their connections.  Those that stand still are of
// the ground, which is not to be seen.
function movingLines(drawings, columns) {
  const isStill = (point) => point.every((index) => columns[index].still);
  return drawings.flatMap((drawing) => {
    if (drawing.own || drawing.shape !== 'line') {
      return [drawing];
    }
    const { points } = drawing;
    const segments = points.slice(1).map((point, i) => [points[i], point]);
    return segments
      .filter((ends) => !ends.every(isStill))
      .map((ends) => ({ ...drawing, points: ends }));
  });
}

// Whether a view of the old bounds shows the new ones well: all of them, and not too small.
function fits(bounds, old) {
  const inside = bounds.min.every(
    (low, i) => low >= old.min[i] && bounds.max[i] <= old.max[i],
  );
  const size = ({ min, max }) => Math.max(...min.map((low, i) => max[i] - low));
  return inside && size(bounds) > LEAST_PART * size(old);
}

function union(a, b) {
  return {
    min: a.min.map((low, i) => Math.min(low, b.min[i])),
    max: a.max.map((high, i) => Math.max(high, b.max[i])),
  };
}

export class Scene {
  constructor(run, clock) {
    this.clock = clock;
    this.arrows = false;
    this.ghost = null;
    this.beside = null; // a scene that is seen through the same camera
    this.onDrag = null; // whoever lets points be dragged: onDrag(columns, to), onDrop()
    this.onDrop = () => {};
    this.load(run);
    this.follows = this.near !== null;
    this.camera = this.spatial
      ? new SpaceCamera(this.whole)
      : new FlatCamera(this.whole);
    this.canvas = make('canvas', { tabIndex: 0, role: 'img' });
    this.canvas.setAttribute('aria-label', 'Moving picture of the system');
    this.ctx = this.canvas.getContext('2d');
  }

  load(run) {
    this.run = run;
    this.shown = movingLines(run.drawings, run.columns);
    this.spatial = isSpatial(this.shown);
    this.drawings = this.colored(this.shown);
    this.trails = this.drawings.map((drawing) => this.trailOf(drawing));
    this.whole = this.bounds();
    this.near = this.nearBounds();
    this.longest = this.longestForce();
  }

  /** Show another run, with the one before as a ghost if `haunted`.  The view stays as long as
   * it shows what there is. */
  update(run, haunted = false) {
    const { spatial } = this;
    this.ghost = haunted ? this.still() : null;
    this.load(run);
    this.follows = this.follows && this.near !== null;
    const bounds = this.frame();
    if (spatial !== this.spatial) {
      this.camera = this.spatial ? new SpaceCamera(bounds) : new FlatCamera(bounds);
      this.reset();
    } else if (!this.moved && !this.grabbed && !fits(bounds, this.camera.bounds)) {
      this.fit(this.camera.width, this.camera.height); // no layout is waited for
    } else {
      this.draw();
    }
  }

  /** Stay as it is at a time, without the numbers of the run. */
  freeze(t) {
    const shapes = this.shapesAt(t);
    this.shapesAt = () => shapes;
    this.follows = false;
    this.arrows = false;
    this.run = null;
    this.trails = [];
  }

  // What is needed to draw this run when it is the one before.
  still() {
    const { run, shown, drawings, trails, spatial } = this;
    const fields = { run, shown, drawings, trails, spatial };
    return Object.assign(Object.create(Scene.prototype), fields);
  }

  column(index) {
    return this.run.columns[index].data;
  }

  // Paths have the color of what moves along them.
  colored(drawings) {
    const colors = new Map();
    let next = 0;
    const solid = drawings.filter(({ shape, own }) => own && shape !== 'path');
    for (const { points } of solid) {
      const index = next++;
      points.forEach((point) => {
        colors.set(String(point), colors.get(String(point)) ?? index);
      });
    }
    next = 0;
    return drawings.map((drawing) => {
      const known = colors.get(String(drawing.points[0]));
      if (drawing.shape === 'path') {
        return { ...drawing, index: known ?? solid.length };
      }
      return { ...drawing, index: drawing.own ? next++ : -1 };
    });
  }

  pointAt(point, place) {
    const values = point.map((index) => valueAt(this.column(index), place));
    return this.spatial && values.length === 2 ? [...values, 0] : values;
  }

  trailOf(drawing) {
    if (drawing.shape !== 'path') {
      return null;
    }
    const rows = trailRows(this.run.rows);
    const points = rows.map((row) => this.pointAt(drawing.points[0], { row, part: 0 }));
    return { rows, points };
  }

  // The box that everything stays in, somewhat larger if it is flat.
  bounds() {
    const axes = this.spatial ? [0, 1, 2] : [0, 1];
    const ranges = axes.map((axis) => this.rangeAlong(axis));
    const largest = Math.max(...ranges.map(({ min, max }) => max - min)) || 1;
    const least = this.spatial ? 0.02 * largest : 0.25 * largest;
    const grown = ranges.map(({ min, max }) => {
      const more = Math.max(0, (least - (max - min)) / 2);
      return [min - more, max + more];
    });
    return { min: grown.map(([low]) => low), max: grown.map(([, high]) => high) };
  }

  rangeAlong(axis) {
    const ranges = this.shown.flatMap((drawing) => {
      const sizes = drawing.size?.map((index) => extent(this.column(index))?.max ?? 0);
      const room = sizes
        ? Math.hypot(...sizes) / (drawing.shape === 'circle' ? 1 : 2)
        : 0;
      return drawing.points.map((point) => {
        const range = axis < point.length ? extent(this.column(point[axis])) : null;
        const { min, max } = range ?? { min: 0, max: 0 };
        return { min: min - room, max: max + room };
      });
    });
    return {
      min: Math.min(...ranges.map(({ min }) => min)),
      max: Math.max(...ranges.map(({ max }) => max)),
    };
  }

  // Where the shapes are at a place: the middle of their points, and how far they reach.
  spread(place) {
    const points = this.shown
      .filter(({ shape }) => shape !== 'path')
      .flatMap((drawing) => drawing.points)
      .map((point) => this.pointAt(point, place));
    const axes = this.spatial ? [0, 1, 2] : [0, 1];
    const ranges = axes.map((axis) => extent(points.map((point) => point[axis])));
    if (ranges.some((range) => range === null)) {
      return null;
    }
    return {
      center: ranges.map(({ min, max }) => (min + max) / 2),
      reach: Math.hypot(...ranges.map(({ min, max }) => max - min)),
    };
  }

  // A box to be carried along, for what travels far; null for what stays in its place, and
  // for a single thing, which says little without its way.
  nearBounds() {
    const reachAt = (row) => this.spread({ row, part: 0 })?.reach ?? 0;
    const largest = this.largestSize();
    const span = Math.max(...this.whole.max.map((max, i) => max - this.whole.min[i]));
    if (span < FAR * (reachAt(0) + largest)) {
      return null; // as it is at all other times, when it reaches further
    }
    const reach = Math.max(...trailRows(this.run.rows).map(reachAt));
    const size = reach + largest;
    if (!(reach > 0) || span < FAR * size) {
      return null;
    }
    const half = (ROOM * size) / 2;
    return {
      min: this.whole.min.map(() => -half),
      max: this.whole.min.map(() => half),
    };
  }

  // Of circles and boxes.
  largestSize() {
    const sizes = this.shown.flatMap(({ size }) => size ?? []);
    return Math.max(0, ...sizes.map((index) => extent(this.column(index))?.max ?? 0));
  }

  /** Follow what moves, or stay. */
  follow(follows) {
    this.follows = follows;
    this.reset();
  }

  longestForce() {
    let longest = 0;
    for (const { force } of this.run.forces) {
      for (let row = 0; row < this.run.rows; row++) {
        const parts = force.map((index) =>
          index === null ? 0 : this.column(index)[row],
        );
        const length = Math.hypot(...parts);
        longest = length > longest ? length : longest;
      }
    }
    return longest;
  }

  /** Draw, once the canvas is in the page. */
  start() {
    this.resize(true);
    const watch = new ResizeObserver(() => this.resize(false));
    watch.observe(this.canvas);
    this.ends = [
      this.clock.listen(() => this.draw()),
      onTheme(() => this.draw()),
      () => watch.disconnect(),
    ];
    listenToPointer(this);
  }

  /** Leave the page. */
  destroy() {
    this.ends.forEach((end) => end());
    this.canvas.remove();
  }

  resize(fit) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(height * devicePixelRatio);
    if (fit || !this.moved) {
      this.fit(width, height);
    } else {
      this.camera.resize(width, height);
      this.drawAll();
    }
  }

  // Show all that there is in a canvas of that size.
  fit(width, height) {
    this.camera.bounds = this.frame();
    this.camera.fit(width, height);
    this.drawAll();
  }

  drawAll() {
    this.draw();
    this.beside?.draw(); // it looks through the same camera
  }

  // What is to be seen: of two scenes side by side, both.
  frame() {
    const own = this.follows ? this.near : this.whole;
    const { beside } = this;
    return beside?.spatial === this.spatial ? union(own, beside.whole) : own;
  }

  /** Back to the view at the beginning. */
  reset() {
    this.moved = false;
    this.resize(true);
  }

  /** The shapes at a time, their points as numbers. */
  shapesAt(t) {
    const place = locate(this.run.time, t);
    return this.drawings.map((drawing, i) => {
      const trail = this.trails[i];
      return {
        ...drawing,
        points: drawing.points.map((point) => this.pointAt(point, place)),
        size: drawing.size?.map((index) => valueAt(this.column(index), place)),
        angle:
          drawing.angle === undefined ? 0 : valueAt(this.column(drawing.angle), place),
        trail: trail?.points,
        past: trail ? trail.rows.filter((row) => row <= place.row).length : 0,
      };
    });
  }

  colorOf(shape) {
    return shape.index < 0 ? color('parts') : seriesColor(shape.index);
  }

  // What is far is drawn first; paths before all.
  ordered(shapes) {
    const depth = ({ points }) =>
      Math.max(...points.map((point) => this.camera.project(point)[2]));
    const rank = ({ shape, own }) => (shape === 'path' ? 0 : own ? 2 : 1);
    return [...shapes].sort(
      (a, b) => rank(a) - rank(b) || (this.spatial ? depth(b) - depth(a) : 0),
    );
  }

  draw() {
    this.drawOn(this.ctx);
  }

  /** Draw on another context of that kind. */
  drawOn(ctx) {
    const { camera } = this;
    if (this.follows) {
      const center = this.spread(locate(this.run.time, this.clock.t))?.center;
      camera.center = center ?? camera.center;
    }
    ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    ctx.clearRect(0, 0, camera.width, camera.height);
    drawBackdrop(ctx, camera, this.whole);
    this.drawGhost(ctx);
    for (const shape of this.ordered(this.shapesAt(this.clock.t))) {
      drawShape(ctx, camera, shape, this.colorOf(shape));
    }
    if (this.arrows && this.longest > 0) {
      this.drawForces(ctx);
    }
  }

  drawGhost(ctx) {
    const { ghost } = this;
    if (ghost && ghost.spatial === this.spatial) {
      ctx.save();
      ctx.globalAlpha = 0.25;
      for (const shape of ghost.shapesAt(this.clock.t)) {
        if (shape.shape !== 'path') {
          drawShape(ctx, this.camera, shape, color('muted'));
        }
      }
      ctx.restore();
    }
  }

  drawForces(ctx) {
    const place = locate(this.run.time, this.clock.t);
    const { min, max } = this.camera.bounds;
    const size = Math.hypot(...min.map((low, i) => max[i] - low));
    const scale = (REACH * size) / this.longest;
    for (const { at, force } of this.run.forces) {
      const from = this.pointAt(at, place);
      const vector = from.map((_, i) =>
        force[i] === null ? 0 : scale * valueAt(this.column(force[i]), place),
      );
      drawArrow(ctx, this.camera, from, vector, color('force'));
    }
  }
}
