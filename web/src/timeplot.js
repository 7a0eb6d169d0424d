// A plot over time.

import uPlot from 'uplot';
import { axis, paddedRange, sideAxis } from './axes.js';
import { make, roomOf } from './dom.js';
import { number, powerOfTen, unit } from './format.js';
import { Legend } from './legend.js';
import { drawMarks, markAt } from './marks.js';
import { locate, valueAt } from './run.js';
import { onTheme, seriesColor } from './theme.js';

const DASHES = [[], [9, 6], [2, 5]]; // so that curves that coincide are all seen
const LEAST = 1e-18; // what a logarithmic plot shows of zero
const DRAG = 4; // pixels that make a click a drag

// One scale for each unit.
function scaleOf(curve, logarithmic) {
  return logarithmic ? 'log' : `y ${curve.unit}`;
}

function scalesOf(curves, logarithmic) {
  const scales = { x: { time: false } };
  for (const curve of curves) {
    scales[scaleOf(curve, logarithmic)] = logarithmic
      ? {}
      : { range: (u, min, max) => paddedRange(min, max) };
  }
  return scales;
}

// Ticks of a logarithmic plot, which shows exponents.
const POWERS = {
  incrs: [1, 2, 5, 10, 20, 50, 100],
  values: (u, splits) => splits.map(powerOfTen),
};

// The numbers that are drawn for those of a curve.
function drawn(list, logarithmic) {
  if (!logarithmic && !list.some(Number.isNaN)) {
    return list;
  }
  return Array.from(list, (value) => {
    if (Number.isNaN(value)) {
      return null;
    }
    return logarithmic ? Math.log10(Math.max(LEAST, Math.abs(value))) : value;
  });
}

// The first unit on the left, the second on the right.
function axesOf(curves, logarithmic) {
  const units = [...new Set(curves.map((curve) => curve.unit))].slice(0, 2);
  const sides = units.map((text, i) =>
    sideAxis(scaleOf({ unit: text }, logarithmic), unit(text), {
      side: i === 0 ? 3 : 1,
      ...(i === 0 ? {} : { grid: { show: false } }),
      ...(logarithmic ? POWERS : {}),
    }),
  );
  return [axis('x', 't [s]'), ...(logarithmic ? sides.slice(0, 1) : sides)];
}

// A curve as straight lines from point to point.  Where it has no value there is a gap, and
// where two rows have the same time it jumps: nothing connects what is before and behind.
function brokenLine(u, seriesIndex, from, to) {
  const times = u.data[0];
  const values = u.data[seriesIndex];
  const { scale } = u.series[seriesIndex];
  const stroke = new Path2D();
  let pen = false;
  for (let i = from; i <= to; i++) {
    const there = values[i] !== null && values[i] !== undefined;
    if (there) {
      const x = u.valToPos(times[i], 'x', true);
      const y = u.valToPos(values[i], scale, true);
      if (pen && times[i] !== times[i - 1]) {
        stroke.lineTo(x, y);
      } else {
        stroke.moveTo(x, y);
      }
    }
    pen = there;
  }
  return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 };
}

export class TimePlot {
  /** `group` lists the plots that are zoomed together. */
  constructor({ run, plot, clock, group, marks }) {
    this.run = run;
    this.plot = plot;
    this.clock = clock;
    this.group = group;
    this.marks = [...marks];
    this.data = plot.curves.map(({ column }) => run.columns[column].data);
    this.legend = new Legend(plot.curves, (i, show) =>
      this.u.setSeries(i + 1, { show }),
    );
    this.note = make('div', { className: 'note', hidden: true });
    this.cursor = make('div', { className: 'now' });
    this.host = make('div', { className: 'canvas' });
    this.element = make(
      'figure',
      { className: 'card plot' },
      make('figcaption', {}, plot.title),
      this.legend.element,
      this.host,
    );
  }

  /** Draw, once the element is in the page. */
  start() {
    const data = [this.run.time, ...this.drawnData()];
    this.u = new uPlot(this.options(), data, this.host);
    this.u.over.append(this.cursor, this.note);
    this.listen();
    this.group.push(this);
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.host);
    this.ends = [
      this.clock.listen(() => this.showTime()),
      onTheme(() => this.u.redraw()),
      () => watch.disconnect(),
      this.legend.forget,
    ];
  }

  /** Show another run in the same way: its plot has the same curves. */
  update({ run, plot, marks }) {
    this.run = run;
    this.marks.splice(0, this.marks.length, ...marks);
    this.data = plot.curves.map(({ column }) => run.columns[column].data);
    this.u.setData([run.time, ...this.drawnData()]);
    this.showTime();
  }

  /** Leave the page. */
  destroy() {
    this.ends.forEach((end) => end());
    this.group.splice(this.group.indexOf(this), 1);
    this.u.destroy();
    this.element.remove();
  }

  drawnData() {
    return this.data.map((list) => drawn(list, this.plot.logarithmic));
  }

  options() {
    const { curves, logarithmic } = this.plot;
    return {
      ...roomOf(this.host),
      legend: { show: false },
      cursor: {
        sync: { key: 'time' },
        drag: { x: true, y: false },
        points: { size: 7 },
      },
      scales: scalesOf(curves, logarithmic),
      axes: axesOf(curves, logarithmic),
      series: [
        {},
        ...curves.map((curve, i) => ({
          label: curve.label,
          scale: scaleOf(curve, logarithmic),
          stroke: () => seriesColor(i),
          width: 1.75,
          paths: brokenLine,
          pxAlign: 0,
          dash: !logarithmic && curves.length <= DASHES.length ? DASHES[i] : [],
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [() => this.showTime()],
        drawAxes: [drawMarks(this.marks)],
        setCursor: [() => this.showCursor()],
        setScale: [(u, key) => key === 'x' && this.follow()],
      },
    };
  }

  // A click moves the time there; a drag zooms.
  listen() {
    let down = 0;
    this.u.over.addEventListener('mousedown', (event) => {
      down = event.clientX;
    });
    this.u.over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - down) < DRAG) {
        this.clock.set(this.u.posToVal(this.u.cursor.left, 'x'));
      }
    });
  }

  resize() {
    if (this.host.clientWidth > 0) {
      this.u.setSize(roomOf(this.host));
    }
  }

  // Zoom the other plots as this one.
  follow() {
    const { min, max } = this.u.scales.x;
    for (const other of this.group) {
      const scale = other.u.scales.x;
      if (other !== this && (scale.min !== min || scale.max !== max)) {
        other.u.setScale('x', { min, max });
      }
    }
    this.showTime();
  }

  showCursor() {
    const { idx, left } = this.u.cursor;
    const hovered = idx !== null && idx !== undefined && left >= 0;
    const mark = hovered ? markAt(this.u, this.marks, left) : null;
    this.note.hidden = mark === null;
    if (mark) {
      this.note.textContent = `t = ${number(mark.t)}: ${mark.text}`;
    }
    if (hovered) {
      const place = `t = ${number(this.run.time[idx])} s`;
      this.legend.show(
        place,
        this.data.map((list) => list[idx]),
      );
    } else {
      this.showTime();
    }
  }

  showTime() {
    const { t } = this.clock;
    const { min, max } = this.u.scales.x;
    this.cursor.hidden = t < min || t > max;
    this.cursor.style.transform = `translateX(${this.u.valToPos(t, 'x')}px)`;
    if (!(this.u.cursor.left >= 0)) {
      const place = locate(this.run.time, t);
      this.legend.show(
        `t = ${number(t)} s`,
        this.data.map((list) => valueAt(list, place)),
      );
    }
  }
}
