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
import { kalaba } from './language.js';

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

// Kinds of the Language Server Protocol: what the editor calls them.
const TYPES = {
  3: 'function',
  6: 'variable',
  7: 'class',
  11: 'constant',
  14: 'keyword',
};

// Units as readers know them, in what the server says of a name.
function readable(words) {
  return words.replace(/\[(.*)\]/u, (_, u) => `[${unit(u)}]`);
}

// An item of the server as something to choose.
function option({ label, kind, detail, documentation }) {
  const type = TYPES[kind];
  return {
    label,
    type,
    detail: type === 'keyword' ? '' : readable(detail),
    info: documentation,
    apply: detail === 'function' ? `${label}(` : label,
    boost: detail === 'function' ? 0 : 1,
  };
}

// Of names that are there twice, as counters of loops, the first.
function once(items) {
  const first = new Map();
  for (const item of items) {
    if (!first.has(item.label)) {
      first.set(item.label, item);
    }
  }
  return [...first.values()];
}

// Line and character of an offset, from 0.
function positionOf(doc, offset) {
  const { number, from } = doc.lineAt(offset);
  return { line: number - 1, character: offset - from };
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
   * bindings; `values` says what names stand for; `inquire(what, text, position)` asks the
   * server as editors do. */
  constructor({ parent, onChange, keys, nonce, values, inquire }) {
    this.values = values;
    this.inquire = inquire;
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
        EditorView.lineWrapping,
        kalaba,
        syntaxHighlighting(colors),
        looks,
        lintGutter(),
        autocompletion({
          override: [(context) => this.complete(context)],
          activateOnTyping: true,
          icons: false, // signs that few fonts have
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

  async complete(context) {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u);
    const unitBegins = context.matchBefore(/[\d\p{L}')\]]\s+\[/u);
    if (!word && !unitBegins && !context.explicit) {
      return null;
    }
    const items = await this.ask('completion', context.pos);
    return {
      from: word ? word.from : context.pos,
      options: once(items ?? []).map(option),
      validFor: /^[\p{L}\p{N}_]*$/u,
    };
  }

  // About the text as it is now; nothing when the server is gone.
  async ask(what, offset) {
    const { doc } = this.view.state;
    try {
      return await this.inquire(what, this.text, positionOf(doc, offset));
    } catch {
      return null;
    }
  }

  async hint(view, pos) {
    const found = wordAt(view, pos);
    const answer = found && (await this.ask('hover', found.from));
    if (!answer) {
      return null;
    }
    const value = this.values().get(found.word);
    const lines = [readable(answer.contents)];
    if (value !== undefined) {
      lines.push(`${found.word} = ${value}`);
    }
    return {
      pos: found.from,
      end: found.to,
      create: () => ({
        dom: make('div', {}, ...lines.map((line) => make('div', {}, line))),
      }),
    };
  }

  async goToDefinition() {
    const { doc, selection } = this.view.state;
    const answer = await this.ask('definition', selection.main.head);
    if (answer && this.view.state.doc === doc) {
      const { line, character } = answer.range.start;
      this.select(this.view.state.doc.line(line + 1).from + character);
    }
  }

  goTo(line, column) {
    this.select(offsetOf(this.view.state.doc, line, column));
  }

  select(at) {
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
