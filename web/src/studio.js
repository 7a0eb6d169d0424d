// The studio: a text, and live what follows from it.

import { Clock } from './clock.js';
import { byId, make } from './dom.js';
import { Editor } from './editor.js';
import { saveMenu } from './files.js';
import { number } from './format.js';
import { Gallery } from './gallery.js';
import { Link } from './link.js';
import { Live } from './live.js';
import * as panes from './panes.js';
import { decodeRun } from './run.js';
import { parameterEntries, Sliders, startEntries } from './sliders.js';
import { Shelf } from './shelf.js';
import { makeStage } from './stage.js';
import { followSystem, themeButton } from './theme.js';

const TABS = [
  ['plots', 'Plots'],
  ['equations', 'Equations'],
  ['system', 'System'],
  ['equilibria', 'Equilibria'],
  ['modes', 'Modes'],
];

class Studio extends Shelf {
  constructor() {
    super();
    this.link = new Link((there) => this.showServer(there));
    this.clock = new Clock(0, 1);
    this.name = 'model.kal';
    this.tag = null; // of the file that the text is from; '' for a new one
    this.saved = '';
    this.set = {};
    this.start = {};
    this.run = null;
    this.fresh = true; // no run of this text was shown yet
    this.make();
    this.live = new Live({
      link: this.link,
      purpose: 'main',
      build: () => this.body(this.tasks()),
      take: (thing, body) => this.take(thing, body),
      onBusy: (busy) => this.showBusy(busy),
    });
    this.analysis = new Live({
      link: this.link,
      purpose: 'analysis',
      build: () => this.analysisBody(),
      take: (thing, body) => this.takeAnalysis(thing, body),
    });
  }

  make() {
    const nonce = document.querySelector('meta[name="kalaba-nonce"]').content;
    this.editor = new Editor({
      parent: byId('editor'),
      onChange: () => this.changed(),
      nonce,
      keys: [
        { key: 'Mod-s', run: () => this.save() || true, preventDefault: true },
        { key: 'Shift-Alt-f', run: () => this.format() || true },
      ],
      values: () => this.values(),
      inquire: (...question) => this.link.inquire(...question),
    });
    this.stage = makeStage(this.clock);
    this.stage.drag = {
      onDrag: (columns, to) => this.dragTo(columns, to),
      onDrop: () => this.drop(),
    };
    this.parameters = new Sliders(byId('parameters'), 'Parameters', (name, value) =>
      this.give(this.set, name, value),
    );
    this.starts = new Sliders(byId('start'), 'Start', (name, value) =>
      this.give(this.start, name, value),
    );
    this.tabs = new panes.Tabs(byId('tabs'), TABS, (name) => this.showTab(name));
    this.plots = new panes.Plots(this.tabs.panel('plots'), this.clock);
    this.gallery = new Gallery(byId('first'), this.link, ({ name, text }) =>
      this.open({ name: `${name}.kal`, text, tag: null }),
    );
    this.makeBar();
  }

  makeBar() {
    this.menu = make('select', {
      'aria-label': 'Open a model',
      onchange: () => this.openFile(this.menu.value),
    });
    this.field = make('input', {
      type: 'text',
      'aria-label': 'Name of the model',
      spellcheck: false,
      onchange: () => this.rename(this.field.value.trim()),
    });
    this.saveButton = make('button', { onclick: () => this.save() }, 'Save');
    this.saveButton.title = 'Save in the folder (Ctrl-S)';
    const format = make('button', { onclick: () => this.format() }, 'Format');
    const fresh = make('button', { onclick: () => this.openNew() }, 'New');
    this.state = make('span', { className: 'state', role: 'status' });
    byId('file').append(
      this.menu,
      fresh,
      this.field,
      this.saveButton,
      format,
      this.state,
    );
    this.compareButton = make(
      'button',
      {
        'aria-pressed': 'false',
        title: 'Keep this run beside the ones to come',
        onclick: () => this.compare(),
      },
      'Compare',
    );
    const menu = saveMenu(this);
    byId('actions').append(this.compareButton, menu, themeButton());
    this.ofModel = [this.field, this.saveButton, format, this.state];
    this.ofModel.push(this.compareButton, menu);
    byId('home').addEventListener('click', () => this.showFirst());
  }

  // What is asked for.

  // What sliders say of names that the text has still.
  known(values) {
    const words = new Set(this.editor.text.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
    const entries = Object.entries(values);
    return entries.filter(([name]) => words.has(name.match(/^[\p{L}\p{N}_]*/u)[0]));
  }

  body(tasks) {
    const pairs = this.known(this.start).map(([name, value]) => `${name} = ${value}`);
    return {
      name: this.name,
      text: this.editor.text,
      tasks,
      set: Object.fromEntries(this.known(this.set)),
      start: pairs.length > 0 ? pairs.join(', ') : null,
      ...(this.drag ? { drag: this.drag } : {}),
    };
  }

  tasks() {
    return this.tabs.shown === 'equations' ? ['run', 'equations'] : ['run'];
  }

  analysisBody() {
    const task = this.tabs.shown;
    return task === 'modes' || task === 'equilibria' ? this.body([task]) : null;
  }

  values() {
    const pairs = (this.system?.parameters ?? []).map(({ name, value }) => [
      name,
      number(value),
    ]);
    return new Map(pairs);
  }

  // Changes.

  changed() {
    this.showState();
    this.live.request();
    this.analysis.request();
  }

  give(values, name, value) {
    if (value === undefined) {
      delete values[name];
    } else {
      values[name] = value;
    }
    this.changed();
  }

  showTab(name) {
    if (this.live && this.run) {
      if (name === 'equations') {
        this.live.request();
      } else {
        this.showPane();
        this.analysis.request();
      }
      this.tabs.bringIntoSight();
    }
  }

  // A point that is dragged changes the start, which the picture then shows.
  dragTo(columns, to) {
    if (this.clock.playing) {
      this.clock.toggle();
    }
    this.clock.set(this.clock.from);
    this.drag = { columns, to };
    this.changed();
  }

  // Where it came to becomes the start.
  async drop() {
    await this.live.idle();
    this.drag = null;
    const { columns, rows } = this.run ?? { columns: [], rows: 0 };
    for (const { name, kind, data } of rows > 0 ? columns : []) {
      if (kind === 'position') {
        this.start[name] = data[0];
      }
    }
    this.changed();
  }

  // Keep what is shown beside what is to come, or keep it no longer.
  compare() {
    this.kept = this.kept ? null : this.run;
    this.compareButton.setAttribute('aria-pressed', String(Boolean(this.kept)));
    this.stage.keep(
      this.kept?.drawings.length > 0 ? this.kept : null,
      this.difference(),
    );
  }

  // What was set by sliders in the run that is kept.
  difference() {
    const pairs = Object.entries({ ...this.set, ...this.start });
    const words = pairs.map(([name, value]) => `${name} = ${number(value, 4)}`);
    return words.length > 0 ? `kept: ${words.slice(0, 4).join(', ')}` : 'kept';
  }

  // What comes of it.

  // Nothing of the model before is shown with another, nor what is still on its way.
  forgetRun() {
    this.live.drop();
    this.analysis.drop();
    Object.assign(this, { run: null, system: null, drag: null, fresh: true });
    this.stage.forget();
    this.plots.clear();
    this.parameters.show([], {});
    this.starts.show([], {});
    for (const name of ['equations', 'system', 'equilibria', 'modes']) {
      this.tabs.panel(name).replaceChildren();
    }
    document.title = 'Kalaba studio';
  }

  take(thing, body) {
    if (thing.remarks) {
      this.takeRemarks(thing.remarks);
    } else if (thing.system) {
      this.system = thing.system;
      this.parameters.show(parameterEntries(thing.system), this.set);
    } else if (thing.run) {
      this.takeRun(decodeRun(thing.run), thing.partial, body);
    } else if (thing.equations !== undefined) {
      panes.showEquations(this.tabs.panel('equations'), thing.equations);
    } else if (thing.error) {
      this.takeError(thing.error);
    }
  }

  takeRemarks(remarks) {
    this.editor.mark(remarks, this.name);
    const lines = remarks.slice(0, 20).map((remark) =>
      make(
        'button',
        {
          className: remark.kind,
          onclick: () =>
            remark.file === this.name && this.editor.goTo(remark.line, remark.column),
        },
        `${remark.line ? `${remark.line}:${remark.column} ` : ''}${remark.message}`,
      ),
    );
    byId('problems').replaceChildren(...lines);
    byId('problems').hidden = lines.length === 0;
    this.failed = remarks.some(({ kind }) => kind === 'error');
    const last = this.run ? 'this is the last run' : 'there is no run to show';
    this.showNotice(this.failed ? `The text has errors; ${last}.` : '');
  }

  takeRun(run, partial, body) {
    this.run = run;
    this.partial = partial;
    this.shownBody = body;
    this.stage.show(run, !this.fresh && !partial);
    this.fresh = false;
    this.starts.show(startEntries(run), this.start);
    document.title = `${run.title} – Kalaba studio`;
    this.showPane();
    const { failure } = run;
    this.showNotice(
      failure
        ? `The run ended at t = ${number(run.time[run.rows - 1])}: ${failure}`
        : '',
    );
    this.showState();
  }

  // Only what is seen is made.
  showPane() {
    const panel = this.tabs.panel(this.tabs.shown);
    if (!this.run?.rows) {
      return;
    }
    if (this.tabs.shown === 'plots') {
      this.plots.show(this.run);
    } else if (this.tabs.shown === 'system') {
      panes.showSystemPane(panel, this.run, this.clock);
    }
  }

  takeError({ task, message }) {
    if (task === 'load' && this.failed) {
      return;
    }
    this.failed ||= task === 'server'; // nothing comes of this text
    if (task === 'equations') {
      panes.showReason(this.tabs.panel('equations'), message);
    } else if (task !== 'limit' || message !== 'cancelled') {
      this.showNotice(message);
    }
  }

  // It belongs to the tab that asked for it, whichever is shown by now.
  takeAnalysis(thing, { tasks: [task] }) {
    if (thing.modes) {
      panes.showModes(this.tabs.panel('modes'), thing.modes);
    } else if (thing.equilibria) {
      panes.showEquilibria(this.tabs.panel('equilibria'), thing.equilibria, (state) =>
        this.startAt(state),
      );
    } else if (thing.error && !this.failed) {
      panes.showReason(this.tabs.panel(task), thing.error.message);
    }
  }

  startAt({ q, qd }) {
    this.start = { ...q };
    for (const [name, value] of Object.entries(qd)) {
      this.start[`${name}'`] = value;
    }
    this.changed();
  }

  async begin() {
    followSystem();
    const { model, reason } = await this.linked();
    const { first } = await this.showFiles();
    if (model) {
      this.open({ ...model, tag: null });
    } else if (first) {
      await this.openFile(first);
    } else {
      await this.showFirst();
    }
    if (reason) {
      this.say(reason);
    }
    addEventListener('beforeunload', (event) => {
      if (this.isDirty()) {
        event.preventDefault();
      }
    });
    addEventListener('hashchange', async () => {
      const other = await this.linked();
      if (other.model) {
        this.open({ ...other.model, tag: null });
      } else if (other.reason) {
        this.say(other.reason);
      }
    });
  }
}

const studio = new Studio();
// For scripts that look at the studio, such as the tests.
globalThis.studio = studio;
studio.begin();
