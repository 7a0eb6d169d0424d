// Colors: those of the style sheet, which has a light and a dark set.

import { make } from './dom.js';

const SERIES = 8;
const redraws = new Set();
const cache = new Map(); // of the colors that were asked for: a picture asks hundreds of times

/** A color by its name in the style sheet. */
export function color(name) {
  if (!cache.has(name)) {
    const style = getComputedStyle(document.documentElement);
    cache.set(name, style.getPropertyValue(`--${name}`).trim());
  }
  return cache.get(name);
}

/** The color of the i-th of several things. */
export function seriesColor(i) {
  return color(`series-${(i % SERIES) + 1}`);
}

/** Have a function called when the colors change; answers one that ends that. */
export function onTheme(redraw) {
  redraws.add(redraw);
  return () => redraws.delete(redraw);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  cache.clear();
  redraws.forEach((redraw) => redraw());
}

/** Set light or dark colors; what is returned brings those before back. */
export function withTheme(dark) {
  const before = document.documentElement.dataset.theme === 'dark';
  setTheme(dark);
  return () => setTheme(before);
}

/** Follow what the reader's system prefers. */
export function followSystem() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', () => setTheme(dark.matches));
  setTheme(dark.matches);
}

/** The button that changes between light and dark. */
export function themeButton() {
  return make(
    'button',
    {
      title: 'Light or dark',
      'aria-label': 'Light or dark',
      onclick: () => setTheme(document.documentElement.dataset.theme !== 'dark'),
    },
    '◐',
  );
}
