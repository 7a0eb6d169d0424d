// What goes wrong about a studio: links that are cut off, files and servers that are gone, answers
// that come late.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demandBrowser, ok, runCases, same } from './lab.mjs';
import { PENDULUM, settled, slide, until, write } from './studio_lab.mjs';

// A link that is cut off, or that would fill the memory, is told; of a long model none is made.
async function broken_links_are_told(lab) {
  const told = 'The link is not whole, or not one of a studio';
  await lab.studio(lab.model('linked.kal', PENDULUM), async (page) => {
    await settled(page);
    const follow = (part) =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, part);
    const word = page.locator('#word');
    const bomb = await page.evaluate(async () => {
      const many = new Blob([new Uint8Array(1 << 25)]).stream();
      const piped = many.pipeThrough(new CompressionStream('deflate-raw'));
      const bytes = new Uint8Array(await new Response(piped).arrayBuffer());
      return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
    });
    for (const model of ['q', '!!!', 'AAAA', bomb.slice(0, 40), bomb]) {
      await follow(`model=${encodeURIComponent(model)}`);
      await word.getByText(told).waitFor();
      same(await page.evaluate('studio.editor.text'), PENDULUM, 'the text is gone');
      await page.evaluate(() => studio.say(''));
    }
    await page.reload();
    await word.getByText(told).waitFor();
    await settled(page);
    await page.getByTitle('Examples and models').click();
    await page.locator('.example').first().waitFor();
    ok(!(await word.isVisible()), 'it is told for ever');
    await page.getByRole('button', { name: 'Back to linked.kal' }).click();
    await page.evaluate(() => {
      const words = Array.from({ length: 200000 }, () => Math.random());
      studio.editor.set(`# ${words.join('\n# ')}`);
    });
    await page.locator('.menu summary').click();
    await page.getByRole('menuitem', { name: 'Link with this model' }).click();
    await page.getByText('The model is too long for a link').waitFor();
  });
}

// A file that somebody has removed, chosen on the first page.
async function a_file_that_is_gone_is_told(lab) {
  const folder = lab.file('going');
  mkdirSync(folder);
  for (const name of ['stays.kal', 'goes.kal']) {
    writeFileSync(path.join(folder, name), PENDULUM);
  }
  const look = async (page) => {
    await page.getByRole('button', { name: 'goes.kal' }).waitFor();
    rmSync(path.join(folder, 'goes.kal'));
    await page.getByRole('button', { name: 'goes.kal' }).click();
    await page.locator('#word').getByText('goes.kal').waitFor();
    await page.getByRole('button', { name: 'stays.kal' }).waitFor();
    same(await page.getByRole('button', { name: 'goes.kal' }).count(), 0, 'offered');
    await page.getByRole('button', { name: 'stays.kal' }).click();
    await settled(page);
    ok(!(await page.locator('#word').isVisible()), 'it is told for ever');
  };
  await lab.studio(folder, look, { expected: /404/ });
}

// Answers to what was asked before the text or the tab was another one.
async function late_answers_harm_nothing(lab) {
  const loose = PENDULUM.replace('param m', 'param    m');
  await lab.studio(lab.model('late.kal', loose), async (page) => {
    await settled(page);
    await page.evaluate(() => {
      const { link } = studio;
      const evaluate = link.evaluate.bind(link);
      link.evaluate = async (body, take, options) => {
        if (body.tasks[0] === 'format') {
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
        return evaluate(body, take, options);
      };
    });
    await page.getByRole('button', { name: 'Format' }).click();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# typed meanwhile');
    await until(page, "studio.editor.text.includes('param m = 1')");
    ok(
      (await page.evaluate('studio.editor.text')).includes('# typed meanwhile'),
      'lost',
    );
    await settled(page);
    const plots = await page.locator('.plot').count();
    await page.evaluate(() =>
      studio.analysis.take(
        { error: { task: 'modes', message: 'late' } },
        { tasks: ['modes'] },
      ),
    );
    same(await page.locator('.plot').count(), plots, 'plots');
  });
}

// Where a name was declared in a text that is another one by now, nobody is led to.
async function late_definitions_lead_nowhere(lab) {
  await lab.studio(lab.model('led.kal', PENDULUM), async (page) => {
    await settled(page);
    await page.evaluate(() => {
      const { link } = studio;
      const evaluate = link.evaluate.bind(link);
      globalThis.answers = 0;
      link.evaluate = async (body, take, options) => {
        await evaluate(body, take, options);
        if (options.purpose === 'definition') {
          await new Promise((resolve) => setTimeout(resolve, 500));
          globalThis.answers++;
        }
      };
    });
    const use = PENDULUM.indexOf('m*g*y') + 2;
    const declared = PENDULUM.indexOf('g = 9.81');
    const cursor = () => page.evaluate('studio.editor.view.state.selection.main.head');
    const ask = async () => {
      await page.evaluate((at) => studio.editor.select(at), use);
      await page.keyboard.press('F12');
    };
    await ask();
    await until(page, 'answers === 1');
    same(await cursor(), declared, 'where it is declared');
    await ask();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# typed meanwhile');
    await page.keyboard.press('Enter');
    const typed = await cursor();
    await until(page, 'answers === 2');
    same(await cursor(), typed, 'led away from what is typed');
  });
}

// Half of a character is told with its place, in words of who types; without it all goes on.
async function half_a_character_is_told(lab) {
  await lab.studio(lab.model('half.kal', PENDULUM), async (page) => {
    await settled(page);
    await write(page, PENDULUM.replace('model "', 'model "\u{1d703}\ud83d '));
    const told = page
      .locator('#notice')
      .getByText('line 1, column 9: half of a character');
    await told.waitFor();
    same(
      await page.locator('.stale').count(),
      2,
      'what is shown seems to be of the text',
    );
    await write(page, PENDULUM.replace('model "', 'model "\u{1d703} '));
    await settled(page, "document.title.startsWith('\u{1d703}')");
    ok(!(await told.isVisible()), 'it is told for ever');
    same(await page.locator('.stale').count(), 0, 'stale');
  });
}

async function the_page_says_when_the_server_is_gone(lab) {
  await lab.studio(
    lab.model('gone.kal', PENDULUM),
    async (page, process) => {
      await settled(page);
      process.kill('SIGINT');
      await new Promise((resolve) => process.on('exit', resolve));
      await slide(page, 'L', 2);
      await page.getByText("The studio's server is gone").waitFor();
      await settled(page);
      ok(!(await page.locator('#notice').isVisible()), 'the browser has its say, too');
      for (const shown of ['#stage', '#tabs']) {
        same(
          await page.locator(`${shown}.stale`).count(),
          1,
          `${shown} seems to be new`,
        );
      }
      await page.locator('.menu summary').click();
      await page.getByRole('menuitem', { name: 'FMU' }).click();
      await page.getByText('saved', { exact: true }).waitFor(); // no file is being made
    },
    { expected: /ERR_(CONNECTION|EMPTY)_/ },
  );
}

// A hundred thousand parameters: what is listed of them can be read.
async function much_of_everything_is_counted(lab) {
  const text = `param k[100000] = 1
coord x
kinetic 1/2*k[1]*x'^2
simulate 0 .. 1 every 0.1
`;
  await lab.studio(lab.model('much.kal', text), async (page) => {
    await settled(page);
    await page.getByRole('tab', { name: 'System' }).click();
    await page.getByText('98000 more are not listed.').waitFor();
    const many = await page.evaluate(
      () => document.querySelectorAll('#tabs tr').length,
    );
    ok(many > 2000 && many < 2100, `${many} rows`);
    await page.getByText('99600 more have no slider.').waitFor();
  });
}

demandBrowser();
await runCases([
  broken_links_are_told,
  a_file_that_is_gone_is_told,
  late_answers_harm_nothing,
  late_definitions_lead_nowhere,
  half_a_character_is_told,
  much_of_everything_is_counted,
  the_page_says_when_the_server_is_gone,
]);
