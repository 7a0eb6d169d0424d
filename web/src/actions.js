// Copying the model and saving the data.

import { byId, make } from './dom.js';

function quoted(text) {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

// Columns with names of their own: all but formulas that are only drawn.
function namedColumns({ columns, plots }) {
  const labels = new Map();
  for (const { curves, against } of plots) {
    for (const { label, column } of [...curves, ...(against ? [against] : [])]) {
      labels.set(column, label);
    }
  }
  return columns.flatMap((column, i) => {
    const name = column.kind === 'formula' ? labels.get(i) : column.name;
    return name === undefined || column.kind === 'derived'
      ? []
      : [{ name, data: column.data }];
  });
}

/** The data of the page as CSV, every number exact. */
export function csvOf(run) {
  const columns = namedColumns(run);
  const lines = [columns.map(({ name }) => quoted(name)).join(',')];
  for (let row = 0; row < run.rows; row++) {
    lines.push(columns.map(({ data }) => String(data[row])).join(','));
  }
  return `${lines.join('\n')}\n`;
}

function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function fileName(title) {
  return title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'run';
}

// Where the clipboard is closed to scripts, select the text for the reader.
async function copyModel(button) {
  const code = byId('model');
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    code.closest('details').open = true;
    getSelection().selectAllChildren(code);
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy model';
  }, 1500);
}

function dataTitle({ rows, samples }) {
  return rows < samples
    ? `${rows} of ${samples} samples; kalaba run -o writes all`
    : `${rows} samples`;
}

/** The buttons for all this. */
export function actionButtons(run) {
  const copy = make('button', { onclick: () => copyModel(copy) }, 'Copy model');
  const data = make(
    'button',
    {
      title: dataTitle(run),
      onclick: () => save(`${fileName(run.title)}.csv`, csvOf(run), 'text/csv'),
    },
    'Save data (CSV)',
  );
  return [copy, data];
}
