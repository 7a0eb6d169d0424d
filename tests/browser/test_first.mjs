// The first page of the studio, and what leads to a model and back.

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
import { PENDULUM, settled, slide, until, write } from './studio_lab.mjs';

const crank = path.join(examples, 'slider_crank.kal');

// How many pixels of a canvas are drawn on.
function inkOf(canvas) {
  return canvas.evaluate((e) => {
    const { data } = e.getContext('2d').getImageData(0, 0, e.width, e.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  });
}

async function the_gallery_shows_examples(lab) {
  await lab.studio(lab.folder, async (page) => {
    await page.locator('.example').first().waitFor();
    await comesTrue(async () =>
      ok((await page.locator('.example').count()) > 40, 'few examples'),
    );
    await page.locator('.thumb canvas').first().waitFor();
    const undrawn = await page.evaluate(() =>
      [...document.querySelectorAll('.example')]
        .map(({ example }) => example)
        .filter(({ text }) => !/^ *draw |^use (planar|spatial)/m.test(text))
        .map(({ name }) => name),
    );
    same(undrawn.join(), '', 'without a picture');
    const still = page.locator('.example', { hasText: 'without mass' });
    await still.scrollIntoViewIfNeeded();
    await still.getByText('no motion: at t = 0: the acceleration is not').waitFor();
    ok((await inkOf(still.locator('canvas'))) > 100, 'its start is not drawn');
    const abouts = await page.locator('.example .muted').allTextContents();
    ok(abouts.length > 40, 'examples say what they are');
    for (const about of abouts) {
      const open = about.split('(').length - about.split(')').length;
      ok(open === 0 && !/ et al| [A-Z]$/.test(about), `cut off: ${about}`);
    }
    await page.locator('.example', { hasText: 'Slider-crank' }).first().click();
    await settled(page);
    ok(await page.locator('#stage canvas').isVisible(), 'no picture');
  });
}

// Where there is a start and no motion, the start is what is shown.
async function a_start_without_a_motion_is_shown(lab) {
  const still = PENDULUM.replace('y [m]\n', 'y [m], z [m]\noutput way = z\n');
  await lab.studio(lab.model('still.kal', still), async (page) => {
    const notice = page.locator('#notice');
    await settled(page, 'studio.run.rows === 1');
    await comesTrue(async () => {
      const said = await notice.textContent();
      ok(/^at t = 0: the acceleration is not unique.*of z$/.test(said), said);
    });
    ok((await inkOf(page.locator('#stage canvas'))) > 100, 'no picture');
    near(await page.evaluate('studio.run.columns[2].data[0]'), -0.8, 1e-9, 'y');
    for (const tab of ['System', 'Plots']) {
      await page.getByRole('tab', { name: tab }).click();
    }
    await slide(page, 'x', -0.6);
    await settled(page, 'Math.abs(studio.run.columns[1].data[0] + 0.6) < 1e-9');
    await write(page, PENDULUM);
    await settled(page, 'studio.run.rows > 100');
    same(await notice.textContent(), '');
  });
}

// The first page has no buttons for a model, and leads back to one that is not saved.
async function no_change_is_lost_on_the_first_page(lab) {
  await lab.studio(lab.model('kept.kal', PENDULUM), async (page) => {
    const asked = [];
    page.on('dialog', (dialog) => asked.push(dialog.message()));
    await settled(page);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# mine');
    await page.getByTitle('Examples and models').click();
    await page.locator('.example').first().waitFor();
    for (const name of ['Save', 'Format', 'Compare', 'Export']) {
      const shown = await page.getByText(name, { exact: true }).first().isVisible();
      ok(!shown, `${name} what?`);
    }
    await page.getByRole('button', { name: 'Back to kept.kal, not saved' }).click();
    ok((await page.evaluate('studio.editor.text')).endsWith('# mine'), 'lost');
    ok(await page.getByRole('button', { name: 'Save' }).isVisible(), 'no Save');
    await page.getByTitle('Examples and models').click();
    same(asked.length, 0, asked.join());
    await page.locator('.example', { hasText: 'Slider-crank' }).first().click();
    await settled(page);
    same(asked.length, 1, 'it was given up without a word');
  });
}

// On a tablet tabs stand below what is seen: what is chosen comes up.
async function a_chosen_pane_comes_into_sight(lab) {
  const options = { viewport: { width: 1180, height: 820 } };
  const look = async (page) => {
    await settled(page);
    await page.getByRole('tab', { name: 'Equations' }).click();
    await page.locator('.equations math').first().waitFor();
    await comesTrue(async () => {
      const { y } = await page.locator('.equations').boundingBox();
      ok(y < 400, `the equations begin at ${y}`);
    });
  };
  await lab.studio(crank, look, options);
}

// What is shown is always of the model that is named, or there is nothing.
async function nothing_of_another_model_stays(lab) {
  lab.model('broken.kal', PENDULUM.replace('kinetic', 'kinetc'));
  await lab.studio(lab.model('sound.kal', PENDULUM), async (page) => {
    await settled(page);
    for (const tab of ['Equations', 'Modes', 'Plots']) {
      await page.getByRole('tab', { name: tab }).click();
      await settled(page, '!studio.analysis.control && !studio.analysis.wanted');
    }
    const shown = () =>
      page.evaluate(() => [
        document.title,
        ...['.plot', '#stage canvas', '.equations', '.badge', '.knobs input'].map(
          (kind) => document.querySelectorAll(kind).length,
        ),
      ]);
    const [title, ...counts] = await shown();
    same(title, 'Pendulum – Kalaba studio');
    ok(
      counts.every((count) => count > 0),
      `shown: ${counts}`,
    );
    await page.getByLabel('Open a model').selectOption('broken.kal');
    await page.getByText('The text has errors; there is no run to show.').waitFor();
    same((await shown()).join(), 'Kalaba studio,0,0,0,0,0', 'of the one before');
    for (const item of ['Data (CSV)', 'Picture (SVG)', 'Film (WebM)', 'Report']) {
      await page.locator('.menu summary').click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      const notice = page.locator('#notice');
      await comesTrue(async () => {
        const said = await notice.textContent();
        ok(/nothing to save|unknown statement/.test(said), `${item}: ${said}`);
      });
      await page.evaluate(() => studio.showNotice(''));
    }
    await page.getByLabel('Open a model').selectOption('sound.kal');
    await settled(page);
    same((await shown())[0], title);
  });
}

async function links_hold_the_model(lab) {
  await lab.studio(lab.folder, async (page) => {
    await page.locator('.example').first().waitFor();
    await page.getByRole('button', { name: '+ New model' }).click();
    await settled(page);
    await write(page, PENDULUM.replace('Pendulum', 'Ü linked'));
    await settled(page, "studio.run.title === 'Ü linked'");
    await page.locator('.menu summary').click();
    await page.getByRole('menuitem', { name: 'Link with this model' }).click();
    await until(page, "location.hash.includes('model=')");
    await page.reload();
    await settled(page, "studio.run.title === 'Ü linked'");
  });
}

async function keys_lead_through_the_menu(lab) {
  await lab.studio(lab.model('menu.kal', PENDULUM), async (page) => {
    await settled(page);
    await page.locator('.menu summary').focus();
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    const items = await page.locator('.menu [role=menuitem]').allTextContents();
    await page.keyboard.press('Enter');
    for (const [key, want] of [
      ['ArrowUp', items.at(-1)],
      ['ArrowDown', items[0]],
      ['ArrowDown', items[1]],
      ['Escape', 'Export'],
    ]) {
      await page.keyboard.press(key);
      same(await focused(), want, key);
    }
    ok(!(await page.getByText(items[0], { exact: true }).isVisible()), 'it is open');
  });
}

demandBrowser();
await runCases([
  the_gallery_shows_examples,
  a_start_without_a_motion_is_shown,
  no_change_is_lost_on_the_first_page,
  a_chosen_pane_comes_into_sight,
  nothing_of_another_model_stays,
  links_hold_the_model,
  keys_lead_through_the_menu,
]);
