// Reports of sweeps, in a browser.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  comesTrue,
  demandBrowser,
  examples,
  kalaba,
  ok,
  runCases,
  same,
} from './lab.mjs';

const inputs = ['--vary', 'L = 0.5 .. 2 count 5', '--vary', 'g = 9, 10, 11'];

async function sweep(lab, name, model, args) {
  const html = lab.file(`${name}.html`);
  const table = lab.file(`${name}.csv`);
  const run = await kalaba(
    'sweep',
    model,
    '-o',
    table,
    '-q',
    ...args,
    '--report',
    html,
  );
  same(run.status, 0, run.err);
  return { html, lines: readFileSync(table, 'utf8').trim().split('\n').slice(1) };
}

async function all_rows_of_the_table_are_in_the_page(lab) {
  const pendulum = path.join(examples, 'pendulum.kal');
  const { html, lines } = await sweep(lab, 'rows', pendulum, inputs);
  await lab.visit(html, async (page) => {
    const columns = await page.evaluate(() => kalaba.sweep.columns);
    lines.forEach((line, row) => {
      const cells = line.split(',').slice(0, columns.length).map(Number);
      columns.forEach(({ values }, i) => same(values[row], cells[i], `row ${row}`));
    });
    same(await page.locator('#runs tbody tr').count(), 15, 'rows shown');
  });
}

async function a_click_sorts_and_a_drag_chooses(lab) {
  const pendulum = path.join(examples, 'pendulum.kal');
  const { html } = await sweep(lab, 'sorted', pendulum, inputs);
  await lab.visit(html, async (page) => {
    const first = () => page.locator('#runs tbody td').first().textContent();
    await page.locator('#runs th button', { hasText: 'L' }).first().click();
    await comesTrue(async () => same(await first(), '1', 'the shortest'));
    await page.locator('#runs th button', { hasText: 'L' }).first().click();
    await comesTrue(async () => same(await first(), '13', 'the longest'));
    const { x, top, bottom } = await page.evaluate(() => {
      const { parallel } = kalaba;
      const box = parallel.canvas.getBoundingClientRect();
      const [axis] = parallel.axes;
      return {
        x: box.x + parallel.placeX(0),
        top: box.y + parallel.placeY(axis, 2.01),
        bottom: box.y + parallel.placeY(axis, 1.4),
      };
    });
    await page.mouse.move(x, top);
    await page.mouse.down();
    await page.mouse.move(x, bottom, { steps: 3 });
    await page.mouse.up();
    const shown = () => page.locator('#runs tbody tr').count();
    await comesTrue(async () => same(await shown(), 6, 'L of 1.625 and 2'));
    await page.getByText('All runs').click();
    await comesTrue(async () => same(await shown(), 15, 'all again'));
  });
}

// The command that the page tells makes the report that it links to, of the same run.
async function a_run_opens_as_its_own_report(lab) {
  const sleigh = path.join(examples, 'sleigh.kal');
  const args = ['--random', 'b = uniform(0.1, 1)', '--count', '4', '--seed', '3'];
  const { html, lines } = await sweep(lab, 'runs', sleigh, args);
  let link;
  await lab.visit(html, async (page) => {
    await page.locator('#runs tbody tr').nth(2).click();
    link = await page.locator('#chosen a').getAttribute('href');
    const told = await page.locator('#chosen code').textContent();
    ok(told.includes('--run 3 --report "runs-3.html"'), told);
    ok(told.includes('--random "b = uniform(0.1, 1)"'), told);
  });
  const own = lab.file(link);
  const run = await kalaba('sweep', sleigh, ...args, '--run', '3', '--report', own);
  same(run.status, 0, run.err);
  await lab.visit(own, async (page) => {
    const b = await page.evaluate(
      () => kalaba.run.parameters.find(({ name }) => name === 'b').value,
    );
    same(b, Number(lines[2].split(',')[1]), 'the input');
  });
}

async function failures_have_their_reasons(lab) {
  const model = lab.file('fails.kal');
  writeFileSync(
    model,
    "param k = 1\ncoord x\nkinetic x'^2/2\npotential -k*x^4/4\n" +
      "init x = 1, x' = 1\nsimulate 0 .. 1 every 1\n",
  );
  const args = ['--vary', 'k = 1, 1000', '--keep', 'final(x)'];
  const { html } = await sweep(lab, 'fails', model, args);
  await lab.visit(html, async (page) => {
    const got = await page.evaluate(() => ({
      failures: kalaba.sweep.failures,
      values: kalaba.sweep.columns[2].values,
      cells: [...document.querySelectorAll('#runs tbody td.failed')].length,
    }));
    same(Object.keys(got.failures).join(), '2', 'the run that failed');
    same(got.cells, 1, 'its cell');
    same(got.values[1], null, 'no value');
    ok(got.values[0] > 1, 'a value');
  });
}

// Of many axes too, on any screen.
async function names_of_axes_do_not_lie_on_each_other(lab) {
  const sleigh = path.join(examples, 'sleigh.kal');
  const args = ['--vary', "theta' = -2 .. 2 count 5", '--keep', 'final(*), max(*)'];
  const { html } = await sweep(lab, 'names', sleigh, args);
  await lab.visit(html, async (page) => {
    const { names, top, high } = await page.evaluate(() => {
      const { parallel } = kalaba;
      const ctx = parallel.canvas.getContext('2d');
      ctx.font = '600 12px system-ui, sans-serif';
      const names = parallel.names.map(({ text, x, row }) => {
        const half = ctx.measureText(text).width / 2;
        return { row, from: x - half, to: x + half };
      });
      const [axis] = parallel.axes;
      return { names, top: parallel.top, high: parallel.placeY(axis, axis.high) };
    });
    same(names.length, 12, 'names');
    ok(
      names.some(({ row }) => row > 0),
      'more than one row',
    );
    same(high, top, 'where axes begin');
    names.forEach((a, i) =>
      names
        .slice(0, i)
        .forEach((b) => ok(a.row !== b.row || a.from > b.to, `names ${i}`)),
    );
  });
}

// A page of a large sweep has some thousands of its rows, evenly chosen.
async function large_sweeps_are_thinned(lab) {
  const pendulum = path.join(examples, 'pendulum.kal');
  const args = ['--vary', 'L = 0.5 .. 2 count 9000', '--until', '0.01'];
  const { html } = await sweep(lab, 'large', pendulum, args);
  await lab.visit(html, async (page) => {
    const runs = await page.evaluate(() => kalaba.sweep.columns[0].values);
    same(runs.length, 3000, 'rows');
    ok(
      runs.every((run, i) => Math.floor((run - 1) / 3) === i),
      'one of three',
    );
    same(new Set(runs.map((run) => run % 3)).size, 3, 'places in a stretch');
    const text = await page.locator('#summary').textContent();
    ok(text.includes('3 000 runs of 9 000 runs'), text);
  });
}

// Nothing in a model becomes markup, and both sets of colors can be read.
async function texts_stay_texts(lab) {
  const model = lab.file('hostile.kal');
  const title = '<img src=x onerror=alert(1)></script><!--';
  writeFileSync(
    model,
    `model "${title}"\nparam k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n` +
      'init x = 1\nsimulate 0 .. 1 every 1\n',
  );
  const { html } = await sweep(lab, 'hostile', model, ['--vary', 'k = 1, 2']);
  await lab.visit(html, async (page) => {
    same(await page.locator('h1').textContent(), title, 'the title');
    same(await page.locator('img').count(), 0, 'images');
    const colors = await page.evaluate(() => {
      const of = () => getComputedStyle(document.body).color;
      const before = of();
      document.querySelector('nav button').click();
      return [before, of()];
    });
    ok(colors[0] !== colors[1], 'light and dark differ');
  });
}

demandBrowser();
await runCases([
  all_rows_of_the_table_are_in_the_page,
  a_click_sorts_and_a_drag_chooses,
  a_run_opens_as_its_own_report,
  failures_have_their_reasons,
  names_of_axes_do_not_lie_on_each_other,
  large_sweeps_are_thinned,
  texts_stay_texts,
]);
