// The part of the studio that has to do with files and with what is said about the text.

import { byId, make } from './dom.js';
import { packed, save, unpacked } from './files.js';
import { bytesOf } from './run.js';

const NEW_MODEL = `# A pendulum to begin with: change it.
model "Pendulum"
param m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]
coord x [m], y [m]
kinetic 1/2*m*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
init x = 0.8, y ~ -0.6
simulate 0 .. 10 every 0.02
plot x, y
draw line [0, 0] -> [x, y]
draw circle [x, y] radius 0.08
draw path [x, y]
`;

export class Shelf {
  // What is said.

  showNotice(text) {
    byId('notice').textContent = text;
    byId('notice').hidden = text === '';
    this.showStale();
  }

  // The picture and the plots are not of the text, or will not follow what is changed.
  showStale() {
    const stale = this.failed === true || !this.link.there;
    for (const element of [byId('stage'), byId('tabs')]) {
      element.classList.toggle('stale', stale);
    }
  }

  // What concerns no text, as a file that cannot be opened, is told on the first page, too, until
  // another model is opened.
  say(text) {
    byId('word').replaceChildren(make('span', {}, text));
    byId('word').hidden = false;
  }

  showBusy(busy) {
    clearTimeout(this.timer);
    if (busy) {
      this.timer = setTimeout(() => this.showState('computing …'), 300);
    } else {
      this.showState();
    }
  }

  showState(text) {
    const dirty = this.editor.text !== this.saved || this.tag === null;
    const words = this.tag === null ? 'not saved' : dirty ? 'changed' : 'saved';
    this.state.textContent = text ?? words;
    this.saveButton.classList.toggle('primary', dirty);
  }

  showServer(there) {
    const gone = byId('gone');
    gone.hidden = there;
    this.showStale();
    if (!there) {
      const again = make('button', { onclick: () => this.tryAgain() }, 'Try again');
      const keep = make(
        'button',
        {
          onclick: () =>
            save(this.name.replace(/^.*\//, ''), this.editor.text, 'text/plain'),
        },
        'Save the text as a file',
      );
      gone.replaceChildren(
        make(
          'span',
          {},
          "The studio's server is gone. Your text is still here, but nothing is computed or " +
            'saved in the folder. Start the studio again in its terminal: kalaba studio.',
        ),
        again,
        keep,
      );
    }
  }

  async tryAgain() {
    try {
      await this.link.get('files');
      this.changed();
    } catch {
      // It is still gone, and the page says so.
    }
  }

  // Files.

  async showFiles() {
    const { files, folder, first } = await this.link.get('files');
    const options = files.map((name) => make('option', { value: name }, name));
    const title = make('option', { value: '' }, `Open from ${folder} …`);
    this.menu.replaceChildren(title, ...options);
    this.menu.value = files.includes(this.name) && this.tag !== null ? this.name : '';
    return { files, folder, first };
  }

  // The desk with the model, and what can be done with it; or the first page.
  showDesk(there) {
    byId('word').hidden = true;
    byId('first').hidden = there;
    byId('desk').hidden = !there;
    for (const element of this.ofModel) {
      element.hidden = !there;
    }
  }

  async showFirst() {
    const { files, folder } = await this.showFiles();
    const chips = files.map((name) =>
      make('button', { onclick: () => this.openFile(name) }, name),
    );
    const fresh = make('button', { onclick: () => this.openNew() }, '+ New model');
    fresh.classList.add('primary');
    const heading = make('h2', {}, `Models in ${folder}`);
    if (this.editor.text !== '') {
      const back = `Back to ${this.name}${this.isDirty() ? ', not saved' : ''}`;
      chips.unshift(make('button', { onclick: () => this.showDesk(true) }, back));
    }
    this.showDesk(false);
    await this.gallery.fill([
      heading,
      make('div', { className: 'chips' }, fresh, ...chips.slice(0, 100)),
    ]);
  }

  open({ name, text, tag }) {
    if (this.isDirty() && !confirm('Give up the changes that are not saved?')) {
      this.menu.value = '';
      return;
    }
    this.showDesk(true);
    Object.assign(this, { name, tag, saved: text, set: {}, start: {} });
    this.field.value = name;
    this.menu.value = tag === null ? '' : name;
    if (this.kept) {
      this.compare();
    }
    this.forgetRun();
    this.clock.set(0);
    this.editor.set(text);
    this.changed();
  }

  isDirty() {
    return this.editor.text !== this.saved;
  }

  openNew() {
    this.open({ name: 'new.kal', text: NEW_MODEL, tag: null });
  }

  async openFile(name) {
    this.opening = name; // the last one that was chosen, whichever arrives last
    if (name) {
      try {
        const file = await this.link.get(`file?name=${encodeURIComponent(name)}`);
        if (this.opening === name) {
          this.open(file);
        }
      } catch (error) {
        await this.failToOpen(error);
      }
    }
  }

  // That the server is gone, the page says by itself.
  async failToOpen(error) {
    if (this.link.there) {
      if (byId('desk').hidden) {
        await this.showFirst(); // without what is not there any more
      }
      this.say(error.message);
    }
  }

  // The model that the address holds, or why it cannot be read; neither where it holds none.
  async linked() {
    try {
      return { model: await unpacked(location.hash) };
    } catch {
      return {
        reason: 'The link is not whole, or not one of a studio: it holds no model.',
      };
    }
  }

  rename(name) {
    if (name !== this.name) {
      this.name = name.endsWith('.kal') ? name : `${name}.kal`;
      this.field.value = this.name;
      this.tag = null;
      this.changed();
    }
  }

  // A file that somebody else has changed is not written over without a word.
  async save(over = false) {
    const { text } = this.editor;
    const body = { name: this.name, text, seen: over ? null : (this.tag ?? '') };
    try {
      const { tag } = await this.link.save(body);
      if (this.name === body.name) {
        Object.assign(this, { tag, saved: text });
      }
      this.showNotice('');
      this.showState();
      await this.showFiles();
    } catch (error) {
      this.showNotice(`Not saved: ${error.message}.`);
      if (error.status === 409) {
        const onclick = () => this.save(true);
        byId('notice').append(make('button', { onclick }, 'Write over it'));
      }
    }
  }

  // Have a task done with the text as it is; what comes is taken, why nothing comes is told.
  async order(task, take) {
    const taken = (thing) => {
      if (!thing.error) {
        take(thing);
      } else if (thing.error.message !== 'cancelled') {
        this.showNotice(thing.error.message);
      }
    };
    try {
      await this.link.evaluate(this.body([task]), taken, { purpose: task });
    } catch (error) {
      if (this.link.there) {
        this.showNotice(error.message);
      }
    }
    this.showState();
  }

  fetch(task, name, type) {
    return this.order(task, (thing) => {
      if (thing[task] !== undefined) {
        save(name, thing[task], type);
      }
    });
  }

  // A file that the server makes: numbers, sources, an FMU.
  fetchFile(task) {
    this.showState('making the file …');
    return this.order(task, ({ file }) => {
      if (file) {
        save(file.name, bytesOf(file.bytes), 'application/octet-stream');
      }
    });
  }

  // What was typed while a text was on its way is not given up for it.
  format() {
    const { text } = this.editor;
    return this.order('format', ({ format }) => {
      if (format !== undefined && this.editor.text !== text) {
        this.format();
      } else if (format !== undefined && format !== text) {
        this.editor.set(format);
        this.changed();
      }
    });
  }

  async copyLink() {
    const part = await packed(this.name, this.editor.text).catch(() => null);
    if (!part) {
      this.showNotice('The model is too long for a link: give its file.');
      return;
    }
    history.replaceState(null, '', `${location.pathname}${part}`);
    const link = new URL(location.hash, 'kalaba-studio:').hash;
    try {
      await navigator.clipboard.writeText(link);
      this.showState('copied: put it behind the address of another studio');
    } catch {
      this.showState('the address of this page has the model in it now');
    }
  }
}
