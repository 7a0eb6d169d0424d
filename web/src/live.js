// One computation at a time, always of the newest wish.
//
// A change while one is on its way waits for it as long as that may end soon, so that the
// screen follows a slider that is moved without a pause; one that takes longer is cancelled.
// How long is soon is learnt: twice what the last one took, and twice as long after each that
// was cancelled before it had anything to show, so that a busy machine shows what it can.
// What arrives for an older wish than the last that was begun is not shown.

const PATIENCE = 150; // milliseconds, at least
const MOST_PATIENCE = 10000;

// What comes before a result.
function isPreface(thing) {
  return Boolean(thing.remarks || thing.system);
}

export class Live {
  /** `build()` makes the body of a request, or null for none; `take(thing)` shows what comes
   * of it; `onBusy(busy)` hears when work begins and ends. */
  constructor({ link, purpose, build, take, onBusy = () => {} }) {
    Object.assign(this, { link, purpose, build, take, onBusy });
    this.wanted = false;
    this.control = null;
    this.count = 0;
    this.patience = PATIENCE;
  }

  /** Something changed. */
  request() {
    this.wanted = true;
    if (!this.control) {
      this.go();
      return;
    }
    const rest = this.began + this.patience - performance.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => this.wanted && this.control?.abort(),
      Math.max(0, rest),
    );
  }

  async go() {
    while (this.wanted) {
      this.wanted = false;
      const body = this.build();
      if (body) {
        this.done = this.work(body);
        await this.done;
      }
    }
  }

  /** Show nothing of what is on its way. */
  drop() {
    clearTimeout(this.timer);
    this.control?.abort();
  }

  /** Until nothing is on its way. */
  async idle() {
    while (this.control || this.wanted) {
      await this.done;
    }
  }

  // `spent` milliseconds were enough, or were not.
  learn(spent, shown) {
    const patience = shown ? 2 * spent : 2 * this.patience;
    this.patience = Math.min(Math.max(patience, PATIENCE), MOST_PATIENCE);
  }

  async work(body) {
    this.control = new AbortController();
    this.began = performance.now();
    this.count++;
    this.onBusy(true);
    let shown = null; // when there was something to show
    const take = (thing) => {
      shown ??= isPreface(thing) ? null : performance.now();
      this.take(thing, body);
    };
    try {
      const options = { purpose: this.purpose, signal: this.control.signal };
      await this.link.evaluate(body, take, options);
    } catch (error) {
      // That the server is gone, the page says by itself.
      if (error.name !== 'AbortError' && this.link.there) {
        this.take({ error: { task: 'server', message: error.message } }, body);
      }
    }
    this.learn(shown - this.began, shown !== null);
    this.control = null;
    this.onBusy(false);
  }
}
