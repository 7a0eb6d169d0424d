// The studio in a browser: text, sliders, picture, panes, files.

import { existsSync, readFileSync } from 'node:fs';
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
import { PENDULUM, rests, settled, slide, until, write } from './studio_lab.mjs';

const crank = path.join(examples, 'slider_crank.kal');

async function a_model_is_shown_and_moves(lab) {
  await lab.studio(crank, async (page) => {
    await settled(page);
    same(await page.title(), 'Slider-crank – Kalaba studio');
    same(await page.getByLabel('Name of the model').inputValue(), 'slider_crank.kal');
    same(await page.getByLabel('Open a model').inputValue(), 'slider_crank.kal');
    same(await page.locator('.plot').count(), 5, 'plots');
    const colored = await page.locator('.cm-line span').count();
    ok(colored > 50, `${colored} pieces of text have colors`);
    await page.getByRole('button', { name: 'Play' }).click();
    await until(page, 'studio.clock.t > 0.2');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Time').fill('500');
    near(await page.evaluate('studio.clock.t'), 2.5, 1e-9);
  });
}

async function what_is_typed_is_seen(lab) {
  await lab.studio(lab.model('typed.kal', PENDULUM), async (page) => {
    await settled(page);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('plot energy()\n');
    await settled(page, "document.querySelectorAll('.plot').length === 4");
    await page.keyboard.type('output z = q\n');
    await comesTrue(async () => {
      const [said] = await page.locator('.problems .error').allTextContents();
      ok(said?.startsWith('12:12 ') && said.includes('q'), said);
    });
    await page.locator('.cm-lintRange-error').waitFor();
    await page.locator('#notice').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('x\n');
    await settled(page, "studio.run.columns.some(({ name }) => name === 'z')");
    same(await page.locator('.problems .error').count(), 0, 'old errors');
  });
}

async function sliders_change_the_run(lab) {
  await lab.studio(lab.model('slid.kal', PENDULUM), async (page) => {
    await settled(page);
    await slide(page, 'L', 2.5);
    await settled(page, 'studio.run.parameters[1].value === 2.5');
    const [x, y] = await page.evaluate(() =>
      studio.run.columns.slice(1, 3).map(({ data }) => data[0]),
    );
    near(x * x + y * y, 6.25, 1e-9, 'the constraint does not hold');
    near(x, 0.6, 1e-12);
    await slide(page, 'x', 1.5);
    await settled(page, 'studio.run.columns[1].data[0] === 1.5');
    await page.getByLabel('Reset L').click();
    await settled(page, 'studio.run.parameters[1].value === 1');
    const length = await page.evaluate(() =>
      Math.hypot(...studio.run.columns.slice(1, 3).map(({ data }) => data[0])),
    );
    near(length, 1, 1e-9, 'a start that cannot be held does not move');
    await page.getByLabel('m, value').fill('7');
    await page.getByLabel('m, value').press('Enter');
    await settled(page, 'studio.run.parameters[0].value === 7');
  });
}

// Numbers of parts move in whole steps, states have a start, and a range follows the text.
const COUNTED = `param N = 3, T = 5 [s], k[70] = 1
coord x[N] [m]
param m = 2 [kg]
kinetic 1/2*m*sum(i in 1..N : x[i]'^2)
state heat [K]: heat' = -heat/T
init heat = 20
output all = sum(i in 1..70 : k[i])
simulate 0 .. 1 every 0.1
`;

async function sliders_have_sensible_ranges(lab) {
  const ends = (page, name) =>
    page
      .getByLabel(name, { exact: true })
      .evaluate(({ min, max, step }) => [Number(min), Number(max), step]);
  await lab.studio(lab.model('counted.kal', COUNTED), async (page) => {
    await settled(page);
    await slide(page, 'N', 5.2);
    await settled(page, "studio.run.columns.some(({ name }) => name === 'x[5]')");
    same(await page.locator('.problems .error').count(), 0, 'no whole number');
    await slide(page, 'heat', 30);
    await settled(
      page,
      "studio.run.columns.find(({ name }) => name === 'heat').data[0] === 30",
    );
    same((await ends(page, 'N')).join(), '1,9,1');
    ok((await ends(page, 'm'))[0] > 0, 'a mass of 0');
    ok(await page.getByLabel('k[70]', { exact: true }).isVisible(), 'not all');
    await write(page, COUNTED.replace('m = 2', 'm = 500'));
    await settled(page, 'studio.system.parameters.some(({ value }) => value === 500)');
    await comesTrue(async () => {
      const [least, most] = await ends(page, 'm');
      ok(least < 250 && most > 1000, `from ${least} to ${most}`);
    });
  });
}

async function two_runs_are_side_by_side(lab) {
  await lab.studio(lab.model('compared.kal', PENDULUM), async (page) => {
    await settled(page);
    await slide(page, 'L', 2);
    await settled(page, 'studio.run.parameters[1].value === 2');
    await page.getByRole('button', { name: 'Compare' }).click();
    await slide(page, 'L', 1.5);
    await settled(page, 'studio.run.parameters[1].value === 1.5');
    same(await page.locator('#stage canvas').count(), 2);
    ok(await page.getByText('kept: L = 2').isVisible(), 'what was kept is not told');
    same(await page.evaluate('studio.stage.other.run.parameters[1].value'), 2);
    const [low, reach] = await page.evaluate(() => {
      const { scene, other } = studio.stage;
      const lowest = Math.min(scene.whole.min[1], other.whole.min[1]);
      const one = scene.camera === other.camera;
      return [one ? scene.camera.bounds.min[1] : NaN, lowest];
    });
    near(low, reach, 1e-12, 'they are not seen in one frame');
    await page.getByRole('button', { name: 'Compare' }).click();
    same(await page.locator('#stage canvas').count(), 1);
  });
}

// What a menu item saves.
async function saved(page, name) {
  await page.locator('.menu summary').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name, exact: true }).click(),
  ]);
  return readFileSync(await download.path());
}

async function everything_can_be_saved(lab) {
  await lab.studio(lab.model('exported.kal', PENDULUM), async (page) => {
    await settled(page);
    same(String(await saved(page, 'Model')), PENDULUM);
    ok(
      String(await saved(page, 'Report')).includes('<title>Pendulum</title>'),
      'report',
    );
    const [head] = String(await saved(page, 'Data (CSV)')).split('\n');
    ok(head.startsWith('t,x,y,'), head);
    same((await saved(page, 'Picture (PNG)')).subarray(1, 4).toString(), 'PNG');
    ok(String(await saved(page, 'Picture (SVG)')).startsWith('<svg '), 'SVG');
    ok(
      String(await saved(page, 'Equations (LaTeX)')).includes('documentclass'),
      'LaTeX',
    );
    const numbers = await saved(page, 'Data (HDF5)');
    same(numbers.subarray(1, 4).toString(), 'HDF');
    const sources = await saved(page, 'C sources (ZIP)');
    same(sources.subarray(0, 2).toString(), 'PK');
    ok(sources.includes('exported/exported.c'), 'no C file');
    ok((await saved(page, 'FMU')).includes('modelDescription.xml'), 'FMU');
    const film = await saved(page, 'Film (WebM)'); // of four seconds
    same(film.readUInt32BE(0), 0x1a45dfa3, 'no film'); // as Matroska begins
  });
}

async function panes_show_equations_and_analysis(lab) {
  await lab.studio(lab.model('panes.kal', PENDULUM), async (page) => {
    await settled(page);
    await page.getByRole('tab', { name: 'Equations' }).click();
    await page.locator('.equations math').first().waitFor();
    await page.getByRole('tab', { name: 'System' }).click();
    await page.getByText('2 coordinates · 1 constraint (holonomic)').waitFor();
    await page.getByRole('tab', { name: 'Equilibria' }).click();
    await page.locator('.badge.unstable').waitFor();
    await comesTrue(async () =>
      same(await page.locator('#panel-equilibria .badge').count(), 2),
    );
    await page.getByRole('button', { name: 'Start here' }).first().click();
    await settled(page, 'Math.abs(studio.run.columns[1].data[0]) < 1e-9');
    await page.getByRole('tab', { name: 'Modes' }).click();
    await page.getByText('frequency [Hz]').waitFor();
    await page.keyboard.press('ArrowLeft');
    await until(page, "studio.tabs.shown === 'equilibria'");
  });
}

// From a change to the screen: the picture is drawn in the same task in which a run arrives,
// so that it is on the screen with the next frame.
async function a_change_is_soon_on_the_screen(lab) {
  await lab.studio(crank, async (page) => {
    await settled(page);
    const times = [];
    for (let i = 0; i < 10; i++) {
      times.push(
        await page.evaluate(
          async (value) => {
            const began = performance.now();
            studio.give(studio.set, 'tau', value);
            while (studio.run.parameters[8].value !== value) {
              await new Promise((resolve) => requestAnimationFrame(resolve));
            }
            return performance.now() - began;
          },
          0.5 + i / 100,
        ),
      );
    }
    times.sort((a, b) => a - b);
    console.log(`# change to screen: median ${times[5].toFixed(0)} ms`);
  });
}

// Bytes that the scripts of a page hold.
async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

async function no_stale_answer_is_shown_and_none_kept(lab) {
  await lab.studio(lab.model('load.kal', PENDULUM), async (page, process) => {
    await settled(page);
    const before = await heap(page);
    const shown = await page.evaluate(async () => {
      const seen = [];
      const take = studio.takeRun.bind(studio);
      studio.takeRun = (run, partial, body) => {
        seen.push([body.set.L, run.parameters[1].value]);
        take(run, partial, body);
      };
      for (let i = 0; i < 200; i++) {
        studio.give(studio.set, 'L', 1 + i / 100);
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      return seen;
    });
    await settled(page, 'studio.run.parameters[1].value === 2.99');
    ok(
      shown.every(([asked, got]) => asked === got),
      'an answer to another question',
    );
    const order = shown.map(([asked]) => asked);
    ok(
      order.every((value, i) => i === 0 || value >= order[i - 1]),
      'an older answer after a newer one',
    );
    same(await page.locator('.plot').count(), 3, 'plots were left behind');
    const listeners = await page.evaluate('studio.clock.listeners.size');
    ok(listeners < 20, `${listeners} listeners`);
    await rests(process);
    const grown = Math.round(((await heap(page)) - before) / 1024);
    console.log(`# the page holds ${grown} KiB more`);
    ok(grown < 2048, `the page holds ${grown} KiB more after 200 changes`); // 16 a run
  });
}

// A slider moves on while each answer takes longer than anybody waits at first: states are
// shown nevertheless, and in the end the last.
async function a_busy_machine_shows_what_it_can(lab) {
  await lab.studio(lab.model('busy.kal', PENDULUM), async (page, process) => {
    await settled(page);
    await page.evaluate(() => {
      const { link } = studio;
      const evaluate = link.evaluate.bind(link);
      link.evaluate = async (body, take, options) => {
        await new Promise((resolve, reject) => {
          setTimeout(resolve, 700);
          options.signal.addEventListener('abort', () =>
            reject(new DOMException('cancelled', 'AbortError')),
          );
        });
        return evaluate(body, take, options);
      };
      studio.seen = new Set();
      const take = studio.takeRun.bind(studio);
      studio.takeRun = (run, partial, body) => {
        take(run, partial, body);
        studio.seen.add(run.parameters[1].value);
      };
      let place = 1;
      studio.moving = setInterval(() => {
        place += 1e-4;
        studio.give(studio.set, 'L', place);
        studio.last = place;
      }, 10);
    });
    await until(page, 'studio.seen.size >= 4');
    await page.evaluate(() => clearInterval(studio.moving));
    await settled(page, 'studio.run.parameters[1].value === studio.last');
    await rests(process);
  });
}

async function files_are_saved_when_the_user_says_so(lab) {
  const file = lab.model('saved.kal', PENDULUM);
  await lab.studio(
    file,
    async (page) => {
      await settled(page);
      await write(page, PENDULUM.replace('0.6', '0.7'));
      await settled(page);
      same(readFileSync(file, 'utf8'), PENDULUM, 'it was written without being asked');
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+s');
      await page.getByText('saved', { exact: true }).waitFor();
      ok(readFileSync(file, 'utf8').includes('init x = 0.7'), 'not written');
      const name = page.getByLabel('Name of the model');
      await name.fill('copy');
      await name.press('Enter');
      await page.getByText('not saved', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('saved', { exact: true }).waitFor();
      ok(existsSync(lab.file('copy.kal')), 'no copy');
      lab.model('copy.kal', '# changed by another program\n');
      await write(page, PENDULUM);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('has changed on the disk').waitFor();
      await page.getByRole('button', { name: 'Write over it' }).click();
      await page.getByText('saved', { exact: true }).waitFor();
      same(readFileSync(lab.file('copy.kal'), 'utf8'), PENDULUM);
    },
    { expected: /409/ },
  );
}

async function hostile_models_do_no_harm(lab) {
  const evil = `model "</script><img src=x onerror=alert(1)>"
param a = 1
coord x, y
kinetic 1/2*x'^2 + 1/2*y'^2
output b = x # <script>alert(2)</script>
plot b
draw line [0, 0] -> [x, y]
`;
  await lab.studio(lab.model('evil.kal', evil), async (page) => {
    await settled(page);
    same(await page.evaluate('document.images.length'), 0, 'an image was made');
    for (const tab of ['Equations', 'System', 'Equilibria', 'Modes']) {
      await page.getByRole('tab', { name: tab }).click();
      await settled(page, '!studio.analysis.control && !studio.analysis.wanted');
    }
    same(await page.evaluate('document.scripts.length'), 1, 'a script was made');
    await write(page, `for i in 1..1000000 { for j in 1..1000000 { coord x } }`);
    await page.locator('.problems .error').first().waitFor();
    await write(page, PENDULUM);
    await settled(page, "studio.run.title === 'Pendulum'");
  });
}

demandBrowser();
await runCases([
  a_model_is_shown_and_moves,
  what_is_typed_is_seen,
  sliders_change_the_run,
  sliders_have_sensible_ranges,
  two_runs_are_side_by_side,
  everything_can_be_saved,
  panes_show_equations_and_analysis,
  a_change_is_soon_on_the_screen,
  no_stale_answer_is_shown_and_none_kept,
  a_busy_machine_shows_what_it_can,
  files_are_saved_when_the_user_says_so,
  hostile_models_do_no_harm,
]);
