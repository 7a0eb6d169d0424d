// The picture with its controls.

import { make } from './dom.js';
import { number } from './format.js';
import { Scene } from './scene.js';

const STEPS = 1000; // of the slider

function speeds(usual) {
  const list = [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100, usual];
  return [...new Set(list)].sort((a, b) => a - b);
}

// The speed may be one that the menu does not have yet.
function showSpeed(menu, speed) {
  const value = String(speed);
  if (menu.value !== value) {
    menu.value = value;
    if (menu.value !== value) {
      menu.append(make('option', { value }, `${number(speed)}×`));
      menu.value = value;
    }
  }
}

/** The menu of speeds. */
export function speedMenu(clock) {
  const options = speeds(clock.speed).map((speed) =>
    make(
      'option',
      { value: String(speed), selected: speed === clock.speed },
      `${number(speed)}×`,
    ),
  );
  const menu = make(
    'select',
    {
      'aria-label': 'Speed',
      title: 'Speed',
      onchange: (event) => {
        clock.speed = Number(event.target.value);
      },
    },
    ...options,
  );
  clock.listen(() => showSpeed(menu, clock.speed));
  return menu;
}

/** The slider of the time. */
export function slider(clock) {
  const input = make('input', {
    type: 'range',
    min: '0',
    max: String(STEPS),
    step: 'any',
    'aria-label': 'Time',
    oninput: () => {
      const part = Number(input.value) / STEPS;
      clock.set(clock.from + part * (clock.until - clock.from));
    },
  });
  clock.listen(() => {
    const range = clock.until - clock.from;
    input.value = String(range > 0 ? ((clock.t - clock.from) / range) * STEPS : 0);
  });
  return input;
}

/** The button that plays and pauses. */
export function playButton(clock) {
  const button = make('button', { className: 'play', onclick: () => clock.toggle() });
  clock.listen(() => {
    const text = clock.playing ? 'Pause' : 'Play';
    if (button.getAttribute('aria-label') !== text) {
      button.setAttribute('aria-label', text);
      button.title = `${text} (space)`;
      button.textContent = clock.playing ? '❚❚' : '▶';
    }
  });
  return button;
}

/** A checkbox with its text. */
export function checkbox(text, checked, change) {
  const input = make('input', {
    type: 'checkbox',
    checked,
    onchange: () => change(input.checked),
  });
  return make('label', {}, input, ` ${text}`);
}

// Forces on lengths in metres are in newtons.
function forceUnit({ run }) {
  const coordinates = run.forces.flatMap(({ at, force }) =>
    at.filter((_, i) => force[i] !== null),
  );
  return coordinates.every((index) => run.columns[index].unit === 'm') ? ' N' : '';
}

function forceSwitch(scene) {
  const scale = make('span', { className: 'muted', hidden: true });
  scale.textContent = `longest: ${number(scene.longest, 3)}${forceUnit(scene)}`;
  const box = checkbox('Constraint forces', false, (shown) => {
    scene.arrows = shown;
    scale.hidden = !shown;
    scene.draw();
  });
  return [box, scale];
}

/** Space plays and pauses, arrows step, wherever nothing else wants them. */
export function listenToKeys(clock) {
  document.addEventListener('keydown', (event) => {
    if (event.target.closest('button, input, select, summary, [contenteditable]')) {
      return;
    }
    const step = (clock.until - clock.from) / 100;
    if (event.key === ' ') {
      event.preventDefault();
      clock.toggle();
    } else if (event.key === 'ArrowRight') {
      clock.set(clock.t + step);
    } else if (event.key === 'ArrowLeft') {
      clock.set(clock.t - step);
    }
  });
}

function hint({ spatial, run }) {
  const drag = spatial ? 'turn' : 'move';
  const missing = run.drawings_left_out;
  return [
    `Drag to ${drag}, wheel to magnify, double click for all.`,
    ...(missing > 0 ? [`${missing} more drawings are left out.`] : []),
  ].join(' ');
}

/** Fill the stage with the picture of a run; answers the scene. */
export function showPlayer(stage, run, clock) {
  const scene = new Scene(run, clock);
  const time = make('output', { className: 'time' });
  const forces = run.forces.length > 0 && scene.longest > 0 ? forceSwitch(scene) : [];
  const follow = scene.near
    ? [checkbox('Follow', scene.follows, (follows) => scene.follow(follows))]
    : [];
  stage.hidden = false;
  stage.append(
    scene.canvas,
    make(
      'div',
      { className: 'controls' },
      playButton(clock),
      slider(clock),
      time,
      speedMenu(clock),
      checkbox('Loop', clock.loop, (loop) => {
        clock.loop = loop;
      }),
    ),
    make(
      'div',
      { className: 'controls small' },
      ...forces,
      ...follow,
      make('span', { className: 'muted hint' }, hint(scene)),
    ),
  );
  clock.listen(() => {
    time.textContent = `t = ${clock.t.toFixed(2)} s`;
  });
  scene.start();
  listenToKeys(clock);
  return scene;
}
