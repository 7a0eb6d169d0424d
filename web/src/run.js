// The numbers of a run, as they stand in the page.

/** The bytes that letters of base 64 stand for.  A loop, for there are hundreds of thousands at
 * every change of a slider. */
export function bytesOf(letters) {
  const text = atob(letters);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[i] = text.charCodeAt(i);
  }
  return bytes;
}

function decode(values, rows) {
  if (typeof values !== 'string') {
    return new Float64Array(rows).fill(values ?? NaN);
  }
  const view = new DataView(bytesOf(values).buffer);
  const numbers = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    numbers[i] = view.getFloat64(8 * i, true);
  }
  return numbers;
}

/** A run as it stands in JSON becomes one with numbers: a column gets its numbers as `data`,
 * and whether they are all the same as `still`. */
export function decodeRun(run) {
  for (const column of run.columns) {
    column.still = typeof column.values !== 'string';
    column.data = decode(column.values, run.rows);
    delete column.values;
  }
  run.time = run.columns[0].data;
  return run;
}

/** Read the run from its JSON. */
export function readRun(text) {
  return decodeRun(JSON.parse(text));
}

/** The last row whose time is not after t, and how far t is on the way to the next. */
export function locate(time, t) {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const step = low + 1 < time.length ? time[low + 1] - time[low] : 0;
  return {
    row: low,
    part: step > 0 ? Math.min(1, Math.max(0, (t - time[low]) / step)) : 0,
  };
}

/** The value of a column at a place that locate() found, between rows on a line. */
export function valueAt(data, { row, part }) {
  return part === 0 ? data[row] : data[row] + part * (data[row + 1] - data[row]);
}

/** The smallest and the largest of the finite numbers; null without any. */
export function extent(...lists) {
  let min = Infinity;
  let max = -Infinity;
  for (const list of lists) {
    for (const value of list) {
      if (Number.isFinite(value)) {
        min = Math.min(min, value);
        max = Math.max(max, value);
      }
    }
  }
  return min <= max ? { min, max } : null;
}
