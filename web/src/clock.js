// The time that the picture and the plots show.

const LONG = 60; // seconds that nobody waits for
const SHORT = 2;
const GOOD = 10;

/** A speed at which a run lasts some seconds: that of life, if it can be. */
export function pleasantSpeed(duration) {
  if (duration >= SHORT && duration <= LONG) {
    return 1;
  }
  const exact = duration / GOOD;
  const power = 10 ** Math.floor(Math.log10(exact));
  return [5, 2, 1].map((n) => n * power).find((speed) => speed <= exact * 1.0001);
}

export class Clock {
  constructor(from, until) {
    this.from = from;
    this.until = until;
    this.t = from;
    this.speed = until > from ? pleasantSpeed(until - from) : 1;
    this.loop = true;
    this.playing = false;
    this.listeners = new Set();
  }

  /** Have a function called whenever something changes; answers one that ends that. */
  listen(listener) {
    this.listeners.add(listener);
    listener();
    return () => this.listeners.delete(listener);
  }

  /** Go on within other times: those of another run. */
  span(from, until) {
    const whole = this.t >= this.until && this.until > this.from;
    if (until - from !== this.until - this.from) {
      this.speed = until > from ? pleasantSpeed(until - from) : 1;
    }
    this.from = from;
    this.until = until;
    this.set(whole && !this.playing ? until : this.t);
  }

  tell() {
    this.listeners.forEach((listener) => listener());
  }

  set(t) {
    this.t = Math.min(this.until, Math.max(this.from, t));
    this.tell();
  }

  toggle() {
    this.playing = !this.playing;
    cancelAnimationFrame(this.frame);
    if (this.playing) {
      this.t = this.t >= this.until ? this.from : this.t;
      this.last = performance.now();
      this.awaitFrame();
    }
    this.tell();
  }

  awaitFrame() {
    this.frame = requestAnimationFrame((now) => this.advance(now));
  }

  // A frame of the page is shown at a time of its own, which may be a little before the click.
  advance(now) {
    const t = this.t + (Math.max(0, now - this.last) / 1000) * this.speed;
    this.last = Math.max(now, this.last);
    if (t > this.until && !this.loop) {
      this.playing = false;
    } else {
      this.awaitFrame();
    }
    this.set(t > this.until && this.loop ? this.from : t);
  }
}
