// Colors: those of the style sheet, which has a light and a dark set.

import { make } from './dom.js';

const SERIES = 8;
const redraws = new Set();
let cache = null;

/** A color by its name in the style sheet. */
export function color(name) {
  cache ??= getComputedStyle(document.documentElement);
  return cache.getPropertyValue(`--${name}`).trim();
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
  cache = null;
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
