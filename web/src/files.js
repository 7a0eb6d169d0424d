// Files: what can be saved from the studio, and links that hold a model.

import { csvOf } from './actions.js';
import { make } from './dom.js';
import { bytesOf } from './run.js';

const MOST_PACKED = 1 << 20; // bytes of a model in an address: browsers cut off longer ones
const MOST_TEXT = 8 << 20; // bytes of a model: the server takes no longer ones

/** Let the browser save something. */
export function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// What a stream makes of bytes; more than `most` are not taken, for few may stand for very many.
async function through(stream, bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return new Uint8Array(await new Blob(pieces).arrayBuffer());
    }
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`more than ${most} bytes`);
    }
    pieces.push(value);
  }
}

/** A text as the part of an address behind #; it fails for one that no address has room for. */
export async function packed(name, text) {
  const bytes = await through(
    new CompressionStream('deflate-raw'),
    new TextEncoder().encode(text),
    MOST_PACKED,
  );
  const letters = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
  const safe = letters.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  return `#name=${encodeURIComponent(name)}&model=${safe}`;
}

/** The name and the text of such a part; null when it is none.  It fails for one that is broken. */
export async function unpacked(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const model = parts.get('model');
  if (!model) {
    return null;
  }
  const bytes = bytesOf(model.replace(/-/g, '+').replace(/_/g, '/'));
  const text = await through(new DecompressionStream('deflate-raw'), bytes, MOST_TEXT);
  return {
    name: parts.get('name') || 'model.kal',
    text: new TextDecoder('utf-8', { fatal: true }).decode(text),
  };
}

// Keys of a menu that is open: arrows lead from item to item, Escape back to its button.
function onMenuKey(menu, event) {
  const items = [...menu.querySelectorAll('[role=menuitem]')];
  const at = items.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && menu.open) {
    const next = at < 0 && step < 0 ? -1 : at + step;
    items.at(next % items.length).focus();
  } else if (event.key === 'Escape' && menu.open) {
    menu.open = false;
    menu.querySelector('summary').focus();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** The menu of all that can be saved; `studio` knows what there is. */
export function saveMenu(studio) {
  const stem = () => studio.name.replace(/^.*\//, '').replace(/\.kal$/, '');
  const { stage } = studio;
  const need = (there, act) =>
    there ? act() : studio.showNotice('There is nothing to save: none is shown.');
  const items = [
    ['Model', () => save(`${stem()}.kal`, studio.editor.text, 'text/plain')],
    ['Report', () => studio.fetch('report', `${stem()}.html`, 'text/html')],
    [
      'Data (CSV)',
      () =>
        need(studio.run, () => save(`${stem()}.csv`, csvOf(studio.run), 'text/csv')),
    ],
    ['Data (HDF5)', () => studio.fetchFile('hdf5')],
    [
      'Picture (PNG)',
      () =>
        need(stage.scene, () => stage.picture((blob) => save(`${stem()}.png`, blob))),
    ],
    [
      'Picture (SVG)',
      () =>
        need(stage.scene, () =>
          save(`${stem()}.svg`, stage.drawing(), 'image/svg+xml'),
        ),
    ],
    [
      'Film (WebM)',
      () =>
        need(stage.scene && globalThis.MediaRecorder, () =>
          stage.film((blob) => save(`${stem()}.webm`, blob)),
        ),
    ],
    ['Equations (LaTeX)', () => studio.fetch('latex', `${stem()}.tex`, 'text/plain')],
    ['C sources (ZIP)', () => studio.fetchFile('c')],
    ['FMU', () => studio.fetchFile('fmu')],
    ['Link with this model', () => studio.copyLink()],
  ];
  const menu = make('details', { className: 'menu' }, make('summary', {}, 'Export'));
  const list = make('div', { className: 'items', role: 'menu' });
  for (const [text, act] of items) {
    const onclick = () => {
      menu.open = false;
      act();
    };
    list.append(make('button', { role: 'menuitem', onclick }, text));
  }
  menu.append(list);
  menu.addEventListener('keydown', (event) => onMenuKey(menu, event));
  document.addEventListener('click', (event) => {
    if (!menu.contains(event.target)) {
      menu.open = false;
    }
  });
  return menu;
}
