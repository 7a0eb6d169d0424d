// The pointer on the picture: it moves and magnifies the view, and holds points that may be
// dragged.

import { locate } from './run.js';

const GRASP = 16; // pixels from a point at which it can be held

// The columns of the moving point that is drawn near a place of the picture; null when there is
// none, or nobody lets it be dragged.
function jointAt(scene, left, top) {
  if (!scene.onDrag || !scene.run) {
    return null;
  }
  const place = locate(scene.run.time, scene.clock.t);
  let best = { columns: null, distance: GRASP };
  for (const { points } of scene.shown.filter(({ shape }) => shape !== 'path')) {
    for (const columns of points) {
      const moves = !columns.every((index) => scene.run.columns[index].still);
      const [x, y] = scene.camera.project(scene.pointAt(columns, place));
      const distance = Math.hypot(x - left, y - top);
      if (moves && distance < best.distance) {
        best = { columns, distance };
      }
    }
  }
  return best.columns;
}

// Where a held point is to go: in space, at the depth at which it was taken hold of.
function placeOf(scene, { offsetX, offsetY }) {
  const to = scene.camera.unproject(offsetX, offsetY, scene.held);
  return to.slice(0, scene.grabbed.length);
}

// The view follows the mouse or a finger, and a second finger magnifies it; in space it turns
// by one finger only.
function moveView(scene, id, to) {
  const { fingers, camera } = scene;
  const from = fingers.get(id);
  const [, other] = [...fingers].find(([each]) => each !== id) ?? [];
  if (!other || !scene.spatial) {
    camera.drag((to[0] - from[0]) / fingers.size, (to[1] - from[1]) / fingers.size);
  }
  if (other) {
    const [before, after] = [from, to].map(([left, top]) =>
      Math.max(1, Math.hypot(left - other[0], top - other[1])),
    );
    camera.zoom(after / before, (to[0] + other[0]) / 2, (to[1] + other[1]) / 2);
  }
  fingers.set(id, to);
  scene.moved = true;
  scene.drawAll();
}

// A point that is held follows the pointer; one that could be held is shown to be so.
function point(scene, event) {
  const { pointerId: id, offsetX, offsetY } = event;
  if (!scene.fingers.has(id)) {
    const joint = jointAt(scene, offsetX, offsetY);
    scene.canvas.classList.toggle('over-joint', joint !== null);
  } else if (!scene.grabbed) {
    moveView(scene, id, [offsetX, offsetY]);
  } else if (id === scene.holder) {
    scene.onDrag(scene.grabbed, placeOf(scene, event));
  }
}

// The first finger may take hold of a point.
function touch(scene, { pointerId: id, offsetX, offsetY }) {
  scene.canvas.setPointerCapture(id);
  scene.fingers.set(id, [offsetX, offsetY]);
  if (scene.fingers.size === 1) {
    scene.grabbed = jointAt(scene, offsetX, offsetY);
    scene.holder = id;
    scene.held =
      scene.grabbed &&
      scene.pointAt(scene.grabbed, locate(scene.run.time, scene.clock.t));
  }
}

function letGo(scene, { pointerId: id }) {
  scene.fingers.delete(id);
  if (scene.grabbed && id === scene.holder) {
    scene.grabbed = null;
    scene.onDrop();
  }
}

function magnify(scene, event) {
  event.preventDefault();
  scene.camera.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  scene.moved = true;
  scene.draw();
}

/** Let the pointer act on a scene. */
export function listenToPointer(scene) {
  const { canvas } = scene;
  scene.fingers = new Map(); // where each pointer that is down was last
  canvas.addEventListener('pointerdown', (event) => touch(scene, event));
  canvas.addEventListener('pointermove', (event) => point(scene, event));
  canvas.addEventListener('pointerup', (event) => letGo(scene, event));
  canvas.addEventListener('pointercancel', (event) => letGo(scene, event));
  canvas.addEventListener('wheel', (event) => magnify(scene, event), {
    passive: false,
  });
  canvas.addEventListener('dblclick', () => scene.reset());
}
