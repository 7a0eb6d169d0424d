// The picture of the studio with its controls: it stays while runs come and go.

import { byId, make } from './dom.js';
import { checkbox, listenToKeys, playButton, slider, speedMenu } from './player.js';
import { Scene } from './scene.js';
import { SvgContext } from './svg.js';
import { color } from './theme.js';

export class Stage {
  constructor(element, clock) {
    this.clock = clock;
    this.scene = null;
    this.other = null;
    this.labels = [];
    this.drag = null; // { onDrag, onDrop } of scenes
    this.haunted = true;
    this.arrows = false;
    this.place = make('div', { className: 'pictures' });
    this.empty = make('p', { className: 'muted empty' });
    this.time = make('output', { className: 'time' });
    this.follow = checkbox('Follow', false, (follows) => {
      if (this.scene?.near) {
        this.scene.follow(follows);
      }
    });
    element.append(this.place, this.empty, this.controls(), this.switches());
    clock.listen(() => {
      this.time.textContent = `t = ${clock.t.toFixed(2)} s`;
    });
    listenToKeys(clock);
  }

  controls() {
    const parts = [playButton(this.clock), slider(this.clock), this.time];
    return make('div', { className: 'controls' }, ...parts, speedMenu(this.clock));
  }

  switches() {
    const loop = checkbox('Loop', this.clock.loop, (value) => {
      this.clock.loop = value;
    });
    this.forces = checkbox('Constraint forces', false, (shown) => {
      this.arrows = shown;
      this.each((scene) => {
        scene.arrows = shown;
        scene.draw();
      });
    });
    const ghost = checkbox('Ghost of the last run', true, (shown) => {
      this.haunted = shown;
      if (!shown && this.scene) {
        this.scene.ghost = null;
        this.scene.draw();
      }
    });
    return make(
      'div',
      { className: 'controls small' },
      loop,
      this.forces,
      ghost,
      this.follow,
    );
  }

  each(act) {
    [this.scene, this.other].forEach((scene) => scene && act(scene));
  }

  /** Show a run; `same` says that it is of the text before, changed a little. */
  show(run, same) {
    const drawn = run.rows > 0 && run.drawings.length > 0;
    this.empty.hidden = drawn;
    this.empty.textContent =
      run.rows > 0
        ? 'Nothing is drawn yet. Add a line such as: draw line [0, 0] -> [x, y]'
        : 'There is no run to show.';
    if (run.rows > 0) {
      this.clock.span(run.time[0], run.time[run.rows - 1]);
    }
    if (!drawn) {
      this.clear();
    } else if (this.scene) {
      this.scene.update(run, same && this.haunted);
    } else {
      this.begin(run);
    }
    this.showSwitches();
  }

  begin(run) {
    this.scene = new Scene(run, this.clock);
    this.scene.arrows = this.arrows;
    Object.assign(this.scene, this.drag);
    this.place.prepend(this.scene.canvas);
    this.scene.start();
  }

  // Switches that do something for this picture.
  showSwitches() {
    this.forces.hidden = !(this.scene?.longest > 0);
    this.follow.hidden = !this.scene?.near;
    this.follow.querySelector('input').checked = Boolean(this.scene?.follows);
  }

  clear() {
    this.scene?.destroy();
    this.scene = null;
  }

  /** Neither a picture nor words about it. */
  forget() {
    this.clear();
    this.empty.hidden = true;
    this.showSwitches();
  }

  /** The picture as a PNG. */
  picture(take) {
    this.scene.canvas.toBlob(take, 'image/png');
  }

  /** The picture as SVG. */
  drawing() {
    const { width, height } = this.scene.camera;
    const context = new SvgContext(width, height);
    this.scene.drawOn(context);
    return context.text(color('card'));
  }

  /** The motion as a film, from its beginning to its end at the speed of the clock; `take`
   * gets it. */
  film(take) {
    const { clock } = this;
    const pieces = [];
    const { loop } = clock;
    const recorder = new MediaRecorder(this.scene.canvas.captureStream(30));
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.onstop = () => take(new Blob(pieces, { type: 'video/webm' }));
    clock.loop = false;
    clock.set(clock.from);
    recorder.start();
    if (!clock.playing) {
      clock.toggle();
    }
    const end = clock.listen(() => {
      if (!clock.playing) {
        recorder.stop();
        clock.loop = loop;
        queueMicrotask(() => end());
      }
    });
  }

  /** Keep a run beside the one that changes; null: none any more. */
  keep(run, words) {
    this.other?.destroy();
    this.other = null;
    if (this.scene?.beside) {
      this.scene.beside = null;
      this.scene.resize(false);
    }
    this.labels.forEach((label) => label.remove());
    this.labels = [];
    if (run) {
      this.other = new Scene(run, this.clock);
      this.other.arrows = this.arrows;
      this.other.camera = this.scene?.camera ?? this.other.camera; // one view of both
      this.place.append(this.other.canvas);
      if (this.scene) {
        this.other.beside = this.scene;
        this.scene.beside = this.other;
      }
      this.other.start();
      this.labels = [
        make('span', { className: 'label now-label' }, 'now'),
        make('span', { className: 'label kept-label' }, words),
      ];
      this.place.append(...this.labels);
    }
  }
}

/** The stage of the page. */
export function makeStage(clock) {
  return new Stage(byId('stage'), clock);
}
