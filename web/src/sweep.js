// The report of a sweep: reads the runs that the page holds and shows them.

import { byId, make } from './dom.js';
import { count, number, unit } from './format.js';
import { Parallel } from './parallel.js';
import { preparePrinting } from './print.js';
import { RowTable } from './rowtable.js';
import { followSystem, themeButton } from './theme.js';

function summaryOf({ runs, inputs, columns, failures, table }) {
  const shown = columns[0].values.length;
  const failed = Object.keys(failures).length;
  const parts = [
    shown < runs
      ? `${count(shown, 'run')} of ${count(runs, 'run')}`
      : count(runs, 'run'),
    count(inputs, 'input'),
    count(columns.length - 1 - inputs, 'value'),
  ];
  if (failed > 0) {
    parts.push(`${failed} failed`);
  }
  return parts.join(', ') + (table && shown < runs ? `; all are in ${table}` : '');
}

/** What is typed for the report of a run, and the file that it becomes. */
export function reportOf({ command, page }, run) {
  const file = `${page}-${run}.html`;
  return { file, command: `${command} --run ${run} --report "${file}"` };
}

async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector('code'));
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

// The chosen run: its numbers, and how to open it as a report of its own.
function showRun(sweep, index) {
  const box = byId('chosen');
  const run = sweep.columns[0].values[index];
  const { file, command } = reportOf(sweep, run);
  const failure = sweep.failures[run];
  const facts = sweep.columns
    .slice(1)
    .map(({ name, unit: of, values }) =>
      `${name} = ${number(values[index] ?? NaN, 9)} ${unit(of)}`.trim(),
    );
  const button = make('button', { onclick: () => copy(command, button) }, 'Copy');
  box.hidden = false;
  box.classList.add('chosen');
  box.replaceChildren(
    make('h2', {}, `Run ${run}`),
    make('p', {}, facts.join(', ')),
    ...(failure ? [make('p', { className: 'notice' }, failure)] : []),
    make(
      'p',
      {},
      'This command writes its own report, ',
      make('a', { href: encodeURIComponent(file) }, file),
      ' beside this page:',
    ),
    make('pre', {}, make('code', {}, command)),
    button,
  );
}

function showParallel(sweep, onSelect) {
  const parallel = new Parallel(
    sweep.columns,
    sweep.columns[0].values.length,
    onSelect,
  );
  const all = make('button', { onclick: () => parallel.clear() }, 'All runs');
  const box = byId('parallel');
  box.classList.add('parallel');
  box.append(
    make('h2', {}, 'Parallel coordinates'),
    make(
      'p',
      { className: 'muted on-screen' },
      'Drag along an axis to choose runs; click it to let all count again. ',
      all,
    ),
    parallel.canvas,
  );
  parallel.start();
  return parallel;
}

function show() {
  followSystem();
  const sweep = JSON.parse(byId('data').textContent);
  byId('summary').textContent = summaryOf(sweep);
  byId('actions').append(themeButton());
  byId('command').textContent = sweep.command ?? '';
  const heading = make('h2', {}, 'Runs');
  const table = new RowTable(sweep.columns, sweep.failures, (index) => {
    parallel.choose(index);
    showRun(sweep, index);
  });
  const select = (rows) => {
    heading.textContent = `Runs (${rows.length})`;
    table.show(rows);
  };
  const parallel = showParallel(sweep, select);
  byId('runs').classList.add('runs');
  byId('runs').append(heading, table.element);
  select(parallel.selected);
  preparePrinting(() => parallel.draw());
  // For scripts that look at a report, such as the tests.
  globalThis.kalaba = { sweep, parallel, table };
}

show();
