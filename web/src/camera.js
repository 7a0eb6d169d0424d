// From points of the model to points of the canvas, in pixels.

const MARGIN = 42;
const NEAREST = 1e-3;
const FLAT = 0.1;
const EYE = 4; // distance of the eye, in sizes of the picture

/** Looks at a plane: it can be moved and magnified. */
export class FlatCamera {
  constructor(bounds) {
    this.bounds = bounds;
    this.spatial = false;
  }

  /** Everything in view of a canvas of that size. */
  fit(width, height) {
    const { min, max } = this.bounds;
    const spans = [max[0] - min[0], max[1] - min[1]];
    this.center = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
    this.scale = Math.min(
      (width - 2 * MARGIN) / spans[0],
      (height - 2 * MARGIN) / spans[1],
    );
    this.resize(width, height);
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  project([x, y]) {
    return [
      this.width / 2 + (x - this.center[0]) * this.scale,
      this.height / 2 - (y - this.center[1]) * this.scale,
      0,
    ];
  }

  /** The point of the plane that is seen at a place of the canvas. */
  unproject(left, top) {
    return [
      this.center[0] + (left - this.width / 2) / this.scale,
      this.center[1] - (top - this.height / 2) / this.scale,
    ];
  }

  /** Pixels that a length has at a point. */
  sizeAt() {
    return this.scale;
  }

  drag(dx, dy) {
    this.center[0] -= dx / this.scale;
    this.center[1] += dy / this.scale;
  }

  zoom(factor, left, top) {
    const before = this.unproject(left, top);
    this.scale *= factor;
    const after = this.unproject(left, top);
    this.center[0] += before[0] - after[0];
    this.center[1] += before[1] - after[1];
  }
}

/** Looks at a point of space, from any side; z points up. */
export class SpaceCamera {
  constructor(bounds) {
    const [x, y, z] = bounds.min.map((low, i) => bounds.max[i] - low);
    this.bounds = bounds;
    this.spatial = true;
    this.yaw = -0.5;
    this.pitch = z < FLAT * Math.max(x, y) ? 1 : 0.35; // what lies flat is seen from above
  }

  fit(width, height) {
    const { min, max } = this.bounds;
    this.center = min.map((low, i) => (low + max[i]) / 2);
    this.radius = Math.hypot(...min.map((low, i) => (max[i] - low) / 2));
    this.magnify = 1;
    this.resize(width, height);
  }

  // As large as all corners of the box allow.
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.scale = 1;
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
      this.center.map((middle, i) => {
        const half = (this.bounds.max[i] - this.bounds.min[i]) / 2;
        return middle + (bits & (1 << i) ? half : -half);
      }),
    );
    const places = corners.map((corner) => this.project(corner));
    const reach = (axis, middle) =>
      Math.max(...places.map((place) => Math.abs(place[axis] - middle))) / this.magnify;
    this.scale = Math.min(
      (width / 2 - MARGIN) / reach(0, width / 2),
      (height / 2 - MARGIN) / reach(1, height / 2),
    );
  }

  /** Right, up and away from the eye. */
  turn([x, y, z]) {
    const [cy, sy] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [cp, sp] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const right = cy * x + sy * y;
    const ahead = cy * y - sy * x;
    return [right, cp * z + sp * ahead, cp * ahead - sp * z];
  }

  // How much smaller something is for its distance.
  shrink(depth) {
    const eye = EYE * this.radius;
    return eye / Math.max(NEAREST * eye, eye + depth);
  }

  project(point) {
    const [right, up, depth] = this.turn(
      point.map((value, i) => value - this.center[i]),
    );
    const scale = this.scale * this.magnify * this.shrink(depth);
    return [this.width / 2 + right * scale, this.height / 2 - up * scale, depth];
  }

  /** The point that is seen at a place of the canvas as far from the eye as another one. */
  unproject(left, top, point) {
    const scale = this.sizeAt(point);
    const [, , depth] = this.project(point);
    const right = (left - this.width / 2) / scale;
    const up = (this.height / 2 - top) / scale;
    const [cy, sy] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [cp, sp] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const ahead = sp * up + cp * depth;
    const turned = [
      cy * right - sy * ahead,
      sy * right + cy * ahead,
      cp * up - sp * depth,
    ];
    return turned.map((value, i) => value + this.center[i]);
  }

  sizeAt(point) {
    const [, , depth] = this.project(point);
    return this.scale * this.magnify * this.shrink(depth);
  }

  drag(dx, dy) {
    this.yaw += dx * 0.008;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + dy * 0.008));
  }

  zoom(factor) {
    this.magnify *= factor;
  }
}
