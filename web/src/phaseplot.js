// A plot of curves against something other than time.

import uPlot from 'uplot';
import { axis, equalRanges, paddedRange, sideAxis } from './axes.js';
import { make, roomOf } from './dom.js';
import { number, withUnit } from './format.js';
import { Legend } from './legend.js';
import { extent, locate, valueAt } from './run.js';
import { onTheme, seriesColor } from './theme.js';

const REACH = 30; // pixels from the cursor to a point that it means
const STRETCH = 8; // ratio of extents up to which equal units are drawn to one scale

// A curve as uPlot draws it: straight lines from point to point, gaps where it has none and
// where it jumps, which is where two rows have the same time.
function drawCurve(time, u, seriesIndex) {
  const [xs, ys] = u.data[seriesIndex];
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.beginPath();
  ctx.strokeStyle = seriesColor(seriesIndex - 1);
  ctx.lineWidth = 1.75 * devicePixelRatio;
  ctx.lineJoin = 'round';
  let pen = false;
  for (let i = 0; i < xs.length; i++) {
    const there = Number.isFinite(xs[i]) && Number.isFinite(ys[i]);
    if (there) {
      const x = u.valToPos(xs[i], 'x', true);
      const y = u.valToPos(ys[i], 'y', true);
      if (pen && time[i] !== time[i - 1]) {
        ctx.lineTo(x, y);
      } else {
        ctx.moveTo(x, y);
      }
    }
    pen = there;
  }
  ctx.stroke();
  ctx.restore();
  return null;
}

export class PhasePlot {
  constructor({ run, plot, clock }) {
    this.run = run;
    this.plot = plot;
    this.clock = clock;
    this.shown = plot.curves.map(() => true);
    this.xs = run.columns[plot.against.column].data;
    this.ys = plot.curves.map(({ column }) => run.columns[column].data);
    this.legend = new Legend(plot.curves, (i, show) => this.toggle(i, show));
    this.dots = plot.curves.map(() => make('div', { className: 'dot' }));
    this.host = make('div', { className: 'canvas' });
    this.element = make(
      'figure',
      { className: 'card plot phase' },
      make('figcaption', {}, plot.title),
      this.legend.element,
      this.host,
    );
  }

  /** Draw, once the element is in the page. */
  start() {
    const data = [null, ...this.ys.map((ys) => [this.xs, ys])];
    this.u = new uPlot(this.options(), data, this.host);
    this.u.over.append(...this.dots);
    this.u.over.addEventListener('mousemove', (event) => this.hover(event));
    this.u.over.addEventListener('mouseleave', () => this.showTime());
    this.u.over.addEventListener('click', (event) => this.pick(event));
    this.reset();
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.host);
    this.ends = [
      this.clock.listen(() => this.showTime()),
      onTheme(() => {
        this.u.redraw();
        this.showTime();
      }),
      () => watch.disconnect(),
      this.legend.forget,
    ];
  }

  /** Show another run in the same way: its plot has the same curves. */
  update({ run, plot }) {
    this.run = run;
    this.xs = run.columns[plot.against.column].data;
    this.ys = plot.curves.map(({ column }) => run.columns[column].data);
    this.u.setData([null, ...this.ys.map((ys) => [this.xs, ys])]);
    this.reset();
    this.showTime();
  }

  /** Leave the page. */
  destroy() {
    this.ends.forEach((end) => end());
    this.u.destroy();
    this.element.remove();
  }

  options() {
    const { curves, against } = this.plot;
    const free = { auto: false, min: 0, max: 1, range: (u, min, max) => [min, max] };
    const [only] = curves.length === 1 ? curves : [{ label: '', unit: curves[0].unit }];
    return {
      mode: 2,
      ...roomOf(this.host),
      legend: { show: false },
      cursor: {
        drag: { x: true, y: true, uni: 20 },
        points: { show: false },
        bind: { dblclick: () => () => this.reset() },
      },
      scales: { x: { time: false, ...free }, y: free },
      axes: [
        axis('x', withUnit(against.label, against.unit)),
        sideAxis('y', withUnit(only.label, only.unit).trim()),
      ],
      series: [
        {},
        ...curves.map((curve) => ({
          label: curve.label,
          paths: (u, i) => drawCurve(this.run.time, u, i),
        })),
      ],
      hooks: { draw: [() => this.showTime()] },
    };
  }

  toggle(i, show) {
    this.shown[i] = show;
    this.u.setSeries(i + 1, { show });
    this.showTime();
  }

  // Everything in view; to one scale both ways where that makes sense.
  reset() {
    const x = extent(this.xs) ?? { min: 0, max: 1 };
    const y = extent(...this.ys) ?? { min: 0, max: 1 };
    let ranges = [paddedRange(x.min, x.max), paddedRange(y.min, y.max)];
    const units = new Set([this.plot.against, ...this.plot.curves].map((c) => c.unit));
    const ratio = (x.max - x.min) / (y.max - y.min);
    const comparable = units.size === 1 && ratio < STRETCH && ratio > 1 / STRETCH;
    if (comparable) {
      const { width, height } = this.u.bbox;
      ranges = equalRanges(...ranges, width, height);
    }
    this.u.batch(() => {
      this.u.setScale('x', { min: ranges[0][0], max: ranges[0][1] });
      this.u.setScale('y', { min: ranges[1][0], max: ranges[1][1] });
    });
  }

  resize() {
    if (this.host.clientWidth > 0) {
      this.u.setSize(roomOf(this.host));
      this.reset();
    }
  }

  // The row whose point is next to the pointer; -1 when none is near.
  nearest(event) {
    const box = this.u.over.getBoundingClientRect();
    const left = event.clientX - box.left;
    const top = event.clientY - box.top;
    let best = { row: -1, distance: REACH };
    this.ys.forEach((ys, curve) => {
      for (let row = 0; this.shown[curve] && row < ys.length; row++) {
        const dx = this.u.valToPos(this.xs[row], 'x') - left;
        const dy = this.u.valToPos(ys[row], 'y') - top;
        const distance = Math.hypot(dx, dy);
        best = distance < best.distance ? { row, distance } : best;
      }
    });
    return best.row;
  }

  hover(event) {
    const row = this.nearest(event);
    if (row < 0) {
      this.showTime();
    } else {
      this.show(this.run.time[row], { row, part: 0 });
    }
  }

  pick(event) {
    const row = this.nearest(event);
    if (row >= 0) {
      this.clock.set(this.run.time[row]);
    }
  }

  showTime() {
    this.show(this.clock.t, locate(this.run.time, this.clock.t));
  }

  show(t, place) {
    const x = valueAt(this.xs, place);
    const values = this.ys.map((ys) => valueAt(ys, place));
    this.legend.show(
      `${this.plot.against.label} = ${number(x)}, t = ${number(t)} s`,
      values,
    );
    this.dots.forEach((dot, i) => {
      const left = this.u.valToPos(x, 'x');
      const top = this.u.valToPos(values[i], 'y');
      dot.hidden = !this.shown[i] || !Number.isFinite(left) || !Number.isFinite(top);
      dot.style.transform = `translate(${left}px, ${top}px)`;
      dot.style.background = seriesColor(i);
    });
  }
}
