// What the tests of reports share: TAP, a browser, reports of models.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [tool, root, web, browserPath] = process.argv.slice(2);
/** A name that leads to this machine, as that of an attacker may. */
export const ELSEWHERE = 'elsewhere.test';

const FLAGS = [
  `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const examples = path.join(root, 'examples');

/** Milliseconds after which something counts as hanging: a guard, and no measure of speed. */
export const HANG = 600000;

/** End the program as skipped if there is no browser. */
export function demandBrowser() {
  if (!browserPath) {
    console.log('1..0 # SKIP no Chromium is installed');
    process.exit(0);
  }
}

export function ok(holds, message) {
  if (!holds) {
    throw new Error(message);
  }
}

export function same(got, want, message = 'differs') {
  ok(Object.is(got, want), `${message}: got ${got}, not ${want}`);
}

export function near(got, want, tolerance, message = 'differs') {
  ok(Math.abs(got - want) <= tolerance, `${message}: got ${got}, not ${want}`);
}

/** Until something holds; a machine that is busy may take its time. */
export async function until(holds, message) {
  const end = Date.now() + HANG;
  while (!(await holds())) {
    ok(Date.now() < end, `it never came: ${message}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Until claims about a page that may not have heard of everything yet hold. */
export async function comesTrue(claims) {
  let doubt;
  await until(
    async () => {
      try {
        await claims();
        return true;
      } catch (error) {
        doubt = error;
        return false;
      }
    },
    { toString: () => String(doubt) },
  );
}

/** Until a page has laid itself out: observers of sizes are told within a frame. */
export function laidOut(page) {
  return page.evaluate(async () => {
    for (let i = 0; i < 2; i++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

/** Run the tool; answers its exit status and what it said. */
export function kalaba(...args) {
  return new Promise((resolve) => {
    execFile(tool, args, { maxBuffer: 1 << 26 }, (error, out, err) => {
      resolve({ status: error ? error.code : 0, out, err });
    });
  });
}

/** Read a CSV of numbers: name → values. */
export function readCsv(text) {
  const [head, ...lines] = text.trim().split('\n');
  const names = head
    .match(/("([^"]|"")*"|[^,]+)/g)
    .map((name) => name.replace(/"/g, ''));
  const rows = lines.map((line) => line.split(',').map(Number));
  return new Map(names.map((name, i) => [name, rows.map((row) => row[i])]));
}

/** The number before the unit in a legend, which has six digits. */
export function shownNumber(text) {
  const [, mantissa, exponent] = text
    .replace(/−/g, '-')
    .match(/^(-?[\d.]+)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?/);
  const power = [...(exponent ?? '⁰')].map((c) =>
    c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c),
  );
  return Number(mantissa) * 10 ** Number(power.join(''));
}

/** What the legend of a plot says of its curves. */
export function legendValues(page, plot) {
  return page.locator('.plot').nth(plot).locator('.legend .value').allTextContents();
}

class Lab {
  async open() {
    const { chromium } = createRequire(path.join(web, '/'))('playwright-core');
    this.folder = mkdtempSync(path.join(tmpdir(), 'kalaba-browser-'));
    this.browser = await chromium.launch({
      executablePath: browserPath,
      args: FLAGS,
      timeout: HANG,
    });
  }

  async close() {
    await this.browser.close();
    rmSync(this.folder, { recursive: true });
  }

  file(name) {
    return path.join(this.folder, name);
  }

  /** Write a model; answers its path. */
  model(name, text) {
    writeFileSync(this.file(name), text);
    return this.file(name);
  }

  /** Run a model with a report; answers the report's path. */
  async report(model, ...options) {
    const html = this.file(`${path.basename(model, '.kal')}.html`);
    const run = await kalaba('run', model, '--report', html, '-q', ...options);
    same(run.status, 0, run.err);
    return html;
  }

  /** Run a model; answers its table. */
  async table(model, ...options) {
    const csv = this.file('reference.csv');
    const run = await kalaba('run', model, '-o', csv, '-q', ...options);
    same(run.status, 0, run.err);
    return readCsv(readFileSync(csv, 'utf8'));
  }

  /** Look at a file in a page of its own, which must have nothing to complain of. */
  visit(html, look, options = {}) {
    const address = `file://${encodeURI(html).replace(/[?#]/g, encodeURIComponent)}`;
    return this.look(address, (url) => url === address, look, options);
  }

  /** Look at the studio of a model or folder; `look` also gets its process. */
  async studio(target, look, options = {}) {
    const process = spawn(tool, ['studio', target, '--no-browser']);
    const address = await new Promise((resolve) => {
      process.stdout.on('data', (text) => {
        const [found] = String(text).match(/http:\S+/) ?? [];
        if (found) {
          resolve(found);
        }
      });
    });
    const ended = new Promise((resolve) => {
      process.on('exit', (status) => resolve(status));
    });
    const ours = (url) => url.startsWith(address) || url.startsWith('data:');
    try {
      await this.look(address, ours, (page) => look(page, process), options);
    } finally {
      process.kill('SIGINT');
      await ended;
    }
  }

  async look(address, allowed, look, options) {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    context.setDefaultTimeout(HANG);
    context.setDefaultNavigationTimeout(HANG);
    const page = await context.newPage();
    if (options.fixedTime) {
      await page.clock.install({ time: 0 });
    }
    const faults = [];
    const isWrong = (text) => !(options.expected ?? /^$/).test(text);
    page.on('console', (message) => faults.push(message.text()));
    // What waits for something that a broken page never does would wait until it hangs.
    const broken = new Promise((_, reject) => {
      page.on('pageerror', (error) => {
        faults.push(String(error));
        if (isWrong(String(error))) {
          reject(new Error(`the page breaks: ${error.stack}`));
        }
      });
    });
    broken.catch(() => {}); // told by the race below, if anything still waits
    page.on('request', (request) => {
      if (!allowed(request.url()) && !request.url().startsWith('blob:')) {
        faults.push(`asks for ${request.url()}`);
      }
    });
    page.on('dialog', (dialog) => dialog.accept());
    try {
      await page.goto(address);
      await laidOut(page);
      await Promise.race([look(page, context), broken]);
      same(faults.filter(isWrong).join('; '), '', 'the page complains');
    } finally {
      await context.close();
    }
  }
}

/** Run named cases one after the other, speaking TAP. */
export async function runCases(cases) {
  const lab = new Lab();
  let failures = 0;
  await lab.open();
  console.log(`1..${cases.length}`);
  for (const [i, test] of cases.entries()) {
    const start = Date.now();
    try {
      await test(lab);
      console.log(`ok ${i + 1} - ${test.name}`);
      console.log(`# ${((Date.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      failures++;
      console.log(`# ${String(error.stack).replace(/\n/g, '\n# ')}`);
      console.log(`not ok ${i + 1} - ${test.name}`);
    }
  }
  await lab.close();
  process.exit(failures > 0 ? 1 : 0);
}
