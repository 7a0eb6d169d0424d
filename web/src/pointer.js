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

// A point that is held follows the pointer; one that could be held is shown to be so.
function point(scene, event) {
  if (event.buttons === 0) {
    const joint = jointAt(scene, event.offsetX, event.offsetY);
    scene.canvas.classList.toggle('over-joint', joint !== null);
  } else if (scene.grabbed) {
    scene.onDrag(scene.grabbed, placeOf(scene, event));
  } else {
    scene.camera.drag(event.movementX, event.movementY);
    scene.moved = true;
    scene.draw();
  }
}

function letGo(scene) {
  if (scene.grabbed) {
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
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    scene.grabbed = jointAt(scene, event.offsetX, event.offsetY);
    if (scene.grabbed) {
      scene.held = scene.pointAt(scene.grabbed, locate(scene.run.time, scene.clock.t));
    }
  });
  canvas.addEventListener('pointermove', (event) => point(scene, event));
  canvas.addEventListener('pointerup', () => letGo(scene));
  canvas.addEventListener('pointercancel', () => letGo(scene));
  canvas.addEventListener('wheel', (event) => magnify(scene, event), {
    passive: false,
  });
  canvas.addEventListener('dblclick', () => scene.reset());
}
