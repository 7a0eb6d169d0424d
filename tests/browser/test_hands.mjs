// The studio under hands: typing, dragging, keys, fingers.

import { comesTrue, demandBrowser, near, ok, runCases, same } from './lab.mjs';
import { PENDULUM, rests, settled, slide, until, write } from './studio_lab.mjs';

// Where a point of the model is on the screen.
function placeOf(page, point) {
  return page.evaluate((p) => {
    const { canvas, camera } = studio.stage.scene;
    const box = canvas.getBoundingClientRect();
    const [x, y] = camera.project(p);
    return { x: box.left + x, y: box.top + y };
  }, point);
}

async function a_body_is_dragged(lab) {
  await lab.studio(lab.model('dragged.kal', PENDULUM), async (page) => {
    await settled(page);
    const from = await placeOf(page, [0.6, -0.8]);
    await page.mouse.move(from.x, from.y);
    await page.locator('canvas.over-joint').waitFor();
    await page.mouse.down();
    const to = await placeOf(page, [-0.5, -0.2]);
    await page.mouse.move(to.x, to.y, { steps: 8 });
    const start = () =>
      page.evaluate(() => studio.run.columns.slice(1, 3).map(({ data }) => data[0]));
    await settled(page, 'studio.run.columns[1].data[0] < -0.9');
    await page.mouse.up();
    await settled(page, "'x' in studio.start && !studio.drag");
    const [x, y] = await start();
    near(Math.hypot(x, y), 1, 1e-9, 'the constraint does not hold');
    near(y / x, 0.4, 0.02, 'it does not point to the pointer');
    await page.getByLabel('Reset x', { exact: true }).click();
    await settled(page);
  });
}

const SPHERICAL = `model "Pendulum in space"
param m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]
coord x [m], y [m], z [m]
kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
potential m*g*z
constraint rod: x^2 + y^2 + z^2 = L^2
init x = 0.6, y = 0, z ~ -0.8, y' = 1
simulate 0 .. 2 every 0.02
draw line [0, 0, 0] -> [x, y, z]
`;

async function a_body_in_space_is_dragged(lab) {
  await lab.studio(lab.model('space.kal', SPHERICAL), async (page) => {
    await settled(page);
    const from = await placeOf(page, [0.6, 0, -0.8]);
    await page.mouse.move(from.x, from.y);
    await page.locator('canvas.over-joint').waitFor();
    const wanted = await page.evaluate(
      ([left, top]) => {
        const { camera, canvas } = studio.stage.scene;
        const box = canvas.getBoundingClientRect();
        return camera.unproject(left - box.left, top - box.top, [0.6, 0, -0.8]);
      },
      [from.x - 60, from.y - 40],
    );
    await page.mouse.down();
    await page.mouse.move(from.x - 60, from.y - 40, { steps: 6 });
    await settled(page, 'studio.drag && studio.run.columns[1].data[0] < 0.55');
    await page.mouse.up();
    await settled(page, "'x' in studio.start && !studio.drag");
    const start = await page.evaluate(() =>
      studio.run.columns.slice(1, 4).map(({ data }) => data[0]),
    );
    near(Math.hypot(...start), 1, 1e-9, 'the constraint does not hold');
    const length = Math.hypot(...wanted); // the nearest point of the sphere
    start.forEach((value, i) => {
      near(value, wanted[i] / length, 0.02, `coordinate ${i}`);
    });
  });
}

// Fingers on a screen: [x, y] each, put down, moved in steps, lifted.
async function stroke(page, from, to, steps = 8) {
  const screen = await page.context().newCDPSession(page);
  const send = (type, places) =>
    screen.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: places.map(([x, y], id) => ({ x, y, id })),
    });
  await send('touchStart', from);
  for (let i = 1; i <= steps; i++) {
    const part = i / steps;
    const between = (a, b) => a + part * (b - a);
    await send(
      'touchMove',
      from.map(([x, y], id) => [between(x, to[id][0]), between(y, to[id][1])]),
    );
  }
  return () => send('touchEnd', []);
}

async function fingers_drag_move_and_magnify(lab) {
  const look = async (page) => {
    await settled(page);
    const from = await placeOf(page, [0.6, -0.8]);
    const to = await placeOf(page, [-0.5, -0.2]);
    const lift = await stroke(page, [[from.x, from.y]], [[to.x, to.y]]);
    await settled(page, 'studio.run.columns[1].data[0] < -0.9');
    await lift();
    await settled(page, "'x' in studio.start && !studio.drag");
    const [x, y] = await page.evaluate(() =>
      studio.run.columns.slice(1, 3).map(({ data }) => data[0]),
    );
    near(Math.hypot(x, y), 1, 1e-9, 'the constraint does not hold');
    near(y / x, 0.4, 0.03, 'it does not point to the finger');
    const view = () =>
      page.evaluate(() => {
        const { scale, center } = studio.stage.scene.camera;
        return { scale, center: [...center] };
      });
    const before = await view();
    const box = await page.locator('#stage canvas').boundingBox();
    const [left, top] = [box.x + 60, box.y + box.height - 60]; // where nothing is
    await (
      await stroke(page, [[left, top]], [[left + 50, top - 30]])
    )();
    await comesTrue(async () => {
      const { center } = await view();
      near(center[0], before.center[0] - 50 / before.scale, 0.02, 'moved right');
      near(center[1], before.center[1] - 30 / before.scale, 0.02, 'moved up');
    });
    const apart = (distance) => [
      [left, top],
      [left + distance, top],
    ];
    await (
      await stroke(page, apart(60), apart(120))
    )();
    await comesTrue(async () =>
      near((await view()).scale / before.scale, 2, 0.05, 'twice as large'),
    );
  };
  await lab.studio(lab.model('touched.kal', PENDULUM), look, { hasTouch: true });
}

// A bar that flies away without turning: at t its middle is at (20 t, -1/2).
const AWAY = `param m = 1 [kg], L = 1 [m]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
init x' = 20
simulate 0 .. 5 every 0.1
draw line [x, y] -> [x, y - L]
`;

async function what_flies_away_is_followed(lab) {
  await lab.studio(lab.model('away.kal', AWAY), async (page) => {
    await settled(page);
    const center = async (t) => {
      await page.evaluate((time) => studio.clock.set(time), t);
      return page.evaluate(() => studio.stage.scene.camera.center);
    };
    ok(await page.getByLabel('Follow').isChecked(), 'it is lost at once');
    for (const t of [0, 1.25, 5]) {
      const [x, y] = await center(t);
      near(x, 20 * t, 1e-9, `at ${t}`);
      near(y, -0.5, 1e-9, `at ${t}`);
    }
    await page.getByLabel('Follow').uncheck();
    for (const t of [0, 5]) {
      near((await center(t))[0], 50, 1e-9, 'all of its way'); // 0 to 100
    }
    await page.getByLabel('Follow').check();
    near((await center(2))[0], 40, 1e-9, 'again');
  });
}

const ANGLE = `coord a
kinetic 1/2*a'^2
potential -cos(a)
init a = 1
simulate 0 .. 1 every 0.1
draw line [0, 0] -> [sin(a), -cos(a)]
`;

async function arrows_traces_ghosts_and_colors(lab) {
  const traced = `${PENDULUM}draw path [x, y]\n`;
  await lab.studio(lab.model('looks.kal', traced), async (page) => {
    await settled(page);
    const ink = () =>
      page.evaluate(() => {
        const { canvas } = studio.stage.scene;
        return canvas.toDataURL();
      });
    const before = await ink();
    await page.getByLabel('Constraint forces').check();
    await comesTrue(async () => ok((await ink()) !== before, 'no arrows'));
    await slide(page, 'L', 2);
    await settled(page, 'studio.run.parameters[1].value === 2');
    ok(await page.evaluate('Boolean(studio.stage.scene.ghost)'), 'no ghost');
    ok(await page.getByLabel('Constraint forces').isVisible(), 'no switch');
    await write(page, ANGLE);
    await settled(page, "studio.run.columns[1].name === 'a'");
    ok(!(await page.getByLabel('Constraint forces').isVisible()), 'one for nothing');
    await page.emulateMedia({ colorScheme: 'dark' });
    await comesTrue(async () => {
      // The page hears of it as an event, a moment later.
      const back = await page.evaluate(
        () => getComputedStyle(document.body).backgroundColor,
      );
      const [r, g, b] = back.match(/\d+/g).map(Number);
      ok(r + g + b < 200, `the page is ${back}`);
    });
  });
}

async function everything_is_reached_by_keys(lab) {
  await lab.studio(lab.model('keys.kal', PENDULUM), async (page) => {
    await settled(page);
    const reached = new Set();
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const { activeElement: e } = document;
        const label = e.getAttribute('aria-label');
        return e.closest('.cm-editor') ? 'Model' : (label ?? e.textContent.trim());
      });
      reached.add(name);
      if (name === 'Model') {
        await page.keyboard.press('Escape'); // otherwise Tab indents there
      }
    }
    same(await page.evaluate('studio.editor.text'), PENDULUM, 'the text is indented');
    for (const name of ['Model', 'Name of the model', 'Save', 'L', 'Time', 'Plots']) {
      ok(reached.has(name), `${name} is not reached: ${[...reached].join(', ')}`);
    }
    await page.getByLabel('L', { exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await settled(page, 'studio.run.parameters[1].value > 1');
  });
}

async function it_fits_a_tablet(lab) {
  await lab.studio(lab.model('tablet.kal', PENDULUM), async (page) => {
    await settled(page);
    for (const [width, height] of [
      [820, 1180],
      [1180, 820],
      [600, 960],
    ]) {
      await page.setViewportSize({ width, height });
      await comesTrue(async () => {
        const [inner, wide] = await page.evaluate(() => [
          innerWidth,
          document.documentElement.scrollWidth,
        ]);
        same(inner, width, 'the window');
        ok(wide <= width, `${wide} pixels in ${width}`);
        ok(await page.locator('#stage canvas').isVisible(), 'no picture');
        const box = await page.locator('.cm-editor').boundingBox();
        ok(box.width > 200 && box.height > 150, 'no room to type');
      });
    }
  });
}

// Upright, text and picture are both in sight, without scrolling the page.
async function an_upright_tablet_has_text_below_the_picture(lab) {
  await lab.studio(lab.model('upright.kal', PENDULUM), async (page) => {
    await settled(page);
    for (const [width, height] of [
      [768, 1024],
      [820, 1180],
    ]) {
      await page.setViewportSize({ width, height });
      await comesTrue(async () => {
        const tall = await page.evaluate(() => document.documentElement.scrollHeight);
        const picture = await page.locator('#stage canvas').first().boundingBox();
        const play = await page.getByRole('button', { name: 'Play' }).boundingBox();
        const text = await page.locator('.cm-editor').boundingBox();
        ok(tall <= height, `${tall} pixels in ${height}`);
        ok(picture.height > 200 && text.height > 250, 'no room');
        ok(play.y + play.height < text.y, 'the controls are hidden');
        ok(text.y + text.height <= height, 'the text goes on below');
      });
    }
  });
}

async function long_runs_grow_and_are_cancelled(lab) {
  const long = PENDULUM.replace('0 .. 4 every 0.02', '0 .. 1000000 every 10');
  await lab.studio(lab.model('long.kal', PENDULUM), async (page, process) => {
    await settled(page);
    await page.evaluate(() => {
      studio.parts = 0;
      const take = studio.takeRun.bind(studio);
      studio.takeRun = (run, partial, body) => {
        studio.parts += partial ? 1 : 0;
        take(run, partial, body);
      };
    });
    await write(page, long);
    await until(page, 'studio.parts >= 2');
    await write(page, PENDULUM);
    await settled(page, 'studio.run.time[studio.run.rows - 1] === 4');
    await rests(process);
  });
}

demandBrowser();
await runCases([
  a_body_is_dragged,
  a_body_in_space_is_dragged,
  fingers_drag_move_and_magnify,
  what_flies_away_is_followed,
  arrows_traces_ghosts_and_colors,
  everything_is_reached_by_keys,
  it_fits_a_tablet,
  an_upright_tablet_has_text_below_the_picture,
  long_runs_grow_and_are_cancelled,
]);
