// The first page: examples as cards with their pictures.

import { Clock } from './clock.js';
import { make } from './dom.js';
import { decodeRun } from './run.js';
import { Scene } from './scene.js';

const LANES = 2; // pictures that are computed at a time

function titleOf({ name, text }) {
  const [, title] = text.match(/^\s*model\s+"([^"]*)"/m) ?? [];
  return title || name.replace(/_/g, ' ');
}

// The first sentence of the comment at the head of a model.
function aboutOf({ text }) {
  const [head] = text.match(/^(?:#.*\n)+/) ?? [''];
  const words = head
    .replace(/^#\s?/gm, '')
    .split(/\n\s*\n/)[0]
    .replace(/\s+/g, ' ');
  return words.split(/[.:](?:\s|$)/)[0];
}

export class Gallery {
  /** `open(example)` is called for the one that is chosen. */
  constructor(element, link, open) {
    Object.assign(this, { element, link, open });
    this.waiting = [];
    this.lanes = LANES;
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
      const lane = this.lanes--;
      this.draw(card, `card-${lane}`).finally(() => {
        this.lanes++;
        this.next();
      });
    }
  }

  async draw({ example, picture }, purpose) {
    const { name, text } = example;
    const body = { name: `${name}.kal`, text, tasks: ['run'] };
    let last = null;
    const take = (thing) => {
      last = thing.run ?? last;
    };
    await this.link.evaluate(body, take, { purpose }).catch(() => {});
    const run = last && decodeRun(last);
    if (run?.rows > 0 && run.drawings.length > 0) {
      const scene = new Scene(run, new Clock(run.time[0], run.time[run.rows - 1]));
      scene.canvas.tabIndex = -1;
      scene.bare = true;
      picture.append(scene.canvas);
      scene.start();
      scene.freeze(run.time[Math.floor(run.rows / 3)]);
      scene.draw();
    } else {
      picture.append(make('span', { className: 'muted' }, 'equations only'));
    }
  }
}
