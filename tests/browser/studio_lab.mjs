// What tests of the studio share.

import { readFileSync } from 'node:fs';
import { until as comes } from './lab.mjs';

/** A model to change. */
export const PENDULUM = `model "Pendulum"
param m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
init x = 0.6, y ~ -0.8
simulate 0 .. 4 every 0.02
plot x, y
draw line [0, 0] -> [x, y]
`;

/** Until an expression holds; the policy of the page lets no script wait for it inside. */
export function until(page, expression) {
  return comes(() => page.evaluate(expression), expression);
}

/** A run of the text as it is now is on the screen. */
export function settled(page, condition = 'true') {
  return until(
    page,
    `Boolean(studio.run && !studio.live.control && !studio.live.wanted && (${condition}))`,
  );
}

/** No work goes on: what was cancelled ends when the server hears of it. */
export function rests(process) {
  const children = `/proc/${process.pid}/task/${process.pid}/children`;
  return comes(() => readFileSync(children, 'utf8') === '', 'children are left');
}

export function write(page, text) {
  return page.evaluate((words) => {
    studio.editor.set(words);
    studio.changed();
  }, text);
}

export function slide(page, name, value) {
  return page.getByLabel(name, { exact: true }).evaluate((input, v) => {
    input.value = String(v);
    input.dispatchEvent(new Event('input'));
  }, value);
}
