// The first page: examples as cards with their pictures.

import { Clock } from './clock.js';
import { make } from './dom.js';
import { decodeRun, extent } from './run.js';
import { Scene } from './scene.js';

const LANES = 2; // pictures that are computed at a time
const MOST_CURVES = 3;
const SVG = 'http://www.w3.org/2000/svg';

function titleOf({ name, text }) {
  const [, title] = text.match(/^\s*model\s+"([^"]*)"/m) ?? [];
  return title || name.replace(/_/g, ' ');
}

// The first sentence of the comment at the head of a model, without what it has in parentheses,
// which is where literature is cited.
function aboutOf({ text }) {
  const [head] = text.match(/^(?:#.*\n)+/) ?? [''];
  const words = head
    .replace(/^#\s?/gm, '')
    .split(/\n\s*\n/)[0]
    .replace(/\s+/g, ' ')
    .replace(/ \([^)]*\)/g, '');
  return words.split(/[.:](?:\s|$)/)[0];
}

// The first coordinates over time, where nothing is drawn.
function curves(run) {
  const [width, height] = [240, 150];
  const shown = run.columns
    .filter(({ kind }) => kind === 'position')
    .slice(0, MOST_CURVES);
  const { min, max } = extent(...shown.map(({ data }) => data)) ?? { min: 0, max: 1 };
  const until = run.time[run.rows - 1] - run.time[0] || 1;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  shown.forEach(({ data }, i) => {
    const line = document.createElementNS(SVG, 'polyline');
    const step = Math.max(1, Math.ceil(run.rows / width));
    const points = [];
    for (let row = 0; row < run.rows; row += step) {
      const x = 12 + ((run.time[row] - run.time[0]) / until) * (width - 24);
      const y = height - 16 - ((data[row] - min) / (max - min || 1)) * (height - 32);
      points.push(`${x.toFixed(1)},${y.toFixed(1)}`);
    }
    line.setAttribute('points', points.join(' '));
    line.setAttribute('class', `curve curve-${i + 1}`);
    svg.append(line);
  });
  return svg;
}

function excuse(reason) {
  return make('span', { className: 'muted' }, `no motion: ${reason}`);
}

export class Gallery {
  /** `open(example)` is called for the one that is chosen. */
  constructor(element, link, open) {
    Object.assign(this, { element, link, open });
    this.waiting = [];
    this.lanes = LANES;
    this.count = 0;
    this.watch = new IntersectionObserver((seen) => this.look(seen));
  }

  async fill(folder) {
    const examples = await this.link.get('examples');
    const cards = examples.map((example) => this.card(example));
    const heading = make('h2', {}, 'Examples');
    const grid = make('div', { className: 'gallery' }, ...cards);
    this.element.replaceChildren(...folder, heading, grid);
  }

  card(example) {
    const picture = make('div', { className: 'thumb' });
    const card = make(
      'button',
      { className: 'example', onclick: () => this.open(example) },
      picture,
      make('strong', {}, titleOf(example)),
      make('span', { className: 'muted' }, aboutOf(example)),
    );
    card.example = example;
    card.picture = picture;
    this.watch.observe(card);
    return card;
  }

  // Pictures are made of what is seen.
  look(seen) {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting) {
        this.watch.unobserve(target);
        this.waiting.push(target);
      }
    }
    this.next();
  }

  async next() {
    while (this.lanes > 0 && this.waiting.length > 0) {
      const card = this.waiting.shift();
      this.lanes--;
      this.draw(card, `card-${this.count++}`).finally(() => {
        this.lanes++;
        this.next();
      });
    }
  }

  async draw({ example, picture }, purpose) {
    const { name, text } = example;
    const body = { name: `${name}.kal`, text, tasks: ['run'] };
    let last = null;
    let reason = '';
    const take = (thing) => {
      last = thing.run ?? last;
      reason = thing.run?.failure ?? thing.error?.message ?? reason;
    };
    await this.link.evaluate(body, take, { purpose }).catch(() => {});
    const run = last && decodeRun(last);
    if (run?.rows > 0 && run.drawings.length > 0) {
      const scene = new Scene(run, new Clock(run.time[0], run.time[run.rows - 1]));
      scene.canvas.tabIndex = -1;
      scene.bare = true;
      picture.append(scene.canvas);
      if (run.rows === 1 && reason) {
        picture.append(excuse(reason));
      }
      scene.start();
      scene.freeze(run.time[Math.floor(run.rows / 3)]);
      scene.draw();
    } else if (run?.rows > 1) {
      picture.append(curves(run));
    } else {
      picture.append(excuse(reason));
    }
  }
}
