// Reports as wholes, in a browser.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  demandBrowser,
  examples,
  kalaba,
  near,
  ok,
  readCsv,
  runCases,
  same,
} from './lab.mjs';

const sleigh = path.join(examples, 'sleigh.kal');

// How many curves each plot statement has: one more than commas outside of brackets.
function curvesOf(text) {
  const statements = text.match(/^\s*plot .*$/gm) ?? [];
  return statements.map((statement) => {
    let depth = 0;
    let curves = 1;
    for (const c of statement.split(' against ')[0]) {
      depth += '([{'.includes(c) - ')]}'.includes(c);
      curves += c === ',' && depth === 0;
    }
    return curves;
  });
}

// The statements of a model by which reports differ: kinds of drawings, libraries, and words.
function featuresOf(text) {
  const words =
    'plot|output|event|servo|state|hold|contact|friction|table|nonideal|prescribe|actuator';
  const statements = text.matchAll(
    new RegExp(`^\\s*(draw \\w+|use \\w+|(?:${words})\\b.*)`, 'gm'),
  );
  return [...statements].map(([, statement]) => {
    const [word, next] = statement.split(/\s+/);
    if (word === 'draw' || word === 'use') {
      return `${word} ${next}`;
    }
    return statement.includes(' against ') ? 'plot against' : word;
  });
}

// The fewest examples, taken one after the other, that have every feature of all; all of them
// where the environment has KAL_TEST_ALL.
function chosenExamples() {
  const names = readdirSync(examples).filter((name) => name.endsWith('.kal'));
  if (process.env.KAL_TEST_ALL) {
    return names;
  }
  const features = new Map(
    names.map((name) => [
      name,
      new Set(featuresOf(readFileSync(path.join(examples, name), 'utf8'))),
    ]),
  );
  const missing = new Set([...features.values()].flatMap((set) => [...set]));
  const chosen = [];
  while (missing.size > 0) {
    const news = (name) => [...features.get(name)].filter((f) => missing.has(f));
    const best = names.reduce((a, b) => (news(b).length > news(a).length ? b : a));
    news(best).forEach((feature) => missing.delete(feature));
    chosen.push(best);
  }
  return chosen;
}

// Their reports, but for the few that cannot start, which is what they show.
async function exampleReports(lab) {
  const names = chosenExamples();
  const made = [];
  const work = async (queue) => {
    for (let name = queue.pop(); name; name = queue.pop()) {
      const html = lab.file(`${name}.html`);
      const run = await kalaba(
        'run',
        path.join(examples, name),
        '--report',
        html,
        '-q',
      );
      ok(run.status <= 1, run.err);
      if (run.status === 0) {
        made.push({ name, html });
      } else {
        console.log(`# ${name}: ${run.err.trim()}`);
      }
    }
  };
  const queue = [...names];
  await Promise.all([work(queue), work(queue)]);
  ok(made.length > 0.9 * names.length, 'too few examples run');
  return made;
}

async function every_example_opens(lab) {
  for (const { name, html } of await exampleReports(lab)) {
    const text = readFileSync(path.join(examples, name), 'utf8');
    const want = curvesOf(text);
    ok(statSync(html).size < 4e6, `${name}: too large`);
    await lab.visit(html, async (page) => {
      const got = await page.evaluate(() => {
        const asked = [...document.querySelectorAll('#plots .plot')];
        return {
          curves: asked.map((plot) => plot.querySelectorAll('.legend button').length),
          lines: kalaba.plots
            .slice(0, asked.length)
            .map(({ u }) => u.series.length - 1),
          math: [...document.querySelectorAll('details[open] math')].every(
            (math) => math.getBoundingClientRect().width > 0,
          ),
          model: document.getElementById('model').textContent,
          stage: !document.getElementById('stage').hidden,
          drawn: kalaba.scene?.shapesAt(kalaba.clock.t).length ?? 0,
        };
      });
      if (want.length > 0) {
        same(got.curves.join(), want.join(), `${name}: curves`);
      }
      same(got.lines.join(), got.curves.join(), `${name}: series`);
      ok(got.curves.length > 0, `${name}: no plots`);
      ok(got.math, `${name}: mathematics without width`);
      same(got.model, text, `${name}: the text of the model`);
      same(got.stage, /^\s*draw |^use /m.test(text), `${name}: picture`);
      same(got.drawn > 0, got.stage, `${name}: drawings`);
    });
  }
}

async function nothing_of_a_model_is_obeyed(lab) {
  const title =
    '</title></script><script>hacked=1</script><img src=x onerror=hacked=2>&lt;b&gt; <!-- ]]> ${1}';
  const text = [
    '# </code></pre><script>hacked=3</script><svg onload=hacked=4> -->',
    `model "${title}"`,
    'coord x, y',
    "kinetic x'^2 + y'^2",
    'constraint c: x = 1; init x ~ 1',
    "output o = x'",
    'plot if(x < 2*y, y, x), if(x<1 and y>2, 1, 2)',
    'draw circle [x, y] radius 1',
    'event e: y - 5 rising stop',
    'simulate 0 .. 1 every 0.5',
    '',
  ].join('\n');
  const model = lab.model('"><img src=x onerror=hacked=5>.kal', text);
  const html = await lab.report(model);
  await lab.visit(html, async (page) => {
    const seen = await page.evaluate(() => ({
      hacked: typeof hacked,
      title: document.title,
      heading: document.querySelector('h1').textContent,
      model: document.getElementById('model').textContent,
      scripts: document.scripts.length,
      strange: document.querySelectorAll('img, svg, iframe, object').length,
      label: document.querySelectorAll('.legend button span')[4]?.textContent,
    }));
    same(seen.hacked, 'undefined', 'a script of the model ran');
    same(seen.heading, title);
    same(seen.title, title.replace(/\s+/g, ' '));
    same(seen.model, readFileSync(model, 'utf8'));
    same(seen.scripts, 2);
    same(seen.strange, 0);
    same(seen.label, 'if(x<1 and y>2, 1, 2)');
  });
}

// Even if markup came in, no script of it would run and nothing would be fetched.
async function the_policy_stops_scripts(lab) {
  const html = await lab.report(sleigh);
  const page = await (await lab.browser.newContext()).newPage();
  await page.goto(`file://${html}`);
  const hacked = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.hacked = 1';
    document.body.append(script);
    const image = document.createElement('img');
    image.setAttribute('onerror', 'globalThis.hacked = 2');
    const failed = new Promise((resolve) => {
      image.addEventListener('error', resolve); // behind the one of the attribute
    });
    image.src = 'data:image/png;base64,AAAA';
    document.body.append(image);
    await failed;
    return globalThis.hacked;
  });
  same(hacked, undefined);
  await page.context().close();
}

async function data_and_model_can_be_taken_away(lab) {
  const table = await lab.table(sleigh, '--columns', 'energy(), reaction(*)');
  await lab.visit(
    await lab.report(sleigh),
    async (page) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save data' }).click(),
      ]);
      same(download.suggestedFilename(), 'Chaplygin-sleigh.csv');
      const saved = readCsv(readFileSync(await download.path(), 'utf8'));
      for (const [name, values] of table) {
        same(saved.get(name)?.join(), values.join(), `column ${name}`);
      }
      await page.getByRole('button', { name: 'Copy model' }).click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      same(copied, readFileSync(sleigh, 'utf8'));
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );
}

async function runs_that_fail_say_so(lab) {
  const model = lab.model(
    'fails.kal',
    "coord x\nkinetic x'^2\npotential sqrt(1 - x)\ninit x' = 1\nsimulate 0 .. 5 every 0.1\n",
  );
  const html = lab.file('fails.html');
  const run = await kalaba('run', model, '--report', html);
  same(run.status, 1);
  await lab.visit(html, async (page) => {
    const notice = await page.locator('.notice[role=alert]').textContent();
    ok(notice.includes('not complete') && notice.includes('t ='), notice);
    ok(
      await page.evaluate(() => kalaba.run.rows > 3 && !kalaba.run.complete),
      'no rows',
    );
  });
  await lab.visit(await lab.report(sleigh), async (page) => {
    same(await page.locator('.notice[role=alert]').count(), 0);
  });
}

// Without plots and drawings there are the usual plots; parts draw themselves.
async function models_need_not_ask(lab) {
  const plain = lab.model(
    'plain.kal',
    "param m = 2 [kg], J = 1 [kg*m^2], g = 9.81 [m/s^2], L = 1 [m]\ncoord x [m], y [m], a [rad]\nkinetic 1/2*m*(x'^2 + y'^2) + J*a'^2\n" +
      "potential m*g*y\nconstraint rod: x^2 + y^2 = L^2\ninit x = 1, a' = 1\n" +
      'simulate 0 .. 1 every 0.01\n',
  );
  await lab.visit(await lab.report(plain), async (page) => {
    const titles = await page.locator('figcaption').allTextContents();
    same(
      titles.join('; '),
      'Coordinates; Coordinates; Constraint forces (multipliers); Energy T + V; ' +
        'Change of energy T + V; Constraint error',
    );
    same(await page.locator('#stage').isVisible(), false);
  });
  const parts = lab.model(
    'parts.kal',
    'use planar\npart bob = Body(m = 1, I = 0.1)\n' +
      'part pivot = Pin(b = bob, at_b = [-1, 0])\ninit bob.x = 1\n' +
      'simulate 0 .. 1 every 0.01\n',
  );
  await lab.visit(await lab.report(parts), async (page) => {
    const shapes = await page.evaluate(() => kalaba.scene.shapesAt(0));
    const line = shapes.filter(({ shape }) => shape === 'line').at(-1);
    near(Math.hypot(line.points[0][0], line.points[0][1]), 0, 1e-9, 'the pin');
    near(Math.hypot(line.points[1][0] - 1, line.points[1][1]), 0, 1e-9, 'the body');
    same(await page.getByLabel('Constraint forces').count(), 1);
  });
}

demandBrowser();
await runCases([
  every_example_opens,
  nothing_of_a_model_is_obeyed,
  the_policy_stops_scripts,
  data_and_model_can_be_taken_away,
  runs_that_fail_say_so,
  models_need_not_ask,
]);
