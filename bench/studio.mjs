// From a slider's move to the screen, in Chromium: the time until the frame behind the one with
// the new picture and plots, of a hundred moves a model.
//
//     node bench/studio.mjs build/kalaba "$PWD" "$PWD/build/src/report/web" /usr/bin/chromium

import path from 'node:path';
import { examples, runCases } from '../tests/browser/lab.mjs';
import { settled } from '../tests/browser/studio_lab.mjs';

const MODELS = ['slider_crank', 'parallelogram', 'rocking_block', 'slider_crank_parts'];
const MOVES = 100;
const GOAL = 100; // milliseconds

// In the page: move the slider of the first parameter that is not 0 a little, and wait.
async function move(i) {
  const place = studio.system.parameters.findIndex(({ value }) => value !== 0);
  const { name, value } = studio.system.parameters[place];
  const began = performance.now();
  const next = value * (1 + (i % 2 ? 1e-4 : -1e-4));
  studio.give(studio.set, name, next);
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  while (studio.run.parameters[place].value !== next || studio.partial) {
    await frame();
  }
  await frame();
  return performance.now() - began;
}

async function changes_are_soon_on_the_screen(lab) {
  let late = 0;
  for (const name of MODELS) {
    await lab.studio(path.join(examples, `${name}.kal`), async (page) => {
      await settled(page);
      const times = [];
      for (let i = 0; i < MOVES; i++) {
        times.push(await page.evaluate(move, i));
      }
      times.sort((a, b) => a - b);
      const above = times.filter((time) => time > GOAL).length;
      const [half, most] = [times[MOVES / 2], times[(MOVES * 9) / 10]];
      console.log(
        `# ${name}: median ${half.toFixed(0)} ms, 9 of 10 within ${most.toFixed(0)} ms, ` +
          `above ${GOAL} ms: ${above} of ${MOVES}`,
      );
      late += above;
    });
  }
  console.log(
    `# within ${GOAL} ms: ${MOVES * MODELS.length - late} of ${MOVES * MODELS.length}`,
  );
}

await runCases([changes_are_soon_on_the_screen]);
