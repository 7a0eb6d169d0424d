// Reports as they are read and printed: places of marks, measures of formulas, words.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  comesTrue,
  demandBrowser,
  examples,
  kalaba as tool,
  laidOut,
  near,
  ok,
  runCases,
  same,
} from './lab.mjs';

const crank = path.join(examples, 'slider_crank.kal');
const sleigh = path.join(examples, 'sleigh.kal');

// A page of A4 between its margins, in pixels.
const PAPER = 700;

const TILTED = `model "Tilted"
param al = 30 [deg], c = 40 [1/s], m = 1 [kg]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
dissipation 1/2*m*c*x'^2
constraint line: y = x*tan(al)
init x = 1, x' = 1e-150
simulate 0 .. 20 every 0.1
plot x'
`;

const NAMED = `param m = 1 [kg], T = 0.1 [s]
component Carriage(at = 0) {
    coord displacement_along_the_rail [m]
    kinetic 1/2*m*displacement_along_the_rail'^2
    init displacement_along_the_rail = at, displacement_along_the_rail' = 1/3
}
part left_carriage = Carriage(at = 2/7)
part right_carriage = Carriage(at = -1234567/7)
state temperature_of_the_winding [K]: temperature_of_the_winding' = 1
hold force_of_the_motor [N] every T: 5 + force_of_the_motor
init temperature_of_the_winding = 300, force_of_the_motor = 0.5
simulate 0 .. 1 every 0.1
`;

// Whether no plot is wider than what it is in.
function plotsFit(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.plot .uplot')].every(
      (plot) =>
        plot.getBoundingClientRect().right <=
        plot.closest('.plot').getBoundingClientRect().right + 1,
    ),
  );
}

async function paper_is_white_and_plots_fit_it(lab) {
  const html = await lab.report(crank);
  await lab.visit(
    html,
    async (page) => {
      same(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      await page.evaluate(() => globalThis.dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await laidOut(page);
      const widths = await page.evaluate(() =>
        kalaba.plots.map((plot) => plot.u.width),
      );
      ok(
        widths.every((width) => width <= PAPER && width > 0.8 * PAPER),
        `widths ${widths}`,
      );
      ok(await plotsFit(page), 'a plot passes the edge');
      await comesTrue(async () => {
        const [ground, theme] = await page.evaluate(() => [
          getComputedStyle(document.body).backgroundColor,
          document.documentElement.dataset.theme,
        ]);
        same(ground, 'rgba(0, 0, 0, 0)', 'background');
        same(theme, 'light', 'colors');
      });
      const swatch = page.locator('.swatch').first();
      const colors = await swatch.evaluate((e) => getComputedStyle(e).printColorAdjust);
      same(colors, 'exact', 'legends have no colors on paper');
      await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
      await page.evaluate(() => globalThis.dispatchEvent(new Event('afterprint')));
      same(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      await comesTrue(async () => {
        const wide = await page.evaluate(() => kalaba.plots[0].u.width);
        ok(
          wide !== widths[0] && (await plotsFit(page)),
          'the screen has its width again',
        );
      });
    },
    { colorScheme: 'dark' },
  );
}

// What is left of a page of Letter, the shorter one, between its margins, in pixels.
const PAGE = 965;

// Where a plot does not fit any more a gap remains: they are so high that it is small.
async function three_plots_fill_a_page(lab) {
  for (const model of [crank, sleigh]) {
    await lab.visit(await lab.report(model), async (page) => {
      await page.evaluate(() => globalThis.dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print' });
      await laidOut(page);
      const [heights, first, third] = await page.evaluate(() => {
        const outer = (e) => e.getBoundingClientRect().height + 12; // the margin below
        return [
          [...document.querySelectorAll('.plot')].map(outer),
          document.querySelector('.plot').getBoundingClientRect().top,
          document.querySelectorAll('.plot')[1].getBoundingClientRect().bottom,
        ];
      });
      const flat = Math.min(...heights);
      ok(3 * flat <= PAGE && 4 * flat > PAGE, `plots of ${flat} in ${PAGE}`);
      ok(first + 2 * flat <= PAGE, `two begin at ${first} on the first page`);
      ok(third <= PAGE, `the second ends at ${third} on the first page`);
    });
  }
}

// Tables show all of their columns, whatever has room for them.
async function no_column_is_cut_off(lab) {
  const named = lab.model('named.kal', NAMED);
  for (const model of [crank, named]) {
    await lab.visit(await lab.report(model), async (page) => {
      for (const width of [1600, 1280, 1000, 820, 600]) {
        await page.setViewportSize({ width, height: 900 });
        await laidOut(page);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll('.scroll')]
            .filter((box) => box.scrollWidth > box.clientWidth)
            .map((box) => box.textContent),
        );
        same(cut.join('; '), '', `at a width of ${width}`);
      }
      const start = await page.getByRole('table').nth(-2).innerText();
      const told = ['theta [rad]', 'temperature_of_the_winding [K]\t300'];
      ok(
        told.some((text) => start.includes(text)),
        start,
      );
    });
  }
}

async function a_sweep_is_printed_whole(lab) {
  const html = lab.file('sweep.html');
  const inputs = ['--vary', 'L1 = 0.1, 0.11', '--vary', 'f = 0 .. 1 count 20'];
  const files = ['-o', lab.file('sweep.csv'), '--report', html];
  const run = await tool('sweep', crank, ...inputs, ...files, '--until', '0.1');
  same(run.status, 0, run.err);
  const text = readFileSync(html, 'utf8');
  ok(!text.includes(lab.folder) && !text.includes(examples), 'a folder is told');
  await lab.visit(
    html,
    async (page) => {
      await page.evaluate(() => globalThis.dispatchEvent(new Event('beforeprint')));
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await laidOut(page);
      const [tall, room, theme] = await page.evaluate(() => {
        const box = document.querySelector('#runs .scroll');
        return [
          box.scrollHeight,
          box.clientHeight,
          document.documentElement.dataset.theme,
        ];
      });
      same(room, tall, 'the table scrolls');
      same(theme, 'light');
      for (const name of ['All runs', 'Light or dark']) {
        const button = page.getByRole('button', { name, includeHidden: true });
        ok(!(await button.isVisible()), `${name} is for the screen`);
      }
      ok(await page.getByText('draw line').isVisible(), 'the model');
      const heading = page.locator('#runs th button').first();
      same(await heading.evaluate((e) => getComputedStyle(e).display), 'contents');
    },
    { colorScheme: 'dark' },
  );
}

async function a_report_takes_few_pages(lab) {
  await lab.visit(await lab.report(sleigh), async (page) => {
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1');
    const count = pages.match(/\/Type\s*\/Page[^s]/g).length;
    ok(count <= 5, `${count} pages`);
  });
}

async function marks_stay_on_their_curves(lab) {
  await lab.visit(await lab.report(sleigh), async (page) => {
    for (const width of [1280, 700, 1500]) {
      await page.setViewportSize({ width, height: 900 });
      await laidOut(page);
      await comesTrue(async () => {
        const [inner, left, right, drawn, room] = await page.evaluate(() => {
          const plot = kalaba.plots.find(({ dots }) => dots);
          const place = plot.dots[0].style.transform.match(/translate\(([-\d.]+)px/);
          const at = plot.u.valToPos(plot.xs[0], 'x');
          const wide = [plot.u.width, plot.host.clientWidth];
          return [innerWidth, Number(place[1]), at, ...wide];
        });
        same(inner, width, 'the window');
        same(drawn, room, 'the plot');
        near(left, right, 0.01, `at a width of ${width}`);
      });
    }
  });
}

async function superscripts_are_where_they_belong(lab) {
  await lab.visit(await lab.report(sleigh), async (page) => {
    const all = await page.evaluate(() =>
      [...document.querySelectorAll('#equations msup')].map((element) => {
        const [base, script] = [...element.children].map((child) =>
          child.getBoundingClientRect(),
        );
        return [base.top, base.bottom, script.top, script.bottom];
      }),
    );
    ok(all.length > 2, 'there are some');
    for (const [top, bottom, above, below] of all) {
      ok(below > top + 0.1 * (bottom - top), `floats: ${[top, bottom, above, below]}`);
      ok(below < bottom, `hangs: ${[top, bottom, above, below]}`);
    }
  });
}

async function words_are_for_the_reader(lab) {
  const html = await lab.report(lab.model('tilted.kal', TILTED));
  ok(!readFileSync(html, 'utf8').includes(lab.folder), 'a folder of this machine');
  await lab.visit(html, async (page) => {
    const text = await page.evaluate(() => document.body.innerText);
    ok(text.includes('tilted.kal:6:12'), 'the place of the constraint');
    ok(/al\s+30\s+deg/.test(text), 'an angle in degrees as it was declared');
    ok(/x \[m\]\s+1\s+0\s/.test(text), 'what has died out is 0');
    ok(!/10⁻¹\d\d/.test(text), 'no number below all measure');
  });
}

async function failures_name_files_without_folders(lab) {
  const model = lab.model(
    'fails.kal',
    "coord x\nkinetic 1/2*x'^2\nforce x = -1/(t - 2)\nsimulate 0 .. 3 every 0.1\n",
  );
  const html = lab.file('fails.html');
  await tool('run', model, '--report', html, '-q');
  const page = readFileSync(html, 'utf8');
  ok(page.includes('not complete') && !page.includes(lab.folder), 'a folder is told');
}

// What Python shows of a run in a notebook, with the rights that it gives to the frame.
async function the_frame_of_a_notebook_saves_and_copies(lab) {
  const source = path.join(examples, '../python/kalaba/results.py');
  const [sandbox, allow] = readFileSync(source, 'utf8').match(
    /(sandbox|allow)="[^"]+"/g,
  );
  const page = readFileSync(await lab.report(sleigh), 'utf8');
  const text = page.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const html = lab.file('notebook.html');
  writeFileSync(html, `<iframe srcdoc="${text}" ${sandbox} ${allow}></iframe>`);
  await lab.visit(html, async (notebook) => {
    const frame = notebook.frames()[1];
    const saved = notebook.waitForEvent('download');
    await frame.getByRole('button', { name: 'Save data' }).click();
    same((await saved).suggestedFilename(), 'Chaplygin-sleigh.csv');
    await frame.getByRole('button', { name: 'Copy model' }).click();
    await frame.getByRole('button', { name: 'Copied' }).waitFor();
  });
}

demandBrowser();
await runCases([
  paper_is_white_and_plots_fit_it,
  three_plots_fill_a_page,
  no_column_is_cut_off,
  a_sweep_is_printed_whole,
  a_report_takes_few_pages,
  marks_stay_on_their_curves,
  superscripts_are_where_they_belong,
  words_are_for_the_reader,
  failures_name_files_without_folders,
  the_frame_of_a_notebook_saves_and_copies,
]);
