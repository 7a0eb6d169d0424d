// Printing: light colors and the width of a page, whatever the window was.
//
// Plots are drawn to the width that they have on the screen, and browsers lay a page out
// anew for printing without telling them.  So the page takes its printed form while the
// browser prepares, and its own again behind that.

import { withTheme } from './theme.js';

/** Have `resize` called whenever everything gets another width, at once. */
export function preparePrinting(resize) {
  const { classList } = document.documentElement;
  let restore = null;
  globalThis.addEventListener('beforeprint', () => {
    classList.add('printing');
    restore ??= withTheme(false);
    resize();
  });
  globalThis.addEventListener('afterprint', () => {
    classList.remove('printing');
    restore?.();
    restore = null;
    resize();
  });
}
