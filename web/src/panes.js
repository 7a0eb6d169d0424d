// What is shown of a run beside its picture, on tabs: plots, equations, system, analysis.

import { choosePlots } from './choose.js';
import { make, table } from './dom.js';
import { showFacts, showSystem, summary } from './facts.js';
import { number } from './format.js';
import { elementsOf } from './markup.js';
import { PhasePlot } from './phaseplot.js';
import { TimePlot } from './timeplot.js';

const MOST_PLOTS = 24;

/** Tabs with a panel each; `onShow(name)` hears which is shown. */
export class Tabs {
  constructor(element, names, onShow) {
    this.element = element;
    this.onShow = onShow;
    this.panels = new Map();
    this.buttons = new Map();
    const list = make('div', { className: 'tabs', role: 'tablist' });
    for (const [name, title] of names) {
      const panel = make('div', {
        role: 'tabpanel',
        id: `panel-${name}`,
        hidden: true,
      });
      const button = make(
        'button',
        {
          role: 'tab',
          'aria-controls': `panel-${name}`,
          onclick: () => this.show(name),
          onkeydown: (event) => this.move(event, name),
        },
        title,
      );
      this.panels.set(name, panel);
      this.buttons.set(name, button);
      list.append(button);
    }
    element.append(list, ...this.panels.values());
    this.show(names[0][0]);
  }

  /** Where most of a panel is below what is seen, as on a tablet, it comes up. */
  bringIntoSight() {
    if (this.element.getBoundingClientRect().top > 0.6 * innerHeight) {
      this.element.scrollIntoView({ block: 'start' });
    }
  }

  // Arrow keys go from tab to tab.
  move(event, name) {
    const names = [...this.buttons.keys()];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const next = names[(names.indexOf(name) + step + names.length) % names.length];
      event.preventDefault();
      event.stopPropagation();
      this.show(next);
      this.buttons.get(next).focus();
    }
  }

  show(name) {
    this.shown = name;
    for (const [other, button] of this.buttons) {
      button.setAttribute('aria-selected', String(other === name));
      button.tabIndex = other === name ? 0 : -1;
      this.panels.get(other).hidden = other !== name;
    }
    this.onShow(name);
  }

  panel(name) {
    return this.panels.get(name);
  }
}

function shapeOf({ title, curves, against, logarithmic }) {
  const names = [...curves, ...(against ? [against] : [])];
  return JSON.stringify([
    title,
    logarithmic,
    names.map(({ label, unit }) => [label, unit]),
  ]);
}

/** Plots that stay while runs come and go, as long as they show the same things. */
export class Plots {
  constructor(element, clock) {
    this.element = make('div', { className: 'plots' });
    element.append(this.element);
    this.clock = clock;
    this.group = [];
    this.list = [];
    this.key = '';
  }

  show(run) {
    const { asked, checks } = choosePlots(run);
    const plots = [...asked.slice(0, MOST_PLOTS), ...checks];
    const key = plots.map(shapeOf).join('\n');
    const marks = run.incidents;
    if (key === this.key) {
      this.list.forEach((made, i) => made.update({ run, plot: plots[i], marks }));
      return;
    }
    this.clear();
    this.key = key;
    this.list = plots.map((plot) => this.make(run, plot, marks));
    this.element.append(...this.list.map(({ element }) => element));
    this.list.forEach((made) => made.start());
  }

  /** No plots any more. */
  clear() {
    this.list.forEach((made) => made.destroy());
    this.list = [];
    this.key = '';
  }

  make(run, plot, marks) {
    const { clock, group } = this;
    return plot.against
      ? new PhasePlot({ run, plot, clock })
      : new TimePlot({ run, plot, clock, group, marks });
  }
}

/** The system and the facts of a run. */
export function showSystemPane(panel, run, clock) {
  const system = make('section', { className: 'card' });
  const facts = make('div', { className: 'facts' });
  const about = make('p', { className: 'summary' }, summary(run));
  showSystem(system, run);
  showFacts(facts, run, clock);
  panel.replaceChildren(about, system, facts);
}

/** The equations, from their markup. */
export function showEquations(panel, text) {
  const card = make('section', { className: 'card equations' });
  card.append(make('h2', {}, 'Equations of motion'), elementsOf(text));
  panel.replaceChildren(card);
}

// What the library says in the middle of a message, by itself.
function asSentence(words) {
  return words[0].toUpperCase() + words.slice(1);
}

function stabilityBadge(word) {
  return make('span', { className: `badge ${word}` }, word);
}

function stateText(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${number(value, 6)}`)
    .join(', ');
}

/** All equilibria; `choose(values)` is called for the one to start at. */
export function showEquilibria(panel, { equilibria }, choose) {
  const rows = equilibria.map(({ q, qd, stability, reason, ...rest }, i) => [
    String(i + 1),
    stateText(q),
    stabilityBadge(stability),
    rest.family_dimension > 0
      ? `${reason}; one of a family of dimension ${rest.family_dimension}`
      : reason,
    make('button', { onclick: () => choose({ q, qd }) }, 'Start here'),
  ]);
  const found =
    rows.length > 0
      ? table(['', 'state', 'stability', '', ''], rows)
      : make('p', {}, 'No equilibrium was found.');
  const heading = make('h2', {}, 'Equilibria');
  panel.replaceChildren(make('section', { className: 'card' }, heading, found));
}

function complex([re, im]) {
  const part = number(Math.abs(im), 5);
  return im === 0 ? number(re, 5) : `${number(re, 5)} ${im < 0 ? '−' : '+'} ${part} i`;
}

/** The modes about the state that they were found at. */
export function showModes(panel, modes) {
  const rows = modes.eigenvalues.map(([re, im]) => {
    const size = Math.hypot(re, im);
    return [
      complex([re, im]),
      number(size / (2 * Math.PI), 5),
      size > 0 ? number(-re / size, 4) : '–',
    ];
  });
  const about = make('p', {}, 'About ', stateText(modes.q), ': ');
  about.append(stabilityBadge(modes.stability), ` ${modes.reason}.`);
  const notes = [modes.note, modes.kink].filter(Boolean).map(asSentence);
  const list = table(['eigenvalue [1/s]', 'frequency [Hz]', 'damping ratio'], rows);
  const heading = make('h2', {}, 'Modes');
  const more = notes.map((text) => make('p', { className: 'muted' }, `${text}.`));
  const parts = [heading, about, ...more, list];
  panel.replaceChildren(make('section', { className: 'card' }, ...parts));
}

/** Why there is nothing to show on a tab. */
export function showReason(panel, text) {
  panel.replaceChildren(make('p', { className: 'muted empty' }, text));
}
