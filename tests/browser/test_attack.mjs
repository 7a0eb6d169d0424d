// Other sites and the studio, in a browser: what a page of somebody else can do who knows even
// the address with its token.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { demandBrowser, ELSEWHERE, ok, runCases, same } from './lab.mjs';
import { PENDULUM, settled } from './studio_lab.mjs';

// A page of another site, at another port of this machine.
async function visitElsewhere(page, look) {
  const site = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>elsewhere</title><p>hello</p>');
  });
  await new Promise((resolve) => {
    site.listen(0, '127.0.0.1', resolve);
  });
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${site.address().port}/`);
  await look(other);
  await other.close();
  site.close();
}

// A studio of a folder of its own with one model, which must be all that is there afterwards.
async function attacked(lab, name, look) {
  const folder = lab.file(name);
  const file = path.join(folder, 'mine.kal');
  mkdirSync(folder);
  writeFileSync(file, PENDULUM);
  await lab.studio(file, async (page) => {
    await settled(page);
    await look(page);
    same(readdirSync(folder).join(), 'mine.kal', 'the folder');
    same(readFileSync(file, 'utf8'), PENDULUM, 'the model');
  });
}

// What scripts get: nothing to read, and nothing is written.
async function scripts_of_other_sites_get_nothing(lab) {
  await attacked(lab, 'scripts', (page) =>
    visitElsewhere(page, async (other) => {
      const got = await other.evaluate(async (address) => {
        const body = JSON.stringify({ name: 'theirs.kal', text: 'coord x' });
        const attempts = [
          ['files', {}],
          ['save', { method: 'POST', body }],
          ['save', { method: 'POST', body, headers: { 'Content-Type': 'text/plain' } }],
          [
            'save',
            { method: 'POST', body, headers: { 'Content-Type': 'application/json' } },
          ],
          ['files', { mode: 'no-cors' }],
          ['save', { method: 'POST', mode: 'no-cors', body }],
        ];
        const told = [];
        for (const [where, options] of attempts) {
          try {
            const answer = await fetch(address + where, options);
            told.push(`${answer.type} ${await answer.text()}`);
          } catch {
            told.push('refused');
          }
        }
        navigator.sendBeacon(`${address}save`, body);
        return told;
      }, page.url());
      got.forEach((answer, i) => {
        ok(answer === 'refused' || answer === 'opaque ', `attempt ${i}: ${answer}`);
      });
    }),
  );
}

// What elements get: no script, no frame, no form that is obeyed.
async function elements_of_other_sites_get_nothing(lab) {
  await attacked(lab, 'elements', (page) =>
    visitElsewhere(page, async (other) => {
      const loaded = await other.evaluate(async (address) => {
        const load = (kind, where, key) =>
          new Promise((resolve) => {
            const element = document.createElement(kind);
            element.addEventListener('load', () => resolve(true));
            element.addEventListener('error', () => resolve(false));
            element[key] = address + where;
            document.body.append(element);
          });
        return [
          await load('script', 'files', 'src'),
          await load('img', 'files', 'src'),
        ];
      }, page.url());
      same(loaded.join(), 'false,false', 'an element was loaded');
      const answered = other.waitForResponse((each) => each.url().endsWith('save'));
      await other.evaluate((address) => {
        const frame = document.createElement('iframe');
        frame.name = 'inside';
        document.body.append(frame);
        const form = document.createElement('form');
        Object.assign(form, { action: `${address}save`, method: 'post' });
        Object.assign(form, { enctype: 'text/plain', target: 'inside' });
        const field = document.createElement('input');
        field.name = '{"name": "theirs.kal", "text": "';
        field.value = '"}';
        form.append(field);
        document.body.append(form);
        form.submit();
      }, page.url());
      same((await answered).status(), 403, 'a form');
    }),
  );
}

// DNS rebinding: the browser believes that this machine is somebody else's.
async function another_name_of_this_machine_gets_nothing(lab) {
  await attacked(lab, 'rebound', async (page) => {
    const here = new URL(page.url());
    const there = `http://${ELSEWHERE}:${here.port}${here.pathname}`;
    const other = await page.context().newPage();
    const answer = await other.goto(there);
    same(answer.status(), 403, 'the page');
    const got = await other.evaluate(async (address) => {
      const save = { name: 'theirs.kal', text: 'coord x' };
      const answers = [
        await fetch(`${address}files`),
        await fetch(`${address}save`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(save),
        }),
      ];
      return answers.map(({ status }) => status);
    }, there);
    same(got.join(), '403,403', 'its requests');
    await other.close();
  });
}

// Markup in names of files, in titles, comments and messages: they are texts everywhere, in the
// report that is saved, too.
async function names_and_titles_are_texts(lab) {
  const folder = lab.file('markup');
  const evil = '<img src=x onerror=alert(1)>';
  const text = PENDULUM.replace('"Pendulum"', `"</title><script>alert(2)<!--${evil}"`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, `${evil}.kal`), `# ${evil}</script>\n${text}`);
  writeFileSync(path.join(folder, `"'&lt;b>.kal`), text.replace('kinetic', evil));
  writeFileSync(path.join(folder, 'a\u202egnp.kal'), text); // shown as alak.png
  const look = async (page) => {
    page.on('dialog', () => ok(false, 'a script ran'));
    const harm = () =>
      page.evaluate(() => [document.images.length, document.scripts.length].join());
    await page.locator('.example').first().waitFor();
    const files = await page.locator('.chips button').allTextContents();
    same(files.slice(1).sort().join(' '), `"'&lt;b>.kal ${evil}.kal`, 'the files');
    await page.getByRole('button', { name: `"'&lt;b>.kal`, exact: true }).click();
    await page.getByText('there is no run to show').waitFor();
    await page.getByLabel('Open a model').selectOption(`${evil}.kal`);
    await settled(page);
    for (const tab of ['Equations', 'System', 'Modes']) {
      await page.getByRole('tab', { name: tab }).click();
      await settled(page, '!studio.analysis.control && !studio.analysis.wanted');
    }
    same(await harm(), '0,1', 'images and scripts');
    await page.locator('.menu summary').click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Report', exact: true }).click();
    const html = lab.model('markup.html', readFileSync(await (await saved).path()));
    await lab.visit(html, async (report) => {
      report.on('dialog', () => ok(false, 'a script ran'));
      same(await report.evaluate('document.images.length'), 0, 'images of the report');
      ok((await report.title()).startsWith('</title><script>'), 'the title');
    });
  };
  await lab.studio(folder, look);
}

demandBrowser();
await runCases([
  scripts_of_other_sites_get_nothing,
  elements_of_other_sites_get_nothing,
  another_name_of_this_machine_gets_nothing,
  names_and_titles_are_texts,
]);
