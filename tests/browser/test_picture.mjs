// The moving picture of reports and its colors, in a browser.

import path from 'node:path';
import {
  comesTrue,
  demandBrowser,
  examples,
  near,
  ok,
  runCases,
  same,
} from './lab.mjs';

const crank = path.join(examples, 'slider_crank.kal');

// Time passes in the page only where the test says so, in frames of 16 ms.
async function the_picture_plays_and_pauses(lab) {
  const look = async (page) => {
    const time = () => page.evaluate(() => kalaba.clock.t);
    const frames = (count) => page.clock.runFor(16 * count);
    await page.clock.pauseAt(16e6);
    same(await time(), 0);
    await page.getByRole('button', { name: 'Play' }).click();
    await frames(25);
    near(await time(), 0.4, 1e-9, 'after 0.4 s');
    await page.getByRole('button', { name: 'Pause' }).click();
    await frames(10);
    near(await time(), 0.4, 1e-9, 'it goes on');
    await page.getByLabel('Speed').selectOption('10');
    await page.getByRole('button', { name: 'Play' }).click();
    await frames(20);
    near(await time(), 3.6, 1e-9, 'ten times as fast');
    await frames(8 + 1 + 2); // to 4.88, to the beginning, on from there
    near(await time(), 0.32, 1e-9, 'it does not loop');
    await page.getByLabel('Loop').uncheck();
    await frames(29);
    near(await time(), 4.96, 1e-9, 'before the end');
    await frames(1);
    same(await time(), 5, 'at the end');
    same(await page.evaluate(() => kalaba.clock.playing), false, 'it does not end');
    await page.getByRole('button', { name: 'Play' }).click();
    await frames(1);
    near(await time(), 0.16, 1e-9, 'from the beginning again');
  };
  await lab.visit(await lab.report(crank), look, { fixedTime: true });
}

// The color of the canvas where a point of the model is seen.
function pixelAt(page, point) {
  return page.evaluate((p) => {
    const { canvas, camera } = kalaba.scene;
    const [x, y] = camera.project(p);
    const scale = canvas.width / canvas.clientWidth;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(
      Math.round(x * scale),
      Math.round(y * scale),
      1,
      1,
    );
    return [...data].join();
  }, point);
}

async function what_is_drawn_is_where_it_should_be(lab) {
  const table = await lab.table(crank);
  await lab.visit(await lab.report(crank), async (page) => {
    for (const row of [0, 137, 500, 999]) {
      const t = table.get('t')[row];
      const [theta, x] = [table.get('theta')[row], table.get('x')[row]];
      const pin = [0.2 * Math.cos(theta), 0.2 * Math.sin(theta)]; // 2 L1
      await page.evaluate((time) => kalaba.clock.set(time), t);
      const shapes = await page.evaluate((time) => kalaba.scene.shapesAt(time), t);
      near(shapes[0].points[1][0], pin[0], 1e-9);
      near(shapes[0].points[1][1], pin[1], 1e-9);
      near(shapes[1].points[0][0], x, 1e-9);
      const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      const blue = '31,102,193,255'; // the first color of the light set
      same(await pixelAt(page, middle([0, 0], pin)), blue, 'on the crank');
      same(await pixelAt(page, middle(pin, [x, 0])), blue, 'on the rod');
      ok((await pixelAt(page, [0.6, 0.31])) !== blue, 'beside them');
    }
  });
}

async function scrubbing_moves_picture_and_plots(lab) {
  await lab.visit(await lab.report(crank), async (page) => {
    const slider = page.getByLabel('Time', { exact: true });
    const box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await comesTrue(async () =>
      near(await page.evaluate(() => kalaba.clock.t), 2.5, 0.05),
    );
    const t = await page.evaluate(() => kalaba.clock.t);
    same(await page.locator('.time').textContent(), `t = ${t.toFixed(2)} s`);
    const offset = await page.evaluate(() => {
      const { u, cursor } = kalaba.plots[0];
      const now =
        cursor.getBoundingClientRect().left - u.over.getBoundingClientRect().left;
      return now - u.valToPos(kalaba.clock.t, 'x');
    });
    near(offset, 0, 1, 'the line in the plot');
    await page.locator('h1').click(); // away from the slider, for the keys
    await page.keyboard.press('ArrowRight');
    await comesTrue(async () =>
      near(await page.evaluate(() => kalaba.clock.t), t + 0.05, 1e-9),
    );
  });
}

async function pictures_in_space_can_be_turned(lab) {
  const html = await lab.report(path.join(examples, 'suspended_body.kal'));
  await lab.visit(html, async (page) => {
    const look = () =>
      page.evaluate(() => ({
        yaw: kalaba.scene.camera.yaw,
        place: kalaba.scene.camera.project([0.3, 0.2, 0.1]).slice(0, 2).join(),
        picture: kalaba.scene.canvas.toDataURL(),
      }));
    const before = await look();
    const box = await page.locator('canvas').first().boundingBox();
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 230, { steps: 4 });
    await page.mouse.up();
    await comesTrue(async () => near((await look()).yaw - before.yaw, 0.8, 0.01));
    const after = await look();
    ok(
      after.place !== before.place && after.picture !== before.picture,
      'it does not turn',
    );
    await page.mouse.dblclick(box.x + 200, box.y + 200);
    await page.getByLabel('Constraint forces').check();
    await comesTrue(async () =>
      ok((await look()).picture !== after.picture, 'no forces are drawn'),
    );
  });
}

// WCAG's ratio of two colors as rgb(…).
function contrast(a, b) {
  const luminance = (text) => {
    const [r, g, bl] = text
      .match(/[\d.]+/g)
      .slice(0, 3)
      .map((value) => value / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function colors(page) {
  return page.evaluate(() => {
    const style = (element) => getComputedStyle(element);
    const card = document.querySelector('.plot');
    const swatches = [...document.querySelectorAll('#plots .swatch')];
    return {
      page: style(document.body).backgroundColor,
      card: style(card).backgroundColor,
      ink: style(card).color,
      muted: style(document.querySelector('.summary')).color,
      series: swatches.map((swatch) => style(swatch).backgroundColor),
      picture: kalaba.scene.canvas.toDataURL(),
    };
  });
}

async function light_and_dark_are_legible(lab) {
  const html = await lab.report(path.join(examples, 'swarm.kal'));
  const seen = [];
  for (const colorScheme of ['light', 'dark']) {
    await lab.visit(
      html,
      async (page) => {
        const now = await colors(page);
        seen.push(now);
        ok(contrast(now.ink, now.card) > 7, `${colorScheme}: text`);
        ok(contrast(now.muted, now.page) > 4.5, `${colorScheme}: small text`);
        now.series.forEach((color, i) =>
          ok(contrast(color, now.card) > 3, `${colorScheme}: curve ${i + 1}`),
        );
        await page.getByRole('button', { name: 'Light or dark' }).click();
        await comesTrue(async () =>
          ok((await colors(page)).card !== now.card, 'the button does nothing'),
        );
      },
      { colorScheme },
    );
  }
  ok(contrast(seen[0].page, seen[1].page) > 10, 'dark is not dark');
  ok(seen[0].picture !== seen[1].picture, 'the picture is the same');
}

// A rod that an event releases is no longer there.
async function what_is_released_is_drawn_open(lab) {
  const model = lab.model(
    'rod.kal',
    'use planar\npart bob = Particle(m = 1)\npart rod = Rod(b = bob, length = 1)\n' +
      'init bob.x = 1\nevent snap: t - 0.5 rising release rod.stretch\n' +
      'simulate 0 .. 1 every 0.01\n',
  );
  await lab.visit(await lab.report(model), async (page) => {
    for (const [t, length] of [
      [0.2, 1],
      [0.8, 0],
    ]) {
      const shapes = await page.evaluate((time) => kalaba.scene.shapesAt(time), t);
      const { points } = shapes.filter(({ shape }) => shape === 'line').at(-1);
      const found = Math.max(...points.map(([x, y]) => Math.hypot(x, y)));
      near(found, length, 1e-3, `the rod at ${t}`);
    }
  });
}

demandBrowser();
await runCases([
  the_picture_plays_and_pauses,
  what_is_drawn_is_where_it_should_be,
  scrubbing_moves_picture_and_plots,
  pictures_in_space_can_be_turned,
  what_is_released_is_drawn_open,
  light_and_dark_are_legible,
]);
