// One computation at a time, always of the newest wish.
//
// A change while one is on its way waits for it as long as that may end soon, so that the
// screen follows a slider that is moved without a pause; one that takes longer is cancelled.
// What arrives for an older wish than the last that was begun is not shown.

const PATIENCE = 150; // milliseconds

export class Live {
  /** `build()` makes the body of a request, or null for none; `take(thing)` shows what comes
   * of it; `onBusy(busy)` hears when work begins and ends. */
  constructor({ link, purpose, build, take, onBusy = () => {} }) {
    Object.assign(this, { link, purpose, build, take, onBusy });
    this.wanted = false;
    this.control = null;
    this.count = 0;
  }

  /** Something changed. */
  request() {
    this.wanted = true;
    if (!this.control) {
      this.go();
      return;
    }
    const rest = this.began + PATIENCE - performance.now();
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

  /** Until nothing is on its way. */
  async idle() {
    while (this.control || this.wanted) {
      await this.done;
    }
  }

  async work(body) {
    this.control = new AbortController();
    this.began = performance.now();
    this.count++;
    this.onBusy(true);
    try {
      const options = { purpose: this.purpose, signal: this.control.signal };
      await this.link.evaluate(body, (thing) => this.take(thing, body), options);
    } catch (error) {
      // That the server is gone, the page says by itself.
      if (error.name !== 'AbortError' && this.link.there) {
        this.take({ error: { task: 'server', message: error.message } }, body);
      }
    }
    this.control = null;
    this.onBusy(false);
  }
}
