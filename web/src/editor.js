// The editor: text with colors, remarks of the server, completion, hints and definitions.

import { autocompletion } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorView, hoverTooltip, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { make } from './dom.js';
import { unit } from './format.js';
import { kalaba, STATEMENTS } from './language.js';

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--series-4)', fontWeight: '600' },
  { tag: tags.modifier, color: 'var(--series-4)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--series-3)' },
  { tag: tags.number, color: 'var(--series-1)' },
  { tag: tags.unit, color: 'var(--series-6)' },
  { tag: tags.function(tags.variableName), color: 'var(--series-5)' },
  { tag: tags.atom, color: 'var(--series-2)' },
]);

const looks = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--card)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', fontSize: '13.5px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--card)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    {
      backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
    },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    borderColor: 'var(--line)',
  },
  '.cm-tooltip-hover': { padding: '4px 8px', maxWidth: '460px' },
  '.cm-diagnostic': { fontFamily: 'system-ui, sans-serif' },
});

const DECLARED_BY = new Set(['fn', 'component', 'table', 'function']);

// A name of the server as something to choose.
function option({ name, kind, unit: u, library }) {
  const called = DECLARED_BY.has(kind);
  return {
    label: name,
    type: kind === 'statement' ? 'keyword' : called ? 'function' : 'variable',
    detail: library ?? (u ? `${kind} [${unit(u)}]` : kind === 'statement' ? '' : kind),
    info: kind === 'statement' ? STATEMENTS[name] : undefined,
    apply: kind === 'function' ? `${name}(` : name,
    boost: kind === 'function' || kind === 'unit' ? 0 : 1,
  };
}

// Of names that are there twice, as counters of loops, the first.
function once(names) {
  const first = new Map();
  for (const each of names) {
    if (!first.has(each.name)) {
      first.set(each.name, each);
    }
  }
  return [...first.values()];
}

function wordAt(view, pos) {
  const line = view.state.doc.lineAt(pos);
  for (const match of line.text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) {
    const from = line.from + match.index;
    if (from <= pos && pos <= from + match[0].length) {
      return { word: match[0], from, to: from + match[0].length };
    }
  }
  return null;
}

function describe({ name, kind, unit: u, line, library }, value) {
  const what = `${kind} ${name}${u ? ` [${unit(u)}]` : ''}`;
  const is = value === undefined ? '' : ` = ${value}`;
  return `${what}${is}${library ? `, of ${library}` : line ? `, line ${line}` : ''}`;
}

// A place of the server, line and column in characters from 1, as an offset.
function offsetOf(doc, line, column) {
  if (line < 1 || line > doc.lines) {
    return line < 1 ? 0 : doc.length;
  }
  const { from, to, text } = doc.line(line);
  const before = [...text].slice(0, column - 1).join('').length;
  return Math.min(to, from + before);
}

function severityOf(kind) {
  return kind === 'note' ? 'info' : kind;
}

export class Editor {
  /** `onChange(text)` hears of every change that the user makes; `keys` are more key
   * bindings; `values` says what names stand for; `names(text)` and `language` promise the
   * names of a text and the words of the language. */
  constructor({ parent, onChange, keys, nonce, values, names, language }) {
    this.values = values;
    this.names = names;
    this.language = language.catch(() => []);
    this.quiet = false;
    this.view = new EditorView({
      parent,
      extensions: [
        EditorView.cspNonce.of(nonce),
        keymap.of([
          ...keys,
          { key: 'F12', run: () => Boolean(this.goToDefinition()) },
          indentWithTab,
        ]),
        basicSetup,
        kalaba,
        syntaxHighlighting(colors),
        looks,
        lintGutter(),
        autocompletion({
          override: [(context) => this.complete(context)],
          activateOnTyping: true,
        }),
        hoverTooltip((view, pos) => this.hint(view, pos)),
        EditorView.contentAttributes.of({ 'aria-label': 'Model' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.quiet) {
            onChange(this.text);
          }
        }),
      ],
    });
    this.view.contentDOM.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey) {
        this.goToDefinition();
      }
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** Put another text in the place of this one; nobody is told. */
  set(text) {
    this.quiet = true;
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
    });
    this.quiet = false;
  }

  // At the beginning of a line statements, in brackets units, elsewhere names and functions.
  async complete(context) {
    const bracket = context.matchBefore(/[\d\p{L}'=]\s*\[[\p{L}*/^\d]*/u);
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u);
    const from = word ? word.from : context.pos;
    const language = await this.language;
    const ofKind = (kind) => language.filter((each) => each.kind === kind).map(option);
    if (bracket && !context.matchBefore(/[*+\-/(,=]\s*\[[^\]]*/)) {
      return { from, options: ofKind('unit') };
    }
    if (!word && !context.explicit) {
      return null;
    }
    const line = context.state.doc.lineAt(context.pos);
    if (line.text.slice(0, from - line.from).trim() === '') {
      return { from, options: ofKind('statement') };
    }
    const names = once(await this.known()).filter(({ kind }) => kind !== 'use');
    return { from, options: [...names.map(option), ...ofKind('function')] };
  }

  // The names of the text as it is now; none when the server is gone.
  async known() {
    try {
      return await this.names(this.text);
    } catch {
      return [];
    }
  }

  async find(word) {
    return (await this.known()).find(({ name }) => name === word);
  }

  async hint(view, pos) {
    const found = wordAt(view, pos);
    const known = found && (await this.find(found.word));
    const language = await this.language;
    const plain = found && language.find(({ name }) => name === found.word);
    const text = known
      ? describe(known, this.values().get(found.word))
      : (STATEMENTS[found?.word] ?? (plain && describe(plain)));
    return text
      ? {
          pos: found.from,
          end: found.to,
          create: () => ({ dom: make('div', {}, text) }),
        }
      : null;
  }

  async goToDefinition() {
    const found = wordAt(this.view, this.view.state.selection.main.head);
    const known = found && (await this.find(found.word));
    if (known?.line) {
      this.goTo(known.line, known.column);
    }
  }

  goTo(line, column) {
    const at = offsetOf(this.view.state.doc, line, column);
    this.view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.view.focus();
  }

  /** Mark what the server remarks on the text of a name. */
  mark(remarks, name) {
    const { doc } = this.view.state;
    const marks = remarks
      .filter(({ file }) => file === name)
      .map((remark) => {
        const from = offsetOf(doc, remark.line, remark.column);
        const to = Math.max(from, offsetOf(doc, remark.end_line, remark.end_column));
        return {
          from,
          to: to > from ? to : Math.min(doc.length, from + 1),
          severity: severityOf(remark.kind),
          message: remark.message,
        };
      })
      .sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
}
