// What the editor knows of words: colors, completion, what they are and where they are declared.

import { comesTrue, demandBrowser, ok, runCases, same } from './lab.mjs';
import { PENDULUM, settled, until, write } from './studio_lab.mjs';

// What completion offers for what is typed at the end, once a word is among it.
async function offered(page, text, word) {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
  await page.keyboard.press('Control+Space');
  const labels = page.locator('.cm-tooltip-autocomplete .cm-completionLabel');
  let list;
  await comesTrue(async () => {
    list = await labels.allTextContents();
    ok(list.includes(word), `${word} is not among: ${list}`);
  });
  await page.keyboard.press('Escape');
  await labels.first().waitFor({ state: 'detached' });
  await page.keyboard.type('\n');
  return list;
}

async function words_are_completed_by_the_server(lab) {
  const text = `use planar\n${PENDULUM}let tall = [x, # half written\n`;
  await lab.studio(lab.model('completed.kal', text), async (page) => {
    await page.locator('.cm-content').waitFor();
    await offered(page, 'con', 'constraint');
    await offered(page, 'output z = ro', 'rod');
    const names = await offered(page, 'output z = ta', 'tall'); // of a wrong text
    ok(!names.includes('potential'), `names: ${names}`);
    await offered(page, 'output z = rea', 'reaction');
    await offered(page, 'part p = Pi', 'Pin');
    const units = await offered(page, 'param z = 1 [kN', 'kN');
    ok(!units.includes('rod'), `units: ${units}`);
    ok(!units.includes('sin'), `units: ${units}`);
  });
}

// The place of a word of the text on the screen.
function placeOfWord(page, line, word) {
  return page.evaluate(
    ([number, name]) => {
      const { view } = studio.editor;
      const { from, text } = view.state.doc.line(number);
      const at = from + text.indexOf(name) + 1;
      const box = view.coordsAtPos(at);
      return { x: box.left, y: (box.top + box.bottom) / 2 };
    },
    [line, word],
  );
}

async function names_are_explained_and_found(lab) {
  await lab.studio(lab.model('explained.kal', PENDULUM), async (page) => {
    await settled(page);
    const place = await placeOfWord(page, 6, 'L^2');
    await page.mouse.move(place.x, place.y);
    await page.getByText('param L [m], line 2').waitFor();
    await page.getByText('L = 1', { exact: true }).waitFor();
    await page.mouse.click(place.x, place.y);
    await page.keyboard.press('F12');
    await until(page, 'studio.editor.view.state.selection.main.head < 60');
    const word = await page.evaluate(() => {
      const { state } = studio.editor.view;
      return state.doc.sliceString(state.selection.main.head).slice(0, 3);
    });
    same(word, 'L =', 'not where it is declared');
    await page.keyboard.press('Control+f');
    await page.locator('.cm-search').waitFor();
    await page.keyboard.press('Escape');
    await write(page, PENDULUM.replace('param m', 'param    m'));
    await page.getByRole('button', { name: 'Format' }).click();
    await until(page, "studio.editor.text.includes('param m = 1 [kg]')");
  });
}

// A name of a part has no color, though `angle` is a word of drawings.
async function names_of_parts_are_no_words(lab) {
  const text = `use planar
part b = Body(m = 1, I = 1)
init b.angle = 1 # angle
simulate 0 .. 1 every 0.1
draw box b.r size [1, 1] angle b.angle
`;
  await lab.studio(lab.model('colors.kal', text), async (page) => {
    await settled(page);
    const count = (word) =>
      page.evaluate(
        (name) =>
          [...document.querySelectorAll('.cm-line span')].filter(
            (span) => span.textContent === name,
          ).length,
        word,
      );
    for (const word of ['angle', 'size', 'box', 'every', '1']) {
      ok((await count(word)) > 0, `${word} has no color`);
    }
    same(await count('angle'), 1, 'angle');
  });
}

demandBrowser();
await runCases([
  words_are_completed_by_the_server,
  names_are_explained_and_found,
  names_of_parts_are_no_words,
]);
