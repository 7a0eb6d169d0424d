// Plots of reports, in a browser.

import { statSync } from 'node:fs';
import path from 'node:path';
import {
  comesTrue,
  demandBrowser,
  examples,
  legendValues,
  near,
  ok,
  runCases,
  same,
  shownNumber,
} from './lab.mjs';

const crank = path.join(examples, 'slider_crank.kal');
const sleigh = path.join(examples, 'sleigh.kal');

async function values_under_the_cursor_are_those_of_the_run(lab) {
  const table = await lab.table(crank);
  await lab.visit(await lab.report(crank), async (page) => {
    const over = page.locator('.plot').first().locator('.u-over');
    const box = await over.boundingBox();
    for (const part of [0.1, 0.5, 0.77]) {
      await page.mouse.move(box.x + part * box.width, box.y + 50);
      let t;
      await comesTrue(async () => {
        const place = page.locator('.plot').first().locator('.place');
        t = shownNumber((await place.textContent()).slice('t = '.length));
        near(t, 5 * part, 0.02, 'time under the cursor');
      });
      const row = table.get('t').findIndex((time) => Math.abs(time - t) < 1e-9);
      const [theta, phi] = await legendValues(page, 0);
      near(
        shownNumber(theta),
        table.get('theta')[row],
        1e-5 * Math.abs(table.get('theta')[row]),
      );
      near(
        shownNumber(phi),
        table.get('phi')[row],
        1e-5 * Math.abs(table.get('phi')[row]),
      );
      const [x] = await legendValues(page, 1); // the other plot follows
      near(shownNumber(x), table.get('x')[row], 1e-5);
    }
  });
}

async function curves_can_be_switched_off(lab) {
  await lab.visit(await lab.report(crank), async (page) => {
    const button = page.locator('.plot').first().locator('.legend button').first();
    const shown = () => page.evaluate(() => kalaba.plots[0].u.series[1].show);
    same(await shown(), true);
    await button.click();
    await comesTrue(async () => same(await shown(), false));
    same(await button.getAttribute('aria-pressed'), 'false');
    await button.click();
    await comesTrue(async () => same(await shown(), true));
  });
}

async function dragging_zooms_all_plots(lab) {
  await lab.visit(await lab.report(crank), async (page) => {
    const ranges = () =>
      page.evaluate(() =>
        kalaba.plots.map(({ u }) => [u.scales.x.min, u.scales.x.max]),
      );
    const over = page.locator('.plot').first().locator('.u-over');
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 40, { steps: 5 });
    await page.mouse.up();
    await comesTrue(async () => {
      for (const [min, max] of await ranges()) {
        near(min, 1, 0.02, 'zoomed from');
        near(max, 2, 0.02, 'zoomed to');
      }
    });
    await over.dblclick();
    await comesTrue(async () => {
      for (const [min, max] of await ranges()) {
        near(min, 0, 1e-9);
        near(max, 5, 1e-9);
      }
    });
  });
}

async function phase_plots_have_points_to_look_at(lab) {
  const table = await lab.table(sleigh);
  await lab.visit(await lab.report(sleigh), async (page) => {
    const row = 100;
    const point = { x: table.get('u1')[row], y: table.get("theta'")[row] };
    const place = await page.evaluate(({ x, y }) => {
      const { u } = kalaba.plots[0];
      const box = u.over.getBoundingClientRect();
      return [box.left + u.valToPos(x, 'x'), box.top + u.valToPos(y, 'y')];
    }, point);
    await page.mouse.move(...place);
    let t;
    await comesTrue(async () => {
      const [value] = await legendValues(page, 0);
      const where = await page.locator('.plot').first().locator('.place').textContent();
      t = shownNumber(where.split('t = ')[1]);
      const found = table.get('t').findIndex((time) => Math.abs(time - t) < 1e-9);
      near(found, row, 2, 'the sample under the cursor');
      near(shownNumber(value), table.get("theta'")[found], 1e-5);
      near(shownNumber(where.slice('u1 = '.length)), table.get('u1')[found], 1e-5);
    });
    await page.mouse.click(...place);
    await comesTrue(async () =>
      near(await page.evaluate(() => kalaba.clock.t), t, 1e-9),
    );
    const labels = await page.evaluate(() =>
      kalaba.plots[0].u.axes.map(({ label }) => label),
    );
    same(labels.join(), "u1 [m/s],theta' [rad/s]");
  });
  const kepler = path.join(examples, 'inverse_kepler.kal');
  await lab.visit(await lab.report(kepler), async (page) => {
    const ratio = await page.evaluate(() => {
      const { u } = kalaba.plots[1];
      const length = (key) => Math.abs(u.valToPos(1, key) - u.valToPos(0, key));
      return length('x') / length('y');
    });
    near(ratio, 1, 0.02, 'an orbit is drawn to scale');
  });
}

async function events_are_marked(lab) {
  const html = await lab.report(path.join(examples, 'bouncing_ball.kal'));
  await lab.visit(html, async (page) => {
    const first = Math.sqrt(2 / 9.81);
    const marks = await page.evaluate(() => kalaba.run.incidents);
    ok(marks.length >= 6, 'too few marks');
    near(marks[0].t, first, 1e-6);
    const place = await page.evaluate((t) => {
      const { u } = kalaba.plots[0];
      const box = u.over.getBoundingClientRect();
      return [box.left + u.valToPos(t, 'x') + 2, box.top + 60];
    }, first);
    await page.mouse.move(...place);
    const note = page.locator('.plot').first().locator('.note');
    await comesTrue(async () =>
      ok((await note.textContent()).includes(marks[0].text), 'no note at the mark'),
    );
    await page.locator('#facts .link').first().click();
    await comesTrue(async () =>
      near(await page.evaluate(() => kalaba.clock.t), first, 1e-6),
    );
  });
}

// Many samples with one short spike: the page is small and the spike is in it.
async function long_runs_keep_their_extremes(lab) {
  const model = lab.model(
    'long.kal',
    "coord x [m]\nkinetic 0.5*x'^2\npotential 0.5*x^2\ninit x = 1\n" +
      'output spike = exp(-((t - 123.4567)/0.001)^2)\nplot x\nplot spike\n' +
      'simulate 0 .. 500 every 0.002\n',
  );
  const table = await lab.table(model);
  const html = await lab.report(model);
  same(table.get('t').length, 250001);
  ok(statSync(html).size < 4e6, `${statSync(html).size} bytes`);
  await lab.visit(html, async (page) => {
    for (const name of ['x', 'spike']) {
      const got = await page.evaluate((wanted) => {
        const { data } = kalaba.run.columns.find((column) => column.name === wanted);
        return { min: Math.min(...data), max: Math.max(...data) };
      }, name);
      const values = table.get(name);
      same(
        got.max,
        values.reduce((a, b) => Math.max(a, b)),
        `${name}: largest`,
      );
      same(
        got.min,
        values.reduce((a, b) => Math.min(a, b)),
        `${name}: smallest`,
      );
    }
    const title = await page
      .getByRole('button', { name: 'Save data' })
      .getAttribute('title');
    ok(title.includes('of 250001 samples'), title);
  });
}

demandBrowser();
await runCases([
  values_under_the_cursor_are_those_of_the_run,
  curves_can_be_switched_off,
  dragging_zooms_all_plots,
  phase_plots_have_points_to_look_at,
  events_are_marked,
  long_runs_keep_their_extremes,
]);
